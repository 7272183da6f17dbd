//! The file, and the position in it, that a diagnostic is about.

use std::fmt;
use std::path::{Path, PathBuf};

use aside_text::one_line;

/// The subject of a diagnostic: a file or directory, and a position in it.
///
/// ```
/// use aside_diagnostic::Location;
///
/// let location = Location::new("/src/CLAUDE.md").line(8).column(3);
/// assert_eq!(location.to_string(), "/src/CLAUDE.md:8:3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Location {
    /// The file or directory.
    ///
    /// It may be relative: it is displayed as it is.
    pub path: PathBuf,
    /// The line, counted from 1.
    ///
    /// `None` for the whole file or directory.
    pub line: Option<usize>,
    /// The column, counted from 1, in the unit of the reader of the file.
    pub column: Option<usize>,
}

impl Location {
    /// Creates the location of a whole file or directory.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
        }
    }

    /// Returns the location with a line, or without one.
    #[must_use]
    pub fn line(self, line: impl Into<Option<usize>>) -> Self {
        Self {
            line: line.into(),
            ..self
        }
    }

    /// Returns the location with a column, or without one.
    #[must_use]
    pub fn column(self, column: impl Into<Option<usize>>) -> Self {
        Self {
            column: column.into(),
            ..self
        }
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::new(path)
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::new(path)
    }
}

/// `path:line:column`, on one line. A column without a line is left out.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.path.to_string_lossy()))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}
