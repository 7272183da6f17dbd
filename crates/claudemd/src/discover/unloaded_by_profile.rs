//! Why a file is not loaded, by another agent's tables.

use std::path::Path;

use crate::Mode;
use crate::discover::picked::{dirs_of, shadowing};
use crate::discover::profile::{Place, Step};
use crate::discover::unloaded::{USER_FILES_OFF, Unloaded, UnloadedReason};
use crate::memory::Memory;

impl Memory {
    /// Returns the files in the home that another agent reads and that are not loaded.
    pub(super) fn unloaded_of_user(&self) -> Vec<Unloaded> {
        let loader = &self.setting.loader;
        let Some(home) = loader.dirs.home.as_deref().filter(|_| loader.mode == Mode::Full) else {
            return Vec::new();
        };
        let steps = loader.profile.facts().steps.iter().filter(|step| step.place == Place::Home);
        let names = steps.flat_map(|step| step.names);
        let existing = names.filter(|name| home.join(name).is_file());
        let unloaded = existing.map(|name| Unloaded {
            path: home.join(name),
            reason: if loader.sources.user {
                self.reason_of_profile(home, name)
            } else {
                UnloadedReason::SwitchedOff { option: USER_FILES_OFF }
            },
        });
        unloaded.collect()
    }

    /// Returns the reason for a file with this name, relative to `dir`.
    pub(super) fn reason_of_profile(&self, dir: &Path, name: &str) -> UnloadedReason {
        let profile = self.setting.loader.profile;
        let is_below = self.is_below(dir);
        let facts = profile.facts();
        let is_loaded = |path: &Path| self.files().iter().any(|it| it.path == path);
        let file = (dir, name);
        let by = if is_below {
            let dirs = [dir.to_owned()];
            facts.nested.iter().find_map(|step| shadowing(step, &dirs, file, is_loaded))
        } else {
            let dirs = |step: &Step| dirs_of(step.place, &self.setting);
            facts.steps.iter().find_map(|step| shadowing(step, &dirs(step), file, is_loaded))
        };
        match by {
            Some(by) => UnloadedReason::Shadowed { by },
            None if is_below && facts.nested.iter().any(|step| step.reads(name)) => {
                UnloadedReason::BelowWorkingDirectory
            }
            None if is_below && profile.reads_where_it_starts(name) => {
                UnloadedReason::OtherStart { agent: profile.agent() }
            }
            None => UnloadedReason::NotRead { agent: profile.agent() },
        }
    }
}
