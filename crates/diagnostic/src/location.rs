//! The file that a diagnostic is about, and the position in it.

use std::fmt;
use std::path::{Path, PathBuf};

use aside_text::one_line;

/// What a diagnostic is about: a file or directory, and a position in it.
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
    /// It may be relative, and is displayed as is.
    pub path: PathBuf,
    /// The line, counted from 1.
    ///
    /// `None` for the whole file or directory.
    pub line: Option<usize>,
    /// The column, counted from 1, in whatever unit the reader of the file
    /// counts.
    pub column: Option<usize>,
}

impl Location {
    /// Creates the location of a whole file or directory.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), line: None, column: None }
    }

    /// Sets or clears the line.
    #[must_use]
    pub fn line(self, line: impl Into<Option<usize>>) -> Self {
        Self { line: line.into(), ..self }
    }

    /// Sets or clears the column.
    #[must_use]
    pub fn column(self, column: impl Into<Option<usize>>) -> Self {
        Self { column: column.into(), ..self }
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

/// `path:line:column`, on one line. A column without a line is omitted.
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
