//! Parsing `git log`: hash and subject of the last commits, up to the last
//! complete one.
//!
//! ```text
//! 1a2b3c4 Parse empty lists
//! 99ff001 Add a parser
//! ```

use aside_text::one_line_bytes;

use crate::process::Ended;

use crate::brief::brief;
use crate::{Commit, FailureReason};

/// Subjects with thousands of characters fit.
pub(crate) const MAX_OUTPUT_BYTES: usize = 128 * 1024;

/// How many commits [`Query::Commits`](crate::Query::Commits) requests.
const MAX_COMMITS: usize = 5;

/// Parses [`Query::Commits`](crate::Query::Commits). Returns the commits, and
/// the reason if some may be missing.
///
/// A repository without commits gives an empty list. When the output was cut,
/// the last subject ends with `…`, and the reason is returned unless all five
/// commits arrived.
pub(crate) fn commits(
    answer: Result<Ended, FailureReason>,
) -> Result<(Vec<Commit>, Option<FailureReason>), FailureReason> {
    let output = match answer? {
        Ended::Failure { stderr, .. } if is_without_commits(&stderr) => {
            return Ok((Vec::new(), None));
        }
        Ended::Full(output) => return first_commits(&output),
        ended => ended.whole()?,
    };
    let commits = output
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(commit)
        .collect::<Result<_, _>>()?;
    Ok((commits, None))
}

/// Parses the commits in truncated output, up to the incomplete one.
fn first_commits(output: &[u8]) -> Result<(Vec<Commit>, Option<FailureReason>), FailureReason> {
    let flooded = FailureReason::Flooded { limit: MAX_OUTPUT_BYTES };
    let mut lines: Vec<_> = output.split(|&byte| byte == b'\n').collect();
    let last = lines.pop().unwrap_or_default();
    let mut commits = lines.into_iter().map(commit).collect::<Result<Vec<_>, _>>()?;
    // Even the id may be incomplete.
    if let Ok(mut cut) = commit(last) {
        if !cut.subject.ends_with('…') {
            cut.subject.push('…');
        }
        commits.push(cut);
    }
    match commits.len() {
        1..MAX_COMMITS => Ok((commits, Some(flooded))),
        MAX_COMMITS => Ok((commits, None)),
        _ => Err(flooded),
    }
}

/// A line is hexadecimal digits, a space, the subject.
fn commit(line: &[u8]) -> Result<Commit, FailureReason> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (id, subject) = line.split_at(digits);
    match subject {
        [b' ', subject @ ..] if digits > 0 => Ok(Commit {
            id: one_line_bytes(id).into_owned(),
            subject: brief(subject.trim_ascii_end()),
        }),
        _ => Err(FailureReason::unexpected(line)),
    }
}

/// The locale is fixed, so every git writes the same text.
pub(crate) fn is_without_commits(stderr: &[u8]) -> bool {
    stderr.starts_with(b"fatal: your current branch ")
        && stderr.trim_ascii_end().ends_with(b"does not have any commits yet")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOODED: FailureReason = FailureReason::Flooded { limit: MAX_OUTPUT_BYTES };

    fn full(output: &str) -> Result<(Vec<Commit>, Option<FailureReason>), FailureReason> {
        commits(Ok(Ended::Full(output.as_bytes().to_vec())))
    }

    fn check(output: &str, expected: &[(&str, &str)], missing: Option<FailureReason>) {
        let expected = expected
            .iter()
            .map(|(id, subject)| Commit { id: (*id).to_owned(), subject: (*subject).to_owned() })
            .collect();
        assert_eq!(full(output), Ok((expected, missing)), "{output:?}");
    }

    #[test]
    fn the_received_part_is_kept() {
        let two = [("a1", "one"), ("b2", "tw…")];
        check("a1 one\nb2 tw", &two, Some(FLOODED));
        check("a1 one\nb2", &two[..1], Some(FLOODED));
        check("a1 one\n", &two[..1], Some(FLOODED));
        let all = [("a1", "1"), ("a2", "2"), ("a3", "3"), ("a4", "4"), ("a5", "5…")];
        check("a1 1\na2 2\na3 3\na4 4\na5 5", &all, None);
    }

    #[test]
    fn floods() {
        assert_eq!(full("a"), Err(FLOODED));
        let six = "a1 1\na2 2\na3 3\na4 4\na5 5\na6 6\n";
        assert_eq!(full(six), Err(FLOODED));
        let garbage = FailureReason::unexpected(b"garbage");
        assert_eq!(full("garbage\na1 1"), Err(garbage));
    }
}
