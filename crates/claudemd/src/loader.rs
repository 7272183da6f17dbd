use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::path_value;
use crate::{Dirs, ImportPolicy, Platform, Profile};

/// What to load: [`load`](crate::load) with options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "a loader does nothing before `load`"]
pub struct Loader {
    pub(crate) dirs: Dirs,
    pub(crate) mode: Mode,
    pub(crate) sources: Sources,
    pub(crate) agents_md: AgentsMd,
    pub(crate) imports: ImportPolicy,
    pub(crate) excludes: Vec<String>,
    /// Pattern and place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) exclude_places: BTreeMap<String, String>,
    pub(crate) managed_text: Option<String>,
    #[serde(with = "path_value::many")]
    pub(crate) additional_dirs: Vec<PathBuf>,
    pub(crate) additional: Additional,
    #[serde(with = "path_value::optional")]
    pub(crate) auto_memory: Option<PathBuf>,
    pub(crate) platform: Platform,
    #[serde(default)]
    pub(crate) profile: Profile,
}

/// How much is loaded, from much to little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everything.
    #[default]
    Full,
    /// Only what was asked for: the additional directories.
    Bare,
    /// Nothing.
    Off,
}

/// Whose instructions are loaded. The administrator's always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The user's, for all projects.
    pub user: bool,
    /// What is checked into projects.
    pub project: bool,
    /// The user's own files in projects.
    pub local: bool,
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            user: true,
            project: true,
            local: true,
        }
    }
}

/// Whether `AGENTS.md` stands in for a `CLAUDE.md` that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentsMd {
    /// It does.
    #[default]
    Read,
    /// It is not looked for.
    Ignore,
    /// It does, with `.claude/AGENTS.md`, if neither `CLAUDE.md` nor `CLAUDE.local.md` is in the
    /// working directory or above it.
    WithoutClaudeMd,
}

/// When the instruction files of additional directories are loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Additional {
    /// In [`Mode::Bare`], where to add a directory is to ask for it.
    #[default]
    InBareMode,
    /// In [`Mode::Full`] as well.
    Always,
}

impl Loader {
    /// A loader with the default options: everything but auto memory and
    /// additional directories; imports that leave the project are denied.
    pub fn new(dirs: Dirs) -> Self {
        Self {
            dirs,
            mode: Mode::default(),
            sources: Sources::default(),
            agents_md: AgentsMd::default(),
            imports: ImportPolicy::default(),
            excludes: Vec::new(),
            exclude_places: BTreeMap::new(),
            managed_text: None,
            additional_dirs: Vec::new(),
            additional: Additional::default(),
            auto_memory: None,
            platform: Platform::CURRENT,
            profile: Profile::default(),
        }
    }

    /// How much is loaded.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// As much as before, but no more than `mode`.
    pub fn at_most(mut self, mode: Mode) -> Self {
        self.mode = self.mode.max(mode);
        self
    }

    /// Whose instructions are loaded.
    pub fn sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Whether `AGENTS.md` is read where there is no `CLAUDE.md`.
    pub fn agents_md(mut self, agents_md: AgentsMd) -> Self {
        self.agents_md = agents_md;
        self
    }

    /// Which imports may leave the project.
    pub fn imports(mut self, policy: ImportPolicy) -> Self {
        self.imports = policy;
        self
    }

    /// Files to leave out: globs or paths, against the absolute path of a
    /// file or what that path resolves to. A path that names a directory
    /// covers what is below it; `~/` is the home directory; what is relative
    /// and does not start with `**` counts from the working directory. The
    /// administrator's files cannot be left out.
    pub fn excludes<I>(mut self, excludes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.excludes = excludes.into_iter().map(Into::into).collect();
        self
    }

    /// Where excludes are written, such as the path of a settings file: what is
    /// wrong with one is told of that place, and not of the directory in which
    /// the session starts.
    pub fn exclude_places<'a>(mut self, places: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let owned = |(exclude, place): (&str, &str)| (exclude.to_owned(), place.to_owned());
        self.exclude_places = places.map(owned).collect();
        self
    }

    /// The text that the managed settings hold under `claudeMd`.
    pub fn managed_text(mut self, text: impl Into<String>) -> Self {
        self.managed_text = Some(text.into());
        self
    }

    /// Further directories (absolute), each read as the working directory is,
    /// for itself alone, and when to read them.
    pub fn additional_dirs<I>(mut self, dirs: I, when: Additional) -> Self
    where
        I: IntoIterator,
        I::Item: Into<PathBuf>,
    {
        self.additional_dirs = dirs.into_iter().map(Into::into).collect();
        self.additional = when;
        self
    }

    /// The directory of the project's auto memory, with its `MEMORY.md`.
    pub fn auto_memory(mut self, dir: impl Into<PathBuf>) -> Self {
        self.auto_memory = Some(dir.into());
        self
    }

    /// The platform whose rules for paths apply, by default the one this was
    /// built for.
    pub fn platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Sets the agent whose rules decide which files load, by default [`Profile::Claude`]. The
    /// versions of Claude Code set [`Loader::agents_md`].
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
