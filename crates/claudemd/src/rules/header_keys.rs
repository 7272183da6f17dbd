//! The keys in a rule's front matter, and those that are probably misspelled.

use std::fmt;

use aside_user_files::nearest;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::kinds;
use crate::render::fault::Fault;

/// The keys for a rule's front matter.
const KEYS: [&str; 1] = ["paths"];
/// Other agents' keys for a rule's patterns.
const SAME_IN_OTHER_AGENTS: [&str; 2] = ["globs", "applyTo"];

/// A front matter's top-level keys, in text order.
#[derive(Debug, Default)]
pub(crate) struct HeaderKeys(Vec<String>);

impl HeaderKeys {
    /// Returns the keys in text order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns a fault for each unknown key, with its line. `header` is the
    /// text between the delimiters, and `first_line` its first line's number.
    ///
    /// `path: src/**` is reported as a misspelling of `paths`, and so are
    /// `globs` and `applyTo`. A key that is close to none is a note: other
    /// programs may use it.
    pub(crate) fn faults(&self, header: &str, first_line: usize) -> Vec<Fault> {
        let unknown = self.0.iter().filter(|key| !KEYS.contains(&key.as_str()));
        let fault = |key: &String| {
            let starts = |line: &str| {
                let rest = line.trim_start_matches(['\'', '"']).strip_prefix(key.as_str());
                rest.is_some_and(|rest| rest.trim_start_matches(['\'', '"', ' ']).starts_with(':'))
            };
            let line = header.lines().position(starts).unwrap_or(0);
            let meant = if SAME_IN_OTHER_AGENTS.contains(&key.as_str()) {
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
        unknown.map(fault).collect()
    }
}

impl<'de> Deserialize<'de> for HeaderKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeysVisitor)
    }
}

/// Collects a mapping's keys and skips the values.
struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = HeaderKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping of names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HeaderKeys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
            keys.push(key);
        }
        Ok(HeaderKeys(keys))
    }
}
