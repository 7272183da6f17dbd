//! Keys, diagnostics and rules that no golden covers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::{contents, files, keys, requests};
use crate::golden::block_on;

/// The tables of the rules of `aside check`.
const TABLES: &[&str] = &[
    "crates/messages/src/check/table.rs",
    "crates/providers/src/check/rules.rs",
    "crates/providers/src/wire_check/table.rs",
];

/// The uncovered ones, a line each, and the number of all.
type Uncovered = (Vec<String>, usize);

/// Returns the keys of the wires that no expected request has, neither of a
/// scenario nor of a conversion.
pub(super) fn uncovered_keys(root: &Path) -> Result<Uncovered> {
    let conversions = contents(root, |path| {
        path.starts_with("crates/providers/tests/everything/")
    })?;
    let bodies = requests(root)? + &conversions;
    let sources = files(root, |path| {
        let is_in = |it: &&str| path.starts_with(&format!("crates/{it}"));
        path.ends_with(".rs") && keys::WRITERS.iter().any(is_in)
    })?;
    let (mut uncovered, mut all) = (Vec::new(), 0);
    for (path, source) in sources {
        for key in keys::keys(&source) {
            all += 1;
            if !bodies.contains(&format!("\"{key}\":")) {
                uncovered.push(format!("{path}: {key}"));
            }
        }
    }
    Ok((uncovered, all))
}

/// Returns the codes of `docs/diagnostics.md` that no scenario expects.
pub(super) fn uncovered_codes(root: &Path) -> Result<Uncovered> {
    let mut expected = BTreeSet::new();
    for case in aside_scenario::discover(&root.join("fixtures"))? {
        expected.extend(block_on(aside_scenario::play(&case))?.codes);
    }
    let page = fs::read_to_string(root.join("docs/diagnostics.md"))?;
    let (mut owner, mut uncovered, mut all) = ("", Vec::new(), 0);
    for line in page.lines() {
        let mut spans = line.split('`').skip(1);
        if line.starts_with("Reported by `") {
            owner = spans.next().unwrap_or_default();
        } else if line.starts_with("| `")
            && let Some(code) = spans.next()
        {
            all += 1;
            if !expected.contains(code) {
                uncovered.push(format!("{owner}: {code}"));
            }
        }
    }
    Ok((uncovered, all))
}

/// Returns the rules of the tables that have no case in the tests: a folder or a
/// string that begins with the name.
pub(super) fn uncovered_rules(root: &Path) -> Result<Uncovered> {
    let cases = root.join("crates/messages/tests/it/check/cases");
    let tests = contents(root, |path| {
        path.starts_with("crates/providers/tests/") || path == "crates/messages/tests/it/check.rs"
    })?;
    let (mut uncovered, mut all) = (Vec::new(), 0);
    for (path, source) in files(root, |path| TABLES.contains(&path))? {
        for rule in rules(&source) {
            all += 1;
            if !cases.join(rule).is_dir() && !tests.contains(&format!("\"{rule}")) {
                uncovered.push(format!("{path}: {rule}"));
            }
        }
    }
    Ok((uncovered, all))
}

/// Returns the names in the rows of a table, which are `rule("name", …)` or
/// `NAME = Scope "name" …`.
fn rules(source: &str) -> impl Iterator<Item = &str> {
    let calls = source.split("    rule(").skip(1);
    let rows = source.lines().filter_map(|line| {
        let (constant, row) = line.trim_start().split_once(" = ")?;
        let (_, name) = row.split_once(' ')?;
        let is_constant = |c: char| c.is_ascii_uppercase() || matches!(c, '0'..='9' | '_');
        constant.chars().all(is_constant).then_some(name)
    });
    calls.chain(rows).filter_map(|row| {
        let name = row.trim_start().strip_prefix('"')?;
        name.split_once('"').map(|(name, _)| name)
    })
}
