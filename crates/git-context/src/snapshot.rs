//! The state of a repository as data, before it is rendered.

use serde::{Deserialize, Serialize};

use crate::QueryFailure;

/// The state of a repository at one moment.
///
/// A part is `None` if its command failed, and a diagnostic has the reason; the
/// user name is also `None` if it is not set. If there are commits and a
/// diagnostic about them, some may be missing. Names and subjects have at most 300
/// characters, the last of which is `…` if there were more. Control characters and bytes that are
/// not UTF-8 are escaped in every text. Tags such as `<system-reminder>` are not:
/// the caller neutralizes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitSnapshot {
    /// The branch of `HEAD`.
    pub branch: Option<Branch>,
    /// The branch that changes are usually merged into: the target of
    /// `origin/HEAD`, else `main` or `master` if `origin` has it, else `main`.
    pub main_branch: Option<String>,
    /// `user.name`, if it is set.
    pub user_name: Option<String>,
    /// The changes in the work tree and the index.
    pub status: Option<Status>,
    /// The last commits, at most five, the newest first.
    pub commits: Option<Vec<Commit>>,
    /// The failed commands, in the order of the blocks.
    pub diagnostics: Vec<QueryFailure>,
}

/// The target of `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Branch {
    /// A branch, which may not have a commit yet.
    Named {
        /// The name of the branch, without `refs/heads/`.
        name: String,
    },
    /// A commit.
    Detached,
}

/// The output of `git status --short`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Status {
    /// Nothing has changed.
    Clean,
    /// Every change.
    Changed {
        /// Lines without a final newline. A line that starts with a space is a
        /// change that is not in the index.
        lines: String,
    },
    /// The first of the changes.
    Truncated {
        /// Lines without a final newline.
        lines: String,
        /// The maximum length, in characters.
        limit: usize,
        /// The tool to read the rest with.
        tool_name: Option<String>,
    },
    /// The repository is bare, or the directory is inside the `.git` one.
    NoWorkTree,
}

/// A commit in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The abbreviated id.
    pub id: String,
    /// The first paragraph of its message, in one line.
    pub subject: String,
}
