//! The `.gitignore` files that apply to a walk, by git's rules: the lists from
//! the repository's root down to the file, the nearest one first.
//!
//! The user's lists (`core.excludesFile`, `.git/info/exclude`) are not read.
//! The lists are project files, so they are opened and bounded like every other
//! file.

use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::workspace::Place;

/// A longer `.gitignore` is not used.
const MAX_GITIGNORE_BYTES: u64 = 64 * 1024;
/// Further lines are not used.
const MAX_GITIGNORE_LINES: usize = 1_000;

/// What to do with files that a `.gitignore` excludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IgnoredFiles {
    /// Skips them.
    #[default]
    Skip,
    /// Treats them like all other files.
    Include,
}

/// The `.gitignore` files from the repository's root down to the walk's current
/// directory.
#[derive(Debug)]
pub(crate) struct Ignored {
    files: IgnoredFiles,
    /// Each list with its directory; only ancestors of the current directory.
    lists: Vec<(PathBuf, Gitignore)>,
}

impl Ignored {
    /// Reads the lists for a walk that starts at `base`.
    pub(crate) fn at(base: &Place, files: IgnoredFiles) -> Self {
        let mut ignored = Self { files, lists: Vec::new() };
        // Directories above the repository or outside the workspace do not
        // count.
        let above: Vec<_> = base.resolved.ancestors().take_while(|dir| base.reaches(dir)).collect();
        let root = above.iter().position(|dir| has_git(dir));
        for dir in above.iter().take(root.map_or(0, |root| root + 1)).skip(1).rev() {
            ignored.enter(base, dir);
        }
        ignored
    }

    /// Enters a directory during the walk, and reads its list.
    pub(crate) fn enter(&mut self, base: &Place, dir: &Path) {
        if self.files == IgnoredFiles::Include {
            return;
        }
        self.lists.retain(|(above, _)| dir.starts_with(above));
        if let Some(list) = list(base, dir) {
            self.lists.push((dir.to_owned(), list));
        }
    }

    /// Returns true if a file or directory is skipped. The nearest list
    /// decides.
    pub(crate) fn covers(&self, path: &Path, is_dir: bool) -> bool {
        let lists = self.lists.iter().rev();
        let near = lists.filter(|(dir, _)| path.starts_with(dir));
        near.map(|(_, list)| list.matched(path, is_dir))
            .find(|found| !found.is_none())
            .is_some_and(|found| matches!(found, Match::Ignore(_)))
    }
}

fn has_git(dir: &Path) -> bool {
    dir.join(".git").symlink_metadata().is_ok()
}

/// Reads a directory's list. The file is untrusted, and opened like all others.
/// A line that is not a pattern is skipped, as git does.
fn list(base: &Place, dir: &Path) -> Option<Gitignore> {
    let path = dir.join(".gitignore");
    // Most directories have none.
    path.symlink_metadata().ok()?;
    let opened = base.below(path.clone(), &path).open().ok()?;
    let mut bytes = Vec::new();
    opened.file.take(MAX_GITIGNORE_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(dir);
    for line in text.lines().take(MAX_GITIGNORE_LINES) {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
