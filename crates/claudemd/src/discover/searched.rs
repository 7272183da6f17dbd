//! The directories in which a session looks for instruction files when it starts.

use std::path::{Path, PathBuf};

use crate::Mode;
use crate::discover::name_pattern::recursive;
use crate::discover::picked::dirs_of;
use crate::discover::profile::{Place, Step};
use crate::memory::Memory;
use crate::setting::Setting;

impl Memory {
    /// Returns the directories whose files a session starts with.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        let loader = &self.setting.loader;
        if !loader.profile.is_claude() {
            return self.dirs_of_steps();
        }
        let mut dirs = self.enabled_dirs();
        let notes = self.setting.notes().filter(|_| loader.sends_notes());
        dirs.extend(notes.as_deref().and_then(Path::parent).map(Path::to_owned));
        dirs
    }

    /// Returns each directory of another agent's table once. Those of the user are named in full,
    /// such as `~/.codex`, since the home itself is not searched.
    fn dirs_of_steps(&self) -> Vec<PathBuf> {
        let Setting { loader, .. } = &*self.setting;
        let steps = loader.profile.facts().steps.iter().filter(|_| loader.mode == Mode::Full);
        let dirs = |step: &Step| {
            let dirs = dirs_of(step.place, &self.setting);
            if step.place != Place::Home {
                return dirs;
            }
            let names = step.names.iter().filter_map(|name| match recursive(name) {
                Some((below, _)) => Some(Path::new(below)),
                None => Path::new(name).parent(),
            });
            names.flat_map(|below| dirs.iter().map(move |home| home.join(below))).collect()
        };
        let mut found = Vec::new();
        for dir in steps.flat_map(dirs) {
            if !found.contains(&dir) {
                found.push(dir);
            }
        }
        found
    }

    /// Returns the directories of Claude Code that no option switches off, without that of the
    /// notes: of its files, only the notes could load.
    pub(super) fn enabled_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        if self.setting.loader.mode == Mode::Full {
            dirs.extend(self.ordinary_dirs());
        }
        dirs.extend(self.setting.additional_dirs());
        dirs
    }

    /// Returns the same directories as if every option were on.
    pub(super) fn known_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = self.ordinary_dirs();
        dirs.extend(self.setting.all_additional_dirs());
        dirs
    }

    fn ordinary_dirs(&self) -> Vec<PathBuf> {
        let Setting { loader, cwd, .. } = &*self.setting;
        let mut ancestors: Vec<_> = cwd.ancestors().map(Path::to_owned).collect();
        ancestors.reverse();
        let above = [loader.dirs.managed.clone(), loader.dirs.config.clone()];
        above.into_iter().flatten().chain(ancestors).collect()
    }

    /// Returns why a directory is not searched.
    pub(super) fn off(&self) -> &'static str {
        match self.setting.loader.mode {
            Mode::Full => "additional directories are not searched",
            Mode::Bare => "only additional directories are read",
            Mode::Off => "no instruction file is read",
        }
    }
}
