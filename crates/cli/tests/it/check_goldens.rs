//! `aside check` finds nothing in the bodies that this repository expects.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn check(files: &[PathBuf], arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(["check", "--json"])
        .args(arguments)
        .args(files)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every beta that a rule names, except the one for cache scopes.
fn betas() -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_aside")).args(["rules", "--json"]).output().unwrap();
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = table["rules"].as_array().unwrap().iter().filter(|it| it["id"] != "global-scope");
    let betas: BTreeSet<_> = rules
        .flat_map(|it| it["betas"].as_array().unwrap())
        .map(|it| it.as_str().unwrap())
        .collect();
    betas.into_iter().collect::<Vec<_>>().join(",")
}

/// Returns golden bodies: from scenarios with global cache scopes, or from all
/// others.
fn goldens(is_global: bool) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files = Vec::new();
    for directory in fs::read_dir(fixtures).unwrap() {
        let directory = directory.unwrap().path();
        let Ok(scenario) = fs::read_to_string(directory.join("scenario.yaml")) else {
            continue;
        };
        if scenario.contains("\nglobal_scope: true") != is_global {
            continue;
        }
        let entries = fs::read_dir(directory).unwrap();
        files.extend(entries.map(|it| it.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("request-") && name.ends_with(".json")
        }));
    }
    files.sort();
    files
}

/// Returns the violations as `file: rule: path`.
fn found(checked: &Value) -> Vec<String> {
    let found = checked["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{}: {}: {}", it["file"], it["rule"], it["path"]));
    found.collect()
}

#[test]
fn goldens_have_no_violations() {
    let betas = betas();
    let arguments = ["--beta", &betas];
    let files = goldens(false);
    assert!(files.len() > 200, "{}", files.len());
    let checked = check(&files, &arguments);
    assert_eq!(checked["bodies"], files.len());
    assert_eq!(found(&checked), Vec::<String>::new());
}

/// The scope is accepted with its beta, and refused without.
#[test]
fn global_scopes_need_their_beta() {
    let files = goldens(true);
    assert!(!files.is_empty());
    let betas = betas();
    let without = check(&files, &["--beta", &betas]);
    let rules = without["violations"].as_array().unwrap().iter();
    assert!(rules.clone().count() > 0);
    assert!(rules.clone().all(|it| it["rule"] == "global-scope"));
    let betas = format!("{betas},prompt-caching-scope-2026-01-05");
    assert_eq!(found(&check(&files, &["--beta", &betas])), Vec::<String>::new());
}
