use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the commands behind a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Query {
    /// What `HEAD` is.
    Branch,
    /// What `origin` has for a default branch.
    MainBranch,
    /// What has changed in the work tree and the index.
    Status,
    /// The last five commits.
    Commits,
    /// The configured user name.
    UserName,
    /// The filter drivers, to be switched off before the status is read.
    FilterDrivers,
}

impl Query {
    /// The arguments of git. What configuration could change about the output
    /// and has a flag is fixed by the flag, everything else by a setting.
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
            Self::UserName => &["config", "-z", "--get", "user.name"],
            Self::FilterDrivers => &[
                "config",
                "-z",
                "--show-scope",
                "--name-only",
                "--get-regexp",
                r"^filter\.",
            ],
        }
    }
}

/// The command as a person would type it.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Branch => "git symbolic-ref HEAD",
            Self::MainBranch => "git for-each-ref refs/remotes/origin",
            Self::Status => "git status --short",
            Self::Commits => "git log --oneline -n 5",
            Self::UserName => "git config user.name",
            Self::FilterDrivers => "git config --get-regexp ^filter",
        })
    }
}
