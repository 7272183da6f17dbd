//! All dependencies' licences, bans and sources, by the lists in `deny.toml`.
//!
//! Names and sources come from the lock file, which has every platform's
//! dependencies; licences come from `cargo metadata` for this one, because only
//! its packages have been downloaded.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::output;

/// The one registry in the lock files.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Relative to the root.
const LOCKS: [&str; 2] = ["Cargo.lock", "bindings/Cargo.lock"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Licensed>,
}

/// A package with its licence, as an SPDX expression.
#[derive(Deserialize)]
struct Licensed {
    name: String,
    license: Option<String>,
}

/// Returns a fault for each dependency that the lists do not permit.
///
/// # Errors
/// A file is missing, or `cargo metadata` fails.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let lists = fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    let (allowed, banned) = (list(&lists, "allow"), list(&lists, "deny"));
    let mut faults = Vec::new();
    for name in LOCKS {
        let lock = fs::read_to_string(root.join(name)).context(name)?;
        faults.extend(in_lock(name, &lock, &banned));
    }
    for package in metadata(root)?.packages {
        let license = package.license.unwrap_or_default();
        if !is_allowed(&license, &allowed) {
            let name = package.name;
            faults.push(format!("licence: {name}: {license:?} is not in deny.toml"));
        }
    }
    Ok(faults)
}

/// Returns the strings in a TOML list that has one per line.
fn list<'a>(toml: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!("{name} = [");
    let lines = toml.lines().skip_while(|line| *line != start).skip(1);
    let items = lines.take_while(|line| *line != "]");
    items.filter_map(|line| line.split('"').nth(1)).collect()
}

/// Returns the faults in a lock file: banned packages, and other sources than
/// the registry. Workspace packages have no source.
fn in_lock(file: &str, lock: &str, banned: &[&str]) -> Vec<String> {
    let value = |line: &'_ str, key: &str| -> Option<String> {
        let quoted = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        Some(quoted.trim_end_matches('"').to_owned())
    };
    let mut faults = Vec::new();
    for line in lock.lines() {
        let name = value(line, "name").filter(|it| banned.contains(&it.as_str()));
        faults.extend(name.map(|it| format!("ban: {file}: deny.toml bans {it}")));
        let source = value(line, "source").filter(|it| it != REGISTRY);
        faults.extend(source.map(|it| format!("source: {file}: {it} is not the registry")));
    }
    faults
}

/// Returns true if these licences can fulfil an SPDX expression.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ");
    let parts = |word: &str| {
        let (mut depth, mut parts) = (0, vec![String::new()]);
        for token in expression.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            depth += i32::from(token == "(") - i32::from(token == ")");
            match parts.last_mut() {
                Some(part) if depth > 0 || token != word => *part += &format!(" {token}"),
                _ => parts.push(String::new()),
            }
        }
        parts
    };
    let (any, all) = (parts("OR"), parts("AND"));
    let inner = expression.trim();
    if any.len() > 1 {
        any.iter().any(|it| is_allowed(it, allowed))
    } else if all.len() > 1 {
        all.iter().all(|it| is_allowed(it, allowed))
    } else if let Some(inner) = inner.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        is_allowed(inner, allowed)
    } else {
        allowed.contains(&inner)
    }
}

/// For this platform.
fn metadata(root: &Path) -> Result<Metadata> {
    let version = output(crate::cargo().args(["version", "--verbose"]).current_dir(root))?;
    let host = version.lines().find_map(|it| it.strip_prefix("host: "));
    let options = ["metadata", "--format-version", "1", "--locked", "--filter-platform"];
    let mut cargo = crate::cargo();
    cargo.args(options).arg(host.context("cargo has no host")?).current_dir(root);
    Ok(serde_json::from_str(&output(&mut cargo)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_needs_one_permitted_way() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "GPL-3.0 OR MIT AND Apache-2.0",
            "((MIT))",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR Apache-2.0) AND GPL-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn other_sources_and_banned_packages_are_faults() {
        let deny = "[bans]\ndeny = [\n    # Why.\n    \"a\",\n    \"b\",\n]\n";
        let banned = list(deny, "deny");
        assert_eq!(banned, ["a", "b"]);
        let lock = |name: &str, source: &str| {
            let lock = format!("[[package]]\nname = \"{name}\"\nsource = \"{source}\"\n");
            in_lock("Cargo.lock", &lock, &banned)
        };
        assert_eq!(lock("c", REGISTRY), Vec::<String>::new());
        assert_eq!(lock("a", REGISTRY), ["ban: Cargo.lock: deny.toml bans a"]);
        let git = "git+https://example.com/x";
        let expected = format!("source: Cargo.lock: {git} is not the registry");
        assert_eq!(lock("c", git), [expected]);
    }
}
