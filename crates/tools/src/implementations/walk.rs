//! How `Glob` and `Grep` walk through the files below a directory.
//!
//! Depth, entries and time are bounded. Directories are visited in name order,
//! so results are the same on every file system.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::implementations::effort::Effort;
use crate::implementations::ignored::Ignored;
use crate::workspace::{Place, Workspace};

/// How many files and directories one call visits.
const MAX_ENTRIES: usize = 500_000;
/// How deep below the first directory to go.
const MAX_DEPTH: usize = 32;

/// A file below a directory.
///
/// It is opened by its place, not by its path, so a link that replaces a
/// directory meanwhile is not followed.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    /// Relative to that directory.
    pub(crate) below: PathBuf,
}

/// What a walk did not visit.
///
/// A note at the end of a result keeps the model from taking an incomplete list
/// for a whole one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missed {
    /// True if the walk was stopped before the end.
    pub(crate) rest: bool,
    /// How many directories could not be listed.
    pub(crate) closed: usize,
    /// How many directories were too deep.
    pub(crate) deep: usize,
}

impl Found {
    /// Returns true if the path still resolves to the same place: a link may
    /// have replaced a directory in it.
    pub(crate) fn is_still_there(&self) -> bool {
        let now = std::fs::canonicalize(&self.place.resolved);
        now.is_ok_and(|now| now == self.place.resolved)
    }
}

impl Missed {
    /// Returns a note for the model, if anything was skipped.
    pub(crate) fn note(self) -> Option<String> {
        if self.rest {
            let stopped = "it took too long, and was stopped before all files were looked at";
            return Some(format!("(This is not all: {stopped}.)"));
        }
        let closed = match self.closed {
            0 => None,
            1 => Some("(One directory could not be looked into.)".to_owned()),
            closed => Some(format!("({closed} directories could not be looked into.)")),
        };
        let deep = (self.deep > 0).then(|| {
            let deep = self.deep;
            format!("(Directories {MAX_DEPTH} levels down are not looked into: {deep}.)")
        });
        let notes: Vec<_> = closed.into_iter().chain(deep).collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }
}

/// Visits the regular files at and below a place, sorted by path, until `each`
/// breaks. Skips `.git` and ignored files. Does not follow links to
/// directories; follows links to files if their target is in the workspace.
pub(crate) fn files(
    workspace: &Workspace,
    base: &Place,
    mut ignored: Ignored,
    effort: &Effort,
    mut each: impl FnMut(Found) -> ControlFlow<()>,
) -> Missed {
    let mut missed = Missed::default();
    let mut count = 0;
    let mut entries = WalkDir::new(&base.resolved)
        .follow_links(false)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = entries.next() {
        if count == MAX_ENTRIES || effort.is_over() {
            missed.rest = true;
            break;
        }
        count += 1;
        let Ok(entry) = entry else {
            missed.closed += 1;
            continue;
        };
        let is_dir = entry.file_type().is_dir();
        let is_named = entry.depth() == 0;
        if !is_named && (entry.file_name() == ".git" || ignored.covers(entry.path(), is_dir)) {
            if is_dir {
                entries.skip_current_dir();
            }
            continue;
        }
        if is_dir {
            missed.deep += usize::from(entry.depth() == MAX_DEPTH);
            ignored.enter(base, entry.path());
            continue;
        }
        let Some(found) = file(workspace, base, &entry) else {
            continue;
        };
        if each(found).is_break() {
            break;
        }
    }
    missed
}

/// Accepts a regular file, or a link to one in the workspace.
fn file(workspace: &Workspace, base: &Place, entry: &DirEntry) -> Option<Found> {
    let kind = entry.file_type();
    if !kind.is_file() && !kind.is_symlink() {
        return None;
    }
    let below = entry.path().strip_prefix(&base.resolved).ok()?;
    let path = join(&base.path, below);
    let place = if kind.is_file() {
        base.below(path, entry.path())
    } else {
        let place = workspace.place_at(path)?;
        place.resolved.is_file().then_some(place)?
    };
    Some(Found { place, below: below.to_owned() })
}

/// For an empty `below`, returns `base` itself, without a slash at the end.
fn join(base: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { base.to_owned() } else { base.join(below) }
}
