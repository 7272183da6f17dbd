//! The only errors while loading: the working directory itself is unusable.

use std::path::{Path, PathBuf};

/// Nothing at all could be loaded.
///
/// A single file is never a reason for this: that file is skipped and reported.
#[derive(Debug, thiserror::Error)]
#[error("{kind}: {path}{fault}", path = path.display(), fault = fault(source.as_ref()))]
pub struct LoadError {
    kind: LoadErrorKind,
    path: PathBuf,
    source: Option<std::io::Error>,
}

aside_text::names! {
    /// What kind of [`LoadError`] this is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LoadErrorKind {
        /// The working directory is not an absolute path.
        NotAbsolute = "working directory is not absolute",
        /// The working directory does not exist or cannot be accessed.
        Unreachable = "working directory cannot be reached",
        /// The working directory is a file.
        NotADirectory = "working directory is not a directory",
    }
}

impl LoadError {
    pub(crate) fn new(kind: LoadErrorKind, path: &Path, source: Option<std::io::Error>) -> Self {
        Self { kind, path: path.to_owned(), source }
    }

    /// Returns what kind of error this is.
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// Returns the path concerned.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn fault(source: Option<&std::io::Error>) -> String {
    source.map_or(String::new(), |source| format!(": {source}"))
}
