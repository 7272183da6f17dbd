//! Bodies that `aside convert` writes, from the cases of `crates/providers/tests/conversions`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::golden::{BETA, GEMINI, Golden, OPENAI, RESPONSES};
use crate::say;

/// Arguments of the conversion, the group of types, and the type.
const TARGETS: [(&[&str], &str, &str); 6] = [
    (&["first-party", "--model", "claude-opus-5"], "anthropic", BETA),
    (&["openai", "--model", "gpt-6.2-sol"], "responses", RESPONSES),
    (&["openai", "--model", "gpt-4.1"], "openai", OPENAI),
    (&["grok", "--model", "grok-4.5"], "responses", RESPONSES),
    (&["gemini", "--model", "gemini-4-argon"], "gemini", GEMINI),
    (&["gemini", "--model", "gemini-2.5-pro"], "gemini", GEMINI),
];

#[derive(Deserialize)]
struct Case {
    wire: String,
    body: Box<RawValue>,
}

/// Converts each case for each target, and returns the bodies below `directory`. A test of
/// `aside-providers` lists the conversions that are refused.
///
/// # Errors
/// If a case cannot be read, or the program could not be started.
pub(crate) fn all(root: &Path, aside: &Path, directory: &Path) -> Result<Vec<Golden>> {
    fs::create_dir_all(directory)
        .with_context(|| format!("failed to create {}", directory.display()))?;
    let cases = root.join("crates/providers/tests/conversions");
    let entries =
        fs::read_dir(&cases).with_context(|| format!("failed to read {}", cases.display()))?;
    let mut all: Vec<_> = TARGETS
        .iter()
        .map(|(_, wire, kind)| Golden {
            paths: Vec::new(),
            wire,
            kind,
            refused: Vec::new(),
            is_converted: true,
        })
        .collect();
    let mut refused = 0;
    for entry in entries {
        let path = entry?.path();
        let case: Case = serde_json::from_slice(&fs::read(&path)?)
            .with_context(|| format!("failed to read {}", path.display()))?;
        let source = directory.join("source.json");
        fs::write(&source, case.body.get())?;
        for (index, (arguments, ..)) in TARGETS.iter().enumerate() {
            let converted = Command::new(aside)
                .args(["convert", "--from", &case.wire, "--to"])
                .args(*arguments)
                .arg(&source)
                .output()
                .with_context(|| format!("failed to run {}", aside.display()))?;
            if !converted.status.success() {
                refused += 1;
                continue;
            }
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let body = directory.join(format!("{name}.{index}.json"));
            fs::write(&body, converted.stdout)?;
            all[index].paths.push(body);
        }
    }
    let bodies: usize = all.iter().map(|golden| golden.paths.len()).sum();
    say(&format!("conformance: {bodies} conversions, {refused} refused"));
    Ok(all)
}
