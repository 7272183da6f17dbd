//! Finds why a text changed, from the words around the change.
//!
//! ```text
//! "Today is 2026-11-21."    →  "Today is 2026-11-22."       DateOrClock
//! "cwd: /home/mia/a"        →  "cwd: /home/tom/a"           Directory
//! "id 3f2b9c1e77aa"         →  "id 9d01ffe2c3b4"            RandomId
//! "a long result of a tool" →  "a long [truncated]"         TextTrimmed
//! "You are helpful."        →  "You are kind."              TextEdited
//! ```
//!
//! The cause is a guess from what the words look like on both sides: a date on
//! both, a path on both, an id on both. If only one side looks like that, the
//! change is an edit.

mod dates;
mod reminders;

use super::cause::Cause;
use dates::{
    has_month_or_day, is_date_or_time, is_day_or_month, is_on_a_twelve_hour_clock,
    is_range_of_lines,
};
use reminders::split_reminders;

pub(super) use reminders::without_reminders;

/// How many bytes around the change to inspect. Longer words are cut there.
const NEAR: usize = 160;

/// How many bytes above a line to search for its heading.
const HEADING: usize = 4_000;

/// Finds why a text changed.
///
/// The order of the rules matters: line ends, white space at the ends,
/// reminders, git status, date, id, directory, a text that was cut, and an edit
/// if none fits. A git status line can contain a date or a path, so that rule
/// comes before theirs.
pub(crate) fn cause(before: &str, after: &str) -> Cause {
    if unified_lines(before) == unified_lines(after) {
        return Cause::LineEndings;
    }
    if before.trim() == after.trim() {
        return Cause::TextTrimmed;
    }
    let reminders = [before, after].map(without_reminders);
    if let [Some(a), b] | [b, Some(a)] = &reminders {
        let other = match b {
            Some(b) => b.as_str(),
            None if reminders[0].is_none() => before,
            None => after,
        };
        if a.trim() == other.trim() && !is_reminder_edited(before, after) {
            return Cause::ReminderMovedOrRemoved;
        }
    }
    let change = Region::of(before, after);
    if change.is_git_status() {
        return Cause::GitStatus;
    }
    if change.is_date() {
        return Cause::DateOrClock;
    }
    if change.is_id() {
        return Cause::RandomId;
    }
    if change.is_directory() {
        return Cause::Directory;
    }
    if is_trimmed(before, after) {
        return Cause::TextTrimmed;
    }
    Cause::TextEdited
}

fn unified_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns true if both texts have equally many reminders, and one differs:
/// then it was edited, not moved.
fn is_reminder_edited(before: &str, after: &str) -> bool {
    let reminders = |text| {
        let mut found: Vec<&str> = split_reminders(text).map(|it| it.1).collect();
        found.sort_unstable();
        found
    };
    let (before, after) = (reminders(before), reminders(after));
    before.len() == after.len() && before != after
}

/// Returns true if the later text is the earlier one, cut: its start, or its
/// start and its end with a notice such as `[truncated]` between them.
fn is_trimmed(before: &str, after: &str) -> bool {
    const NOTICES: [&str; 6] = ["truncat", "…", "...", "omitted", "cleared", "trimmed"];
    if after.len() >= before.len() {
        return false;
    }
    let common = common_prefix(before, after);
    let rest = &after[common..];
    if rest.is_empty() {
        return true;
    }
    let lower = rest.to_lowercase();
    let has_notice = NOTICES.iter().any(|it| lower.contains(it));
    // A notice at the cut, and the text after the removed part.
    let middle = rest.split_once(['\n', ']', ')']).is_some_and(|(_, end)| before.ends_with(end));
    has_notice && !before.ends_with(rest) && (rest.len() <= NEAR || middle)
}

/// Returns how long the common start is in bytes, at a character boundary in
/// both texts.
fn common_prefix(a: &str, b: &str) -> usize {
    let bytes = a.bytes().zip(b.bytes());
    let common = bytes.take_while(|(a, b)| a == b).count();
    // After equal bytes, both texts have a character boundary, or neither.
    floor(a, common)
}

/// Returns how long the common end is in bytes, at a character boundary in both
/// texts.
fn common_suffix(a: &str, b: &str) -> usize {
    let bytes = a.bytes().rev().zip(b.bytes().rev());
    let common = bytes.take_while(|(a, b)| a == b).count();
    a.len() - ceil(a, a.len() - common)
}

/// What differs between two texts, with the words around it.
///
/// Pairs have the earlier value first.
struct Region<'a> {
    /// The words at the change.
    words: [&'a str; 2],
    /// The lines with the change.
    lines: [&'a str; 2],
    /// The text above these lines.
    above: &'a str,
}

impl<'a> Region<'a> {
    /// Finds what is between the texts' common start and end.
    fn of(before: &'a str, after: &'a str) -> Self {
        let start = common_prefix(before, after);
        let end = common_suffix(&before[start..], &after[start..]);
        let above_from = floor(before, start.saturating_sub(HEADING));
        let line_start = before[..start].rfind('\n').map_or(0, |it| it + 1);
        let line = |text: &'a str| {
            let from = floor(text, line_start.max(start.saturating_sub(NEAR)));
            let to = text[start..].find('\n').map_or(text.len(), |it| start + it);
            &text[from..ceil(text, to.min(start + NEAR))]
        };
        let word = |text: &'a str| {
            let near = floor(text, start.saturating_sub(NEAR));
            let first = text[near..start].rfind(|it| !is_word(it));
            let from = first.map_or(near, |it| {
                let at = near + it;
                at + text[at..].chars().next().map_or(1, char::len_utf8)
            });
            let last = (text.len() - end).max(start);
            let rest = &text[last..ceil(text, last + NEAR)];
            let to = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
            &text[from..last + to]
        };
        Self {
            words: [word(before), word(after)],
            lines: [line(before), line(after)],
            above: &before[above_from..start],
        }
    }

    /// Returns true if the changed lines are from a git status, or below its
    /// heading.
    fn is_git_status(&self) -> bool {
        const HEADINGS: [&str; 4] =
            ["gitstatus", "git status", "current branch:", "recent commits"];
        let above = self.above.to_lowercase();
        // The heading nearest to the change decides.
        let heading = above.rfind("\n#").or_else(|| above.rfind("\n\n# "));
        let near = &above[heading.unwrap_or(0)..];
        let lines = self.lines.map(str::to_lowercase);
        let names = |text: &str| HEADINGS.iter().any(|it| text.contains(it));
        names(near) || lines.iter().any(|it| names(it)) || self.lines.iter().all(|it| is_status(it))
    }

    /// Returns true if the words are dates or times, or short numbers in lines with the
    /// name of a month or of a day of the week.
    fn is_date(&self) -> bool {
        let is_number = |it: &&str| it.len() <= 64 && it.bytes().any(|it| it.is_ascii_digit());
        let mut both = self.words.iter().zip(self.lines);
        both.clone().all(|(word, line)| {
            (is_date_or_time(word) && !is_range_of_lines(word, line))
                || is_day_or_month(word)
                || is_on_a_twelve_hour_clock(word, line)
        }) || both.all(|(word, line)| is_number(word) && has_month_or_day(line))
    }

    /// Returns true if both words are absolute paths, and no routes such as
    /// `GET /v1/items`.
    fn is_directory(&self) -> bool {
        const METHODS: [&str; 5] = ["GET ", "POST ", "PUT ", "PATCH ", "DELETE "];
        let mut both = self.words.iter().zip(self.lines);
        both.all(|(word, line)| {
            let before = line.split(word).next().unwrap_or_default();
            is_path(word) && !METHODS.iter().any(|it| before.ends_with(it))
        })
    }

    /// Returns true if both words are ids with the same length, or paths that
    /// only differ in such a name, as temporary directories do.
    fn is_id(&self) -> bool {
        let [a, b] = self.words;
        if !(is_path(a) && is_path(b)) {
            return is_id(a) && is_id(b) && a.len() == b.len();
        }
        let names = a.split(['/', '\\']).zip(b.split(['/', '\\']));
        let mut changed = names.filter(|(a, b)| a != b);
        let is_random = |(a, b): (&str, &str)| a.len() == b.len() && is_id(a) && is_id(b);
        a.len() == b.len() && changed.next().is_some_and(is_random) && changed.next().is_none()
    }
}

/// Returns true for characters in words, paths, dates and ids.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || "_-./:\\+~@".contains(character)
}

/// Returns the nearest character boundary at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the nearest character boundary at or after a byte.
fn ceil(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Returns true for a line from `git status --short`: two code columns, a
/// space, a path, as in ` M src/main.rs` or `?? notes.md`.
fn is_status(line: &str) -> bool {
    let bytes = line.as_bytes();
    let code = |it: u8| b" MADRCU?!".contains(&it);
    bytes.len() > 3
        && code(bytes[0])
        && code(bytes[1])
        && bytes[2] == b' '
        && &bytes[..2] != b"  "
        && bytes[3] != b' '
}

/// Returns true for an absolute path with two parts or more, on Unix or
/// Windows, or below `~`.
fn is_path(word: &str) -> bool {
    let is_windows = word.get(1..3) == Some(":\\") || word.get(1..3) == Some(":/");
    let is_home = word.starts_with("~/");
    let is_absolute = word.starts_with('/') && word.len() > 1 && word[1..].contains('/');
    let is_url = word.contains("://");
    (is_windows || is_home || is_absolute) && !is_url
}

/// Returns true if the text is an id: one long word with digits.
fn is_id(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let word = text.trim_end_matches(['.', ':']);
    let last = word.rsplit(['.', '/', ':']).next().unwrap_or(word);
    let body: Vec<u8> = last.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let digits = body.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = body.len() - digits;
    let is_hex = body.iter().all(u8::is_ascii_hexdigit);
    let is_mixed = digits >= 2 && letters >= 2;
    last.is_ascii() && body.len() >= 8 && (is_mixed || (is_hex && digits > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: Cause) {
        assert_eq!(cause(before, after), expected, "{before:?} {after:?}");
    }

    #[test]
    fn the_words_at_the_change_decide() {
        check("Today is 2026-11-21.", "Today is 2026-11-22.", Cause::DateOrClock);
        check("It is 10:59:01 now", "It is 11:00:00 now", Cause::DateOrClock);
        check(
            "Date: Friday, November 20, 2026",
            "Date: Saturday, November 21, 2026",
            Cause::DateOrClock,
        );
        check("started 1763700000", "started 1763700123", Cause::DateOrClock);
        check("It is Monday.", "It is Tuesday.", Cause::DateOrClock);
        check("up since 3pm", "up since 4pm", Cause::DateOrClock);
        check("It is 9:59 AM. Go", "It is 10:00 AM. Go", Cause::DateOrClock);
        check("seen at 1763700000.25", "seen at 1763700123.5", Cause::DateOrClock);
        let ids = ["0b1d4e6a-2c3f-4a5b-8c7d-9e0f1a2b3c4d", "77aa4e6a-2c3f-4a5b-8c7d-9e0f1a2b9999"];
        check(&format!("Session {}.", ids[0]), &format!("Session {}.", ids[1]), Cause::RandomId);
        check("12 files and 345 lines", "13 files and 398 lines", Cause::TextEdited);
        check("python3.11 and node20 here", "python3.12 and node22 here", Cause::TextEdited);
        check("cwd: /home/mia/a", "cwd: /home/tom/a", Cause::Directory);
        check("scratch /tmp/run-3f2b9c1e/out", "scratch /tmp/run-9d01ffe2/out", Cause::RandomId);
        check(
            "<environment_context>cwd</environment_context>\nhi",
            "hi",
            Cause::ReminderMovedOrRemoved,
        );
        check(r"in C:\Users\mia", r"in C:\Users\tom", Cause::Directory);
        check("id 3f2b9c1e77aa", "id 9d01ffe2c3b4", Cause::RandomId);
        check("# gitStatus\nM src/a.rs", "# gitStatus\nM src/a.rs\nM src/b.rs", Cause::GitStatus);
        check("a\r\nb", "a\nb", Cause::LineEndings);
        check("text  ", "text", Cause::TextTrimmed);
        check(
            "first\nsecond line\nthird line\nlast",
            "first\n[2 omitted]\nlast",
            Cause::TextTrimmed,
        );
        check("a long result of a tool", "a long result", Cause::TextTrimmed);
        check("a long result of a tool", "a long [truncated]", Cause::TextTrimmed);
        check("hi\n<system-reminder>todo</system-reminder>", "hi", Cause::ReminderMovedOrRemoved);
        check("You are helpful.", "You are kind.", Cause::TextEdited);
        check(
            "<system-reminder>Use tabs.</system-reminder>",
            "<system-reminder>Use spaces.</system-reminder>",
            Cause::TextEdited,
        );
        check(
            "<system-reminder>It is 2026-01-31.</system-reminder>",
            "<system-reminder>It is 2026-02-01.</system-reminder>",
            Cause::DateOrClock,
        );
        check(
            "<system-reminder>todo</system-reminder>\nhi",
            "hi\n<system-reminder>todo</system-reminder>",
            Cause::ReminderMovedOrRemoved,
        );
    }

    #[test]
    fn unrelated_texts_are_edits() {
        check("Use the parser of version 1.", "Use the lexer of version 2.", Cause::TextEdited);
        check("see a/b for more", "see a/c for more", Cause::TextEdited);
        check("réponse é", "réponse è", Cause::TextEdited);
        check("", "new", Cause::TextEdited);
        check("Be kind. Be careful. Be brief.", "Be kind. Be brief.", Cause::TextEdited);
        check("Be kind. Be careful. And so on...", "Be kind. And so on...", Cause::TextEdited);
        check("lines 10:20 of it", "lines 10:25 of it", Cause::TextEdited);
        check("at 10:20 of it", "at 10:25 of it", Cause::DateOrClock);
        check("It may work.", "It can work.", Cause::TextEdited);
        check("GET /v1/items", "GET /v2/items", Cause::TextEdited);
        check("main.rs:12:34 fails", "main.rs:14:20 fails", Cause::TextEdited);
        check(
            "In November 2026 we had lexers",
            "In November 2026 we had parsers",
            Cause::TextEdited,
        );
        check("<b>bold</b> text", "text", Cause::TextEdited);
    }
}
