//! Times, cache misses and differences as lines of text.

use std::time::Duration;

use crate::text::{money, thousands};
use aside_cache_model::{Difference, Excerpt, Miss, short_time};
use aside_text::{columns, cut, one_line};

/// Formats a time since the first request: `+9s`, `+1m09s`, `+1h02m03s`. Fractions of a second are
/// cut off; a time before the first request is `+0s`.
#[must_use]
pub fn since(start: Duration, at: Duration) -> String {
    format!("+{}", short_time(at.saturating_sub(start)))
}

/// Returns the lines of a miss: its reason with the loss, the live entry that no marker
/// reached, and the difference.
///
/// ```text
/// miss: previous_message_not_found, expired after 6m10s, 1h would do: 1,605 tokens, $0.00770 lost
/// ```
///
/// `is_exact` is false if the bodies are not as they were sent.
#[must_use]
pub fn miss_lines(miss: &Miss, is_exact: bool) -> Vec<String> {
    let detail = miss.detail.as_ref().map(|it| format!(", {it}"));
    let reason = miss.reason.as_str();
    let (tokens, cost) = (thousands(miss.lost_tokens), money(miss.lost_cost));
    let detail = detail.unwrap_or_default();
    let mut lines = vec![format!("miss: {reason}{detail}: {tokens} tokens, {cost} lost")];
    lines.extend(miss.unreached.iter().map(ToString::to_string));
    let difference = miss.difference.iter();
    lines.extend(difference.flat_map(|it| difference_lines(it, is_exact)));
    lines
}

/// How many columns of a text to show around a change: with their label and the indentation of a
/// log they fit 80 columns.
const SHOWN: usize = 60;

/// Formats a difference: where it is and why, both texts, and marks below the characters that
/// changed.
///
/// ```text
/// system[0].text at byte 848 (byte 34 of the value): date or clock
/// before: "You are a coding agent. It is 10:53. Read before you write.
/// after : "You are a coding agent. It is 10:56. Read before you write.
///                                            ^
/// fix   : leave the time out, or send it in a new message
/// ```
///
/// Without `is_exact` the offset in the body is omitted, since these are not the bytes that were
/// sent, and so is that of a model in the request's path; the offset in the value remains. With `--no-text` an excerpt has its length in bytes and
/// its hash. Texts are escaped; the path is not.
#[must_use]
pub fn difference_lines(difference: &Difference, is_exact: bool) -> Vec<String> {
    let mut lines = changed_lines(difference, is_exact);
    lines.extend(difference.cause.fix().map(|it| format!("fix   : {it}")));
    lines
}

/// Formats a difference as [`difference_lines`] does, without the fix.
#[must_use]
pub fn changed_lines(difference: &Difference, is_exact: bool) -> Vec<String> {
    let mut place = difference.path.clone();
    if let Some(byte) = difference.byte_offset.filter(|_| is_exact) {
        place.push_str(&format!(" at byte {byte}"));
    }
    let equal = if difference.is_json_equal { ", the same JSON value in other bytes" } else { "" };
    let mut lines = vec![format!(
        "{place} (byte {} of the value): {}{equal}",
        difference.value_offset, difference.cause
    )];
    let (before, after) = (&difference.before, &difference.after);
    match (&before.text, &after.text) {
        (Some(old), Some(new)) => {
            let common = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
            // In a string, the offset does not count the quotation mark at the start.
            let is_cut = |text: &str, whole: &Excerpt| {
                difference.value_offset + text.len() - common + 1 < whole.bytes
            };
            let is_cut = is_cut(old, before) || is_cut(new, after);
            let end = if is_cut { TextEnd::Cut } else { TextEnd::Shown };
            lines.extend(marked(&one_line(old), &one_line(new), end));
        }
        _ => {
            let line = |name: &str, it: &Excerpt| {
                format!("{name}: {} bytes, hash {:016x}", it.bytes, it.hash)
            };
            lines.extend([line("before", before), line("after ", after)]);
        }
    }
    lines
}

/// Whether the ends of two values are in their excerpts.
#[derive(Clone, Copy)]
enum TextEnd {
    Shown,
    /// One is cut: what both have after the change may reach further in one than in the other.
    Cut,
}

/// How many characters after a change must be equal, to count as the same text if the ends are not
/// known.
const MIN_EQUAL_CHARS: usize = 8;

/// Returns how many characters are new, in texts that differ from their start.
fn new_chars(old: &[char], new: &[char], end: TextEnd) -> usize {
    let agrees = |(a, b): (&char, &char)| a == b;
    match end {
        TextEnd::Shown => {
            new.len() - old.iter().rev().zip(new.iter().rev()).take_while(|it| agrees(*it)).count()
        }
        TextEnd::Cut => {
            let follows = |removed: usize, added: usize| {
                let (old, new) = (&old[removed..], &new[added..]);
                old.len().min(new.len()) >= MIN_EQUAL_CHARS && old.iter().zip(new).all(agrees)
            };
            let changes = (0..=old.len() + new.len()).flat_map(|sum| {
                (sum.saturating_sub(old.len())..=sum.min(new.len())).map(move |it| (sum - it, it))
            });
            let mut changes = changes.filter(|it| follows(it.0, it.1));
            changes.next().map_or(new.len(), |it| it.1)
        }
    }
}

/// Returns both texts, cut to the characters around their change, and a line that marks what is
/// new. If one is empty, all of the other is.
fn marked(before: &str, after: &str, end: TextEnd) -> Vec<String> {
    let texts = [before, after].map(|it| it.chars().collect::<Vec<_>>());
    let [old, new] = &texts;
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let added = new_chars(&old[common..], &new[common..], end);
    let width = |text: &[char]| columns(&text.iter().collect::<String>());
    let mut from = 0;
    if width(old).max(width(new)) > SHOWN {
        // Half of the room is for the text before the change.
        while width(&old[from..common]) > SHOWN / 2 {
            from += 1;
        }
    }
    let start = if from == 0 { "" } else { "\u{2026}" };
    let line = |name: &str, text: &[char]| match text.get(from..).unwrap_or_default() {
        [] => format!("{name}: nothing"),
        rest => {
            let shown: String = rest.iter().collect();
            format!("{name}: {start}{}", cut(&shown, SHOWN + 1))
        }
    };
    let mut lines = vec![line("before", old), line("after ", new)];
    if !old.is_empty() && !new.is_empty() {
        let before = width(&new[from..common]);
        let room = SHOWN.saturating_sub(before).max(1);
        let changed = width(&new[common..common + added]).clamp(1, room);
        let column = "after : ".len() + columns(start) + before;
        lines.push(format!("{}{}", " ".repeat(column), "^".repeat(changed)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use aside_cache_model::{Body, first_difference};

    use super::*;

    #[test]
    fn changed_characters_are_marked() {
        let lines = |before: &str, after: &str| marked(before, after, TextEnd::Shown).join("\n");
        assert_eq!(
            lines("It is 10:53.", "It is 10:56."),
            "before: It is 10:53.\nafter : It is 10:56.\n                  ^"
        );
        assert_eq!(lines("ab", "axyzb"), "before: ab\nafter : axyzb\n         ^^^");
        assert_eq!(lines("", "new"), "before: nothing\nafter : new");
        // Texts that look the same, as long as the line.
        let equal = "a".repeat(SHOWN);
        let end = marked(&equal, &equal, TextEnd::Shown).pop();
        assert_eq!(end, Some(format!("{}^", " ".repeat(8 + SHOWN))));
        let long = |end: &str| format!("{}{end}{}", "é".repeat(50), "z".repeat(60));
        let shown = marked(&long("1"), &long("2"), TextEnd::Shown);
        let widths: Vec<_> = shown.iter().map(|it| it.chars().count()).collect();
        assert_eq!(widths, [70, 70, 40], "{shown:?}");
        assert_eq!(shown[1].chars().nth(39), Some('2'));
        // A mark is below its character, however wide those before it are.
        assert_eq!(
            lines("東京 10:53", "東京 10:56"),
            "before: 東京 10:53\nafter : 東京 10:56\n                 ^"
        );
    }

    /// After an insertion or a removal, the cut excerpts end at different places of the same text.
    #[test]
    fn text_after_a_change_is_not_marked() {
        const GREEK: &str = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega";
        let mark = |before: &str, after: &str| {
            let body = |text: &str| {
                let json =
                    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]}}"#);
                Body::parse(json.as_bytes()).unwrap()
            };
            let difference = first_difference(&body(before), &body(after)).unwrap();
            let lines = changed_lines(&difference, true);
            let [_, _, new, mark] = &lines[..] else { panic!("{lines:?}") };
            let at = mark.find('^').unwrap();
            new.chars().skip(at).take(mark.len() - at).collect::<String>()
        };
        let changed = |from: &str, to: &str| GREEK.replacen(from, to, 1);
        for far in ["", " and more"].map(|it| it.repeat(30)) {
            let mark = |before: &str, after: &str| {
                mark(&format!("{before}{far}"), &format!("{after}{far}"))
            };
            assert_eq!(mark(GREEK, &changed("beta", "x beta")), "x ");
            assert_eq!(mark(&changed("beta", "x beta"), GREEK), "b");
            assert_eq!(mark(GREEK, &changed("beta", "BETABETA")), "BETABETA");
            assert_eq!(mark(GREEK, &changed("theta", "10:53 theta")), "10:53 ");
            assert_eq!(mark(GREEK, &changed("omega", "omegaX")).chars().next(), Some('X'));
        }
        let other = mark(GREEK, &GREEK.to_uppercase());
        assert!(other.len() > 50, "all is new: {other}");
    }

    #[test]
    fn figures_are_short() {
        let at = |seconds: u64| since(Duration::from_secs(5), Duration::from_secs(5 + seconds));
        assert_eq!(at(9), "+9s");
        assert_eq!(at(69), "+1m09s");
        assert_eq!(at(3_723), "+1h02m03s");
    }
}
