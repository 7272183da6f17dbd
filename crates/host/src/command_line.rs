//! The command-line options that all session commands share, as one value. Parsing is up to the
//! caller.

use std::path::PathBuf;

use aside_claudemd::{ImportPolicy, Profile, Sources};
use aside_git_context::repository_root;
use aside_user_files::open::Fence;

/// The command-line options for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The directory to work in, absolute.
    pub cwd: PathBuf,
    /// More directories that the agent may work in, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// Which sources to read settings, instruction files and rules from. The administrator's are
    /// always read.
    pub sources: Sources,
    /// Settings that override the user's and the project's: JSON, or the path of a file.
    pub settings: Option<String>,
    /// Bare mode: only instruction files in additional directories load.
    pub bare: bool,
    /// The agent whose rules decide which instruction files load.
    pub instructions: Profile,
    /// Files outside the project that its instruction files may import, and its links may lead to.
    pub imports: ImportPolicy,
    /// Whether to read the project's reminder files.
    pub project_reminders: bool,
    /// Which system to follow where Aside and others differ.
    pub system: DocumentedSystem,
}

/// Which system to follow where Aside differs from the commonly documented one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentedSystem {
    /// Aside's own choices.
    #[default]
    Aside,
    /// What the published descriptions of coding agents do: the classic layout, global scope where
    /// the provider takes it, an attribution.
    Published,
}

impl CommandLine {
    /// Creates the options for a session in `cwd`, an absolute path.
    #[must_use]
    pub fn new(cwd: PathBuf) -> Self {
        Self {
            cwd,
            additional_directories: Vec::new(),
            sources: Sources::default(),
            settings: None,
            bare: false,
            instructions: Profile::default(),
            imports: ImportPolicy::default(),
            project_reminders: true,
            system: DocumentedSystem::default(),
        }
    }

    /// Follows the published descriptions, for instruction files too: only `CLAUDE.md` is read, and
    /// it may import any file.
    #[must_use]
    pub fn published(self) -> Self {
        Self {
            instructions: Profile::Claude276,
            imports: ImportPolicy::Allow,
            system: DocumentedSystem::Published,
            ..self
        }
    }

    /// Returns the fence around the project, with the outside paths that the user approved. Without
    /// a repository, the additional directories belong to the project.
    pub(crate) fn fence(&self) -> Fence {
        let root = repository_root(&self.cwd);
        let added = self.additional_directories.iter().filter(|_| root.is_none());
        self.imports.apply(Fence::around(root.iter().chain([&self.cwd]).chain(added)))
    }
}
