//! The environment variables of a process as a value. Other code reads this value and never the
//! process, so tests set variables without a race.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

/// Environment variables. Some may be secrets, so `Debug` shows names only. Clones share the
/// variables.
///
/// ```
/// use aside_host::EnvVars;
///
/// let environment = EnvVars::from_iter([("OPENAI_API_KEY", "secret"), ("HOME", "/home/mia")]);
/// assert_eq!(environment.get("HOME"), Some("/home/mia".as_ref()));
/// assert!(!format!("{environment:?}").contains("secret"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EnvVars {
    /// By name; every system compares names byte for byte.
    values: Arc<BTreeMap<OsString, OsString>>,
}

impl EnvVars {
    /// Reads this process's variables.
    #[must_use]
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// Returns a variable's value.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.values.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns all variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let pairs = self.values.iter();
        pairs.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> Extend<(K, V)> for EnvVars {
    /// Adds variables; a later value replaces an earlier one.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        let pairs = pairs.into_iter();
        Arc::make_mut(&mut self.values)
            .extend(pairs.map(|(name, value)| (name.into(), value.into())));
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for EnvVars {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut environment = Self::default();
        environment.extend(pairs);
        environment
    }
}

impl fmt::Debug for EnvVars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_values_override_and_are_not_printed() {
        let mut environment = EnvVars::from_iter([("KEY", "one"), ("A", "")]);
        environment.extend([("KEY", "secret")]);
        assert_eq!(environment.get("KEY"), Some(OsStr::new("secret")));
        assert_eq!(environment.get("B"), None);
        assert_eq!(environment.iter().count(), 2);
        assert_eq!(format!("{environment:?}"), r#"{"A", "KEY"}"#);
    }
}
