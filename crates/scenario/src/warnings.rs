//! Warning about a scenario that most likely tests nothing.

use crate::check::Checked;

/// Warns about a repository's case whose path is most likely wrong: the
/// directory is not the root of a repository, or its agent loads no instruction file.
#[must_use]
pub fn warnings(checked: &Checked) -> Vec<String> {
    let case = &checked.case;
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
    if !case.is_empty() && checked.instruction_files().is_empty() {
        let agent = case.scenario.instructions.unwrap_or_default();
        add(&format!("gives {agent} no instruction file"));
    }
    warnings
}
