//! Finding misspelled keys in a settings file.
//!
//! Unknown keys are normal, since other programs use the same files; only a slip away from a known
//! one is reported.

use std::collections::BTreeMap;

use aside_user_files::misspelled as slip;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::keys::{Misspelled, NAMES};

/// Returns unknown keys that resemble a known one.
///
/// This includes keys inside `cache`, `compaction` and `clearToolUses`. A text that is no JSON
/// object has none.
pub(super) fn misspelled(text: &str) -> Vec<Misspelled> {
    // Values stay text: a tree of them takes a hundred times the memory of the file.
    let text = text.trim_start_matches('\u{feff}');
    let Ok(keys) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else {
        return Vec::new();
    };
    let mut objects = BTreeMap::<&str, Vec<&str>>::new();
    let mut top = Vec::new();
    for name in NAMES {
        let (object, inner) = name.split_once('.').unzip();
        top.push(object.unwrap_or(name));
        if let Some(object) = object {
            objects.entry(object).or_default().extend(inner);
        }
    }
    top.dedup();
    let mut found = unknown("", keys.keys(), &top);
    let dotted = keys.keys().filter_map(|key| key.split_once('.'));
    found.extend(dotted.filter_map(|(object, key)| dotted_key(object, key, objects.get(object)?)));
    for (object, known) in &objects {
        let inner = keys.get(*object).map_or("", |value| value.get());
        if let Ok(inner) = serde_json::from_str::<BTreeMap<_, IgnoredAny>>(inner) {
            found.extend(unknown(&format!("{object}."), inner.keys(), known));
        }
    }
    found
}

/// Returns a key that names a nested one as the documentation does, with a dot.
fn dotted_key(object: &str, key: &str, known: &[&'static str]) -> Option<Misspelled> {
    let meant = known.iter().find(|it| **it == key).copied().or_else(|| slip(key, known))?;
    Some(Misspelled {
        key: format!("{object}.{key}"),
        meant: format!("{{\"{object}\": {{\"{meant}\": ...}}}}"),
    })
}

/// Returns the unknown keys in one object that resemble a known one. `object` is the prefix of
/// their names, with its dot.
fn unknown<'a>(
    object: &str,
    keys: impl Iterator<Item = &'a String>,
    known: &[&'static str],
) -> Vec<Misspelled> {
    // Claude Code's `model` is no misspelled `models`.
    let unknown = keys.filter(|key| !known.contains(&key.as_str()) && *key != "model");
    let near = unknown.filter_map(|key| {
        let meant = slip(key, known)?;
        Some(Misspelled { key: format!("{object}{key}"), meant: meant.to_owned() })
    });
    near.collect()
}

#[cfg(test)]
mod tests {
    use super::misspelled;

    #[test]
    fn keys_that_resemble_a_known_one_are_found() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = misspelled(text);
            let found: Vec<_> =
                found.iter().map(|it| (it.key.as_str(), it.meant.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(r#"{"outputStlye":"x"}"#, &[("outputStlye", "outputStyle")]);
        check(
            r#"{"cache":{"perfix":"5m"},"compaction":{"at":0.5}}"#,
            &[("cache.perfix", "prefix")],
        );
        check(
            r#"{"cache.prefix":"5m","compaction.enabld":false,"cache":{"globalScope":true}}"#,
            &[
                ("cache.prefix", r#"{"cache": {"prefix": ...}}"#),
                ("compaction.enabld", r#"{"compaction": {"enabled": ...}}"#),
            ],
        );
        check(r#"{"cache.size":1,"other.enabled":true,"env.HOME":"x"}"#, &[]);
        // Claude Code's keys that this crate does not use.
        check(
            r#"{"$schema":"x","model":"m","permissions":{},"hooks":{},"statusLine":{},"sandbox":{},
                "includeCoAuthoredBy":true,"cleanupPeriodDays":9,"autoUpdatesChannel":"x",
                "spinnerTipsEnabled":true,"alwaysThinkingEnabled":true,"effortLevel":"x",
                "enabledPlugins":{},"attribution":{},"theme":"x","autoCompactEnabled":true}"#,
            &[],
        );
        check("[]", &[]);
    }
}
