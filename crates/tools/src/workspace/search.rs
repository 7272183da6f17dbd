//! Places and paths that a search finds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_text::one_line;

use super::{Place, Workspace};

impl Workspace {
    /// Resolves a link that a walk has found.
    pub(crate) fn place_at(&self, path: PathBuf) -> Option<Place> {
        let resolved = self.fence.resolve(&path).ok()?;
        Some(Place { path, resolved, fence: Arc::clone(&self.fence) })
    }

    /// Returns a path as the model reads it: on one line, relative if it is below the working
    /// directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.cwd).unwrap_or(path);
        one_line(&path.to_string_lossy()).into_owned()
    }
}

impl Place {
    /// Returns a place below this one that no link leads to: `path` for display, `resolved` with
    /// symbolic links resolved.
    pub(crate) fn below(&self, path: PathBuf, resolved: &Path) -> Self {
        Self { path, resolved: resolved.to_owned(), fence: Arc::clone(&self.fence) }
    }

    /// Returns true if a directory, with symbolic links resolved, is in the same workspace
    /// directory.
    pub(crate) fn reaches(&self, dir: &Path) -> bool {
        self.fence.dir_of(dir) == self.fence.dir_of(&self.resolved)
    }
}
