//! The inputs that arguments name: files, directories and patterns.

use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use super::OpenError;

/// How many levels of directories are visited below an argument.
const MAX_DEPTH: usize = 32;

/// How many files one call lists.
const MAX_FILES: usize = 1_000_000;

/// The inputs of some arguments.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The inputs, in the order of the arguments; those of a directory or a pattern
    /// in the order of their paths.
    pub files: Vec<PathBuf>,
    /// Directories that could not be read.
    pub faults: Vec<OpenError>,
}

/// Lists the inputs of arguments. `-`, files and paths that do not exist are
/// returned as they are; of a directory, the regular files at any depth that
/// `accepts` returns true for. A path with `*`, `?` or `[` that does not exist is a
/// pattern. Links inside of a directory are not followed.
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
            listing.walk(argument, MAX_DEPTH, &accepts);
        } else if let Some(root) = pattern_root(argument) {
            let pattern = argument.to_string_lossy();
            let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
            match glob {
                Ok(glob) => {
                    let matcher = glob.compile_matcher();
                    let here = Path::new(".");
                    let matches = |it: &Path| matcher.is_match(it.strip_prefix(here).unwrap_or(it));
                    listing.walk(&root, MAX_DEPTH, &matches);
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
    fn walk(&mut self, directory: &Path, depth: usize, accepts: &dyn Fn(&Path) -> bool) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return self.faults.push(OpenError::from_io(directory, error)),
        };
        let mut paths = Vec::new();
        for entry in entries.flatten() {
            if let Ok(kind) = entry.file_type() {
                paths.push((entry.path(), kind));
            }
        }
        paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (path, kind) in paths {
            if kind.is_dir() && depth > 0 {
                self.walk(&path, depth - 1, accepts);
            } else if kind.is_file() && self.files.len() < MAX_FILES && accepts(&path) {
                self.files.push(path);
            }
        }
    }
}

/// Returns the directory in which a pattern is searched; `None` for a path without
/// a pattern, and for one that exists.
fn pattern_root(argument: &Path) -> Option<PathBuf> {
    let is_pattern = |it: &Component<'_>| {
        let name = it.as_os_str().to_string_lossy();
        name.contains(['*', '?', '['])
    };
    let has_pattern = argument.components().any(|it| is_pattern(&it));
    if !has_pattern || argument.exists() {
        return None;
    }
    let root: PathBuf = argument
        .components()
        .take_while(|it| !is_pattern(it))
        .collect();
    let is_here = root.as_os_str().is_empty();
    Some(if is_here { PathBuf::from(".") } else { root })
}
