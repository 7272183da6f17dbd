#![doc = include_str!("../README.md")]

mod blocking;
mod failures;
mod gather;
mod options;
mod own_command;

mod render;
mod snapshot;

mod branch;
mod brief;
mod commits;
mod configuration;
mod status;

mod command;
mod hardening;
mod process;
mod query;

mod configured_filters;
mod filters_off;

mod data_file;
mod layout;
mod refs;
mod repository;
mod special_file;

mod error;
mod kinds;
mod query_failure;

pub use blocking::snapshot_blocking;
pub use command::absolute_directories;
pub use error::{GitError, GitErrorKind};
pub use gather::snapshot;
pub use kinds::DIAGNOSTICS;
pub use options::{GitOptions, UserConfig};
pub use own_command::GitCommand;
pub use query::Query;
pub use query_failure::{FailureReason, QueryFailure};
pub use repository::{current_branch, repository_root};
pub use snapshot::{Branch, Commit, GitSnapshot, Status};
