//! Faults within a file, with their lines.

use std::path::Path;

use aside_diagnostic::{Diagnostic, Kind, Location};

/// What is wrong in a file that is loaded all the same.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Fault {
    /// Returns the diagnostic for the file at this path.
    pub(crate) fn at(&self, path: &Path) -> Diagnostic {
        self.kind.diagnostic(&self.message).at(Location::new(path).line(self.line))
    }
}
