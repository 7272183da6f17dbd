use std::fmt;

use crate::kinds;

/// Something of a request that its wire has no place for, and that was left
/// out or changed. The request can be sent all the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConversionLoss {
    /// The JSON path in the request, as in `messages[3].content[0]`.
    pub path: String,
    /// What became of it, as a fragment: `thinking is left out`.
    pub what: &'static str,
}

impl ConversionLoss {
    pub(crate) fn new(path: impl fmt::Display, what: &'static str) -> Self {
        Self {
            path: path.to_string(),
            what,
        }
    }
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl From<&ConversionLoss> for aside_diagnostic::Diagnostic {
    fn from(loss: &ConversionLoss) -> Self {
        kinds::CONVERSION_LOSS.diagnostic(loss)
    }
}
