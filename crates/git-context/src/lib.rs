#![doc = include_str!("../README.md")]

mod gather;
mod options;

mod render;
mod snapshot;

mod branch;
mod commits;
mod status;
mod user_name;
mod visible;

mod command;
mod drivers;
mod hardening;
mod process;
mod query;
mod repository;

mod diagnostic;
mod error;

pub use diagnostic::{Diagnostic, Reason};
pub use error::{Error, ErrorKind};
pub use gather::snapshot;
pub use options::{GitOptions, UserConfig};
pub use query::Query;
pub use repository::repository_root;
pub use snapshot::{Branch, Commit, GitSnapshot, Status};
