//! Helpers that several tests share.

#[path = "../../../git-context/tests/it/support/cases.rs"]
pub(crate) mod cases;
pub(crate) mod clean;
#[path = "../../../git-context/tests/it/support/executable.rs"]
pub(crate) mod executable;
pub(crate) mod fifo;
#[path = "../../../session/tests/it/support/git.rs"]
mod git;
#[path = "../../../scenario/tests/it/keywords.rs"]
pub(crate) mod keywords;
pub(crate) mod server;
#[path = "../../../scenario/tests/it/spoiled.rs"]
pub(crate) mod spoiled;
pub(crate) mod stdin;

pub(crate) use git::git;
