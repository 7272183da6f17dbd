use std::fmt;

use crate::kinds;

/// What could not be read as it is, by its JSON path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadRepair {
    /// A string with half of a surrogate pair, which no Rust string can hold. It was read as
    /// U+FFFD: `"\ud83d"` as `"\u{FFFD}"`.
    LoneSurrogate(String),
    /// A key that a call's input has twice. The last one was read, as in every reader.
    DoubledKey(String),
    /// The kind of an entry, or its `clear_at`, that this version does not know. The line keeps
    /// its kind, and requests have nothing of it.
    UnknownValue(String),
}

impl ReadRepair {
    /// Returns the JSON path; in JSON Lines, after the line: `line 2: kind`.
    #[must_use]
    pub fn path(&self) -> &str {
        let (Self::LoneSurrogate(path) | Self::DoubledKey(path) | Self::UnknownValue(path)) = self;
        path
    }

    pub(crate) fn in_line(self, line: usize) -> Self {
        self.after(&format!("line {line}: "))
    }

    /// Returns the repair of a value that is at this path.
    pub(crate) fn inside(self, at: &str) -> Self {
        let is_value = self.path().is_empty() || self.path().starts_with('[');
        self.after(&if is_value { at.to_owned() } else { format!("{at}.") })
    }

    fn after(mut self, prefix: &str) -> Self {
        let (Self::LoneSurrogate(path) | Self::DoubledKey(path) | Self::UnknownValue(path)) =
            &mut self;
        path.insert_str(0, prefix);
        self
    }

    pub(crate) fn kind(&self) -> aside_diagnostic::Kind {
        match self {
            Self::LoneSurrogate(_) => kinds::LONE_SURROGATE,
            Self::DoubledKey(_) => kinds::DOUBLED_KEY,
            Self::UnknownValue(_) => kinds::UNKNOWN_VALUE,
        }
    }

    /// Returns what was repaired, as a fragment.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self {
            Self::LoneSurrogate(_) => "a lone surrogate became U+FFFD",
            Self::DoubledKey(_) => "written twice: the last one is kept",
            Self::UnknownValue(_) => "an unknown value, which is not sent",
        }
    }
}

impl fmt::Display for ReadRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path(), self.what())
    }
}

impl From<&ReadRepair> for aside_diagnostic::Diagnostic {
    fn from(repair: &ReadRepair) -> Self {
        repair.kind().diagnostic(repair)
    }
}
