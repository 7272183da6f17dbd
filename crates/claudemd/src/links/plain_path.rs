//! One name for one file, however a path is written.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the path without `.` and `..`: one name for one file, however the
/// path was written.
///
/// After a symbolic link to a directory, `..` is not the directory that is
/// written before it; the result then is the resolved path.
#[must_use]
pub fn plain_path(path: &Path) -> PathBuf {
    if !path.components().any(|part| part == Component::ParentDir) {
        return path.components().collect();
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    match (fs::canonicalize(path), fs::canonicalize(&plain)) {
        (Ok(resolved), Ok(other)) if resolved == other => plain,
        (Ok(resolved), _) => resolved,
        (Err(_), _) => plain,
    }
}

/// Returns the path with the symbolic links in its directory resolved, not the file's own.
pub(crate) fn with_resolved_dir(path: &Path) -> PathBuf {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    fs::canonicalize(dir).map_or_else(|_| path.to_owned(), |dir| dir.join(name))
}
