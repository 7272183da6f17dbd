//! Which scenarios a repository needs: one for each agent that the team uses
//! and each directory with its own instruction files.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::{Dirs, Loader, Memory, Profile, Sources, UnloadedReason};
use aside_host::repository_files;
use aside_scenario::Case;
use aside_text::one_line;

use super::SCENARIOS;
use crate::{kinds, output};

/// The maximum number of directories to write scenarios for.
pub(crate) const MAX_DIRECTORIES: usize = 30;

/// The maximum number of files to try when making a directory's rules load.
const MAX_TRIED_FILES: usize = 5_000;

/// The largest file to try, in bytes.
const MAX_TRIED_BYTES: u64 = 1024 * 1024;

pub(super) struct PlannedScenario {
    /// The folder's name.
    pub(super) name: String,
    /// The agent; `None` for Aside's own.
    pub(super) agent: Option<Profile>,
    /// The working directory, relative to the root; empty for the root.
    directory: PathBuf,
    /// Files to read so that rules load, relative to the directory.
    reads: Vec<String>,
    /// What a session there starts with, and what the reads add.
    pub(super) memory: Memory,
}

/// Returns directories with instruction files for any agent, relative to the
/// root, which is first. Other repositories below the root, such as submodules,
/// and files that git ignores are left out: another checkout lacks them.
///
/// # Errors
/// Fails when the root cannot be read.
pub(crate) fn directories(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unloaded = load(root, Profile::default())?.unloaded();
    let is_own = |dir: &PathBuf| {
        let dirs = dir.ancestors().filter(|it| !it.as_os_str().is_empty());
        dirs.map(|it| root.join(it).join(".git")).all(|it| it.symlink_metadata().is_err())
    };
    // Without git's answer, all files count.
    let tracked: BTreeSet<String> =
        repository_files(root).unwrap_or_default().into_iter().collect();
    let is_tracked = |path: &Path| {
        let relative = path.strip_prefix(root).unwrap_or(path);
        tracked.is_empty() || tracked.contains(&slashed(relative))
    };
    let files = unloaded.files.iter().filter(|it| is_tracked(&it.path));
    let owners = files.filter_map(|it| owner(root, &it.path));
    // An import may name a file in a directory that does not exist.
    let owners = owners.filter(|directory| root.join(directory).is_dir());
    let mut found: BTreeSet<PathBuf> = owners.filter(is_own).collect();
    found.insert(PathBuf::new());
    Ok(found.into_iter().collect())
}

/// Returns the agents whose files are in these directories. `AGENTS.md` alone
/// stands for the convention, which many agents follow.
pub(crate) fn agents(root: &Path, directories: &[PathBuf]) -> Vec<Profile> {
    let exists = |name: &str| {
        let mut paths = directories.iter().map(|it| root.join(it).join(name));
        paths.any(|it| it.symlink_metadata().is_ok())
    };
    let is_used = |agent: &Profile| agent.traces().iter().any(|name| exists(name));
    let mut agents: Vec<Profile> = Profile::ALL.into_iter().filter(is_used).collect();
    if agents.is_empty() && exists("AGENTS.md") {
        agents.push(Profile::AgentsMd);
    }
    agents
}

/// Plans the agents' scenarios; without any agent, plans one for Aside itself,
/// at the root.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn scenarios(
    root: &Path,
    directories: &[PathBuf],
    agents: &[Profile],
) -> anyhow::Result<Vec<PlannedScenario>> {
    let mut planned: Vec<PlannedScenario> = Vec::new();
    for agent in agents {
        for directory in directories {
            let mut memory = load(&root.join(directory), *agent)?;
            let reads = reads(root, directory, &mut memory);
            let is_own = |path: &Path| owner(root, path).as_ref() == Some(directory);
            if reads.is_empty() && !memory.files().iter().any(|it| is_own(&it.path)) {
                continue;
            }
            let mut name = slug(directory);
            let existing = agent_of(root, &name);
            if existing != Some(*agent) && (existing.is_some() || agents.len() > 1) {
                name = format!("{}-{name}", slug(Path::new(agent.as_str())));
            }
            // The `texts` folder is for texts that scenarios share.
            while name == "texts" || planned.iter().any(|it| it.name == name) {
                name.push_str("-2");
            }
            planned.push(PlannedScenario {
                name,
                agent: Some(*agent),
                directory: directory.clone(),
                reads,
                memory,
            });
        }
    }
    if planned.is_empty() {
        planned.push(PlannedScenario {
            name: slug(Path::new("")),
            agent: agents.first().copied(),
            directory: PathBuf::new(),
            reads: Vec::new(),
            memory: load(root, agents.first().copied().unwrap_or_default())?,
        });
    }
    Ok(planned)
}

/// Returns the instruction files with which these agents' sessions start in these directories,
/// relative to the root, as scenarios name them.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(crate) fn files_at_start(
    root: &Path,
    directories: &[PathBuf],
    agents: &[Profile],
) -> anyhow::Result<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    let agents: HashSet<&Profile> = agents.iter().collect();
    for agent in agents {
        for directory in directories {
            let memory = load(&root.join(directory), *agent)?;
            let files = memory.files().iter();
            let files = files.filter_map(|it| it.path.strip_prefix(root).ok());
            paths.extend(files.map(|it| one_line(&slashed(it)).into_owned()));
        }
    }
    Ok(paths)
}

impl PlannedScenario {
    /// Returns the path of its `scenario.yaml`, relative to the root.
    pub(super) fn path(&self) -> String {
        format!("{SCENARIOS}/{}/scenario.yaml", self.name)
    }

    /// Returns its `scenario.yaml`. `pins` says which texts to compare.
    pub(super) fn text(&self, pins: &str) -> anyhow::Result<String> {
        let place = match slashed(&self.directory) {
            root if root.is_empty() => "the root".to_owned(),
            directory => directory,
        };
        let agent = self.agent.map_or("aside", Profile::as_str);
        let description = format!("What {agent} sees in {place}.");
        let mut text = format!("description: {}\n", serde_json::to_string(&description)?);
        text.push_str(
            "# Relative to this folder: the root of the repository.\nrepository: ../../..\n",
        );
        if !self.directory.as_os_str().is_empty() {
            text.push_str(&format!("cwd: {}\n", serde_json::to_string(&place)?));
        }
        if let Some(agent) = self.agent {
            text.push_str(&format!("instructions: {agent}\n"));
        }
        text.push_str(
            "# Only the texts of this repository count, so that another version of aside changes \
             nothing.\n# Without this key every byte of the request counts.\n",
        );
        text.push_str(&format!("pin: [{pins}]\nturns:\n"));
        let reads = self.reads.iter().map(|it| serde_json::to_string(it).map(|it| ("read", it)));
        let user = std::iter::once(Ok(("user", "Explain the build".to_owned())));
        for (index, event) in reads.chain(user).enumerate() {
            let (key, value) = event?;
            let start = if index == 0 { "  - - " } else { "    - " };
            text.push_str(&format!("{start}{key}: {value}\n"));
        }
        Ok(text)
    }
}

/// Returns the agent of an existing scenario with this name.
fn agent_of(root: &Path, name: &str) -> Option<Profile> {
    let case = Case::read(&root.join(SCENARIOS), name).ok()?;
    Some(case.scenario.instructions.unwrap_or_default())
}

/// Loads an agent's instruction files in a directory the way another person's
/// checkout has them.
fn load(directory: &Path, agent: Profile) -> anyhow::Result<Memory> {
    let sources = Sources { user: false, project: true, local: false };
    let loader = Loader::new(Dirs::default()).profile(agent).sources(sources);
    let failed = || format!("failed to read {}", directory.display());
    loader.load(directory).with_context(failed)
}

/// Returns the directory, relative to the root, that an instruction file
/// belongs to: `packages/web` for a rule in `packages/web/.claude/rules`.
fn owner(root: &Path, path: &Path) -> Option<PathBuf> {
    let owner = aside_claudemd::owner_of(path.strip_prefix(root).ok()?);
    // Scenarios have files of their own.
    Some(owner.iter().take_while(|it| *it != ".aside").collect())
}

/// Returns files to read so that the directory's rules load, as few as can be
/// found in one pass. They are touched in `memory`.
fn reads(root: &Path, directory: &Path, memory: &mut Memory) -> Vec<String> {
    let waits = |memory: &Memory| {
        let unloaded = memory.unloaded().files.into_iter();
        let mut rules = unloaded.filter(|it| {
            let waits = matches!(it.reason, UnloadedReason::WaitsForPath { .. });
            waits && owner(root, &it.path).as_deref() == Some(directory)
        });
        rules.next().is_some()
    };
    let mut reads = Vec::new();
    if !waits(memory) {
        return reads;
    }
    let directory_path = root.join(directory);
    for file in tracked(&directory_path).into_iter().take(MAX_TRIED_FILES) {
        let path = directory_path.join(&file);
        let metadata = path.symlink_metadata();
        let is_small = metadata.is_ok_and(|it| it.is_file() && it.len() <= MAX_TRIED_BYTES);
        if !is_small || std::fs::read_to_string(&path).is_err() {
            continue;
        }
        let loaded = memory.touch(&path);
        let is_own = |path: &Path| owner(root, path).as_deref() == Some(directory);
        if loaded.iter().any(|it| it.rule && is_own(&it.path)) {
            reads.push(file);
            if !waits(memory) {
                break;
            }
        }
    }
    reads
}

/// Returns files below a directory that git has, or would add, relative to it.
fn tracked(directory: &Path) -> Vec<String> {
    let mut listed = repository_files(directory).unwrap_or_else(|error| {
        output::report(&kinds::FILES_NOT_LISTED.diagnostic(error.to_string()));
        Vec::new()
    });
    listed.retain(|name| !name.starts_with(".aside/"));
    listed
}

/// Returns a relative path with slashes: scenarios use them on every system.
pub(super) fn slashed(path: &Path) -> String {
    let steps: Vec<_> = path.iter().map(|it| it.to_string_lossy()).collect();
    steps.join("/")
}

/// Returns a folder name for a scenario, in lower case so that no two differ by
/// letter case only.
fn slug(directory: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    match directory.to_string_lossy() {
        root if root.is_empty() => "root".to_owned(),
        directory => directory.strip_prefix('.').unwrap_or(&directory).chars().map(plain).collect(),
    }
}
