//! Faults within a file, with their lines.

use aside_diagnostic::Kind;

/// What is wrong in a file that is loaded all the same.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}
