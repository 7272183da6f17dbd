//! Which keys the program can write into a body, as the sources declare them.
//!
//! On the Messages API's wire a key follows the name of a mode, such as
//! `.required("model", …)`. On the other wires it is a field in a type that
//! derives `Serialize`, or the first argument to `serialize_entry`.

use std::collections::BTreeSet;

/// Sources that write bodies: how their paths below `crates` begin.
pub(super) const WRITERS: &[&str] = &[
    "messages/src/wire/",
    "providers/src/anthropic/",
    "providers/src/gemini/",
    "providers/src/openai/",
    "providers/src/responses/",
];

/// The words before a key in a literal.
const MODES: &[&str] = &["nullable", "optional", "required", "serialize_entry", "sparse"];

/// Returns the keys that a source file can write.
pub(super) fn keys(source: &str) -> BTreeSet<String> {
    let source = source.split("#[cfg(test)]\nmod").next().unwrap_or(source);
    let mut keys = fields(source);
    for mode in MODES {
        for (at, _) in source.match_indices(mode) {
            let after = source[at + mode.len()..].trim_start_matches(['(', ' ', '\n']);
            let quoted = after.strip_prefix('"').and_then(|it| it.split_once('"'));
            let key = quoted.map(|(key, _)| key).filter(|key| is_key(key));
            keys.extend(key.map(str::to_owned));
        }
    }
    keys
}

/// Returns the fields in types that derive `Serialize`.
fn fields(source: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    // The attributes of the next item or field.
    let mut attributes = String::new();
    // How far the type is indented, and whether its keys are in camel case.
    let mut open: Option<(usize, bool)> = None;
    for line in source.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("#[") {
            attributes.push_str(code);
            continue;
        }
        if code.is_empty() || code.starts_with("//") {
            continue;
        }
        if let Some((start, is_camel)) = open {
            if let Some(field) = field(code) {
                // A variant's name is no key.
                let renamed = renamed(&attributes).filter(|_| !code.contains('{'));
                keys.insert(match renamed {
                    Some(name) => name.to_owned(),
                    None if is_camel => camel_case(field),
                    None => field.to_owned(),
                });
            } else if indent == start {
                open = None;
            }
        } else if attributes.contains("Serialize") && code.ends_with('{') {
            open = Some((indent, attributes.contains("camelCase")));
        }
        attributes.clear();
    }
    keys
}

/// `r#type` is the field `type`.
fn field(code: &str) -> Option<&str> {
    let (name, _) = code.split_once(": ")?;
    let name = name.rsplit(' ').next().unwrap_or(name);
    let name = name.strip_prefix("r#").unwrap_or(name);
    is_key(name).then_some(name)
}

fn is_key(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_word)
}

fn renamed(attributes: &str) -> Option<&str> {
    let (_, name) = attributes.split_once("rename = \"")?;
    name.split_once('"').map(|(name, _)| name)
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| {
        let (head, tail) = word.split_at(word.len().min(1));
        all + &head.to_ascii_uppercase() + tail
    })
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let found = keys(source);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn keys_follow_their_mode() {
        check(
            "writer\n  .required(\"model\", &it)?\n  .sparse(\n  \"stop\", &it)?.optional(key)",
            &["model", "stop"],
        );
        check("optional \"title\" title: Arc<str>,", &["title"]);
        check("#[cfg(test)]\nmod tests { required(\"a\") }", &[]);
    }

    #[test]
    fn keys_are_fields_of_serialized_types() {
        check(
            "#[derive(Debug, Serialize)]\n#[serde(rename_all = \"camelCase\")]\npub(super) struct Body<'a> {\n    /// A: b.\n    pub(super) max_output_tokens: u64,\n    #[serde(rename = \"Top\")]\n    top_p: f64,\n    r#type: &'a str,\n}\nstruct Other {\n    name: u8,\n}\n",
            &["Top", "maxOutputTokens", "type"],
        );
    }
}
