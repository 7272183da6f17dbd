use crate::process::Ended;
use crate::visible::visible;
use crate::{Commit, Reason};

/// The last commits, from the answer to [`Query::Commits`](crate::Query::Commits).
pub(crate) fn commits(answer: Result<Ended, Reason>) -> Result<Vec<Commit>, Reason> {
    let output = match answer? {
        Ended::Failure { stderr, .. } if is_without_commits(&stderr) => return Ok(Vec::new()),
        ended => ended.whole()?,
    };
    output
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(commit)
        .collect()
}

fn commit(line: &[u8]) -> Result<Commit, Reason> {
    let digits = line
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let (id, subject) = line.split_at(digits);
    match subject {
        [b' ', subject @ ..] if digits > 0 => Ok(Commit {
            id: visible(id),
            subject: visible(subject.trim_ascii_end()),
        }),
        _ => Err(Reason::unexpected(line)),
    }
}

/// The text is the same for every git, as the locale is fixed.
fn is_without_commits(stderr: &[u8]) -> bool {
    stderr.starts_with(b"fatal: your current branch ")
        && stderr
            .trim_ascii_end()
            .ends_with(b"does not have any commits yet")
}
