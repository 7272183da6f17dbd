//! Warnings about a scenario that most likely tests nothing.

use crate::case::Case;

/// The names of instruction files, relative to a repository.
const INSTRUCTION_FILES: [&str; 4] = [
    "CLAUDE.md",
    "AGENTS.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
];

/// Returns warnings for a case of a repository whose path most likely is wrong:
/// the directory is not the root of a repository, or has no instruction files.
#[must_use]
pub fn warnings(case: &Case) -> Vec<String> {
    let Some(named) = &case.scenario.repository else {
        return Vec::new();
    };
    let path = case.dir.join(named);
    let Ok(path) = std::fs::canonicalize(&path) else {
        // Playing the case fails with an error.
        return Vec::new();
    };
    let mut warnings = Vec::new();
    let mut add = |fault: &str| {
        let (case, path) = (&case.name, path.display());
        warnings.push(format!("{case}: repository: {path} {fault}"));
    };
    if path.join(".git").symlink_metadata().is_err() {
        add("is not the root of a repository");
    }
    if !INSTRUCTION_FILES
        .iter()
        .any(|name| path.join(name).exists())
    {
        add("has no instruction file");
    }
    warnings
}
