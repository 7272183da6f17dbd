//! The commands behind a snapshot, with their arguments.

use serde::{Deserialize, Serialize};

aside_text::names! {
    /// One of the commands behind a snapshot. Its name is what a user would type.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Query {
        /// The branch that `HEAD` names.
        Branch = "git symbolic-ref HEAD",
        /// The default branch at `origin`.
        MainBranch = "git for-each-ref refs/remotes/origin",
        /// The changes in work tree and index.
        Status = "git status --short",
        /// The last five commits.
        Commits = "git log --oneline -n 5",
        /// The user's name, and the filter drivers to switch off, and whether there is a work tree.
        #[serde(alias = "user_name", alias = "filter_drivers")]
        Configuration = "git config --get-regexp '^(user.name|core.bare|filter)'",
    }
}

impl Query {
    /// Returns git's arguments. Flags fix everything in the output that configuration could change;
    /// settings fix what has no flag.
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
                r"^(user\.name$|core\.bare$|filter\.)",
            ],
        }
    }
}
