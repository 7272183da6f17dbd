//! Finding files in a repository that git must not open.
//!
//! Git opens them as regular files: on a FIFO it waits for a writer, and a device may have no end,
//! so each snapshot would take the whole time limit. And git quotes lines from some files, which a
//! link could take from any file the user can read.

use std::path::{Path, PathBuf};

use crate::data_file::special_kind;
use crate::layout::Layout;
use crate::{GitError, GitErrorKind};

/// Files that `git status` and `git log` open in a work tree's git directory.
const OWN: &[&str] = &[
    "HEAD",
    "index",
    "commondir",
    "config.worktree",
    "info/sparse-checkout",
    "CHERRY_PICK_HEAD",
    "MERGE_HEAD",
    "REVERT_HEAD",
    "BISECT_START",
    "rebase-apply/head-name",
    "rebase-apply/onto",
    "rebase-merge/head-name",
    "rebase-merge/onto",
    "sequencer/todo",
];

/// Files that they open in the directory that all work trees share.
const COMMON: &[&str] = &[
    "config",
    "packed-refs",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "objects/pack/multi-pack-index.d/multi-pack-index-chain",
];

/// Files that they open at the root of a work tree.
const WORK_TREE: &[&str] = &[".gitattributes", ".gitignore", ".gitmodules"];

/// Refuses a repository with a special file in the place of one that git opens in every
/// repository. `head` is the branch that `HEAD` names, such as `refs/heads/main`.
///
/// Files with names that only the repository knows (objects, files in a subdirectory) are left to
/// the time limit.
pub(crate) fn check(root: &Path, layout: &Layout, head: Option<&Path>) -> Result<(), GitError> {
    let own = OWN.iter().map(|name| layout.git_dir.join(name));
    let common = COMMON.iter().map(|name| layout.common_dir.join(name));
    let work_tree = WORK_TREE.iter().map(|name| root.join(name));
    let head = head.map(|head| layout.common_dir.join(head));
    let special = own.chain(common).chain(work_tree).chain(head).find_map(|path| {
        // A link to a special file counts, too.
        let kind = special_kind(path.metadata().ok()?.file_type())?;
        Some(GitError::special_file(&path, kind))
    });
    special.map_or(Ok(()), Err)
}

/// Files from which git quotes lines that it cannot parse, or takes them for a path.
const QUOTED: &[&str] = &[
    "HEAD",
    "commondir",
    "packed-refs",
    "refs/remotes/origin/HEAD",
    "shallow",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index.d/multi-pack-index-chain",
];

/// Refuses a repository with a link out of the git directory in the place of a file that git
/// quotes in messages, which could show lines from any file of the user. `head` is the branch that
/// `HEAD` names.
pub(crate) fn check_links(layout: &Layout, head: Option<&Path>) -> Result<(), GitError> {
    // They are one directory, but in a linked work tree.
    let mut dirs = vec![&layout.git_dir, &layout.common_dir];
    dirs.dedup();
    let resolve = |dir: &&PathBuf| dir.canonicalize().unwrap_or_else(|_| (*dir).clone());
    let resolved: Vec<_> = dirs.iter().map(resolve).collect();
    let files = QUOTED.iter().map(Path::new).chain(head);
    let mut paths = files.flat_map(|file| dirs.iter().map(move |dir| dir.join(file)));
    let outside = paths.find_map(|path| {
        // Most of them are missing, which one call finds; following links takes one for each
        // component.
        let target = path.metadata().ok().and_then(|_| path.canonicalize().ok())?;
        let is_outside = !resolved.iter().any(|dir| target.starts_with(dir));
        is_outside.then(|| GitError::new(GitErrorKind::OutsideLink, path, format!("{target:?}")))
    });
    outside.map_or(Ok(()), Err)
}
