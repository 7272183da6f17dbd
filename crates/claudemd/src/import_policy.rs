use std::collections::BTreeSet;
use std::path::PathBuf;

use aside_user_files::open::Fence;
use serde::{Deserialize, Serialize};

use crate::path_value;

/// Which files outside the project its own files may import, and its links may
/// lead to.
///
/// The user's and the administrator's own files may import from anywhere, and
/// be links to anywhere. A `.git` directory, a device, a FIFO or a socket is
/// never read, whatever the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum ImportPolicy {
    /// None: each is skipped as [`External`](crate::SkipReason::External),
    /// which names the target. Let the user approve it, and load again.
    #[default]
    Deny,
    /// All.
    Allow,
    /// These targets, symbolic links resolved: files, or directories for all
    /// that is below them.
    Only {
        /// The targets approved.
        #[serde(with = "path_value::many")]
        targets: BTreeSet<PathBuf>,
    },
}

impl ImportPolicy {
    /// Approves, for the links of a project, the places outside its fence that
    /// this policy names.
    pub fn apply(&self, fence: Fence) -> Fence {
        match self {
            Self::Deny => fence,
            Self::Allow => fence.approve_everything(),
            Self::Only { targets } => fence.approve(targets.iter().cloned()),
        }
    }
}
