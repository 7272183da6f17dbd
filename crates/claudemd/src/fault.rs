use aside_diagnostic::Kind;

/// Something wrong with a file that is loaded nevertheless.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// 1-based.
    pub(crate) line: usize,
    pub(crate) message: String,
}
