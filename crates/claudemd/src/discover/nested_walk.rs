//! Listing the instruction files below a directory, for reports to the user.
//!
//! Only reports walk the tree. Loading never does: it looks into the
//! directories of touched paths.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::discover::other_agents;

/// How many files and directories to visit.
const MAX_ENTRIES: usize = 50_000;
/// How many levels of directories to visit.
const MAX_DEPTH: usize = 32;
/// Directories with dependencies, build output or no source files.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", "target"];

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// Sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// True if the walk ended at a limit.
    pub(crate) is_cut: bool,
}

/// Lists any agent's instruction files in the directories below `dir`, without
/// those in `dir` itself. Links are not followed.
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
        let path = entry.path();
        let is_known = || is_rule(path) || other_agents::owner_of(path).is_some();
        if !is_own && (other_agents::is_known(&name) || is_known()) {
            nested.files.push(entry.into_path());
        }
    }
    nested
}

/// Lists the rules in a rules directory. Links are not followed.
pub(crate) fn rules_in(dir: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(dir).max_depth(MAX_DEPTH).sort_by_file_name();
    let files = walk.into_iter().flatten().take(MAX_ENTRIES);
    let files = files.filter(|entry| !entry.file_type().is_dir()).map(walkdir::DirEntry::into_path);
    files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// Returns true for a file's path in a rules directory.
pub(crate) fn is_rule(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().collect();
    let in_rules = parts.windows(2).any(|two| two[0] == ".claude" && two[1] == "rules");
    in_rules && path.extension().is_some_and(|end| end == "md")
}
