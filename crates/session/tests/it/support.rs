//! Parts that several tests share.

pub mod git;
#[path = "../../../git-context/tests/it/support/executable.rs"]
pub mod executable;
