//! Listing the inputs that arguments name: files, directories and patterns.

use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;
use walkdir::WalkDir;

use super::{OpenError, OpenErrorKind};

/// How many levels of entries to visit below an argument.
const MAX_DEPTH: usize = 33;

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

impl Listing {
    fn below(&mut self, directory: &Path, limit: usize, accepts: &dyn Fn(&Path) -> bool) {
        let (mut files, mut faults) = (Vec::new(), Vec::new());
        let walk = WalkDir::new(directory).min_depth(1).max_depth(MAX_DEPTH);
        for (count, entry) in walk.into_iter().enumerate() {
            if count == limit {
                let kind = OpenErrorKind::TooManyEntries { limit };
                return self.faults.push(OpenError::new(kind, directory));
            }
            match entry {
                Ok(entry) if entry.file_type().is_file() && accepts(entry.path()) => {
                    files.push(entry.into_path());
                }
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_owned();
                    let error =
                        error.into_io_error().expect("a walk that follows no links has no loop");
                    faults.push(OpenError::from_io(&path, error));
                }
            }
        }
        files.sort();
        faults.sort_by(|a, b| a.path().cmp(b.path()));
        self.files.append(&mut files);
        self.faults.append(&mut faults);
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
    use std::fs;

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
