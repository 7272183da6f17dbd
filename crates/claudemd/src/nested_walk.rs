//! The instruction files below a directory, listed for people.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::other_agents;

/// How many files and directories are looked at.
const MAX_ENTRIES: usize = 50_000;
/// How many levels of directories are looked into.
const MAX_DEPTH: usize = 32;
/// The directories that hold other people's code, or none.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", "target"];

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// In the order of their paths.
    pub(crate) files: Vec<PathBuf>,
    /// Whether the walk ended at a limit.
    pub(crate) is_cut: bool,
}

/// Lists the instruction files of any agent in the directories below `dir`, not those of `dir`
/// itself. Links are not followed.
pub(crate) fn below(dir: &Path) -> Nested {
    let mut nested = Nested::default();
    let own = dir.join(".claude");
    let walk = WalkDir::new(dir).min_depth(1).max_depth(MAX_DEPTH);
    let is_wanted = |entry: &walkdir::DirEntry| {
        !entry.file_type().is_dir() || !LEFT_OUT.iter().any(|name| entry.file_name() == *name)
    };
    let entries = walk.sort_by_file_name().into_iter().filter_entry(is_wanted);
    for (count, entry) in entries.flatten().enumerate() {
        if count == MAX_ENTRIES {
            nested.is_cut = true;
            break;
        }
        let parent = entry.path().parent();
        if entry.file_type().is_dir() || parent == Some(dir) {
            continue;
        }
        let name = entry.file_name().to_string_lossy();
        let is_own = entry.path().starts_with(&own);
        if !is_own && (other_agents::is_known(&name) || is_rule(entry.path())) {
            nested.files.push(entry.into_path());
        }
    }
    nested
}

/// Returns true if a path is that of a file in a rules directory.
pub(crate) fn is_rule(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().collect();
    let in_rules = parts
        .windows(2)
        .any(|two| two[0] == ".claude" && two[1] == "rules");
    in_rules && path.extension().is_some_and(|end| end == "md")
}
