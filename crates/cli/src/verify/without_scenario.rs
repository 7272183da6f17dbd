//! Instruction files that no scenario has.

use std::fs;
use std::path::Path;

use aside_claudemd::Profile;
use aside_scenario::{Checked, Checkout};

use crate::init::plan;
use crate::{kinds, output};

/// How many files to report by name.
const MAX_REPORTED: usize = 10;

/// Reports files without a scenario.
pub(super) fn report(files: &[String]) {
    let absent = |message: String| output::report(&kinds::SCENARIO_ABSENT.diagnostic(message));
    for file in files.iter().take(MAX_REPORTED) {
        absent(format!(
            "{file}: no scenario has this file (aside init writes one, for up to {} directories)",
            plan::MAX_DIRECTORIES
        ));
    }
    if let more @ 1.. = files.len().saturating_sub(MAX_REPORTED) {
        absent(format!("no scenario has {more} more files"));
    }
}

/// Returns the instruction files with which sessions in the repository start
/// and that no scenario has, relative to its root: those of the scenarios'
/// agents, or, since a revision, the new ones of any agent.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn files(
    scenarios: &Path,
    played: &[Checked],
    since: Option<&Checkout>,
) -> anyhow::Result<Vec<String>> {
    let scenarios = fs::canonicalize(scenarios)?;
    let Some(root) = plan::repository(&scenarios) else {
        return Ok(Vec::new());
    };
    let is_here = |it: &&Checked| {
        let project = it.case().scenario.repository.as_ref();
        let project = project.map(|named| fs::canonicalize(it.case().dir.join(named)));
        project.is_some_and(|it| it.is_ok_and(|it| it == root))
    };
    let here: Vec<_> = played.iter().filter(is_here).collect();
    if here.is_empty() {
        return Ok(Vec::new());
    }
    let directories = plan::directories(root)?;
    let agent = |it: &&Checked| it.case().scenario.instructions.unwrap_or_default();
    let mut agents: Vec<Profile> = here.iter().map(agent).collect();
    if since.is_some() {
        agents.extend(plan::agents(root, &directories)?);
    }
    let mut files = plan::files_at_start(root, &directories, &agents)?.shared;
    let is_new = |path: &str| since.is_none_or(|it| !it.has(path));
    let is_known = |path: &str| here.iter().any(|it| it.knows_file(path));
    files.retain(|path| is_new(path) && !is_known(path));
    Ok(files.into_iter().collect())
}
