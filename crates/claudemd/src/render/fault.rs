//! Faults within a file, with their lines.

use aside_diagnostic::Kind;

/// A fault in a file that is loaded nevertheless.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// The line, 1-based.
    pub(crate) line: usize,
    pub(crate) message: String,
}
