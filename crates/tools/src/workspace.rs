use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::open::{self, OpenedFile};
use crate::refusal::Refusal;

/// The directories that tools keep to.
///
/// A path counts by where it leads once symbolic links are resolved, and what
/// is found there is opened without following a link again: what somebody
/// exchanges meanwhile leads nowhere.
#[derive(Clone, Debug)]
pub struct Workspace {
    cwd: PathBuf,
    reach: Reach,
}

/// How far the tools reach.
#[derive(Clone, Debug)]
enum Reach {
    /// Below these directories, symbolic links resolved.
    Below(Vec<PathBuf>),
    /// Everywhere.
    Everything,
}

/// A path that the tools may look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Absolute, as it was given.
    pub(crate) path: PathBuf,
    /// Symbolic links resolved.
    pub(crate) resolved: PathBuf,
    /// The directory, symbolic links resolved, that it may not leave.
    root: PathBuf,
}

impl Workspace {
    /// The working directory, which relative paths start from, and the
    /// additional ones, all absolute. One that does not exist holds nothing.
    pub fn new<I>(cwd: impl Into<PathBuf>, additional: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<PathBuf>,
    {
        let cwd = cwd.into();
        let additional = additional.into_iter().map(Into::into);
        let roots = std::iter::once(cwd.clone())
            .chain(additional)
            .filter_map(|root| fs::canonicalize(root).ok());
        Self {
            reach: Reach::Below(roots.collect()),
            cwd,
        }
    }

    /// The same, and everything else that the process can read.
    #[must_use]
    pub fn without_limits(self) -> Self {
        Self {
            reach: Reach::Everything,
            ..self
        }
    }

    /// The working directory.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Where a path leads, absolute or seen from the working directory.
    pub(crate) fn place(&self, given: &str) -> Result<Place, Refusal> {
        if given.contains('\0') {
            return Err(Refusal::new(given, "no path has a NUL in it"));
        }
        let path = self.cwd.join(given);
        let resolved = match fs::canonicalize(&path) {
            Ok(resolved) => resolved,
            Err(error) => {
                // What there is elsewhere is nobody's business.
                self.root_of(&nearest(&path))
                    .ok_or_else(|| outside(given))?;
                return Err(Refusal::io(given, &error));
            }
        };
        let root = self.root_of(&resolved).ok_or_else(|| outside(given))?;
        Ok(Place {
            path: plain(&path, &resolved),
            resolved,
            root,
        })
    }

    /// A place below another one: where it leads may still be elsewhere.
    pub(crate) fn place_at(&self, path: PathBuf) -> Option<Place> {
        let resolved = fs::canonicalize(&path).ok()?;
        let root = self.root_of(&resolved)?;
        Some(Place {
            path,
            resolved,
            root,
        })
    }

    /// A path as the model reads it: from the working directory where it is
    /// below. Control characters are escaped, so that a name is one line.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.cwd).unwrap_or(path);
        let mut shown = String::new();
        for c in path.to_string_lossy().chars() {
            if c.is_control() {
                shown.extend(c.escape_default());
            } else {
                shown.push(c);
            }
        }
        shown
    }

    fn root_of(&self, resolved: &Path) -> Option<PathBuf> {
        match &self.reach {
            Reach::Below(roots) => roots
                .iter()
                .find(|root| resolved.starts_with(root))
                .cloned(),
            Reach::Everything => resolved.ancestors().last().map(Path::to_owned),
        }
    }
}

impl Place {
    /// A place below this one that no link leads to: `path` as it is shown,
    /// `resolved` as the system knows it.
    pub(crate) fn below(&self, path: PathBuf, resolved: &Path) -> Self {
        Self {
            path,
            resolved: resolved.to_owned(),
            root: self.root.clone(),
        }
    }

    /// Whether a directory, symbolic links resolved, is within the same limits.
    pub(crate) fn reaches(&self, dir: &Path) -> bool {
        dir.starts_with(&self.root)
    }

    /// Opens it if it is a regular file.
    pub(crate) fn open(&self) -> io::Result<OpenedFile> {
        let below = self.resolved.strip_prefix(&self.root);
        let below = below.expect("a place is below its root");
        open::regular_file(&self.root, below)
    }
}

/// The path without `.`, and, where it has a `..` (behind a link that is not
/// what it looks like), the resolved one.
fn plain(path: &Path, resolved: &Path) -> PathBuf {
    if path.components().any(|part| part == Component::ParentDir) {
        resolved.to_owned()
    } else {
        path.components().collect()
    }
}

/// The nearest directory above a path that exists, symbolic links resolved.
fn nearest(path: &Path) -> PathBuf {
    let above = path.ancestors().skip(1);
    above
        .filter_map(|path| fs::canonicalize(path).ok())
        .next()
        .unwrap_or_default()
}

fn outside(given: &str) -> Refusal {
    Refusal::new(given, "outside of the directories that you work in")
}
