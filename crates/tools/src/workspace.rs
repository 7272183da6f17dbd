//! The directories for tools, and how to resolve a path that a model, a user or
//! a walk names.
//!
//! The rules are those of [`Fence`]; this module adds the working directory,
//! the words for the model, and the check during a walk.

#[cfg(feature = "agent")]
mod change;
#[cfg(feature = "search")]
mod search;

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use aside_session::{FileRead, ReadState};
use aside_user_files::open::{Fence, OpenError, OpenErrorKind, TrustedDir, resolve};

use crate::opened_file::OpenedFile;
use crate::refusal::Refusal;

/// The directories that tools may read.
///
/// A path is judged by where it resolves to. It is opened below the workspace
/// directory that contains this place, without following a link again: if part
/// of it is exchanged meanwhile, opening fails.
///
/// As [`Files`](aside_session::Files) it also reads the files that a prompt
/// mentions, and detects files that changed since the model read them.
///
/// ```
/// use aside_session::Files;
/// use aside_tools::Workspace;
///
/// # let directory = tempfile::tempdir()?;
/// # let cwd = directory.path();
/// std::fs::write(cwd.join("notes.md"), "one\ntwo\n")?;
/// let workspace = Workspace::new(cwd, [""; 0]);
/// assert!(workspace.mentioned("notes.md", None)?.is_some());
/// assert!(workspace.mentioned("missing.md", None)?.is_none());
/// assert!(workspace.mentioned("/etc/passwd", None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    cwd: PathBuf,
    fence: Arc<Fence>,
    /// Where files may be changed.
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "the tools that edit"))]
    edits: Arc<Fence>,
    /// In plan mode, the only file that may be changed.
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "the tools that edit"))]
    plan_file: Option<PathBuf>,
    /// Locked while a file is changed: two calls may change the same one.
    pub(crate) changes: Arc<Mutex<Changes>>,
    /// Locked while any session with these directories changes a file.
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "the tools that edit"))]
    writing: Arc<Mutex<()>>,
    #[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "the tools that edit"))]
    is_preview: bool,
}

/// What decides whether a file may be changed.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "agent"), expect(dead_code, reason = "the tools that edit"))]
pub(crate) struct Changes {
    /// The files as the session's model knows them; `None` without a session.
    pub(crate) known: Option<ReadState>,
    /// The files that a preview would have changed.
    planned: HashMap<PathBuf, FileRead>,
}

/// A path inside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Absolute, as it was given.
    pub(crate) path: PathBuf,
    /// With symbolic links resolved.
    pub(crate) resolved: PathBuf,
    fence: Arc<Fence>,
}

impl Workspace {
    /// Creates a workspace from the working directory, where relative paths
    /// start, and additional directories. All paths are absolute. A directory
    /// that does not exist contains nothing.
    pub fn new<I>(cwd: impl Into<PathBuf>, additional: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<PathBuf>,
    {
        let cwd = cwd.into();
        let additional = additional.into_iter().map(Into::into);
        let fence = Arc::new(Fence::around(std::iter::once(cwd.clone()).chain(additional)));
        let (plan_file, changes, writing) = (None, Arc::default(), Arc::default());
        Self { edits: fence.clone(), plan_file, fence, cwd, changes, writing, is_preview: false }
    }

    /// Lets Edit and Write return their results without changing a file.
    #[must_use]
    pub fn without_writing(self) -> Self {
        Self { is_preview: true, ..self }
    }

    /// Returns the same directories for another session, whose model knows other files.
    #[must_use]
    pub fn for_another_session(&self) -> Self {
        Self { changes: Arc::default(), ..self.clone() }
    }

    /// Extends the workspace to everything that the process can read. Edit and
    /// Write stay within its directories.
    #[must_use]
    pub fn without_limits(self) -> Self {
        Self { fence: Arc::new(Fence::default().approve_everything()), ..self }
    }

    /// Lets tools also read these directories, such as those with the user's
    /// skills.
    #[must_use]
    pub fn with_readable(mut self, dirs: impl IntoIterator<Item = PathBuf>) -> Self {
        let fence = Fence::clone(&self.fence);
        let fence = dirs.into_iter().fold(fence, |fence, dir| fence.with_dir(&dir));
        self.fence = Arc::new(fence);
        self
    }

    /// Refuses calls to Edit and Write that are not for the plan's file, which is absolute or
    /// relative to the working directory.
    #[must_use]
    pub fn in_plan_mode(self, file: impl AsRef<Path>) -> Self {
        Self { plan_file: Some(self.cwd.join(file)), ..self }
    }

    /// Does the same for a file that may be outside of the directories: the host's choice, not that
    /// of a record.
    #[must_use]
    pub fn in_plan_mode_anywhere(self, file: impl AsRef<Path>) -> Self {
        let file = self.cwd.join(file);
        let dir = file.ancestors().skip(1).find(|dir| dir.is_dir());
        // A plan that exists is read before it is replaced. A link is not followed.
        let target = dir.and_then(|dir| {
            let below = file.strip_prefix(dir).ok()?;
            Some(resolve(dir).ok()?.join(below))
        });
        let fence = Arc::new(Fence::clone(&self.fence).approve(target));
        let edits = Arc::new(Fence::around(dir.map(Path::to_owned)));
        Self { plan_file: Some(file), edits, fence, ..self }
    }

    /// Returns the working directory.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Resolves a path from the model, absolute or relative to the working
    /// directory.
    ///
    /// # Errors
    ///
    /// The path does not exist or leads outside. Outside, the refusal is the
    /// same whether the file exists or not.
    pub(crate) fn place(&self, given: &str) -> Result<Place, Refusal> {
        if given.contains('\0') {
            return Err(Refusal::new(given, "no path has a NUL in it"));
        }
        self.find(given).map_err(|error| {
            // The model does not learn which files exist outside.
            if self.is_outside(&error) {
                Refusal::new(given, "outside of the directories that you work in")
            } else {
                Refusal::open(given, &error)
            }
        })
    }

    /// Resolves a path that the user named, so the error has the actual reason.
    pub(crate) fn find(&self, given: &str) -> Result<Place, OpenError> {
        let path = self.cwd.join(given);
        let resolved = self.fence.resolve(&path)?;
        Ok(Place { path: plain(&path, &resolved), resolved, fence: Arc::clone(&self.fence) })
    }

    /// Returns true if a path that could not be resolved is outside the
    /// workspace, as far as it exists.
    fn is_outside(&self, error: &OpenError) -> bool {
        error.kind() == OpenErrorKind::Outside || !self.fence.admits(&nearest(error.path()))
    }
}

impl Place {
    pub(crate) fn open_dir(&self) -> Result<TrustedDir, OpenError> {
        self.fence.open_resolved_dir(&self.resolved)
    }

    pub(crate) fn open(&self) -> Result<OpenedFile, OpenError> {
        let file = self.fence.open_resolved_file(&self.resolved)?;
        Ok(OpenedFile::new(file, &self.resolved))
    }
}

/// Returns the path without `.`, or the resolved one if it has a `..`, which
/// after a link is not the textual parent.
fn plain(path: &Path, resolved: &Path) -> PathBuf {
    if path.components().any(|part| part == Component::ParentDir) {
        resolved.to_owned()
    } else {
        path.components().collect()
    }
}

/// Returns the nearest existing directory above a path, with symbolic links
/// resolved. The path may have thousands of parts, so this tries few of them.
fn nearest(path: &Path) -> PathBuf {
    let mut above: Vec<_> = path.ancestors().skip(1).collect();
    above.reverse();
    let existing = above.partition_point(|path| path.exists());
    let nearest = above[..existing].last();
    nearest.and_then(|path| resolve(path).ok()).unwrap_or_default()
}
