//! The options of a command line that every command of a session has, as one
//! value. Parsing is the caller's.

use std::path::PathBuf;

use aside_claudemd::{ImportPolicy, Profile, Sources};
use aside_user_files::open::Fence;

use crate::project::project_dir;

/// The options of a session from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The directory in which the session works, absolute.
    pub cwd: PathBuf,
    /// Further directories that the agent may work in, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// The sources of settings, instruction files and rules. Those of the
    /// administrator are always read.
    pub sources: Sources,
    /// Settings with precedence over those of the user and the project: JSON, or
    /// the path of a file.
    pub settings: Option<String>,
    /// Bare mode: only instruction files of additional directories load.
    pub bare: bool,
    /// The agent whose rules decide which instruction files load.
    pub instructions: Profile,
    /// The files outside the project that its instruction files may import, and
    /// its links may lead to.
    pub imports: ImportPolicy,
    /// Whether the reminder files of the project are read.
    pub project_reminders: bool,
    /// The system that decides where Aside and others differ.
    pub system: DocumentedSystem,
}

/// The system that decides where Aside differs from the commonly documented one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentedSystem {
    /// Aside's own choices.
    #[default]
    Aside,
    /// Those of the published descriptions of coding agents: the classic layout, global
    /// scope where the provider takes it, an attribution.
    Published,
}

impl CommandLine {
    /// Creates the options of a session in a directory, an absolute path.
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

    /// Follows the published descriptions, also in the instruction files: only
    /// `CLAUDE.md` is read, and it may import any file.
    #[must_use]
    pub fn published(self) -> Self {
        Self {
            instructions: Profile::Claude276,
            imports: ImportPolicy::Allow,
            system: DocumentedSystem::Published,
            ..self
        }
    }

    /// Returns the fence around the project and the further directories, with the paths outside
    /// them that the user approved.
    pub(crate) fn fence(&self) -> Fence {
        let project = [project_dir(&self.cwd), self.cwd.clone()];
        let dirs = project.iter().chain(&self.additional_directories);
        self.imports.apply(Fence::around(dirs))
    }
}
