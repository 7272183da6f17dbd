//! Which project a directory belongs to, and its files.

use std::io;
use std::path::{Path, PathBuf};

use aside_git_context::{GitCommand, GitOptions, repository_root};

/// Returns the project that a directory is in: the repository's root, or else
/// the directory itself, with symbolic links resolved as far as it exists.
///
/// Sessions in one project share its settings, its notes and their transcripts,
/// whatever directory they start in.
#[must_use]
pub fn project_dir(cwd: &Path) -> PathBuf {
    repository_root(cwd).or_else(|| cwd.canonicalize().ok()).unwrap_or_else(|| cwd.to_owned())
}

/// Returns the files below a directory that git has, or would add, relative to it. There are none
/// outside a repository, and none whose names are not UTF-8.
///
/// # Errors
///
/// Git cannot list them.
pub fn repository_files(directory: &Path) -> io::Result<Vec<String>> {
    if repository_root(directory).is_none() {
        return Ok(Vec::new());
    }
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = GitCommand::new(&arguments).output(directory, &GitOptions::default());
    let listed = listed.map_err(io::Error::other)?;
    let names = listed.split(|byte| *byte == 0).filter(|it| !it.is_empty());
    Ok(names.filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect())
}
