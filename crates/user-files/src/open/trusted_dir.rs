use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::entries::Entries;
use super::error::{OpenError, OpenErrorKind};
use super::regular_file::RegularFile;
use super::{Fault, system};

/// A handle for a directory whose own path is trusted; the paths below it are
/// not.
///
/// Opens files and directories below it component by component without
/// following any symbolic link (`openat2` with `RESOLVE_BENEATH` if the kernel
/// has it). To open a link's target, [`resolve`] the path first; a component
/// that a link replaces after that is an error.
///
/// On systems without directory handles each component is checked before the
/// path is opened, which a replacement at the right moment can evade.
pub struct TrustedDir {
    handle: system::Handle,
    path: PathBuf,
}

/// Resolves symbolic links in a path that exists.
///
/// # Errors
///
/// Nothing exists at the path, a link in it is dangling, or the system refuses.
pub fn resolve(path: &Path) -> Result<PathBuf, OpenError> {
    fs::canonicalize(path).map_err(|error| OpenError::from_io(path, error).or_dangling())
}

impl TrustedDir {
    /// Opens a directory. Follows links in its path.
    ///
    /// # Errors
    ///
    /// The path is not a directory, or the system refuses.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_resolved(resolve(path)?).map_err(|error| error.at(path))
    }

    /// Takes a path without links.
    pub(super) fn open_resolved(resolved: PathBuf) -> Result<Self, OpenError> {
        match system::open_dir(&resolved) {
            Ok(handle) => Ok(Self { handle, path: resolved }),
            Err(fault) => Err(not_a_directory(OpenError::fault(&resolved, fault))),
        }
    }

    /// Returns the directory's path, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory below this one; for an empty path, this one again.
    ///
    /// # Errors
    ///
    /// The path is absolute or contains `..`, is not a directory, one of its
    /// components is a symbolic link, or the system refuses.
    pub fn open_dir(&self, below: &Path) -> Result<Self, OpenError> {
        let path = self.path_below(below)?;
        match system::open_dir_below(&self.handle, below) {
            Ok(handle) => Ok(Self { handle, path }),
            Err(fault) => Err(not_a_directory(OpenError::fault(&path, fault))),
        }
    }

    /// Opens a regular file below this directory.
    ///
    /// # Errors
    ///
    /// The path is absolute or contains `..`, is not a regular file, one of its
    /// components is a symbolic link, or the system refuses.
    pub fn open_file(&self, below: &Path) -> Result<RegularFile, OpenError> {
        let path = self.path_below(below)?;
        let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
            return Err(OpenError::new(OpenErrorKind::NotBelow, &path));
        };
        let fault = |fault| OpenError::fault(&path, fault);
        let file = if parent == Path::new("") {
            system::open_file(&self.handle, name)
        } else {
            let dir = system::open_dir_below(&self.handle, parent).map_err(fault)?;
            system::open_file(&dir, name)
        };
        RegularFile::new(file.map_err(fault)?, &path)
    }

    /// Creates the missing directories on a path below this one, and opens the
    /// last one.
    ///
    /// # Errors
    ///
    /// As [`TrustedDir::open_dir`].
    pub fn create_dir_all(&self, below: &Path) -> Result<Self, OpenError> {
        self.path_below(below)?;
        let mut dir = self.open_dir(Path::new(""))?;
        for part in below.iter() {
            let path = dir.path.join(part);
            system::create_dir(&dir.handle, part)
                .map_err(|fault| OpenError::fault(&path, fault))?;
            dir = dir.open_dir(Path::new(part))?;
        }
        Ok(dir)
    }

    /// Creates a file in this directory, or replaces it: other processes see
    /// the old contents or the new ones. An existing file keeps its
    /// permissions.
    ///
    /// ```
    /// use aside_user_files::open::TrustedDir;
    ///
    /// # let project = tempfile::tempdir()?;
    /// let dir = TrustedDir::open(project.path())?;
    /// dir.replace_file("a.txt".as_ref(), b"one")?;
    /// dir.replace_file("a.txt".as_ref(), b"two")?;
    /// assert_eq!(dir.open_file("a.txt".as_ref())?.read(16)?, b"two");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `name` is a path, a symbolic link or something else than a regular file,
    /// or the system refuses.
    pub fn replace_file(&self, name: &Path, contents: &[u8]) -> Result<(), OpenError> {
        let path = self.path_below(name)?;
        let name = match name.file_name() {
            Some(file) if name.components().count() == 1 => file,
            _ => return Err(OpenError::new(OpenErrorKind::NotBelow, &path)),
        };
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut tries = 0;
        loop {
            // Another process, or one that was killed, may have a file with
            // this name.
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let temporary = format!(".aside-{number}.tmp");
            match system::replace_file(&self.handle, name, temporary.as_ref(), contents) {
                Err(Fault::Io(error)) if is_taken(&error) && tries < MAX_TRIES => tries += 1,
                replaced => return replaced.map_err(|fault| OpenError::fault(&path, fault)),
            }
        }
    }

    /// Lists the directory, up to `limit` entries.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn entries(&self, limit: usize) -> Result<Entries, OpenError> {
        system::entries(&self.handle, limit).map_err(|error| OpenError::from_io(&self.path, error))
    }

    fn path_below(&self, below: &Path) -> Result<PathBuf, OpenError> {
        let is_normal = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let path = self.path.join(below);
        if below.components().all(is_normal) {
            Ok(path)
        } else {
            Err(OpenError::new(OpenErrorKind::NotBelow, &path))
        }
    }
}

/// How many names to try for a temporary file.
const MAX_TRIES: usize = 1_000;

fn is_taken(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::AlreadyExists
}

/// Tells a path that is not a directory from one at which nothing exists.
fn not_a_directory(error: OpenError) -> OpenError {
    if error.is_missing() && fs::symlink_metadata(error.path()).is_ok() {
        return OpenError::new(OpenErrorKind::NotADirectory, error.path());
    }
    error
}

impl fmt::Debug for TrustedDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustedDir").field("path", &self.path).finish_non_exhaustive()
    }
}
