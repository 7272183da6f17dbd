//! The stable names of kinds of diagnostics.

use std::borrow::Cow;
use std::fmt;

/// The stable name of a diagnostic's kind, in kebab case: `import-not-found`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(Cow<'static, str>);

impl Code {
    /// Creates a code from a name in the source code.
    ///
    /// # Panics
    /// If the name is not in kebab case. In a `const`, the compiler reports it.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        assert!(is_kebab_case(name.as_bytes()), "a code is in kebab case");
        Self(Cow::Borrowed(name))
    }

    /// Creates a code from a stored name; `None` when it is not in kebab case.
    #[must_use]
    pub fn parse(name: String) -> Option<Self> {
        is_kebab_case(name.as_bytes()).then_some(Self(Cow::Owned(name)))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Panics as [`Code::new`] does.
impl From<&'static str> for Code {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lower-case letters and digits, in words joined by single hyphens.
pub(crate) const fn is_kebab_case(name: &[u8]) -> bool {
    let mut at = 0;
    let mut is_in_word = false;
    // A const function cannot have a `for` loop.
    while at < name.len() {
        match name[at] {
            b'a'..=b'z' | b'0'..=b'9' => is_in_word = true,
            b'-' if is_in_word => is_in_word = false,
            _ => return false,
        }
        at += 1;
    }
    is_in_word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_kebab_case() {
        for name in ["a", "import-not-found", "utf8", "a-1-b"] {
            assert_eq!(Code::parse(name.to_owned()), Some(Code::new(name)));
        }
        for name in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "é"] {
            assert_eq!(Code::parse(name.to_owned()), None, "{name}");
        }
    }
}
