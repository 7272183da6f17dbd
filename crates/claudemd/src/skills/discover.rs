//! A session's skills: the project's, then the user's.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{ReleasedSkills, Skills};
use crate::agents::Agents;
use crate::definitions::DefinitionDir;
use crate::links::plain_path::plain_path;
use crate::setting::Setting;
use crate::{Loader, Mode, kinds};

/// Where skills are, relative to a project directory or the home.
const PLACES: [&str; 3] = [".claude/skills", ".agents/skills", ".aside/skills"];
/// A skill's file, in its directory.
const FILE: &str = "SKILL.md";
/// How many entries in a directory to check.
const MAX_ENTRIES: usize = 10_000;
/// How many levels of directories to search between the working directory and a path.
const MAX_DEPTH: usize = 64;

impl Loader {
    /// Finds the skills of a session in `cwd`, an absolute path: those of this
    /// directory, of every directory above it up to the root of the repository, of
    /// the additional directories, of the user, and of the user's plugins. The [`Mode`] and the
    /// [`Sources`](crate::Sources) apply as they do to instruction files.
    ///
    /// A link that leads out of the project is followed only if [`Loader::imports`] approves its
    /// target.
    pub fn skills(&self, cwd: &Path) -> Skills {
        let setting = Setting::new(self.clone(), plain_path(cwd));
        self.skills_in(&setting, [], &mut ReleasedSkills::default())
    }

    /// Finds skills as [`Loader::skills`] does, and before them those in the directories below
    /// `cwd` down to each of `paths`, the files that the agent works on; and the agents, as
    /// [`Loader::agents`] does. The repository is looked for once. `released` is what the call before
    /// left; at first it is empty.
    pub fn definitions<'a>(
        self,
        cwd: &Path,
        paths: impl IntoIterator<Item = &'a Path>,
        released: &mut ReleasedSkills,
    ) -> (Skills, Agents) {
        let setting = Setting::new(self, plain_path(cwd));
        let loader = &setting.loader;
        (loader.skills_in(&setting, paths, released), loader.agents_in(&setting))
    }

    fn skills_in<'a>(
        &self,
        setting: &Setting,
        paths: impl IntoIterator<Item = &'a Path>,
        released: &mut ReleasedSkills,
    ) -> Skills {
        let paths: Vec<_> = paths.into_iter().collect();
        let mut dirs = self.nested_skill_dirs(setting, paths.iter().copied());
        dirs.extend(self.definition_dirs(setting, &PLACES));
        let mut skills = Skills::in_dirs(&dirs);
        skills.wait_for(&paths, released, setting);
        skills
    }

    fn nested_skill_dirs<'a>(
        &self,
        setting: &Setting,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Vec<DefinitionDir> {
        if self.mode != Mode::Full || !self.sources.project {
            return Vec::new();
        }
        let (cwd, fence) = (&setting.cwd, setting.fence());
        let mut dirs = BTreeSet::new();
        // Many of the files share a directory.
        let parents = paths.into_iter().filter_map(Path::parent).map(Path::as_os_str);
        for parent in parents.collect::<HashSet<_>>() {
            let parent = plain_path(&cwd.join(parent));
            let below = parent.strip_prefix(cwd).unwrap_or(Path::new(""));
            let between = below.ancestors().take(MAX_DEPTH);
            let between = between.filter(|it| *it != Path::new(""));
            dirs.extend(between.map(Path::to_owned));
        }
        // The deepest directories come first: a nearer skill has precedence.
        let mut dirs: Vec<_> = dirs.into_iter().collect();
        dirs.sort_by_key(|dir| Reverse(dir.components().count()));
        let bases = dirs.iter().map(|dir| cwd.join(dir));
        let places = bases.flat_map(|base| PLACES.map(|place| (base.join(place), base.clone())));
        let dir = |(path, base)| DefinitionDir { path, base, fence: fence.clone(), plugin: None };
        places.map(dir).collect()
    }

    /// Returns the directories of the user's own skills and plugins, which are outside of the
    /// project and need not exist, and the links in them, which lead to skills that are
    /// kept elsewhere.
    pub fn user_skill_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = self.user_definition_dirs(&PLACES);
        let entries = dirs.iter().filter_map(|dir| std::fs::read_dir(dir).ok());
        let paths = entries.flatten().flatten().map(|entry| entry.path());
        let links: Vec<_> = paths.filter(|path| path.is_symlink()).collect();
        dirs.extend(links.into_iter().take(MAX_ENTRIES));
        let plugins = self.plugin_dirs(PLACES[0], Path::new(""));
        dirs.extend(plugins.into_iter().map(|it| it.path));
        dirs
    }
}

impl Skills {
    fn in_dirs(dirs: &[DefinitionDir]) -> Self {
        let mut skills = Self::default();
        for dir in dirs {
            let entries = dir.entries(&dir.path, kinds::SKILLS_UNREADABLE, &mut skills.diagnostics);
            for entry in entries {
                if let Some(file) = file_of(&dir.path.join(&entry.name)) {
                    skills.add(&file, dir);
                }
            }
        }
        skills
    }
}

/// Returns the `SKILL.md` in each directory in `dir`, sorted by name.
pub(super) fn files_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.take(MAX_ENTRIES).filter_map(|entry| file_of(&entry.path()));
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

/// Returns a skill directory's `SKILL.md`, or the file whose name differs in letter case only.
pub(super) fn file_of(dir: &Path) -> Option<PathBuf> {
    let file = dir.join(FILE);
    if file.symlink_metadata().is_ok() {
        return Some(file);
    }
    // A link can lead out of the project: it is not listed.
    dir.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    let entries = std::fs::read_dir(dir).ok()?.flatten().take(MAX_ENTRIES);
    let mut paths = entries.map(|entry| entry.path());
    paths.find(|path| is_miswritten(path))
}

/// Returns true for a file that no session reads because of its name's letter case.
pub(super) fn is_miswritten(path: &Path) -> bool {
    let is_miswritten = |name: &OsStr| name != FILE && name.eq_ignore_ascii_case(FILE);
    path.file_name().is_some_and(is_miswritten)
}
