use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::workspace::Place;

/// The longest `.gitignore` that counts, in bytes.
const LONGEST: u64 = 64 * 1024;
/// How many of its lines count.
const LINES: usize = 1_000;

/// What becomes of files that a `.gitignore` names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IgnoredFiles {
    /// They are left out.
    #[default]
    Skip,
    /// They are looked at like others.
    Include,
}

/// The lists of the directories from the repository's root down to where a
/// walk is.
#[derive(Debug)]
pub(crate) struct Ignored {
    files: IgnoredFiles,
    /// Each with its directory, and none for a directory beside the way.
    lists: Vec<(PathBuf, Gitignore)>,
}

impl Ignored {
    /// For a walk that begins at `base`.
    pub(crate) fn at(base: &Place, files: IgnoredFiles) -> Self {
        let mut ignored = Self {
            files,
            lists: Vec::new(),
        };
        // What is above the repository, or out of reach, has nothing to say.
        let above: Vec<_> = base
            .resolved
            .ancestors()
            .take_while(|dir| base.reaches(dir))
            .collect();
        let root = above.iter().position(|dir| has_git(dir));
        for dir in above
            .iter()
            .take(root.map_or(0, |root| root + 1))
            .skip(1)
            .rev()
        {
            ignored.enter(base, dir);
        }
        ignored
    }

    /// The walk comes into a directory.
    pub(crate) fn enter(&mut self, base: &Place, dir: &Path) {
        if self.files == IgnoredFiles::Include {
            return;
        }
        self.lists.retain(|(above, _)| dir.starts_with(above));
        if let Some(list) = list(base, dir) {
            self.lists.push((dir.to_owned(), list));
        }
    }

    /// Whether a file or directory is left out. The list nearest to it decides.
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

/// The list of a directory. It may be anything, and is opened as carefully as
/// any other file. A line that is no pattern is passed over, as git does.
fn list(base: &Place, dir: &Path) -> Option<Gitignore> {
    let path = dir.join(".gitignore");
    // Most directories have none.
    path.symlink_metadata().ok()?;
    let opened = base.below(path.clone(), &path).open().ok()?;
    let mut bytes = Vec::new();
    opened.file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(dir);
    for line in text.lines().take(LINES) {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
