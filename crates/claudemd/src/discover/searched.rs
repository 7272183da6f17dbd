//! The directories in which a session looks for instruction files when it starts.

use std::path::{Path, PathBuf};

use crate::Mode;
use crate::memory::Memory;
use crate::setting::Setting;

impl Memory {
    /// Returns the directories whose files a session starts with.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        if self.setting.loader.mode == Mode::Full {
            dirs.extend(self.ordinary_dirs());
        }
        dirs.extend(self.setting.additional_dirs());
        let notes = self.setting.notes().filter(|_| self.setting.loader.sends_notes());
        dirs.extend(notes.as_deref().and_then(Path::parent).map(Path::to_owned));
        dirs
    }

    /// Returns the same directories as if every option were on, but not that of the notes: of its
    /// files, only the notes could load.
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
