//! Files that exist and are not loaded, or not yet.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use aside_user_files::open::FileKind;

use crate::discover::nested;
use crate::discover::nested_walk::{self, Nested};
use crate::discover::other_agents;
use crate::discover::startup::MANAGED_TEXT;
use crate::links::plain_path::with_resolved_dir;
use crate::memory::Memory;
use crate::rules::header::PathRule;
use crate::setting::NOTES;
use crate::skipped::Skipped;
use crate::{AgentsMd, LoadReason, Mode, SkipReason};

const PROJECT_FILES_OFF: &str = "the files of projects are off";
pub(super) const USER_FILES_OFF: &str = "the user's files are off";

/// An instruction file that the model does not get, or not before a path is touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unloaded {
    /// The file, absolute.
    pub path: PathBuf,
    /// Why the model does not get it; displays as a short phrase for the user.
    pub reason: UnloadedReason,
}

/// Why a file is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnloadedReason {
    /// It was found, and skipped.
    #[error("{0}")]
    Skipped(SkipReason),
    /// Another file that exists is read instead.
    #[error("shadowed by {}", by.display())]
    Shadowed {
        /// The file that is read instead.
        by: PathBuf,
    },
    /// It is a rule that loads when a matching path is touched.
    #[error("rule that waits for a path: {}", globs.join(" "))]
    WaitsForPath {
        /// The patterns, as written.
        globs: Vec<String>,
    },
    /// It is in a directory below the working directory, and loads when a file there is touched.
    #[error("loads when a file in its directory is read")]
    BelowWorkingDirectory,
    /// An option leaves it out.
    #[error("switched off: {option}")]
    SwitchedOff {
        /// The option, as text.
        option: &'static str,
    },
    /// Only other agents read a file with this name.
    #[error("only other agents read it: {agents}")]
    OtherAgent {
        /// Their names, separated by commas.
        agents: String,
    },
    /// The profile's agent does not read it in this directory.
    #[error("{agent} does not read it")]
    NotRead {
        /// The agent.
        agent: &'static str,
    },
    /// The profile's agent reads it in sessions that begin in its directory or below.
    #[error("{agent} reads it in sessions that begin there")]
    OtherStart {
        /// The agent.
        agent: &'static str,
    },
    /// Its name differs from a known one in letter case.
    #[error("letter case of the name: expected {expected}")]
    LetterCase {
        /// The known name.
        expected: &'static str,
    },
}

/// What [`Memory::unloaded`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnloadedFiles {
    /// The files, skipped ones first, then by directory.
    pub files: Vec<Unloaded>,
    /// The directories to search when a session starts, in search order.
    pub searched: Vec<PathBuf>,
    /// True if there are more directories below the working directory than are listed.
    pub is_cut: bool,
}

impl Memory {
    /// Returns the instruction files that exist and are not loaded, and why.
    ///
    /// Unlike [`load`](crate::load) and [`touch`](Memory::touch), this lists the directories below
    /// the working directory, at most 50,000 entries, without `.git`, `node_modules` and `target`.
    pub fn unloaded(&self) -> UnloadedFiles {
        let mut found = UnloadedFiles { searched: self.searched(), ..UnloadedFiles::default() };
        let skipped = |skipped: &Skipped| Unloaded {
            path: skipped.path.clone(),
            reason: UnloadedReason::Skipped(skipped.reason.clone()),
        };
        found.files.extend(self.skipped().iter().map(skipped));
        let mut known: HashSet<PathBuf> = found.files.iter().map(|it| it.path.clone()).collect();
        known.extend(self.files().iter().map(|file| file.path.clone()));
        known.extend(self.session.given.paths().map(Path::to_owned));
        let mut add = |path: PathBuf, reason| {
            if known.insert(path.clone()) {
                found.files.push(Unloaded { path, reason });
            }
        };
        for rule in &self.session.rules {
            let globs = rule.globs.clone();
            add(rule.path.clone(), UnloadedReason::WaitsForPath { globs });
        }
        for Unloaded { path, reason } in self.unloaded_of_user() {
            add(path, reason);
        }
        let enabled = self.enabled_dirs();
        for dir in &self.known_dirs() {
            let is_off = !enabled.contains(dir);
            let off = || Some(UnloadedReason::SwitchedOff { option: self.off() });
            for path in other_agents::instruction_files_in(dir) {
                if let Some(reason) = if is_off { off() } else { self.reason_in(dir, &path) } {
                    add(path, reason);
                }
            }
            // Below the working directory, rules are found by the walk.
            let reason = if is_off { off() } else { self.reason_of_rules(dir) };
            if let Some(reason) = reason.filter(|_| !self.is_below(dir)) {
                let rules = if self.is_user(dir) { "rules" } else { ".claude/rules" };
                for path in nested_walk::rules_in(&dir.join(rules)) {
                    add(path, reason.clone());
                }
            }
        }
        let loader = &self.setting.loader;
        let text = loader.trimmed_managed_text().map(|_| PathBuf::from(MANAGED_TEXT));
        let notes = self.setting.notes().filter(|path| fs::symlink_metadata(path).is_ok());
        for path in text.into_iter().chain(notes) {
            let reason = match loader.mode {
                Mode::Full if !loader.profile.is_claude() => {
                    UnloadedReason::NotRead { agent: loader.profile.agent() }
                }
                Mode::Full => UnloadedReason::SwitchedOff { option: "auto memory is off" },
                Mode::Bare | Mode::Off => UnloadedReason::SwitchedOff { option: self.off() },
            };
            add(path, reason);
        }
        let Nested { files, is_cut } = nested_walk::below(&self.setting.cwd);
        for Unloaded { path, reason } in self.unloaded_below(files) {
            add(path, reason);
        }
        found.is_cut = is_cut;
        found
    }

    /// Returns the reasons for files below the working directory, without those that are none of
    /// an agent's. A file that could load is looked at as if a file in its directory were read.
    fn unloaded_below(&self, files: Vec<PathBuf>) -> Vec<Unloaded> {
        let mut probe = self.clone();
        let reason = |path: PathBuf| {
            let reason = self.reason_below(&path)?;
            if reason == UnloadedReason::BelowWorkingDirectory {
                probe.touch(self.owner(&path).join("a file"));
            }
            Some(Unloaded { path, reason })
        };
        let mut found: Vec<Unloaded> = files.into_iter().filter_map(reason).collect();
        let nested = probe.lookup.nested.values();
        let waiting = nested.flat_map(|it| &it.found.waiting);
        let waiting: HashMap<&Path, &PathRule> = waiting.map(|it| (&*it.path, it)).collect();
        let skipped = probe.skipped().iter();
        let skipped: HashMap<&Path, &Skipped> = skipped.map(|it| (&*it.path, it)).collect();
        let given: HashSet<&Path> = probe.session.given.paths().collect();
        for Unloaded { path, reason } in &mut found {
            if *reason != UnloadedReason::BelowWorkingDirectory || given.contains(&**path) {
                continue;
            }
            let other = || probe.session.given.other_name(path).map(Path::to_owned);
            // A skipped directory of rules has skipped all of them.
            let owner = self.owner(path);
            let mut names = path.ancestors().take_while(|name| *name != owner);
            *reason = if let Some(skipped) = names.find_map(|name| skipped.get(name)) {
                UnloadedReason::Skipped(skipped.reason.clone())
            } else if let Some(rule) = waiting.get(&**path) {
                let globs = rule.globs.clone();
                UnloadedReason::WaitsForPath { globs }
            } else if let Some(path) = other() {
                UnloadedReason::Skipped(SkipReason::AlreadyLoaded { path })
            } else if path.ends_with("AGENTS.md")
                && let Some(by) = probe.claude_md_in(&owner)
            {
                UnloadedReason::Shadowed { by }
            } else if path.is_dir() {
                let found = FileKind::Directory.to_string();
                UnloadedReason::Skipped(SkipReason::NotAFile { found })
            } else {
                continue;
            };
        }
        found
    }

    /// Explains why one file is loaded or not loaded.
    ///
    /// ```
    /// use aside_claudemd::{Dirs, LoadStatus, load};
    ///
    /// # let project = tempfile::tempdir()?;
    /// # for name in ["CLAUDE.md", "AGENTS.md"] { std::fs::write(project.path().join(name), "a")?; }
    /// let memory = load(project.path(), &Dirs::default())?;
    /// let status = memory.explain(&project.path().join("AGENTS.md"));
    /// assert!(matches!(status, LoadStatus::Unloaded(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, path: &Path) -> LoadStatus {
        // The inline text in the managed settings has no directory.
        let given = path;
        let path = crate::plain_path(&self.setting.cwd.join(given));
        let unloaded = LazyCell::new(|| self.unloaded().files);
        let known = |is_it: &dyn Fn(&Path) -> bool| {
            let mut loaded = self.files().iter().chain(self.nested());
            if let Some(file) = loaded.find(|file| is_it(&file.path)) {
                let parent = file.parent.clone();
                return Some(LoadStatus::Loaded { reason: file.reason, parent });
            }
            let found = unloaded.iter().find(|it| is_it(&it.path))?;
            Some(LoadStatus::Unloaded(found.reason.clone()))
        };
        if let Some(status) = known(&|it| *it == path || it == given) {
            return status;
        }
        if fs::symlink_metadata(&path).is_err() {
            return LoadStatus::Missing;
        }
        let place = with_resolved_dir(&path);
        let is_it =
            |it: &Path| it.file_name() == path.file_name() && with_resolved_dir(it) == place;
        if let Some(status) = known(&is_it) {
            return status;
        }
        let cwd = &self.setting.cwd;
        let resolved = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.clone());
        let below = path.strip_prefix(cwd).or_else(|_| place.strip_prefix(resolved));
        if let Ok(below) = below
            && let Some(found) = self.unloaded_below(vec![cwd.join(below)]).pop()
        {
            return LoadStatus::Unloaded(found.reason);
        }
        if nested_walk::is_rule(&path)
            && let Some(dir) = self.skipped().iter().find(|it| path.starts_with(&it.path))
        {
            return LoadStatus::Unloaded(UnloadedReason::Skipped(dir.reason.clone()));
        }
        let name = path.file_name().map(|name| name.to_string_lossy());
        let is_notes = |it: &str| it.eq_ignore_ascii_case(NOTES);
        let has_notes = self.setting.notes().is_some_and(|it| it.parent() == path.parent());
        if has_notes && name.as_deref().is_some_and(is_notes) {
            return LoadStatus::Unloaded(UnloadedReason::LetterCase { expected: NOTES });
        }
        let is_known = name.is_some_and(|name| other_agents::is_known(&name))
            || nested_walk::is_rule(&path)
            || other_agents::owner_of(&path).is_some();
        if is_known { LoadStatus::OtherDirectory } else { LoadStatus::NotAnInstructionFile }
    }

    /// Returns the reason for a file in a directory that is searched at the start.
    fn reason_in(&self, dir: &Path, path: &Path) -> Option<UnloadedReason> {
        let loader = &self.setting.loader;
        let name = path.strip_prefix(dir).ok()?.to_str()?;
        if !loader.profile.is_claude() {
            return Some(self.reason_of_profile(dir, name));
        }
        let off = |option| Some(UnloadedReason::SwitchedOff { option });
        let is_user = self.is_user(dir);
        match other_agents::own_name(name) {
            Some(expected) if expected != name => {
                let is_other = !loader.platform.ignores_case();
                return is_other.then_some(UnloadedReason::LetterCase { expected });
            }
            Some("AGENTS.md") if is_user => return None,
            Some("AGENTS.md") if loader.agents_md == AgentsMd::Ignore => {
                return off("AGENTS.md is not read");
            }
            _ if loader.agents_md == AgentsMd::WithoutClaudeMd
                && ["AGENTS.md", ".claude/AGENTS.md"].contains(&name) =>
            {
                if self.project_claude_md().is_some() {
                    return off("a CLAUDE.md is in the working directory or above");
                }
                return self.is_below(dir).then_some(UnloadedReason::BelowWorkingDirectory);
            }
            Some("AGENTS.md") => {
                let by = dir.join("CLAUDE.md");
                let is_there = fs::symlink_metadata(&by).is_ok();
                return is_there.then_some(UnloadedReason::Shadowed { by });
            }
            Some(_) if is_user && !loader.sources.user => return off(USER_FILES_OFF),
            Some("CLAUDE.local.md") if !loader.sources.local => {
                return off("the user's files in projects are off");
            }
            Some("CLAUDE.md" | ".claude/CLAUDE.md") if !loader.sources.project => {
                return off(PROJECT_FILES_OFF);
            }
            _ => {}
        }
        let agents = other_agents::readers_of(name);
        (!agents.is_empty()).then(|| UnloadedReason::OtherAgent { agents: agents.join(", ") })
    }

    pub(super) fn is_below(&self, dir: &Path) -> bool {
        dir != self.setting.cwd && dir.starts_with(&self.setting.cwd)
    }

    fn is_user(&self, dir: &Path) -> bool {
        self.setting.loader.dirs.config.as_deref() == Some(dir)
    }

    /// Returns the reason for all rules in a directory that is searched at the start, if there is
    /// one.
    fn reason_of_rules(&self, dir: &Path) -> Option<UnloadedReason> {
        let loader = &self.setting.loader;
        let (is_on, option) = if self.is_user(dir) {
            (loader.sources.user, USER_FILES_OFF)
        } else {
            (loader.sources.project, PROJECT_FILES_OFF)
        };
        let is_managed = loader.dirs.managed.as_deref() == Some(dir);
        let is_off = loader.profile.is_claude() && !is_managed && !is_on;
        is_off.then_some(UnloadedReason::SwitchedOff { option })
    }

    /// Returns the directory that a file below the working directory is in or, in `.claude` and the
    /// like, belongs to.
    fn owner(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix(&self.setting.cwd).unwrap_or(Path::new(""));
        self.setting.cwd.join(owner_of(below))
    }

    /// Returns the reason for a file in a directory below the working directory.
    fn reason_below(&self, path: &Path) -> Option<UnloadedReason> {
        if self.setting.loader.mode != Mode::Full {
            return Some(UnloadedReason::SwitchedOff { option: self.off() });
        }
        let dir = &self.owner(path);
        let levels = dir.strip_prefix(&self.setting.cwd).map_or(0, |it| it.components().count());
        if levels > nested::MAX_DEPTH {
            let limit = format!("{} levels of directories", nested::MAX_DEPTH);
            return Some(UnloadedReason::Skipped(SkipReason::OverLimit { limit }));
        }
        if nested_walk::is_rule(path) && self.setting.loader.profile.is_claude() {
            if !self.setting.loader.sources.project {
                return Some(UnloadedReason::SwitchedOff { option: PROJECT_FILES_OFF });
            }
            return Some(UnloadedReason::BelowWorkingDirectory);
        }
        let name = path.strip_prefix(dir).ok()?.to_str()?;
        match self.reason_in(dir, path) {
            Some(reason) => Some(reason),
            None => other_agents::own_name(name).map(|_| UnloadedReason::BelowWorkingDirectory),
        }
    }
}

/// Returns the directory to which an instruction file belongs: `web` for `web/CLAUDE.md`,
/// `web/.claude/rules/a.md` and `web/.cursor/rules/a.mdc`. The path is relative to the directory
/// of a session.
pub fn owner_of(path: &Path) -> PathBuf {
    let dir = other_agents::owner_of(path).or(path.parent());
    let steps = dir.into_iter().flatten();
    steps.take_while(|name| *name != ".claude").collect()
}

/// What [`Memory::explain`] says about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadStatus {
    /// It is loaded when the session starts.
    Loaded {
        /// Why it is loaded.
        reason: LoadReason,
        /// The file that imports it.
        parent: Option<PathBuf>,
    },
    /// It is not loaded, or not yet.
    Unloaded(UnloadedReason),
    /// There is no such file.
    Missing,
    /// It has an instruction file's name, in a directory that is not searched.
    OtherDirectory,
    /// No agent reads a file with this name. An instruction file may import it.
    NotAnInstructionFile,
}

impl UnloadedReason {
    /// Returns the name in JSON, for example `waits_for_path`.
    pub fn as_str(&self) -> &'static str {
        let name = match self {
            Self::Skipped(reason) => return reason.as_str(),
            Self::Shadowed { .. } => Name::Shadowed,
            Self::WaitsForPath { .. } => Name::WaitsForPath,
            Self::BelowWorkingDirectory => Name::BelowWorkingDirectory,
            Self::SwitchedOff { .. } => Name::SwitchedOff,
            Self::OtherAgent { .. } => Name::OtherAgent,
            Self::NotRead { .. } => Name::NotRead,
            Self::OtherStart { .. } => Name::OtherStart,
            Self::LetterCase { .. } => Name::LetterCase,
        };
        name.as_str()
    }
}

aside_text::names! {
    /// The names of the reasons for files that were not skipped.
    #[derive(Clone, Copy)]
    enum Name {
        Shadowed = "shadowed",
        WaitsForPath = "waits_for_path",
        BelowWorkingDirectory = "below_working_directory",
        SwitchedOff = "switched_off",
        OtherAgent = "other_agent",
        NotRead = "not_read",
        OtherStart = "other_start",
        LetterCase = "letter_case",
    }
}

impl fmt::Display for LoadStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loaded { reason, parent: Some(parent) } => {
                write!(f, "loaded: {}, imported by {}", reason.as_str(), parent.display())
            }
            Self::Loaded { reason, .. } => write!(f, "loaded: {}", reason.as_str()),
            Self::Unloaded(reason) => write!(f, "not loaded: {reason}"),
            Self::Missing => f.write_str("not loaded: there is no such file"),
            Self::OtherDirectory => {
                f.write_str("not loaded: a session in this directory does not search there")
            }
            Self::NotAnInstructionFile => f.write_str(
                "not loaded: no instruction file has this name, and none that is loaded imports it",
            ),
        }
    }
}

#[cfg(test)]
mod tests;
