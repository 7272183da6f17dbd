use serde::{Deserialize, Serialize};

use crate::Diagnostic;

/// A repository as it was at one moment.
///
/// A part is `None` if git failed to give it, and then a diagnostic says why;
/// the user name also if there is none. A diagnostic about commits that are
/// there says that some may be missing. Names and subjects have at most 300
/// characters, the last of which is `…` if there were more. Control characters and bytes that are
/// not UTF-8 stand as escapes in every text; tags such as `<system-reminder>`
/// stand as they are, for whoever embeds the text to neutralize.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitSnapshot {
    /// What `HEAD` is.
    pub branch: Option<Branch>,
    /// The branch that changes are usually merged into: what `origin/HEAD`
    /// points to, else `main` or `master` if `origin` has it, else `main`.
    pub main_branch: Option<String>,
    /// `user.name`, if it is set.
    pub user_name: Option<String>,
    /// What has changed.
    pub status: Option<Status>,
    /// The last commits, at most five, the newest first.
    pub commits: Option<Vec<Commit>>,
    /// What went wrong, in the order of the blocks.
    pub diagnostics: Vec<Diagnostic>,
}

/// What `HEAD` is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Branch {
    /// A branch, which may not have a commit yet.
    Named {
        /// Its name, without `refs/heads/`.
        name: String,
    },
    /// A commit.
    Detached,
}

/// What `git status --short` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Status {
    /// Nothing has changed.
    Clean,
    /// Every change.
    Changed {
        /// Lines without a final newline. The first may begin with a space,
        /// which says that the index has no change.
        lines: String,
    },
    /// The first of the changes.
    Truncated {
        /// Lines without a final newline.
        lines: String,
        /// How many characters were allowed.
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
