//! A loaded file, with its owner and the reason for loading it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::links::path_value;

/// One instruction file as the model reads it, and the reason for loading it.
///
/// A path is stored as a string, or as a list of bytes if it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// The path at which it was found: absolute, symbolic links not resolved.
    /// The inline text of the managed settings has the path
    /// `managed-settings.json#claudeMd`.
    #[serde(with = "path_value")]
    pub path: PathBuf,
    /// The owner of the instructions.
    pub kind: MemoryKind,
    /// True for a file of a rules directory.
    pub rule: bool,
    /// The reason for loading it.
    pub reason: LoadReason,
    /// The file that imports it.
    #[serde(with = "path_value::optional")]
    pub parent: Option<PathBuf>,
    /// The `paths` of a rule, one pattern each, as written.
    pub globs: Vec<String>,
    /// The path that was touched, for a file that was not loaded at the start.
    #[serde(with = "path_value::optional")]
    pub trigger: Option<PathBuf>,
    /// The length of `text`, in bytes.
    pub bytes: usize,
    /// True if `text` differs from the file on disk in more than the white space
    /// at its ends: front matter or comments were removed, or a long file was
    /// truncated.
    pub differs_from_disk: bool,
    /// The text for the model.
    pub text: String,
}

aside_text::names! {
    /// The owner of the instructions in a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum MemoryKind {
        /// The administrator of the machine.
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
    /// The reason for loading a file.
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
    /// The block of the first message in which the layered layout has a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum InstructionBlock {
        /// The same for every user of the project.
        Project = "project",
        /// The user's own.
        User = "user",
    }
}

impl MemoryKind {
    /// Returns the block of the first message that holds the file in the layered
    /// layout.
    pub fn block(self) -> InstructionBlock {
        match self {
            Self::Managed | Self::Project => InstructionBlock::Project,
            Self::User | Self::Local | Self::AutoMemory => InstructionBlock::User,
        }
    }
}
