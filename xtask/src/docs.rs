//! Files that follow from the code, such as JSON Schemas.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use aside_scenario::{GeneratedFile, generated_files};

use crate::say;

/// What follows from the code, and from the scenarios.
fn files() -> Result<Vec<GeneratedFile>> {
    let cases = aside_scenario::discover(&crate::root().join("fixtures"))?;
    let mut files = generated_files();
    files.push(GeneratedFile {
        path: "docs/scenarios.md",
        text: aside_scenario::matrix(&cases),
    });
    Ok(files)
}

/// Whether every file holds what it has to.
pub(crate) fn check(root: &Path) -> Result<bool> {
    let mut is_current = true;
    for file in files()? {
        if read(&root.join(file.path)).as_deref() != Some(file.text.as_str()) {
            say(&format!("{} is not current: cargo xtask docs", file.path));
            is_current = false;
        }
    }
    Ok(is_current)
}

/// Writes the files that do not.
pub(crate) fn write(root: &Path) -> Result<bool> {
    for file in files()? {
        let path = root.join(file.path);
        if read(&path).as_deref() != Some(file.text.as_str()) {
            fs::write(&path, file.text)
                .with_context(|| format!("failed to write {}", path.display()))?;
            say(&format!("wrote {}", file.path));
        }
    }
    Ok(true)
}

/// A file that cannot be read is not current.
fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_the_code_is_current() {
        assert!(check(&crate::root()).unwrap());
    }

    #[test]
    fn what_is_not_current_is_found_and_mended() {
        let directory = tempfile::tempdir().unwrap();
        for file in files().unwrap() {
            let path = directory.path().join(file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        assert!(!check(directory.path()).unwrap());
        assert!(write(directory.path()).unwrap());
        assert!(check(directory.path()).unwrap());
        let path = directory.path().join(files().unwrap()[0].path);
        fs::write(&path, "{}").unwrap();
        assert!(!check(directory.path()).unwrap());
    }
}
