//! The commands of a snapshot, with their arguments.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the commands behind a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Query {
    /// The branch of `HEAD`.
    Branch,
    /// The default branch of `origin`.
    MainBranch,
    /// The changes in the work tree and the index.
    Status,
    /// The last five commits.
    Commits,
    /// The user's name, and the filter drivers that are to be switched off.
    #[serde(alias = "user_name", alias = "filter_drivers")]
    Configuration,
}

impl Query {
    /// Returns the arguments of git. Flags fix every part of the output that
    /// configuration could change, and settings the parts without a flag.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Branch => &["symbolic-ref", "-q", "HEAD"],
            Self::MainBranch => &[
                "for-each-ref",
                "--format=%(refname) %(symref)",
                "refs/remotes/origin/HEAD",
                "refs/remotes/origin/main",
                "refs/remotes/origin/master",
            ],
            Self::Status => &[
                "status",
                "--short",
                "--no-branch",
                "--no-ahead-behind",
                "--ignore-submodules=dirty",
            ],
            Self::Commits => &[
                "log",
                "--oneline",
                "-n",
                "5",
                "--encoding=UTF-8",
                "--no-color",
                "--no-decorate",
                "--no-notes",
                "--no-mailmap",
                "--no-show-signature",
                "--no-ext-diff",
                "--no-textconv",
            ],
            Self::Configuration => &[
                "config",
                "-z",
                "--show-scope",
                "--get-regexp",
                r"^(user\.name$|filter\.)",
            ],
        }
    }
}

/// Writes the command as a user would type it.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Branch => "git symbolic-ref HEAD",
            Self::MainBranch => "git for-each-ref refs/remotes/origin",
            Self::Status => "git status --short",
            Self::Commits => "git log --oneline -n 5",
            Self::Configuration => "git config --get-regexp '^(user.name|filter)'",
        })
    }
}
