//! Finds what no golden scenario covers: texts for the model, wire keys,
//! diagnostic codes, and rules without a case.
//!
//! A text is covered if each of its fragments is verbatim in an expected
//! request. `cargo xtask tidy` fails for any that is not; the other lists only
//! inform.

mod keys;
mod lists;
mod literals;
mod mutate;
mod texts;

use std::fs;
use std::path::Path;

pub(crate) use lists::rule_ids;
pub(crate) use literals::code;
pub(crate) use mutate::run as mutate;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use crate::say;
use texts::{Fragment, Goldens, fragments};

/// Prints the lists and their lengths. Returns true if every text is covered.
pub(crate) fn report(root: &Path) -> Result<bool> {
    let all = fragments(root)?;
    let texts = uncovered(root, &all)?;
    let is_covered = texts.is_empty();
    let texts = texts.into_iter().map(Fragment::to_string).collect();
    for (what, (uncovered, count)) in [
        ("texts", (texts, all.len())),
        ("wire keys", lists::uncovered_keys(root)?),
        ("diagnostics", lists::uncovered_codes(root)?),
        ("rules", lists::uncovered_rules(root)?),
    ] {
        uncovered.iter().for_each(|it| say(&format!("  {it}")));
        say(&format!("{what}: {} of {count} uncovered", uncovered.len()));
    }
    Ok(is_covered)
}

/// Returns a fault for each text that no golden covers.
pub(crate) fn faults(root: &Path) -> Result<Vec<String>> {
    let all = fragments(root)?;
    let uncovered = uncovered(root, &all)?;
    let faults = uncovered.into_iter().map(|it| {
        let remedy = match it.goldens {
            Goldens::Requests => "add a scenario whose request has this text",
            Goldens::Tests => "add a test that has this text in one line",
        };
        format!("texts: {it} is in no golden: {remedy}")
    });
    Ok(faults.collect())
}

/// Returns the fragments that their goldens lack.
fn uncovered<'a>(root: &Path, all: &'a [Fragment]) -> Result<Vec<&'a Fragment>> {
    let requests = requests(root)?;
    let tests = contents(root, |path| path.starts_with("crates/") && path.contains("/tests/"))?;
    let is_covered = |it: &&Fragment| {
        let goldens = match it.goldens {
            Goldens::Requests => &requests,
            Goldens::Tests => &tests,
        };
        goldens.contains(&in_json(&it.text()))
    };
    Ok(all.iter().filter(|it| !is_covered(it)).collect())
}

/// Returns the text as within a JSON string.
fn in_json(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// From all scenarios.
fn requests(root: &Path) -> Result<String> {
    contents(root, |path| {
        path.starts_with("fixtures/") && path.contains("/request-") && path.ends_with(".json")
    })
}

/// Returns the contents of these files, one after the other.
fn contents(root: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<String> {
    let files = files(root, is_wanted)?;
    Ok(files.into_iter().map(|(_, text)| text + "\n").collect())
}

/// Returns the files in `crates` and `fixtures` with these paths below the
/// workspace, in order, and their contents.
fn files(root: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for part in ["crates", "fixtures"] {
        for entry in WalkDir::new(root.join(part)).sort_by_file_name() {
            let entry = entry?;
            let path = entry.path().strip_prefix(root)?.to_string_lossy();
            let path = path.replace('\\', "/");
            if entry.file_type().is_file() && is_wanted(&path) {
                let bytes =
                    fs::read(entry.path()).with_context(|| format!("failed to read {path}"))?;
                files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a source with two texts, and a golden with one of them.
    fn check(source: &str, golden: &str, expected: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in [
            (source, "fn a() {\n    f(\"Use it now.\\nDo \\\"not\\\" wait.\")\n}\n"),
            (golden, r#"{"text":"use it now. Do \"not\" wait."}"#),
            ("fixtures/a/scenario.yaml", "Use it now."),
        ] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(faults(directory.path()).unwrap(), expected);
    }

    #[test]
    fn an_uncovered_text_is_reported_with_its_place() {
        check(
            "crates/attachments/src/a.rs",
            "fixtures/a/request-1.json",
            &[
                "texts: crates/attachments/src/a.rs:2: \"Use it now.\" is in no golden: add a scenario whose request has this text",
            ],
        );
        check(
            "crates/agent/src/calls.rs",
            "crates/cli/tests/it/a.rs",
            &[
                "texts: crates/agent/src/calls.rs:2: \"Use it now.\" is in no golden: add a test that has this text in one line",
            ],
        );
        check("crates/gateway/src/a.rs", "fixtures/a/request-1.json", &[]);
    }
}
