//! Rewriting a value so that each key occurs once.

use std::collections::HashSet;

use crate::{Kind, Tape, Value};

/// How many paths to return: each costs the search of its place.
const MAX_PATHS: usize = 100;

/// Returns a JSON text whose objects have each key once, and the paths of the members that were
/// dropped, at most the first hundred; `None` if no key is doubled, or the text is no JSON. The
/// last member is kept, as every reader does, and all other bytes stay.
///
/// ```
/// use aside_json::keys_once;
///
/// let (text, paths) = keys_once(r#"{"a": 1, "b": {"c": 2, "c": 3}, "a": 4}"#).unwrap();
/// assert_eq!(text, r#"{"b": {"c": 3}, "a": 4}"#);
/// assert_eq!(paths, ["a", "b.c"]);
/// assert!(keys_once(r#"{"a": {"a": 1}}"#).is_none());
/// ```
#[must_use]
pub fn keys_once(text: &str) -> Option<(String, Vec<String>)> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    Tape::parse(text.as_bytes()).ok()?.keys_once()
}

impl Tape<'_> {
    /// Returns the text as [`keys_once`] does.
    #[must_use]
    pub fn keys_once(&self) -> Option<(String, Vec<String>)> {
        let doubled = self.root().doubled_keys();
        let paths: Vec<_> = doubled.take(MAX_PATHS).map(Value::path).collect();
        if paths.is_empty() {
            return None;
        }
        let mut drops = Vec::new();
        for object in self.values().filter(|it| it.kind() == Kind::Object) {
            let (mut later, mut next) = (HashSet::new(), 0);
            let members: Vec<_> = object.exact_members().collect();
            for (key, value) in members.into_iter().rev() {
                let start = value.member_range().start;
                if !later.insert(key) {
                    drops.push(start..next);
                }
                next = start;
            }
        }
        drops.sort_by_key(|it| it.start);
        let text = self.text();
        let (mut once, mut end) = (String::with_capacity(text.len()), 0);
        for drop in drops {
            // Already gone with the dropped member around it.
            if drop.start >= end {
                once.push_str(&text[end..drop.start]);
                end = drop.end;
            }
        }
        once.push_str(&text[end..]);
        Some((once, paths))
    }
}
