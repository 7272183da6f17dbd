//! Which project a directory belongs to.

use std::path::{Path, PathBuf};

/// Returns the project that a directory is in: the repository's root, or else
/// the directory itself, with symbolic links resolved as far as it exists.
///
/// Sessions in one project share its settings, its notes and their transcripts,
/// whatever directory they start in.
#[must_use]
pub fn project_dir(cwd: &Path) -> PathBuf {
    aside_git_context::repository_root(cwd)
        .or_else(|| cwd.canonicalize().ok())
        .unwrap_or_else(|| cwd.to_owned())
}
