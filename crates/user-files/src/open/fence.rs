use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::{OpenError, OpenErrorKind};
use super::regular_file::RegularFile;
use super::trusted_dir::{TrustedDir, resolve};

/// The directories that links in a project must not leave.
///
/// A link in a repository can name any file of the user. A path that resolves
/// to a target outside the fence is not opened, unless the user approved that
/// target. Without directories, everything is outside.
///
/// ```
/// use aside_user_files::open::{Fence, OpenErrorKind};
///
/// # let root = tempfile::tempdir()?;
/// # let (project, other) = (root.path().join("project"), root.path().join("other"));
/// # std::fs::create_dir(&project)?;
/// # std::fs::create_dir(&other)?;
/// # std::fs::write(other.join("notes.md"), "")?;
/// let fence = Fence::around([&project]);
/// let error = fence.open_file(&other.join("notes.md")).unwrap_err();
/// assert_eq!(error.kind(), OpenErrorKind::Outside);
///
/// // The user approves the target.
/// let target = error.target().map(ToOwned::to_owned);
/// assert!(fence.approve(target).open_file(&other.join("notes.md")).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// With symbolic links resolved.
    dirs: Vec<PathBuf>,
    approved: Approved,
}

/// What the user approved outside the directories.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Approved {
    /// These files, and everything below these directories.
    These(BTreeSet<PathBuf>),
    Everything,
}

impl Default for Approved {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Fence {
    /// Builds a fence around directories, given as absolute paths. Links in
    /// these paths are resolved now; a directory that does not exist yet counts
    /// by its path.
    pub fn around<I>(dirs: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<Path>,
    {
        let dirs = dirs.into_iter();
        Self::around_resolved(dirs.map(|dir| {
            let dir = dir.as_ref();
            resolve(dir).unwrap_or_else(|_| dir.to_owned())
        }))
    }

    /// Builds a fence around directories whose paths have no links.
    pub fn around_resolved(dirs: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { dirs: dirs.into_iter().collect(), approved: Approved::default() }
    }

    /// Adds a directory to the fence.
    #[must_use]
    pub fn with_dir(mut self, dir: &Path) -> Self {
        self.dirs.extend(Self::around([dir]).dirs);
        self
    }

    /// Lets links lead anywhere.
    #[must_use]
    pub fn approve_everything(mut self) -> Self {
        self.approved = Approved::Everything;
        self
    }

    /// Lets links lead to these files, and to everything below these
    /// directories. The paths must have no links.
    #[must_use]
    pub fn approve(mut self, targets: impl IntoIterator<Item = PathBuf>) -> Self {
        if let Approved::These(approved) = &mut self.approved {
            approved.extend(targets);
        }
        self
    }

    /// Returns the fence directory that contains a resolved path.
    pub fn dir_of(&self, resolved: &Path) -> Option<&Path> {
        let mut dirs = self.dirs.iter().map(PathBuf::as_path);
        dirs.find(|dir| resolved.starts_with(dir))
    }

    /// Returns true if a resolved path is inside the fence, or approved.
    pub fn admits(&self, resolved: &Path) -> bool {
        self.dir_of(resolved).is_some()
            || match &self.approved {
                Approved::Everything => true,
                Approved::These(targets) => {
                    resolved.ancestors().any(|above| targets.contains(above))
                }
            }
    }

    /// Resolves symbolic links in a path that exists.
    ///
    /// # Errors
    ///
    /// Nothing exists at the path, a link in it is dangling, the path is
    /// [outside](OpenErrorKind::Outside), or the system refuses.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, OpenError> {
        let resolved = resolve(path)?;
        if self.admits(&resolved) { Ok(resolved) } else { Err(OpenError::outside(path, &resolved)) }
    }

    /// Opens the file that a path resolves to.
    ///
    /// # Errors
    ///
    /// Those of [`Fence::resolve`], and a path that is not a regular file.
    pub fn open_file(&self, path: &Path) -> Result<RegularFile, OpenError> {
        let resolved = self.resolve(path)?;
        let opened = self.open_resolved_file(&resolved);
        opened.map(|file| file.at(path)).map_err(|error| error.at(path))
    }

    /// Opens the directory that a path resolves to.
    ///
    /// # Errors
    ///
    /// Those of [`Fence::resolve`], and a path that is not a directory.
    pub fn open_dir(&self, path: &Path) -> Result<TrustedDir, OpenError> {
        let resolved = self.resolve(path)?;
        let opened = self.open_resolved_dir(&resolved);
        opened.map_err(|error| error.at(path))
    }

    /// Opens a file by a path resolved earlier, without following links.
    ///
    /// # Errors
    ///
    /// The path is outside, has been replaced, is not a regular file, or the
    /// system refuses.
    pub fn open_resolved_file(&self, resolved: &Path) -> Result<RegularFile, OpenError> {
        let (Some(parent), Some(name)) = (resolved.parent(), resolved.file_name()) else {
            return Err(OpenError::new(OpenErrorKind::NotBelow, resolved));
        };
        let (dir, below) = self.split(resolved, parent)?;
        dir.open_file(&below.join(name))
    }

    /// Opens a directory by a path resolved earlier, without following links.
    ///
    /// # Errors
    ///
    /// The path is outside, has been replaced, is not a directory, or the
    /// system refuses.
    pub fn open_resolved_dir(&self, resolved: &Path) -> Result<TrustedDir, OpenError> {
        let (dir, below) = self.split(resolved, resolved)?;
        if below == Path::new("") {
            return Ok(dir);
        }
        dir.open_dir(below)
    }

    /// Opens the directory to start from, and returns the path of `parent`
    /// below it: the fence directory that contains `resolved`, or, when
    /// `resolved` is approved, `parent` itself.
    fn split<'a>(
        &self,
        resolved: &Path,
        parent: &'a Path,
    ) -> Result<(TrustedDir, &'a Path), OpenError> {
        if let Some(dir) = self.dir_of(resolved)
            && let Ok(below) = parent.strip_prefix(dir)
        {
            return Ok((TrustedDir::open_resolved(dir.to_owned())?, below));
        }
        if self.admits(resolved) {
            let dir = TrustedDir::open_resolved(parent.to_owned())?;
            return Ok((dir, Path::new("")));
        }
        Err(OpenError::outside(resolved, resolved))
    }
}
