use std::path::{Path, PathBuf};
use std::{fs, io};

use aside_mcp::ServerConfig;

/// The MCP servers that the user approved for one project: a file each, named
/// by the hash of the configuration. To withdraw an approval, delete the file.
#[derive(Debug)]
pub(crate) struct Approvals {
    /// `None` when there is no place for Aside's own files.
    directory: Option<PathBuf>,
    project: String,
}

impl Approvals {
    /// Keeps approvals in Aside's own directory, such as `~/.aside`.
    pub(crate) fn new(aside_dir: Option<PathBuf>, project: &Path) -> Self {
        Self {
            directory: aside_dir.map(|dir| dir.join("approved-mcp-servers")),
            project: project.to_string_lossy().into_owned(),
        }
    }

    /// Returns true if the user approved this configuration.
    pub(crate) fn contain(&self, name: &str, config: &ServerConfig) -> bool {
        let file = self.file(name, config);
        file.is_some_and(|file| file.is_file())
    }

    /// Stores an approval.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn store(&self, name: &str, config: &ServerConfig) -> io::Result<()> {
        let Some(file) = self.file(name, config) else {
            return Err(io::Error::other("neither HOME nor ASIDE_DIR is an absolute path"));
        };
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        let project = &self.project;
        fs::write(file, format!("{name} in {project}: {}\n", config.summary()))
    }

    fn file(&self, name: &str, config: &ServerConfig) -> Option<PathBuf> {
        let hash = config.fingerprint(&[&self.project, name]);
        Some(self.directory.as_ref()?.join(hash))
    }
}
