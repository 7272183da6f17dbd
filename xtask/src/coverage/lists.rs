//! Keys, diagnostics and rules that no golden covers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::{contents, files, keys, requests};
use crate::golden::block_on;

const TABLE: &str = "crates/rules/src/table.rs";

/// The uncovered ones, one line each, and how many there are in all.
type Uncovered = (Vec<String>, usize);

/// Returns wire keys that no expected request has, neither in a scenario nor in
/// a conversion.
pub(super) fn uncovered_keys(root: &Path) -> Result<Uncovered> {
    let conversions =
        contents(root, |path| path.starts_with("crates/providers/tests/everything/"))?;
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

/// Returns the codes in `docs/diagnostics.md` that no scenario expects.
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

/// Returns the rules that have no case in the tests: a folder or a string that
/// begins with the name.
pub(super) fn uncovered_rules(root: &Path) -> Result<Uncovered> {
    let cases = root.join("crates/rules/tests/it/check/cases");
    let tests = contents(root, |path| {
        path.starts_with("crates/providers/tests/") || path.starts_with("crates/rules/tests/")
    })?;
    let (mut uncovered, mut all) = (Vec::new(), 0);
    for rule in rule_ids(root)? {
        all += 1;
        if !cases.join(&rule).is_dir() && !tests.contains(&format!("\"{rule}")) {
            uncovered.push(format!("{TABLE}: {rule}"));
        }
    }
    Ok((uncovered, all))
}

/// Returns the ids in the table of rules.
pub(crate) fn rule_ids(root: &Path) -> Result<Vec<String>> {
    let table = fs::read_to_string(root.join(TABLE))?;
    Ok(rules(&table).map(str::to_owned).collect())
}

/// Reads the ids from the table's rows: `NAME = Scope "id" …`.
fn rules(source: &str) -> impl Iterator<Item = &str> {
    let is_constant = |c: char| c.is_ascii_uppercase() || matches!(c, '0'..='9' | '_');
    source.lines().filter_map(move |line| {
        let (constant, row) = line.trim_start().split_once(" = ")?;
        let id = row.split('"').nth(1)?;
        let is_row = constant.chars().all(is_constant) && !row.starts_with('"');
        is_row.then_some(id)
    })
}
