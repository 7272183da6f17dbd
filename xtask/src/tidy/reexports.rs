//! Checks that a crate is enough for its users: it re-exports Aside's crates whose types its public
//! signatures name.
//!
//! If you call `fn render(body: &Body)`, you need the type `Body`. If it comes from another crate
//! in the workspace and is not re-exported, you have to add that crate with exactly the right
//! version. The check compares each file's imports with its public signatures, as text.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use super::Package;

/// Returns a fault for each file and type.
///
/// # Errors
/// A source cannot be read.
pub(super) fn check(packages: &[Package]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in packages {
        // No crate depends on a program.
        if package.crate_name() == "cli" || package.is_tool() {
            continue;
        }
        let sources = package.directory().join("src");
        let exports = fs::read_to_string(sources.join("lib.rs"))
            .with_context(|| format!("failed to read lib.rs of {}", package.name))?;
        for (path, text) in package.sources()? {
            let path = path.strip_prefix(&sources).unwrap_or(&path);
            for (word, from) in foreign_types(&text) {
                if !is_exported(&exports, &from, &word) {
                    faults.push(format!(
                        "re-export: {}: a public signature of {} names {word} of {from}: \
                         pub use {from} in lib.rs",
                        package.name,
                        path.display()
                    ));
                }
            }
        }
    }
    faults.dedup();
    Ok(faults)
}

/// Returns types in other Aside crates that a file's public signatures name, each with its crate.
///
/// It knows only types that the file imports with `use aside_…` at the start of a line.
fn foreign_types(text: &str) -> BTreeMap<String, String> {
    // The tests are the last thing in a file, in a module by this name.
    let text = text.split("\nmod tests {").next().unwrap_or(text);
    let mut imported: BTreeMap<&str, &str> = BTreeMap::new();
    for import in text.split("\nuse aside_").skip(1) {
        let import = import.split(';').next().unwrap_or_default();
        let from = import.split("::").next().unwrap_or_default();
        imported.extend(words(import).filter(|it| is_type(it)).map(|it| (it, from)));
    }
    let mut found = BTreeMap::new();
    for word in signatures(text).into_iter().flat_map(words) {
        if let Some(from) = imported.get(word) {
            found.insert(word.to_owned(), format!("aside_{from}"));
        }
    }
    found
}

/// Returns the public signatures: all of a function, a field's line.
fn signatures(text: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let rest = &text[at..];
        at += line.len();
        if !line.trim_start().starts_with("pub ") {
            continue;
        }
        if words(line).any(|it| it == "fn") {
            found.extend(rest.split(['{', ';']).next());
        } else if line.trim_end().ends_with(',') && line.contains(": ") {
            found.push(line);
        }
    }
    found
}

/// Returns true if `lib.rs` re-exports the crate, or one of its types or modules by name.
fn is_exported(exports: &str, from: &str, word: &str) -> bool {
    exports.split("pub use ").skip(1).any(|rest| {
        let statement = rest.split(';').next().unwrap_or_default();
        let Some(names) = statement.strip_prefix(from) else {
            return false;
        };
        names.starts_with(" as ") || words(names).any(|it| it == word)
    })
}

fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let text = format!("\nuse aside_messages::encode::{{Body, Marker}};\n{code}\n");
        let found = foreign_types(&text);
        let found: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(found, expected, "{code}");
    }

    #[test]
    fn public_signatures_are_read() {
        check("pub fn a(body: &Body) -> u8 {\n    Marker\n}", &["Body"]);
        check("    pub async fn a(\n        body: Body,\n    ) -> Marker {", &["Body", "Marker"]);
        check("    pub body: Option<Body>,", &["Body"]);
        check("pub(crate) fn a(body: &Body) {}", &[]);
        check("fn a(body: &Body) {}\n// pub fn a(body: Body)", &[]);
        check("mod tests {\n    pub fn a(body: Body) {}\n}", &[]);
    }

    #[test]
    fn a_crate_or_a_name_is_re_exported() {
        let is = |exports: &str| is_exported(exports, "aside_messages", "Body");
        assert!(is("pub use aside_messages as messages;"));
        assert!(is("pub use aside_messages::encode::{\n    Body, Marker,\n};"));
        assert!(!is("pub use aside_messages::encode::Marker;"));
        assert!(!is("pub use aside_models as models;\nuse aside_messages::encode::Body;"));
    }
}
