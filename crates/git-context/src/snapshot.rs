//! A repository's state as data, before it is rendered.

use serde::{Deserialize, Serialize};

use crate::QueryFailure;

/// A repository's state at one moment.
///
/// When a command failed, its part is `None` and a diagnostic has the reason; the user name is also
/// `None` when it is not set. Commits with a diagnostic about them may be incomplete. Names and
/// subjects have at most 300 characters, the last of which is `…` if there were more. Every text
/// has control characters and bytes that are not UTF-8 escaped. Tags such as `<system-reminder>`
/// are not escaped: neutralize them yourself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitSnapshot {
    /// What `HEAD` points to.
    pub branch: Option<Branch>,
    /// The branch that changes are usually merged into: the target of `origin/HEAD`, else `main` or
    /// `master` if `origin` has it, else `main`.
    pub main_branch: Option<String>,
    /// `user.name`, if it is set.
    pub user_name: Option<String>,
    /// The changes in work tree and index.
    pub status: Option<Status>,
    /// The latest commits, at most five, newest first.
    pub commits: Option<Vec<Commit>>,
    /// The commands that failed, in the order of the blocks.
    pub diagnostics: Vec<QueryFailure>,
}

/// What `HEAD` points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Branch {
    /// A branch, which may not have a commit yet.
    Named {
        /// The branch name, without `refs/heads/`.
        name: String,
    },
    /// A commit.
    Detached,
}

/// What `git status --short` printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Status {
    /// Nothing has changed.
    Clean,
    /// Every change.
    Changed {
        /// Lines without a final newline. A line that starts with a space is a change not in the
        /// index.
        lines: String,
    },
    /// The first changes; the rest is cut.
    Truncated {
        /// Lines without a final newline.
        lines: String,
        /// How many characters were allowed.
        limit: usize,
        /// The tool to read the rest with.
        tool_name: Option<String>,
    },
    /// The repository is bare, or the directory is inside its `.git`.
    NoWorkTree,
}

/// A commit on one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The abbreviated id.
    pub id: String,
    /// The first paragraph of its message, on one line.
    pub subject: String,
}
