//! A loaded file, with its owner and why it was loaded.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::links::path_value;

/// One instruction file as the model reads it, and why it was loaded.
///
/// A path is stored as a string, or as a list of bytes if it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// Where it was found: an absolute path, with symbolic links not resolved.
    /// The managed settings' inline text has the path
    /// `managed-settings.json#claudeMd`.
    #[serde(with = "path_value")]
    pub path: PathBuf,
    /// Who the instructions belong to.
    pub kind: MemoryKind,
    /// True for a file in a rules directory.
    pub rule: bool,
    /// Why it was loaded.
    pub reason: LoadReason,
    /// The file that imports it.
    #[serde(with = "path_value::optional")]
    pub parent: Option<PathBuf>,
    /// A rule's `paths`, one pattern each, as written.
    pub globs: Vec<String>,
    /// The path that was touched, for a file that was not loaded at the start.
    #[serde(with = "path_value::optional")]
    pub trigger: Option<PathBuf>,
    /// How long `text` is, in bytes.
    pub bytes: usize,
    /// True if `text` differs from the file on disk in more than white space at
    /// its ends: front matter or comments were removed, or a long file was
    /// truncated.
    pub differs_from_disk: bool,
    /// The text for the model.
    pub text: Arc<str>,
}

aside_text::names! {
    /// Who a file's instructions belong to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum MemoryKind {
        /// The machine's administrator.
        Managed = "managed",
        /// The user, for all projects.
        User = "user",
        /// The project: the file is checked in.
        Project = "project",
        /// The user, for this project.
        Local = "local",
        /// The model, which wrote notes for later conversations.
        AutoMemory = "auto_memory",
    }
}

aside_text::names! {
    /// Why a file is loaded.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum LoadReason {
        /// A session starts with it.
        SessionStart = "session_start",
        /// Another file imports it.
        Include = "include",
        /// A file in or below its directory was touched.
        NestedTraversal = "nested_traversal",
        /// A path that its `paths` match was touched.
        PathGlobMatch = "path_glob_match",
        /// The conversation was compacted, and it was read again.
        Compact = "compact",
        /// It was given before, and its bytes have changed since.
        Changed = "changed",
    }
}

aside_text::names! {
    /// Which block of the first message has a file in the layered layout.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum InstructionBlock {
        /// The same for every user in the project.
        Project = "project",
        /// The user's own.
        User = "user",
    }
}

impl MemoryKind {
    /// Returns which block of the first message holds the file in the layered
    /// layout.
    pub fn block(self) -> InstructionBlock {
        match self {
            Self::Managed | Self::Project => InstructionBlock::Project,
            Self::User | Self::Local | Self::AutoMemory => InstructionBlock::User,
        }
    }
}
