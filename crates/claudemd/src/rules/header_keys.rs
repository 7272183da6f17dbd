//! The keys in a rule's front matter, and those that are probably misspelled.

use std::collections::BTreeMap;

use aside_user_files::nearest;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::kinds;
use crate::render::fault::Fault;

/// The keys for a rule's front matter.
const KEYS: [&str; 1] = ["paths"];
/// Other agents' keys for a rule's patterns.
const SAME_IN_OTHER_AGENTS: [&str; 2] = ["globs", "applyTo"];

/// A front matter's top-level keys.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct HeaderKeys(BTreeMap<String, IgnoredAny>);

impl HeaderKeys {
    /// Returns the keys, sorted by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns a fault for each unknown key, with its line, in text order. `header` is the
    /// text between the delimiters, and `first_line` its first line's number.
    ///
    /// `path: src/**` is reported as a misspelling of `paths`, and so are
    /// `globs` and `applyTo`. A key that is close to none is a note: other
    /// programs may use it.
    pub(crate) fn faults(&self, header: &str, first_line: usize) -> Vec<Fault> {
        let unknown = self.iter().filter(|key| !KEYS.contains(key));
        let fault = |key: &str| {
            let starts = |line: &str| {
                let rest = line.trim_start_matches(['\'', '"']).strip_prefix(key);
                rest.is_some_and(|rest| rest.trim_start_matches(['\'', '"', ' ']).starts_with(':'))
            };
            let line = header.lines().position(starts).unwrap_or(0);
            let meant = if SAME_IN_OTHER_AGENTS.contains(&key) {
                Some("paths")
            } else {
                nearest(key, &KEYS)
            };
            let (kind, message) = match meant {
                Some(meant) => {
                    (kinds::MISSPELLED_KEY, format!("unknown key {key}: did you mean {meant}?"))
                }
                None => (kinds::UNKNOWN_KEY, format!("unknown key {key}, which changes nothing")),
            };
            Fault { kind, line: first_line + line, message }
        };
        let mut faults: Vec<Fault> = unknown.map(fault).collect();
        faults.sort_by_key(|fault| fault.line);
        faults
    }
}
