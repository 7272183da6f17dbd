//! Loading options, as a builder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::links::path_value;
use crate::{Dirs, ImportPolicy, OperatingSystem, Plugin, Profile};

/// Loads instruction files: [`load`](crate::load) with options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "a loader does nothing before `load`"]
pub struct Loader {
    pub(crate) dirs: Dirs,
    pub(crate) mode: Mode,
    pub(crate) sources: Sources,
    pub(crate) agents_md: AgentsMd,
    pub(crate) imports: ImportPolicy,
    pub(crate) excludes: Vec<String>,
    /// For a pattern, the file that it is written in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) exclude_places: BTreeMap<String, String>,
    pub(crate) managed_text: Option<String>,
    #[serde(with = "path_value::many")]
    pub(crate) additional_dirs: Vec<PathBuf>,
    pub(crate) additional: Additional,
    #[serde(with = "path_value::optional")]
    pub(crate) auto_memory: Option<PathBuf>,
    /// True if an option leaves the notes in this directory out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_auto_memory_off: bool,
    pub(crate) platform: OperatingSystem,
    #[serde(default)]
    pub(crate) profile: Profile,
    /// Where the search without a repository ends.
    #[serde(skip)]
    pub(crate) ceiling: Option<PathBuf>,
    /// Those of the present settings; a stored session does not keep them.
    #[serde(skip)]
    pub(crate) plugins: Vec<Plugin>,
}

/// How much to load, from most to least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Load everything.
    #[default]
    Full,
    /// Load only the additional directories.
    Bare,
    /// Load nothing.
    Off,
}

/// Whose instructions to load. The administrator's are always loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The user, for all projects.
    pub user: bool,
    /// Files that are checked into projects.
    pub project: bool,
    /// The user's own files in projects.
    pub local: bool,
}

impl Default for Sources {
    fn default() -> Self {
        Self { user: true, project: true, local: true }
    }
}

/// When to read `AGENTS.md` for a missing `CLAUDE.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentsMd {
    /// Read it in each directory that has no `CLAUDE.md`.
    #[default]
    Read,
    /// Never read it.
    Ignore,
    /// Read it, and `.claude/AGENTS.md`, if no `CLAUDE.md`, `.claude/CLAUDE.md` or
    /// `CLAUDE.local.md` with a text is in its directory, in the working directory or above.
    WithoutClaudeMd,
}

/// In which modes to load additional directories' instruction files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Additional {
    /// In [`Mode::Bare`] only, where you add a directory to get its files.
    #[default]
    InBareMode,
    /// In [`Mode::Full`] as well.
    Always,
}

impl Loader {
    /// Creates a loader with default options: everything but auto memory and
    /// additional directories; imports that leave the project are denied.
    pub fn new(dirs: Dirs) -> Self {
        Self { dirs, ..Self::default() }
    }

    /// Sets how much to load.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets whose instructions to load.
    pub fn sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Sets when to read `AGENTS.md` for a missing `CLAUDE.md`.
    pub fn agents_md(mut self, agents_md: AgentsMd) -> Self {
        self.agents_md = agents_md;
        self
    }

    /// Sets the plugins of the user, whose skills and agents are found.
    pub fn plugins(mut self, plugins: Vec<Plugin>) -> Self {
        self.plugins = plugins;
        self
    }

    /// Sets which imports may leave the project.
    pub fn imports(mut self, policy: ImportPolicy) -> Self {
        self.imports = policy;
        self
    }

    /// Sets the files to leave out: globs or paths, compared with a file's
    /// absolute path and with the path that it resolves to. A path that names a
    /// directory covers everything below it; `~/` is the home directory; a
    /// relative path that does not start with `**` is relative to the working
    /// directory. You cannot leave out the administrator's files. The
    /// versions of Claude Code take only globs for absolute paths, and other agents'
    /// profiles have no excludes.
    pub fn excludes<I>(mut self, excludes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.excludes = excludes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets a directory that files above are not searched for, even by an agent that goes up to the
    /// root of the file system.
    pub fn ceiling(mut self, dir: PathBuf) -> Self {
        self.ceiling = Some(dir);
        self
    }

    /// Takes over the excludes of another loader, and where they are written.
    pub fn set_excludes(&mut self, other: &Self) {
        self.excludes.clone_from(&other.excludes);
        self.exclude_places.clone_from(&other.exclude_places);
    }

    /// Returns the inline text in the managed settings, trimmed; `None` without any.
    pub(crate) fn trimmed_managed_text(&self) -> Option<&str> {
        self.managed_text.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns true if the model gets the notes in the auto memory directory.
    pub(crate) fn sends_notes(&self) -> bool {
        self.mode == Mode::Full && self.profile.is_claude() && !self.is_auto_memory_off
    }

    pub(crate) fn has_excludes_of(&self, other: &Self) -> bool {
        self.excludes == other.excludes && self.exclude_places == other.exclude_places
    }

    /// Sets where excludes are written, such as a settings file's path. An
    /// exclude's fault is reported at that file, not at the directory where the
    /// session starts.
    pub fn exclude_places<'a>(mut self, places: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let owned = |(exclude, place): (&str, &str)| (exclude.to_owned(), place.to_owned());
        self.exclude_places = places.map(owned).collect();
        self
    }

    /// Sets the text under the key `claudeMd` in the managed settings.
    pub fn managed_text(mut self, text: impl Into<String>) -> Self {
        self.managed_text = Some(text.into());
        self
    }

    /// Sets further directories (absolute), each read like the working
    /// directory but without the directories above it, and in which modes to
    /// read them.
    pub fn additional_dirs<I>(mut self, dirs: I, when: Additional) -> Self
    where
        I: IntoIterator,
        I::Item: Into<PathBuf>,
    {
        self.additional_dirs = dirs.into_iter().map(Into::into).collect();
        self.additional = when;
        self
    }

    /// Sets the directory with the project's auto memory, which holds
    /// `MEMORY.md`.
    pub fn auto_memory(mut self, dir: impl Into<PathBuf>) -> Self {
        self.auto_memory = Some(dir.into());
        self
    }

    /// Leaves out the notes in the auto memory directory; [`Memory::unloaded`](crate::Memory::unloaded)
    /// lists them as switched off.
    pub fn without_auto_memory(mut self) -> Self {
        self.is_auto_memory_off = true;
        self
    }

    /// Sets the platform whose path rules apply, by default the current one.
    pub fn platform(mut self, platform: OperatingSystem) -> Self {
        self.platform = platform;
        self
    }

    /// Sets the agent whose rules decide which files to load, by default
    /// [`Profile::Claude`]. The Claude Code versions set [`Loader::agents_md`].
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        match profile {
            Profile::Claude276 => self.agents_md = AgentsMd::Ignore,
            Profile::Claude277 => self.agents_md = AgentsMd::WithoutClaudeMd,
            _ => {}
        }
        self
    }
}
