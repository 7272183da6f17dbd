//! Parsing the commands for branches, which run when the repository's files do
//! not have the answer.

use crate::brief::brief;
use crate::process::Ended;
use crate::{Branch, FailureReason};

/// Parses [`Query::Branch`](crate::Query::Branch).
///
/// `refs/heads/fix/x` is the branch `fix/x`; exit code 1 means a detached
/// `HEAD`.
pub(crate) fn branch(answer: Result<Ended, FailureReason>) -> Result<Branch, FailureReason> {
    let output = match answer? {
        Ended::Failure { code: Some(1), .. } => return Ok(Branch::Detached),
        ended => ended.whole()?,
    };
    let name = output.trim_ascii_end();
    if !name.starts_with(b"refs/") || name.contains(&b'\n') {
        return Err(FailureReason::unexpected(&output));
    }
    Ok(named(name))
}

/// Returns the branch with this full name, such as `refs/heads/main`.
pub(crate) fn named(name: &[u8]) -> Branch {
    Branch::Named { name: brief(name.strip_prefix(b"refs/heads/").unwrap_or(name)) }
}

/// Parses [`Query::MainBranch`](crate::Query::MainBranch).
///
/// The target of `origin/HEAD` if it is set, else `master` if it exists and
/// `main` does not, else `main`.
pub(crate) fn main_branch(answer: Result<Ended, FailureReason>) -> Result<String, FailureReason> {
    let output = answer?.whole()?;
    let mut refs = Vec::new();
    for line in output.trim_ascii_end().split(|&byte| byte == b'\n') {
        // A name holds no space, and the line of an ordinary reference ends
        // with one.
        let (name, target) = split_at_space(line);
        match name.strip_prefix(ORIGIN) {
            Some(name) => refs.push((name, target)),
            None if line.is_empty() => {}
            None => return Err(FailureReason::unexpected(line)),
        }
    }
    let head = refs.iter().find(|(name, target)| *name == b"HEAD" && !target.is_empty());
    if let Some((_, target)) = head {
        let target = target
            .strip_prefix(ORIGIN)
            .or_else(|| target.strip_prefix(b"refs/heads/"))
            .unwrap_or(target);
        return Ok(brief(target));
    }
    let has = |branch: &str| refs.iter().any(|(name, _)| *name == branch.as_bytes());
    let main = if !has("main") && has("master") { "master" } else { "main" };
    Ok(main.to_owned())
}

/// How the names of remote-tracking branches begin.
const ORIGIN: &[u8] = b"refs/remotes/origin/";

fn split_at_space(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|&byte| byte == b' ') {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line, b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: &str) {
        let answer = Ok(Ended::Success(output.as_bytes().to_vec()));
        assert_eq!(main_branch(answer).as_deref(), Ok(expected));
    }

    #[test]
    fn main_branches() {
        check("", "main");
        check("refs/remotes/origin/master \n", "master");
        check("refs/remotes/origin/main \nrefs/remotes/origin/master \n", "main");
        check(
            "refs/remotes/origin/HEAD refs/remotes/origin/release/2\n\
             refs/remotes/origin/main \n",
            "release/2",
        );
        check("refs/remotes/origin/main/x \n", "main");
    }
}
