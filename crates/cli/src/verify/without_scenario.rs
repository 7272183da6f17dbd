//! Instruction files that no scenario has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aside_claudemd::Profile;
use aside_scenario::{Checked, Checkout};

use crate::init::plan;
use crate::{kinds, output};

/// How many files to report by name.
const MAX_REPORTED: usize = 10;

/// Instruction files without a scenario, relative to the root of the repository.
#[derive(Default)]
pub(super) struct Absent {
    /// Those with which sessions start.
    at_start: BTreeSet<String>,
    /// Rules that wait for a path, and that reading a file of the repository loads.
    waiting: BTreeSet<String>,
}

impl Absent {
    pub(super) fn into_files(self) -> Vec<String> {
        self.at_start.into_iter().chain(self.waiting).collect()
    }

    pub(super) fn report(&self) {
        let absent = |message: String| output::report(&kinds::SCENARIO_ABSENT.diagnostic(message));
        let directories = plan::MAX_DIRECTORIES;
        let at_start = self.at_start.iter().map(|file| {
            format!(
                "{file}: no scenario has this file (aside init writes one, for up to {directories} directories)"
            )
        });
        let waiting = self.waiting.iter().map(|rule| {
            format!("{rule}: no scenario reads a file of this rule's paths (aside init names one)")
        });
        at_start.chain(waiting).take(MAX_REPORTED).for_each(absent);
        let files = self.at_start.len() + self.waiting.len();
        if let more @ 1.. = files.saturating_sub(MAX_REPORTED) {
            absent(format!("no scenario has {more} more files"));
        }
    }
}

/// Returns the instruction files that sessions in the repository load and that no scenario has:
/// those of the scenarios' agents, or, since a revision, the new ones of any agent.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn files(
    scenarios: &Path,
    played: &[Checked],
    since: Option<&Checkout>,
) -> anyhow::Result<Absent> {
    let scenarios = fs::canonicalize(scenarios)?;
    let Some(root) = plan::repository(&scenarios) else {
        return Ok(Absent::default());
    };
    let is_here = |it: &&Checked| plan::is_scenario_of(root, it.case());
    let here: Vec<_> = played.iter().filter(is_here).collect();
    if here.is_empty() {
        return Ok(Absent::default());
    }
    let directories = plan::directories(root)?;
    let agent = |it: &&Checked| it.case().scenario.instructions.unwrap_or_default();
    let mut agents: Vec<Profile> = here.iter().map(agent).collect();
    if since.is_some() {
        agents.extend(plan::agents(root, &directories)?);
    }
    let mut at_start = plan::files_at_start(root, &directories, &agents)?.shared;
    let is_new = |path: &str| since.is_none_or(|it| !it.has(path));
    let is_known = |path: &str| here.iter().any(|it| it.knows_file(path));
    let is_absent = |path: &str| is_new(path) && !is_known(path);
    at_start.retain(|path| is_absent(path));
    let waiting = plan::rules_of_reads(root, &agents, is_absent)?;
    Ok(Absent { at_start, waiting })
}
