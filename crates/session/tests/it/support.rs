//! Parts that several tests share.

#[path = "../../../git-context/tests/it/support/executable.rs"]
pub(crate) mod executable;
pub(crate) mod git;
