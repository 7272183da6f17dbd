//! Where to start loading a session's files.

use std::path::Path;

use crate::links::plain_path::plain_path;
use crate::render::parsed::Parsed;
use crate::{Dirs, LoadError, LoadErrorKind, Loader, Memory};

/// Loads the instruction files for a session that starts in `cwd`, an absolute
/// path, with default options.
///
/// # Errors
///
/// `cwd` is not a directory that can be read. Every other fault is reported in
/// the [`Memory`].
pub fn load(cwd: &Path, dirs: &Dirs) -> Result<Memory, LoadError> {
    Loader::new(dirs.clone()).load(cwd)
}

impl Loader {
    /// Loads the files for a session that starts in `cwd`, an absolute path.
    ///
    /// # Errors
    ///
    /// `cwd` is not a directory that can be read.
    ///
    /// ```
    /// use aside_claudemd::{AgentsMd, Dirs, Loader};
    ///
    /// # let project = tempfile::tempdir()?;
    /// # std::fs::write(project.path().join("AGENTS.md"), "Version every route.\n")?;
    /// let memory = Loader::new(Dirs::default()).load(project.path())?;
    /// assert_eq!(&*memory.files()[0].text, "Version every route.");
    ///
    /// let memory = Loader::new(Dirs::default()).agents_md(AgentsMd::Ignore).load(project.path())?;
    /// assert!(memory.files().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(self, cwd: &Path) -> Result<Memory, LoadError> {
        if !cwd.is_absolute() {
            return Err(LoadError::new(LoadErrorKind::NotAbsolute, cwd, None));
        }
        let metadata = std::fs::metadata(cwd)
            .map_err(|error| LoadError::new(LoadErrorKind::Unreachable, cwd, Some(error)))?;
        if !metadata.is_dir() {
            return Err(LoadError::new(LoadErrorKind::NotADirectory, cwd, None));
        }
        Ok(Memory::start(self, plain_path(cwd), Parsed::default()))
    }
}
