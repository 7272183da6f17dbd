//! Parts that several tests share.

pub mod clean;
pub mod fifo;
pub mod server;
pub mod stdin;
#[path = "../../../git-context/tests/it/support/executable.rs"]
pub mod executable;
#[path = "../../../scenario/tests/it/keywords.rs"]
pub mod keywords;
#[path = "../../../scenario/tests/it/spoiled.rs"]
pub mod spoiled;
