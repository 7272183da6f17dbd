//! Generated files such as JSON Schemas, and references from documentation to tests.
//!
//! `cargo xtask docs` writes the files that are not current; `docs --check` reports them and fails.
//! It finds, for example, a new attachment missing in `scenario.schema.json`, and a page that names
//! a renamed test. It reads files only: it starts no program, and needs no network.

use std::fs;
use std::path::Path;

use anyhow::Result;
use aside_scenario::{GeneratedFile, generated_files};

use crate::{examples, say};

mod evidence;
mod references;

/// Returns the files generated from the code and from the scenarios.
fn files() -> Result<Vec<GeneratedFile>> {
    let cases = aside_scenario::discover(&crate::root().join("fixtures"))?;
    let mut files = generated_files();
    files.push(GeneratedFile { path: "docs/scenarios.md", text: aside_scenario::matrix(&cases) });
    let seeds = fs::read_to_string(crate::root().join(evidence::PAGE))?;
    files.push(GeneratedFile { path: evidence::PAGE, text: evidence::with_levels(&seeds) });
    files.push(GeneratedFile { path: examples::PAGE, text: examples::page(&crate::root())? });
    Ok(files)
}

/// Returns true if every generated file is current and every reference to evidence exists.
pub(crate) fn check(root: &Path) -> Result<bool> {
    let faults = references::faults(root);
    faults.iter().for_each(|fault| say(fault));
    Ok(files_are_current(root)? && faults.is_empty())
}

/// Compares every generated file with its text, byte for byte, and reports each that differs or is
/// missing.
fn files_are_current(root: &Path) -> Result<bool> {
    let mut is_current = true;
    for file in files()? {
        if read(&root.join(file.path)).as_deref() != Some(file.text.as_str()) {
            say(&format!("{} is not current: cargo xtask docs", file.path));
            is_current = false;
        }
    }
    Ok(is_current)
}

/// Writes the generated files that are not current.
///
/// Always returns true. Leaves a current file alone, to keep its modification time.
///
/// # Errors
/// A file cannot be written, for example because its directory is missing.
pub(crate) fn write(root: &Path) -> Result<bool> {
    for file in files()? {
        let path = root.join(file.path);
        if read(&path).as_deref() != Some(file.text.as_str()) {
            crate::write(&path, file.text)?;
            say(&format!("wrote {}", file.path));
        }
    }
    Ok(true)
}

/// Returns `None` for a file that cannot be read: it is not current.
fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_current() {
        assert!(check(&crate::root()).unwrap());
    }

    #[test]
    fn outdated_files_are_found_and_written() {
        let directory = tempfile::tempdir().unwrap();
        for file in files().unwrap() {
            let path = directory.path().join(file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        assert!(!files_are_current(directory.path()).unwrap());
        assert!(write(directory.path()).unwrap());
        assert!(files_are_current(directory.path()).unwrap());
        let path = directory.path().join(files().unwrap()[0].path);
        fs::write(&path, "{}").unwrap();
        assert!(!files_are_current(directory.path()).unwrap());
    }
}
