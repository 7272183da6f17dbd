use std::fmt;

use crate::kinds;

/// A string of the input that held half of a surrogate pair, which no Rust
/// string can hold. It was read as U+FFFD.
///
/// For example, `"\ud83d"` is read as `"\u{FFFD}"`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoneSurrogate {
    /// The JSON path of the string.
    pub path: String,
}

impl fmt::Display for LoneSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a lone surrogate became U+FFFD", self.path)
    }
}

impl From<&LoneSurrogate> for aside_diagnostic::Diagnostic {
    fn from(repair: &LoneSurrogate) -> Self {
        kinds::LONE_SURROGATE.diagnostic(repair)
    }
}
