//! What several tests share.

#[path = "../../../git-context/tests/it/support/cases.rs"]
pub(crate) mod cases;
#[path = "../../../git-context/tests/it/support/executable.rs"]
pub(crate) mod executable;
pub(crate) mod git;
mod runtime;

pub(crate) use runtime::{run, runtime};
