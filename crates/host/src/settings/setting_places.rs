//! The origin of each setting, so that a diagnostic about a value can name the file.

use std::collections::BTreeMap;
use std::path::Path;

use aside_diagnostic::{Diagnostic, Kind};

/// The place of each setting, for diagnostics: the path of a file, or the
/// command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingPlaces {
    /// By the name of the key, such as `compaction.at`.
    pub(super) keys: BTreeMap<&'static str, String>,
    /// By the name of the variable in `env`.
    pub(super) variables: BTreeMap<String, String>,
    /// By the pattern in `claudeMdExcludes`.
    pub(super) excludes: BTreeMap<String, String>,
}

impl SettingPlaces {
    /// Returns a diagnostic about a key, located at the place of the key.
    pub(crate) fn report(&self, kind: Kind, key: &str, message: &str) -> Diagnostic {
        located(kind, self.keys.get(key), message)
    }

    /// Returns a diagnostic about a variable of `env`, located at its place.
    pub(crate) fn report_variable(&self, kind: Kind, name: &str, message: &str) -> Diagnostic {
        located(kind, self.variables.get(name), message)
    }

    /// Returns the excludes, each with its place; the last of several places.
    pub(crate) fn excludes(&self) -> impl Iterator<Item = (&str, &str)> {
        let excludes = self.excludes.iter();
        excludes.map(|(exclude, place)| (exclude.as_str(), place.as_str()))
    }
}

/// Returns a diagnostic at a place; without one if the value is of no file.
fn located(kind: Kind, place: Option<&String>, message: &str) -> Diagnostic {
    let diagnostic = kind.diagnostic(message);
    match place {
        Some(place) => diagnostic.at(Path::new(place)),
        None => diagnostic,
    }
}
