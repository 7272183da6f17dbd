use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::path_value;

/// Which imports of a project's files may lead out of the project.
///
/// The user's and the administrator's own files may import from anywhere. A
/// `.git` directory, a device, a FIFO or a socket is never read, whatever the
/// policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum ImportPolicy {
    /// None: each is skipped as [`External`](crate::SkipReason::External),
    /// which names the target. Let the user approve it, and load again.
    #[default]
    Deny,
    /// All.
    Allow,
    /// These targets, symbolic links resolved.
    Only {
        /// The targets approved.
        #[serde(with = "path_value::many")]
        targets: BTreeSet<PathBuf>,
    },
}

impl ImportPolicy {
    pub(crate) fn approves(&self, target: &Path) -> bool {
        match self {
            Self::Deny => false,
            Self::Allow => true,
            Self::Only { targets } => targets.contains(target),
        }
    }
}
