use aside_messages::one_line;
use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::truncate::{first_chars, left_out};

const MAX_DIFF_CHARS: usize = 8_000;

/// A file that the user or a program changed after the model had read it. At
/// most 8,000 characters of the diff are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditedFile {
    /// The file's path.
    pub path: String,
    /// The change as a unified diff; empty if there is none to show.
    pub diff: String,
}

/// How many lines to compare, without the common first and last ones. The work
/// grows with the square of their number.
const MAX_COMPARED_LINES: usize = 2_000;

/// How many unchanged lines to show around a change.
const CONTEXT_LINES: usize = 3;

impl EditedFile {
    /// Compares two versions of a text. The diff is empty when more than 2,000
    /// lines differ: the attachment then says that the change is not shown.
    ///
    /// ```
    /// use aside_attachments::EditedFile;
    ///
    /// let edited = EditedFile::between("/p/a.txt", "one\ntwo\n", "one\n2\n");
    /// assert_eq!(edited.diff, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    /// ```
    #[must_use]
    pub fn between(path: impl Into<String>, before: &str, after: &str) -> Self {
        let diff = if differing_lines(before, after) > MAX_COMPARED_LINES {
            String::new()
        } else {
            let diff = TextDiff::from_lines(before, after);
            let mut unified = diff.unified_diff();
            unified.context_radius(CONTEXT_LINES).to_string()
        };
        Self { path: path.into(), diff }
    }

    /// Returns true if the note shows the whole change, so that a model that knew the earlier text
    /// knows this one.
    #[must_use]
    pub fn is_shown_whole(&self) -> bool {
        let numbered = numbered(&self.diff);
        !numbered.is_empty() && first_chars(&numbered, MAX_DIFF_CHARS).is_none()
    }

    pub(crate) fn into_draft(self) -> String {
        let path = one_line(&self.path);
        let mut body = format!(
            "Note: {path} was modified, by the user or by a linter. The change is intended: work \
             with it, and do not undo it unless the user asks you to."
        );
        let numbered = numbered(&self.diff);
        if let Some(kept) = first_chars(&numbered, MAX_DIFF_CHARS) {
            // A truncated line could be mistaken for a whole one.
            let end = kept.rfind('\n').unwrap_or(kept.len());
            let more = numbered[end..].chars().count();
            body.push_str(&format!(
                " What changed, as far as it fits here, with line numbers:\n{}\n[… {}; use the \
                 Read tool to see the file as it is]",
                &numbered[..end],
                left_out(more, "character", "characters")
            ));
        } else if numbered.is_empty() {
            body.push_str(
                " What changed is not shown here: use the Read tool to see the file as it is.",
            );
        } else {
            body.push_str(&format!(" What changed, with line numbers:\n{numbered}"));
        }
        body
    }
}

/// Counts the longer text's lines without the common first and last ones.
fn differing_lines(before: &str, after: &str) -> usize {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let same = |(a, b): &(&&str, &&str)| a == b;
    let first = before.iter().zip(&after).take_while(same).count();
    let (before, after) = (&before[first..], &after[first..]);
    let backwards = before.iter().rev().zip(after.iter().rev());
    let last = backwards.take_while(same).count();
    before.len().max(after.len()) - last
}

/// Puts a number before each line of a unified diff: for a removed line its
/// number in the old file, for every other line that in the new file. Leaves
/// out the file header; text that is not a diff is returned unchanged.
fn numbered(diff: &str) -> String {
    let mut lines = Vec::new();
    let mut next: Option<(usize, usize)> = None;
    for line in diff.trim_end_matches('\n').split('\n') {
        if let Some(start) = hunk_start(line) {
            if next.is_some() {
                lines.push("...".to_owned());
            }
            next = Some(start);
            continue;
        }
        let Some((old, new)) = next.as_mut() else {
            if !line.starts_with("--- ") && !line.starts_with("+++ ") {
                lines.push(line.to_owned());
            }
            continue;
        };
        let number = match line.as_bytes().first() {
            Some(b'-') => take(old),
            Some(b'+') => take(new),
            Some(b'\\') => {
                lines.push(line.to_owned());
                continue;
            }
            _ => {
                take(old);
                take(new)
            }
        };
        lines.push(format!("{number:>6}\t{line}"));
    }
    lines.join("\n")
}

/// Reads a hunk's first line numbers, in the old and the new file, from its
/// header `@@ -3,7 +3,8 @@`.
fn hunk_start(line: &str) -> Option<(usize, usize)> {
    let ranges = line.strip_prefix("@@ -")?;
    let (old, rest) = ranges.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let first = |range: &str| range.split(',').next()?.parse().ok();
    Some((first(old)?, first(new)?))
}

fn take(number: &mut usize) -> usize {
    let taken = *number;
    *number = number.saturating_add(1);
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_number_in_the_old_or_new_file() {
        let diff = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ fn main\n a\n-b\n+c\n d\n@@ -90 +90 @@\n-y\n+z\n\\ No newline at end of file\n";
        assert_eq!(
            numbered(diff),
            "     3\t a\n     4\t-b\n     4\t+c\n     5\t d\n...\n    90\t-y\n    90\t+z\n\\ No newline at end of file"
        );
    }

    #[test]
    fn text_that_is_not_a_diff_is_unchanged() {
        assert_eq!(numbered("12\tchanged\n"), "12\tchanged");
        assert_eq!(numbered("@@ -x +y @@\nz"), "@@ -x +y @@\nz");
        assert_eq!(numbered(""), "");
    }
}
