#![doc = include_str!("../README.md")]

mod branch;
mod command;
mod commits;
mod diagnostic;
mod drivers;
mod error;
mod gather;
mod hardening;
mod options;
mod process;
mod query;
mod render;
mod repository;
mod snapshot;
mod status;
mod user_name;
mod visible;

pub use diagnostic::{Diagnostic, Reason};
pub use error::{Error, ErrorKind};
pub use gather::snapshot;
pub use options::{GitOptions, UserConfig};
pub use query::Query;
pub use repository::repository_root;
pub use snapshot::{Branch, Commit, GitSnapshot, Status};
