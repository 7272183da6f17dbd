use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::Layout;
use crate::refs::Head;
use crate::{Branch, data_file};

/// Git reads as much of `HEAD` to recognize a repository.
const HEAD_START_BYTES: u64 = 255;

/// Finds the nearest repository from `cwd` upwards: the root of a work tree, or
/// a bare repository (or `.git` directory) itself.
///
/// A bare repository below a work tree does not count, unless it is in `.git`:
/// anybody can commit its files, and a clone would choose its configuration. A
/// directory that git passes over because of its `HEAD` counts only if there is
/// no other.
///
/// This is cheap: it checks a few files and starts no process. Like git, it
/// stops where the file system of `cwd` ends. Git may still refuse the
/// directory, which [`snapshot`](crate::snapshot) reports. Environment
/// variables do not count.
#[must_use]
pub fn repository_root(cwd: &Path) -> Option<PathBuf> {
    let cwd = cwd.canonicalize().ok()?;
    let nearest = |is_git_directory: fn(&Path) -> bool| {
        nearest(on_one_device(cwd.ancestors(), device), is_git_directory)
    };
    nearest(is_accepted).or_else(|| nearest(is_git_directory)).map(Path::to_owned)
}

/// Returns the directory to start git in, so that it finds the repository at
/// `root` first: `cwd`, or the nearest one above all that git could take for
/// another repository.
pub(crate) fn start_directory<'a>(cwd: &'a Path, root: &Path) -> &'a Path {
    let below = cwd.ancestors().take_while(|directory| *directory != root);
    let others = below.filter(|directory| {
        let entry = directory.join(".git");
        let is_file = exists(&entry) && !entry.is_dir();
        is_file || may_be_git_directory(&entry) || may_be_git_directory(directory)
    });
    others.last().and_then(Path::parent).unwrap_or(cwd)
}

/// Returns true if any git could take a directory for a repository.
fn may_be_git_directory(directory: &Path) -> bool {
    let has = |name: &str| exists(&directory.join(name));
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// Returns false only if nothing is at the path, not even a broken link.
pub(crate) fn exists(path: &Path) -> bool {
    !path.symlink_metadata().is_err_and(|error| data_file::is_absent(&error))
}

/// Returns what `HEAD` names now, from the repository's files. Returns `None`
/// outside of a repository, and if only git could read them.
///
/// This starts no process. [`snapshot`](crate::snapshot) tells whether git
/// accepts the repository.
#[must_use]
pub fn current_branch(cwd: &Path) -> Option<Branch> {
    let layout = Layout::of(&repository_root(cwd)?).ok()?;
    Some(Head::read(&layout)?.branch())
}

fn nearest<'a>(
    directories: impl Iterator<Item = &'a Path>,
    is_git_directory: fn(&Path) -> bool,
) -> Option<&'a Path> {
    let mut bare: Option<&Path> = None;
    for directory in directories {
        if has_git_entry(directory, is_git_directory) {
            let inside = bare.filter(|bare| bare.starts_with(directory.join(".git")));
            return Some(inside.unwrap_or(directory));
        }
        bare = bare.or_else(|| is_git_directory(directory).then_some(directory));
    }
    bare
}

/// Returns the directories up to the first one on another device.
fn on_one_device<'a>(
    directories: impl Iterator<Item = &'a Path>,
    device: impl Fn(&Path) -> Option<u64>,
) -> impl Iterator<Item = &'a Path> {
    let mut directories = directories.peekable();
    let first = directories.peek().map(|directory| device(directory));
    directories.take_while(move |directory| first == Some(device(directory)))
}

#[cfg(unix)]
fn device(directory: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;

    Some(fs::metadata(directory).ok()?.dev())
}

/// Git for Windows ignores devices, too.
#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}

fn has_git_entry(directory: &Path, is_git_directory: fn(&Path) -> bool) -> bool {
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
    let start = data_file::read_start(path, START.len() as u64);
    start.is_ok_and(|start| start.as_deref() == Some(START))
}

/// Returns true if a directory has the files by which git recognizes a
/// repository. `HEAD` may be a symbolic link to a branch that does not exist
/// yet; the other two may be shared with a main worktree.
fn is_git_directory(directory: &Path) -> bool {
    fs::symlink_metadata(directory.join("HEAD")).is_ok()
        && (directory.join("commondir").is_file()
            || (directory.join("objects").is_dir() && directory.join("refs").is_dir()))
}

/// Returns true if `HEAD` also has a form by which git recognizes a repository:
/// a link or a reference to a name below `refs/`, or an object id.
fn is_accepted(directory: &Path) -> bool {
    let head = directory.join("HEAD");
    if !is_git_directory(directory) {
        return false;
    }
    if let Ok(target) = head.read_link() {
        return target.starts_with("refs");
    }
    let Ok(Some(start)) = data_file::read_start(&head, HEAD_START_BYTES) else {
        return false;
    };
    match start.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => start.len() >= 40 && start[..40].iter().all(u8::is_ascii_hexdigit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_ends_where_the_device_changes() {
        let check = |cwd: &str, expected: &[&str]| {
            let device = |directory: &Path| match directory.to_str() {
                Some("/srv/gone") => None,
                _ if directory.starts_with("/srv/mounted") => Some(2),
                _ => Some(1),
            };
            let looked_at = on_one_device(Path::new(cwd).ancestors(), device);
            let expected = expected.iter().map(Path::new);
            assert!(looked_at.eq(expected), "from {cwd}");
        };
        check("/srv/sub", &["/srv/sub", "/srv", "/"]);
        check("/srv/mounted/sub", &["/srv/mounted/sub", "/srv/mounted"]);
        check("/srv/mounted", &["/srv/mounted"]);
        check("/srv/gone/sub", &["/srv/gone/sub"]);
    }

    #[test]
    fn git_starts_above_what_it_could_take_for_another_repository() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for (name, files, is_above) in [
            ("text", &["HEAD"][..], false),
            ("empty", &[".git/a"], false),
            ("bare", &["HEAD", "objects", "refs"], true),
            ("linked", &["HEAD", "commondir"], true),
            ("nested", &[".git/HEAD", ".git/commondir"], true),
            ("file", &[".git"], true),
        ] {
            let cwd = root.join(name);
            for file in files {
                let file = cwd.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            let expected = if is_above { root } else { &cwd };
            assert_eq!(start_directory(&cwd, root), expected, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_has_a_device() {
        let directory = tempfile::tempdir().unwrap();
        let sub = directory.path().join("sub");
        fs::create_dir(&sub).unwrap();
        assert!(device(&sub).is_some());
        assert_eq!(device(&sub), device(directory.path()));
    }
}
