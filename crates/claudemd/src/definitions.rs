//! Directories with skills and agents, by precedence.

use std::path::{Path, PathBuf};

use aside_diagnostic::{Diagnostic, Kind};
use aside_user_files::open::{DirEntry, Fence};

use crate::links::plain_path::plain_path;
use crate::setting::Setting;
use crate::{Loader, Mode, Plugin, kinds};

/// How many entries to read in one directory.
const MAX_ENTRIES: usize = 10_000;

/// A directory with skills or agents. It need not exist.
pub(crate) struct DefinitionDir {
    pub(crate) path: PathBuf,
    /// The directory that the patterns of its skills are relative to.
    pub(crate) base: PathBuf,
    /// Where its links may lead.
    pub(crate) fence: Fence,
    /// The name of the plugin that it is in.
    pub(crate) plugin: Option<String>,
}

impl Loader {
    /// Returns the directories at `places`, such as `.claude/skills`: those of the
    /// working directory, of every directory above it up to the root of the
    /// repository, of the additional directories, of the user, and of the user's
    /// plugins. The first place is also looked for in the configuration directory and
    /// in each plugin, without `.claude`.
    pub(crate) fn definition_dirs(&self, setting: &Setting, places: &[&str]) -> Vec<DefinitionDir> {
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
        let mut add = |path: PathBuf, base: &Path, fence: &Fence| {
            if dirs.iter().all(|known| known.path != path) {
                let (base, fence) = (base.to_owned(), fence.clone());
                dirs.push(DefinitionDir { path, base, fence, plugin: None });
            }
        };
        for base in bases {
            let base = plain_path(&cwd.join(base));
            let fence = match setting.additional_dir_of(&base) {
                Some(dir) => fence.clone().with_dir(&dir),
                None => fence.clone(),
            };
            for place in places {
                add(plain_path(&base.join(place)), &base, &fence);
            }
        }
        for dir in self.user_definition_dirs(places) {
            add(dir, root, &Fence::default().approve_everything());
        }
        let first = places.first().into_iter();
        dirs.extend(first.flat_map(|place| self.plugin_dirs(place, root)));
        dirs
    }

    /// Returns the directories of the user's plugins at this place. Their patterns are relative to
    /// `base`.
    pub(crate) fn plugin_dirs(&self, place: &str, base: &Path) -> Vec<DefinitionDir> {
        if self.mode != Mode::Full || !self.sources.user {
            return Vec::new();
        }
        let name = Path::new(place).file_name().unwrap_or_default();
        // Others wrote the plugin, so its links may not lead out of it.
        let dir = |plugin: &Plugin| DefinitionDir {
            path: plugin.path.join(name),
            base: base.to_owned(),
            fence: Fence::around([&plugin.path]),
            plugin: Some(plugin.name.clone()),
        };
        self.plugins.iter().map(dir).collect()
    }

    /// Returns the user's directories at `places`.
    pub(crate) fn user_definition_dirs(&self, places: &[&str]) -> Vec<PathBuf> {
        if self.mode != Mode::Full || !self.sources.user {
            return Vec::new();
        }
        let first = places.first().and_then(|place| Path::new(place).file_name());
        let config = self.dirs.config.iter().zip(first);
        let config = config.map(|(config, name)| config.join(name));
        let home = self.dirs.home.iter();
        let home = home.flat_map(|home| places.iter().skip(1).map(|place| home.join(place)));
        config.chain(home).collect()
    }
}

impl DefinitionDir {
    /// Returns the name of a definition in this directory: one of a plugin begins with
    /// the name of the plugin.
    pub(crate) fn full_name(&self, name: String) -> String {
        match &self.plugin {
            Some(plugin) => format!("{plugin}:{name}"),
            None => name,
        }
    }

    /// Lists this directory or one below it, sorted by name. If it cannot be listed, a diagnostic
    /// with the kind `unreadable` says so.
    pub(crate) fn entries(
        &self,
        path: &Path,
        unreadable: Kind,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<DirEntry> {
        let opened = self.fence.open_dir(path);
        let entries = match opened.and_then(|dir| dir.entries(MAX_ENTRIES)) {
            Ok(entries) => entries,
            Err(error) => {
                if !error.is_missing() {
                    let fault = unreadable.diagnostic(error.message());
                    diagnostics.push(fault.at(path));
                }
                return Vec::new();
            }
        };
        if entries.is_cut {
            let message = format!("only {MAX_ENTRIES} entries are looked at");
            let cut = kinds::TOO_MANY_SKILLS.diagnostic(message);
            diagnostics.push(cut.at(path));
        }
        entries.list
    }
}
