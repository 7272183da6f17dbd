//! Which scenarios a repository needs: one for each agent that the team uses
//! and each directory with its own instruction files.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::{Dirs, Loader, Memory, Profile, Sources, Unloaded, UnloadedReason};
use aside_host::repository_files;
use aside_scenario::{Case, excludes_above};
use aside_text::one_line;

use super::{REMINDERS, SCENARIOS};
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
    pub(super) directory: PathBuf,
    /// Files to read so that rules load.
    reads: Vec<Read>,
    /// What a session there starts with, and what the reads add.
    pub(super) memory: Memory,
    /// Whether files of the directory are among them that another checkout has.
    pub(super) has_files: bool,
}

/// A file to read.
struct Read {
    /// Relative to the scenario's directory.
    path: String,
    /// The rules that it loads, absolute.
    rules: Vec<PathBuf>,
}

/// Which files of a repository another checkout has.
struct Shared<'a> {
    root: &'a Path,
    /// Those that git has, or would add. Without git's answer it is empty, and
    /// all files count.
    listed: BTreeSet<String>,
}

impl<'a> Shared<'a> {
    fn new(root: &'a Path) -> Self {
        let listed = repository_files(root).unwrap_or_default();
        Self { root, listed: listed.into_iter().collect() }
    }

    /// Returns true if git ignores a file below the root.
    fn lacks(&self, path: &Path) -> bool {
        let Ok(path) = path.strip_prefix(self.root) else { return false };
        // Git lists a link or a submodule, not what is in it.
        let is_listed = || path.ancestors().any(|it| self.listed.contains(&slashed(it)));
        !self.listed.is_empty() && !is_listed() && other_repository(self.root, path).is_none()
    }

    /// Returns true if an instruction file belongs to a directory, relative to
    /// the root, and another checkout has it.
    fn has(&self, directory: &Path, path: &Path) -> bool {
        owner(self.root, path).as_deref() == Some(directory) && !self.lacks(path)
    }
}

/// Returns the nearest repository at or above a directory.
pub(crate) fn repository(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|it| it.join(".git").exists())
}

/// Returns true if a scenario's sessions run in the repository with this root.
pub(crate) fn is_scenario_of(root: &Path, case: &Case) -> bool {
    let project = case.scenario.repository.as_ref();
    let project = project.and_then(|it| fs::canonicalize(case.dir.join(it)).ok());
    project.is_some_and(|it| it == root)
}

/// Returns directories with instruction files for any agent, relative to the
/// root, which is first. Other repositories below the root, such as submodules,
/// and files that git ignores are left out: another checkout lacks them.
///
/// # Errors
/// Fails when the root cannot be read.
pub(crate) fn directories(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unloaded = load(root, Path::new(""), Profile::default())?.unloaded();
    let shared = Shared::new(root);
    let files = unloaded.files.iter().filter(|it| !shared.lacks(&it.path));
    let owners = files.filter_map(|it| owner(root, &it.path));
    // An import may name a file in a directory that does not exist.
    let owners = owners.filter(|directory| root.join(directory).is_dir());
    let is_own = |directory: &PathBuf| other_repository(root, directory).is_none();
    let mut found: BTreeSet<PathBuf> = owners.filter(is_own).collect();
    found.insert(PathBuf::new());
    Ok(found.into_iter().collect())
}

/// Returns the other repository, such as a submodule, that a path below the root is in, both
/// relative to the root.
pub(super) fn other_repository<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    let mut below = path.ancestors().filter(|it| !it.as_os_str().is_empty());
    below.find(|it| root.join(it).join(".git").symlink_metadata().is_ok())
}

/// Returns the agents whose files are in these directories. An `AGENTS.md` that
/// none of them loads stands for the convention, which many agents follow.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(crate) fn agents(root: &Path, directories: &[PathBuf]) -> anyhow::Result<Vec<Profile>> {
    let named = |name: &str| {
        let paths = directories.iter().map(|it| root.join(it).join(name));
        paths.filter(|it| it.symlink_metadata().is_ok()).collect::<Vec<_>>()
    };
    let is_used = |agent: &Profile| agent.traces().iter().any(|it| !named(it).is_empty());
    let mut agents: Vec<Profile> = Profile::ALL.into_iter().filter(is_used).collect();
    if has_own_rules(root) {
        let claude = agents.iter_mut().filter(|it| **it == Profile::Claude277);
        claude.for_each(|it| *it = Profile::Claude);
    }
    // A link to a loaded file has no text of its own.
    let of_convention = resolved(named("AGENTS.md"));
    if !of_convention.is_empty() {
        let loaded = resolved(paths_at_start(root, directories, &agents)?);
        if !of_convention.is_subset(&loaded) {
            agents.push(Profile::AgentsMd);
        }
    }
    Ok(agents)
}

/// Returns true if the files of Claude Code load by Aside's own rules here: its
/// agent is used, or an earlier `init` wrote scenarios with these rules.
fn has_own_rules(root: &Path) -> bool {
    let scenarios = root.join(SCENARIOS);
    let names = aside_scenario::names(&scenarios).unwrap_or_default();
    let mut cases = names.iter().filter_map(|it| Case::read(&scenarios, it).ok());
    root.join(REMINDERS).is_dir()
        || cases.any(|it| it.scenario.instructions == Some(Profile::Claude))
}

/// Returns the files with which sessions by Aside's own rules start and those
/// of Claude Code do not, or the other way round, relative to the root.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn differing_files(
    root: &Path,
    directories: &[PathBuf],
) -> anyhow::Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for directory in directories.chunks(1) {
        let own = paths_at_start(root, directory, &[Profile::Claude])?;
        let other = paths_at_start(root, directory, &[Profile::Claude277])?;
        files.extend(own.symmetric_difference(&other).cloned());
    }
    Ok(names(root, &files))
}

/// Returns the files that these paths lead to, without those that do not exist.
fn resolved(paths: impl IntoIterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    paths.into_iter().filter_map(|it| fs::canonicalize(it).ok()).collect()
}

/// Plans the agents' scenarios. If none of their files load, plans one without
/// files at the root for each agent, or for Aside itself without any agent;
/// none if a file that git ignores would be in it.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn scenarios(
    root: &Path,
    directories: &[PathBuf],
    agents: &[Profile],
) -> anyhow::Result<Vec<PlannedScenario>> {
    let mut agents: Vec<_> = agents.iter().copied().map(Some).collect();
    if agents.is_empty() {
        agents.push(None);
    }
    let shared = Shared::new(root);
    let mut planned: Vec<PlannedScenario> = Vec::new();
    for agent in &agents {
        for directory in directories {
            let scenario = PlannedScenario::new(&shared, directory, *agent)?;
            if scenario.has_files {
                planned.push(scenario.named(root, agents.len(), &planned));
            }
        }
    }
    if planned.is_empty() {
        for agent in &agents {
            let scenario = PlannedScenario::new(&shared, Path::new(""), *agent)?;
            if !scenario.memory.files().iter().any(|it| shared.lacks(&it.path)) {
                planned.push(scenario.named(root, agents.len(), &planned));
            }
        }
    }
    Ok(planned)
}

/// The instruction files with which sessions start, relative to the root, as scenarios name them.
pub(crate) struct AtStart {
    /// Those that other checkouts have.
    pub(crate) shared: BTreeSet<String>,
    /// Those that git ignores.
    pub(crate) ignored: BTreeSet<String>,
}

/// Returns the files of these agents' sessions in these directories.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(crate) fn files_at_start(
    root: &Path,
    directories: &[PathBuf],
    agents: &[Profile],
) -> anyhow::Result<AtStart> {
    let paths = paths_at_start(root, directories, agents)?;
    let tracked = Shared::new(root);
    let (ignored, shared) = paths.into_iter().partition(|it| tracked.lacks(it));
    Ok(AtStart { shared: names(root, &shared), ignored: names(root, &ignored) })
}

/// Returns the rules, of those with these names, that wait for a path and that these agents load
/// when a session reads a file of the repository.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(crate) fn rules_of_reads(
    root: &Path,
    agents: &[Profile],
    is_wanted: impl Fn(&str) -> bool,
) -> anyhow::Result<BTreeSet<String>> {
    let shared = Shared::new(root);
    let is_wanted = |it: &Path| named(root, it).is_some_and(|it| is_wanted(&it));
    let mut rules = BTreeSet::new();
    let agents: HashSet<&Profile> = agents.iter().collect();
    for agent in agents {
        let memory = load(root, Path::new(""), *agent)?;
        let directories =
            waiting(&memory).filter(|it| is_wanted(it)).filter_map(|it| owner(root, &it));
        // No scenario starts in another repository.
        let is_own = |it: &PathBuf| other_repository(root, it).is_none() && root.join(it).is_dir();
        let directories: BTreeSet<PathBuf> = directories.filter(is_own).collect();
        for directory in &directories {
            let mut memory = load(root, directory, *agent)?;
            let reads = reads(&shared, directory, &mut memory).into_iter();
            rules.extend(reads.flat_map(|it| it.rules).filter(|it| is_wanted(it)));
        }
    }
    Ok(names(root, &rules))
}

/// Returns files below the root as scenarios name them.
fn names(root: &Path, paths: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    paths.iter().filter_map(|it| named(root, it)).collect()
}

/// Returns a file below the root as scenarios name it.
pub(super) fn named(root: &Path, path: &Path) -> Option<String> {
    let file = path.strip_prefix(root).ok()?;
    Some(one_line(&slashed(file)).into_owned())
}

/// Returns all files with which these agents' sessions start in these
/// directories, absolute.
fn paths_at_start(
    root: &Path,
    directories: &[PathBuf],
    agents: &[Profile],
) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut paths = BTreeSet::new();
    let agents: HashSet<&Profile> = agents.iter().collect();
    for agent in agents {
        for directory in directories {
            let memory = load(root, directory, *agent)?;
            paths.extend(memory.files().iter().map(|it| it.path.clone()));
        }
    }
    Ok(paths)
}

impl PlannedScenario {
    /// Plans a scenario whose name is that of its directory.
    fn new(shared: &Shared<'_>, directory: &Path, agent: Option<Profile>) -> anyhow::Result<Self> {
        let mut memory = load(shared.root, directory, agent.unwrap_or_default())?;
        let reads = reads(shared, directory, &mut memory);
        // An import loads because of the file that names it.
        let mut files = memory.files().iter().filter(|it| it.parent.is_none());
        let has_files = !reads.is_empty() || files.any(|it| shared.has(directory, &it.path));
        let (name, directory) = (slug(directory), directory.to_owned());
        Ok(Self { name, agent, directory, reads, memory, has_files })
    }

    /// Adds the agent to a name that another of `agents` may need, or has, and a
    /// number to that of another directory.
    fn named(mut self, root: &Path, agents: usize, planned: &[Self]) -> Self {
        let existing = |name: &str| Case::read(&root.join(SCENARIOS), name).ok();
        let is_agents = |case: &Case| {
            let agent = case.scenario.instructions.unwrap_or_default();
            self.agent.is_none_or(|it| it == agent)
        };
        let mut name = self.name.clone();
        if let Some(agent) = self.agent
            && existing(&name).map_or(agents > 1, |it| !is_agents(&it))
        {
            let agent = agent.as_str().split(':').next().unwrap_or_default();
            name = format!("{}-{name}", slug(Path::new(agent)));
        }
        let directory = slashed(&self.directory);
        let is_own = |it: &Case| is_agents(it) && it.scenario.directory() == directory;
        let is_taken = |name: &str| {
            planned.iter().any(|it| it.name == name)
                || existing(name).is_some_and(|it| !is_own(&it))
        };
        // The `texts` folder is for texts that scenarios share.
        while name == "texts" || is_taken(&name) {
            name.push_str("-2");
        }
        self.name = name;
        self
    }

    /// Returns the rules that its reads load and that are not among these files, each with the
    /// path to read.
    pub(super) fn rules_without(
        &self,
        root: &Path,
        files: &BTreeSet<&str>,
    ) -> impl Iterator<Item = (&Path, &str)> {
        let rules = self.reads.iter().flat_map(|read| {
            let rules = read.rules.iter();
            rules.map(|it| (it.as_path(), read.path.as_str()))
        });
        rules.filter(|(rule, _)| named(root, rule).is_some_and(|it| !files.contains(&*it)))
    }

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
        let reads = self.reads.iter();
        let reads = reads.map(|it| serde_json::to_string(&it.path).map(|it| ("read", it)));
        let user = std::iter::once(Ok(("user", "Explain the build".to_owned())));
        for (index, event) in reads.chain(user).enumerate() {
            let (key, value) = event?;
            let start = if index == 0 { "  - - " } else { "    - " };
            text.push_str(&format!("{start}{key}: {value}\n"));
        }
        Ok(text)
    }
}

/// Loads an agent's instruction files in a directory the way another person's
/// checkout has them.
fn load(root: &Path, directory: &Path, agent: Profile) -> anyhow::Result<Memory> {
    let sources = Sources { user: false, project: true, local: false };
    let loader = Loader::new(Dirs::default()).profile(agent).sources(sources);
    let directory = root.join(directory);
    let failed = || format!("failed to read {}", directory.display());
    loader.excludes(excludes_above(root)).load(&directory).with_context(failed)
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
fn reads(shared: &Shared<'_>, directory: &Path, memory: &mut Memory) -> Vec<Read> {
    let waits = |memory: &Memory| waiting(memory).any(|it| shared.has(directory, &it));
    let mut reads = Vec::new();
    if !waits(memory) {
        return reads;
    }
    let directory_path = shared.root.join(directory);
    for file in tracked(&directory_path).into_iter().take(MAX_TRIED_FILES) {
        let path = directory_path.join(&file);
        let metadata = path.symlink_metadata();
        let is_small = metadata.is_ok_and(|it| it.is_file() && it.len() <= MAX_TRIED_BYTES);
        if !is_small || fs::read_to_string(&path).is_err() {
            continue;
        }
        let loaded = memory.touch(&path).into_iter();
        let rules = loaded.filter(|it| it.rule && shared.has(directory, &it.path));
        let rules: Vec<PathBuf> = rules.map(|it| it.path).collect();
        if !rules.is_empty() {
            reads.push(Read { path: file, rules });
            if !waits(memory) {
                break;
            }
        }
    }
    reads
}

/// Returns the rules that wait for a path.
fn waiting(memory: &Memory) -> impl Iterator<Item = PathBuf> {
    let waits = |it: &Unloaded| matches!(it.reason, UnloadedReason::WaitsForPath { .. });
    memory.unloaded().files.into_iter().filter(waits).map(|it| it.path)
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

/// Returns the directories, relative to the root, in which something has this
/// name, such as `.claude/skills`. Below the root, git has to have it.
pub(super) fn owners(root: &Path, listed: &[String], name: &str) -> BTreeSet<PathBuf> {
    let owner = |path: &String| {
        let mut places = path.match_indices(name);
        let is_whole = |(at, _): &(usize, &str)| {
            let end = path[at + name.len()..].chars().next();
            path[..*at].ends_with('/') && end.is_none_or(|it| it == '/')
        };
        places.find(is_whole).map(|(at, _)| PathBuf::from(&path[..at]))
    };
    let own = root.join(name).exists().then(PathBuf::new);
    listed.iter().filter_map(owner).chain(own).collect()
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
