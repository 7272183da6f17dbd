//! Directories with skills and agents, by precedence.

use std::path::{Path, PathBuf};

use aside_diagnostic::{Diagnostic, Kind};
use aside_user_files::open::{DirEntry, Fence};

use crate::links::plain_path::plain_path;
use crate::setting::Setting;
use crate::{Loader, Mode, kinds};

/// How many entries to read in one directory.
const MAX_ENTRIES: usize = 10_000;

/// A directory with skills or agents. It need not exist.
pub(crate) struct DefinitionDir {
    pub(crate) path: PathBuf,
    /// Where its links may lead.
    pub(crate) fence: Fence,
}

impl Loader {
    /// Returns the directories at `places`, such as `.claude/skills`: in the working directory, in
    /// every directory above it up to the repository's root, in additional directories, and the
    /// user's. The first place is also looked for in the configuration directory, without
    /// `.claude`.
    pub(crate) fn definition_dirs(&self, cwd: &Path, places: &[&str]) -> Vec<DefinitionDir> {
        let setting = Setting::new(self.clone(), plain_path(cwd));
        let (cwd, root) = (&setting.cwd, &setting.root);
        let mut bases = Vec::new();
        if self.mode == Mode::Full && self.sources.project {
            bases.extend(cwd.ancestors().take_while(|dir| dir.starts_with(root)));
        }
        if self.mode != Mode::Off {
            bases.extend(self.additional_dirs.iter().map(PathBuf::as_path));
        }
        let fence = setting.fence();
        let mut dirs: Vec<DefinitionDir> = Vec::new();
        let mut add = |path: PathBuf, fence: &Fence| {
            if dirs.iter().all(|known| known.path != path) {
                let fence = fence.clone();
                dirs.push(DefinitionDir { path, fence });
            }
        };
        for base in bases {
            for place in places {
                add(plain_path(&cwd.join(base).join(place)), &fence);
            }
        }
        for dir in self.user_definition_dirs(places) {
            add(dir, &Fence::default().approve_everything());
        }
        dirs
    }

    /// Returns the user's directories at `places`.
    pub(crate) fn user_definition_dirs(&self, places: &[&str]) -> Vec<PathBuf> {
        if self.mode != Mode::Full || !self.sources.user {
            return Vec::new();
        }
        let first = places
            .first()
            .and_then(|place| Path::new(place).file_name());
        let config = self.dirs.config.iter().zip(first);
        let config = config.map(|(config, name)| config.join(name));
        let home = self.dirs.home.iter();
        let home = home.flat_map(|home| places.iter().skip(1).map(|place| home.join(place)));
        config.chain(home).collect()
    }
}

impl DefinitionDir {
    /// Lists the directory, sorted by name. If it cannot be listed, a diagnostic with the kind
    /// `unreadable` says so.
    pub(crate) fn entries(
        &self,
        unreadable: Kind,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<DirEntry> {
        let opened = self.fence.open_dir(&self.path);
        let entries = match opened.and_then(|dir| dir.entries(MAX_ENTRIES)) {
            Ok(entries) => entries,
            Err(error) => {
                if !error.is_missing() {
                    let fault = unreadable.diagnostic(error.message());
                    diagnostics.push(fault.at(&self.path));
                }
                return Vec::new();
            }
        };
        if entries.is_cut {
            let message = format!("only {MAX_ENTRIES} entries are looked at");
            let cut = kinds::TOO_MANY_SKILLS.diagnostic(message);
            diagnostics.push(cut.at(&self.path));
        }
        entries.list
    }
}
