use std::path::PathBuf;

use aside_claudemd::{ImportPolicy, Profile, Sources};
use aside_user_files::open::Fence;

use crate::project::project_dir;

/// What a command line says about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The directory in which the session works, absolute.
    pub cwd: PathBuf,
    /// Further directories that the agent may work in, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// Whose settings, instruction files and rules count. Those of the
    /// administrator always do.
    pub sources: Sources,
    /// Settings that count over those of the user and the project: JSON, or
    /// the path of a file.
    pub settings: Option<String>,
    /// No instruction files but those of additional directories.
    pub bare: bool,
    /// The agent whose rules decide which instruction files load.
    pub instructions: Profile,
    /// Which files outside the project its instruction files may import, and
    /// its links may lead to.
    pub imports: ImportPolicy,
    /// Whether the reminders in the files of the project count: a repository
    /// is not its user.
    pub project_reminders: bool,
}

impl CommandLine {
    /// One that says nothing but where the session works, an absolute path.
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
        }
    }
    /// Returns the fence around the project and the further directories, with
    /// what the user approved outside them.
    pub(crate) fn fence(&self) -> Fence {
        let project = [project_dir(&self.cwd), self.cwd.clone()];
        let dirs = project.iter().chain(&self.additional_directories);
        self.imports.apply(Fence::around(dirs))
    }
}
