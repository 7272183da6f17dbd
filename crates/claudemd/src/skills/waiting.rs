//! Skills with `paths`, which wait for a path as rules do.

use std::path::Path;

use super::{SkillFile, Skills};
use crate::MemoryKind;
use crate::discover::profile::Header;
use crate::discover::touch::resolve;
use crate::links::plain_path::plain_path;
use crate::rules::header::PathRule;
use crate::rules::index::RuleIndex;
use crate::setting::Setting;

impl Skills {
    /// Marks the skills with patterns that match none of `paths`, the files that the agent works
    /// on.
    pub(super) fn wait_for(&mut self, paths: &[&Path], setting: &Setting) {
        let globs = setting.loader.profile.globs();
        let waits =
            |it: &&mut SkillFile| !it.paths.is_empty() && !globs.is_for_every_path(&it.paths);
        let mut waiting: Vec<_> = self.skills.iter_mut().filter(waits).collect();
        if waiting.is_empty() {
            return;
        }
        let rule = |(path, base, globs): (&Path, &Path, &[String])| PathRule {
            path: path.to_owned(),
            kind: MemoryKind::Project,
            base: base.to_owned(),
            globs: globs.to_vec(),
            header: Header::Paths,
        };
        let rules: Vec<_> =
            waiting.iter().map(|it| rule((&it.path, &it.base, &it.paths))).collect();
        let index = RuleIndex::new(&rules, globs, setting.loader.platform);
        for skill in &mut waiting {
            skill.is_waiting = true;
        }
        for path in paths {
            // Each path costs calls of the system.
            if waiting.iter().all(|it| !it.is_waiting) {
                return;
            }
            let path = plain_path(&setting.cwd.join(path));
            for at in index.matching(&[&path, &resolve(&path)]).rules {
                waiting[at].is_waiting = false;
            }
        }
    }
}
