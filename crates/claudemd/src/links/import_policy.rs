//! Which imports and links may leave the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aside_user_files::open::Fence;
use serde::{Deserialize, Serialize};

use crate::links::path_value;

/// Which files outside a project the project's own files may import or link to.
///
/// The user's and the administrator's files may import from anywhere and be
/// links to anywhere. A `.git` directory, a device, a FIFO or a socket is never
/// read, whatever the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum ImportPolicy {
    /// Approve none. Each is skipped as
    /// [`External`](crate::SkipReason::External), which names the target; let
    /// the user approve it, and load again.
    #[default]
    Deny,
    /// Approve all.
    Allow,
    /// Approve these targets, with symbolic links resolved: files, or
    /// directories with everything below them.
    Only {
        /// The approved targets.
        #[serde(with = "path_value::many")]
        targets: BTreeSet<PathBuf>,
    },
}

impl ImportPolicy {
    /// Opens a fence for the targets that this policy approves.
    pub fn apply(&self, fence: Fence) -> Fence {
        match self {
            Self::Deny => fence,
            Self::Allow => fence.approve_everything(),
            Self::Only { targets } => fence.approve(targets.iter().cloned()),
        }
    }
}
