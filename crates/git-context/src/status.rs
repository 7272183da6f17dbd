//! Parsing `git status --short`, cut between lines.

use aside_text::one_line_bytes;

use crate::process::Ended;
use crate::{FailureReason, GitOptions, Status};

/// Returns how many bytes of output to read: enough to notice that it is too
/// long, at four bytes per character.
pub(crate) fn bytes(options: &GitOptions) -> usize {
    options.max_status_chars.saturating_add(1).saturating_mul(4)
}

/// Parses [`Query::Status`](crate::Query::Status).
pub(crate) fn status(
    answer: Result<Ended, FailureReason>,
    options: &GitOptions,
) -> Result<Status, FailureReason> {
    let ended = answer?;
    let (output, whole_lines) = match &ended {
        Ended::Success(output) if output.trim_ascii_end().is_empty() => return Ok(Status::Clean),
        Ended::Success(output) => (output.trim_ascii_end(), usize::MAX),
        // The last line is incomplete.
        Ended::Full(output) => {
            (output.as_slice(), output.iter().filter(|&&byte| byte == b'\n').count())
        }
        Ended::Failure { stderr, .. } if is_without_work_tree(stderr) => {
            return Ok(Status::NoWorkTree);
        }
        Ended::Failure { code, stderr } => return Err(FailureReason::failed(*code, stderr)),
    };
    let mut lines = Vec::new();
    for (index, line) in output.split(|&byte| byte == b'\n').enumerate() {
        if index < whole_lines && !is_entry(line) {
            return Err(FailureReason::unexpected(line));
        }
        lines.push(one_line_bytes(line).into_owned());
    }
    let lines = lines.join("\n");
    Ok(match cut(&lines, options.max_status_chars) {
        None => Status::Changed { lines },
        Some(lines) => Status::Truncated {
            lines: lines.to_owned(),
            limit: options.max_status_chars,
            tool_name: options.tool_name.clone(),
        },
    })
}

/// Returns true for two letters, a space and a name.
fn is_entry(line: &[u8]) -> bool {
    let is_letter = |byte: &u8| b" MTADRCU?!m".contains(byte);
    matches!(line, [x, y, b' ', name, ..] if is_letter(x) && is_letter(y) && *name != b' ')
}

/// The locale is fixed, so every git writes the same text.
fn is_without_work_tree(stderr: &[u8]) -> bool {
    stderr.starts_with(b"fatal: this operation must be run in a work tree")
}

/// Returns the whole lines that fit, or the start of the first line. Returns
/// `None` if everything fits.
fn cut(lines: &str, limit: usize) -> Option<&str> {
    let (end, _) = lines.char_indices().nth(limit)?;
    let fitting = &lines[..end];
    if lines[end..].starts_with('\n') {
        return Some(fitting);
    }
    Some(match fitting.rfind('\n') {
        Some(end) => &fitting[..end],
        None => fitting,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, limit: usize, expected: Option<&str>) {
        assert_eq!(cut(lines, limit), expected, "{lines:?} at {limit}");
    }

    #[test]
    fn cuts_between_lines() {
        check(" M a\n M b", 9, None);
        check(" M a\n M b", 8, Some(" M a"));
        check(" M a\n M b", 5, Some(" M a"));
        check(" M a\n M b", 4, Some(" M a"));
    }

    #[test]
    fn cuts_a_line_where_there_is_no_other_way() {
        check(" M ä\n M b", 3, Some(" M "));
        check("?? éé", 4, Some("?? é"));
        check("?? éé", 0, Some(""));
    }
}
