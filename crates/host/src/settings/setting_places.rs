//! Where each setting comes from, so that a diagnostic about a value can name the file.

use std::collections::BTreeMap;
use std::path::Path;

use aside_diagnostic::{Diagnostic, Kind};

/// Where each setting comes from: the path of a file, or the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingPlaces {
    /// By key, such as `compaction.at`.
    pub(super) keys: BTreeMap<&'static str, String>,
    /// By variable in `env`.
    pub(super) variables: BTreeMap<String, String>,
    /// By pattern in `claudeMdExcludes`.
    pub(super) excludes: BTreeMap<String, String>,
}

impl SettingPlaces {
    /// Reports a key at its place.
    pub(crate) fn report(&self, kind: Kind, key: &str, message: &str) -> Diagnostic {
        located(kind, self.keys.get(key), message)
    }

    /// Reports a variable in `env` at its place.
    pub(crate) fn report_variable(&self, kind: Kind, name: &str, message: &str) -> Diagnostic {
        located(kind, self.variables.get(name), message)
    }

    /// Returns the excludes, each with its place; the last of several places.
    pub(crate) fn excludes(&self) -> impl Iterator<Item = (&str, &str)> {
        let excludes = self.excludes.iter();
        excludes.map(|(exclude, place)| (exclude.as_str(), place.as_str()))
    }
}

/// Without a location when the value comes from no file.
fn located(kind: Kind, place: Option<&String>, message: &str) -> Diagnostic {
    let diagnostic = kind.diagnostic(message);
    match place {
        Some(place) => diagnostic.at(Path::new(place)),
        None => diagnostic,
    }
}
