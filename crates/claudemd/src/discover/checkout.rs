//! The git checkout around a directory, found by `.git` alone. A worktree
//! inside its own repository is a special case: the outer checkout's files must
//! not load twice.

use std::fs;
use std::path::{Path, PathBuf};

use aside_user_files::open::open_file;

/// How long a `.git` file may be, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The git checkout around a directory, as far as instruction files need it. No
/// git process is started.
#[derive(Debug)]
pub(crate) struct Checkout {
    /// The directory that holds `.git`.
    pub(crate) root: PathBuf,
    /// The main checkout with symbolic links resolved, if this one is a
    /// worktree inside it.
    pub(crate) outer: Option<PathBuf>,
}

impl Checkout {
    /// Finds the checkout around `dir`.
    pub(crate) fn of(dir: &Path) -> Option<Self> {
        // A session looks before each request: one path for all, not one each.
        let mut path = PathBuf::new();
        let root = dir.ancestors().find(|dir| {
            path.clear();
            path.extend([dir, Path::new(".git")]);
            fs::symlink_metadata(&path).is_ok()
        })?;
        Some(Self {
            root: root.to_owned(),
            outer: main_checkout(root).filter(|main| {
                fs::canonicalize(root).is_ok_and(|root| root != *main && root.starts_with(main))
            }),
        })
    }
}

/// Returns the main checkout for the worktree at `root`, or `None` if `root` is
/// not a worktree.
///
/// A worktree has a file `.git` that names its own directory below the main
/// checkout's `.git`, where a file `commondir` leads back. Submodules have the
/// first file and not the second.
fn main_checkout(root: &Path) -> Option<PathBuf> {
    let own = root.join(line(&root.join(".git"))?.strip_prefix("gitdir:")?.trim());
    let common = fs::canonicalize(own.join(line(&own.join("commondir"))?)).ok()?;
    let is_dot_git = common.file_name().is_some_and(|name| name == ".git");
    common.parent().filter(|_| is_dot_git).map(Path::to_path_buf)
}

fn line(path: &Path) -> Option<String> {
    let bytes = open_file(path).ok()?.read(MAX_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}
