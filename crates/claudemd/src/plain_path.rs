use std::fs;
use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`, as instruction files are named: one name for
/// one place, whichever way somebody came there.
///
/// Behind a symbolic link to a directory, `..` is not what it looks like: the
/// result then is what the path resolves to.
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
