use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The nearest directory, from `cwd` upwards, that is a repository: the top of
/// a work tree, or a bare repository (or `.git` directory) itself.
///
/// It looks at a few files and starts no process, and so is cheap enough to be
/// asked before every other step. Whether git accepts what was found is for
/// [`snapshot`](crate::snapshot) to say. No variable of the environment counts.
#[must_use]
pub fn repository_root(cwd: &Path) -> Option<PathBuf> {
    let cwd = cwd.canonicalize().ok()?;
    cwd.ancestors()
        .find(|directory| has_git_entry(directory) || is_git_directory(directory))
        .map(Path::to_owned)
}

fn has_git_entry(directory: &Path) -> bool {
    let entry = directory.join(".git");
    match fs::metadata(&entry) {
        Ok(metadata) if metadata.is_dir() => is_git_directory(&entry),
        // In a linked worktree or a submodule it is a file with a path.
        Ok(metadata) if metadata.is_file() => is_git_file(&entry),
        _ => false,
    }
}

fn is_git_file(path: &Path) -> bool {
    const START: &[u8] = b"gitdir: ";
    let mut start = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(START.len() as u64).read_to_end(&mut start))
        .is_ok()
        && start == START
}

/// What git itself looks for. A `HEAD` may be a symbolic link to a branch that
/// does not exist yet; the other two may be shared with a main worktree.
fn is_git_directory(directory: &Path) -> bool {
    fs::symlink_metadata(directory.join("HEAD")).is_ok()
        && (directory.join("commondir").is_file()
            || (directory.join("objects").is_dir() && directory.join("refs").is_dir()))
}
