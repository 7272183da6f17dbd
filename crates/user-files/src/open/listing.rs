//! Listing the inputs that arguments name: files, directories and patterns.

use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use super::{OpenError, OpenErrorKind};

/// How many levels of directories to visit below an argument.
const MAX_DEPTH: usize = 32;

/// How many entries to visit below an argument. A file system's root has more.
const MAX_ENTRIES: usize = 100_000;

/// The inputs that some arguments name.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The inputs, in argument order; those in a directory or for a pattern, sorted by path.
    pub files: Vec<PathBuf>,
    /// Directories that could not be read, or have too many entries.
    pub faults: Vec<OpenError>,
}

/// Lists the inputs that arguments name. `-`, files and paths that do not exist are returned as
/// they are; a directory gives the regular files at any depth for which `accepts` returns true. A
/// path with `*`, `?` or `[` that does not exist is a pattern. Links inside a directory are not
/// followed. An argument with more than 100,000 entries below it is a fault and has no inputs.
///
/// ```
/// use aside_user_files::open::list_inputs;
///
/// # let dir = tempfile::tempdir()?;
/// # let root = dir.path();
/// std::fs::create_dir(root.join("a"))?;
/// std::fs::write(root.join("a/log.jsonl"), "")?;
/// std::fs::write(root.join("notes.txt"), "")?;
/// let is_log = |path: &std::path::Path| path.extension().is_some_and(|it| it == "jsonl");
/// assert_eq!(list_inputs(&[root.to_owned()], is_log).files, [root.join("a/log.jsonl")]);
/// assert_eq!(list_inputs(&[root.join("*.txt")], is_log).files, [root.join("notes.txt")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn list_inputs(arguments: &[PathBuf], accepts: impl Fn(&Path) -> bool) -> Listing {
    let mut listing = Listing::default();
    for argument in arguments {
        if argument.is_dir() {
            listing.below(argument, MAX_ENTRIES, &accepts);
        } else if let Some(root) = pattern_root(argument) {
            let pattern = argument.to_string_lossy();
            let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
            match glob {
                Ok(glob) => {
                    let matcher = glob.compile_matcher();
                    let here = Path::new(".");
                    let matches = |it: &Path| matcher.is_match(it.strip_prefix(here).unwrap_or(it));
                    listing.below(&root, MAX_ENTRIES, &matches);
                }
                Err(_) => listing.files.push(argument.clone()),
            }
        } else {
            listing.files.push(argument.clone());
        }
    }
    listing
}

struct TooMany;

impl Listing {
    fn below(&mut self, directory: &Path, limit: usize, accepts: &dyn Fn(&Path) -> bool) {
        let (files, faults) = (self.files.len(), self.faults.len());
        let mut left = limit;
        if let Err(TooMany) = self.walk(directory, MAX_DEPTH, &mut left, accepts) {
            self.files.truncate(files);
            self.faults.truncate(faults);
            let kind = OpenErrorKind::TooManyEntries { limit };
            self.faults.push(OpenError::new(kind, directory));
        }
    }

    fn walk(
        &mut self,
        directory: &Path,
        depth: usize,
        left: &mut usize,
        accepts: &dyn Fn(&Path) -> bool,
    ) -> Result<(), TooMany> {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => {
                self.faults.push(OpenError::from_io(directory, error));
                return Ok(());
            }
        };
        let mut paths = Vec::new();
        for entry in entries.flatten() {
            *left = left.checked_sub(1).ok_or(TooMany)?;
            if let Ok(kind) = entry.file_type() {
                paths.push((entry.path(), kind));
            }
        }
        paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (path, kind) in paths {
            if kind.is_dir() && depth > 0 {
                self.walk(&path, depth - 1, left, accepts)?;
            } else if kind.is_file() && accepts(&path) {
                self.files.push(path);
            }
        }
        Ok(())
    }
}

/// Returns the directory to search for a pattern; `None` for a path without a pattern, and for one
/// that exists.
fn pattern_root(argument: &Path) -> Option<PathBuf> {
    let is_pattern = |it: &Component<'_>| {
        let name = it.as_os_str().to_string_lossy();
        name.contains(['*', '?', '['])
    };
    let has_pattern = argument.components().any(|it| is_pattern(&it));
    if !has_pattern || argument.exists() {
        return None;
    }
    let root: PathBuf = argument.components().take_while(|it| !is_pattern(it)).collect();
    let is_here = root.as_os_str().is_empty();
    Some(if is_here { PathBuf::from(".") } else { root })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_entries_are_one_fault() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::create_dir(directory.path().join(name)).unwrap();
            fs::write(directory.path().join(name).join("log.jsonl"), "").unwrap();
        }
        let listed = |limit| {
            let mut listing = Listing::default();
            listing.below(directory.path(), limit, &|_| true);
            let faults = listing.faults.iter().map(OpenError::message);
            (listing.files.len(), faults.collect::<Vec<_>>())
        };
        assert_eq!(listed(6), (3, Vec::new()));
        let fault = "more than 5 entries: name a directory that is nearer to the files";
        assert_eq!(listed(5), (0, vec![fault.to_owned()]));
    }
}
