//! Skills with `paths`, which wait for a path as rules do.

use std::collections::{BTreeMap, HashSet};
use std::mem;
use std::path::{Path, PathBuf};

use super::{SkillFile, Skills};
use crate::MemoryKind;
use crate::discover::profile::Header;
use crate::discover::touch::resolve;
use crate::links::plain_path::plain_path;
use crate::rules::header::PathRule;
use crate::rules::index::RuleIndex;
use crate::setting::Setting;

/// The skills with `paths` that were found before, and the files compared with them: each file costs
/// calls of the system, and a released skill stays so although its file is forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleasedSkills {
    /// By file and patterns; true for a released one.
    skills: BTreeMap<(PathBuf, Vec<String>), bool>,
    compared: HashSet<PathBuf>,
}

impl Skills {
    /// Marks the skills with patterns that match none of `paths`, the files that the agent works
    /// on, and matched none before.
    pub(super) fn wait_for(
        &mut self,
        paths: &[&Path],
        released: &mut ReleasedSkills,
        setting: &Setting,
    ) {
        let globs = setting.loader.profile.globs();
        let waits =
            |it: &&mut SkillFile| !it.paths.is_empty() && !globs.is_for_every_path(&it.paths);
        let mut waiting: Vec<_> = self.skills.iter_mut().filter(waits).collect();
        let before = mem::take(released);
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
        let mut is_new = false;
        for skill in &mut waiting {
            let known = before.skills.get(&key(skill));
            is_new |= known.is_none();
            skill.is_waiting = known != Some(&true);
        }
        for path in paths {
            if waiting.iter().all(|it| !it.is_waiting) {
                break;
            }
            if !is_new && before.compared.contains(*path) {
                continue;
            }
            let path = plain_path(&setting.cwd.join(path));
            for at in index.matching(&[&path, &resolve(&path)]).rules {
                waiting[at].is_waiting = false;
            }
        }
        released.skills = waiting.iter().map(|it| (key(it), !it.is_waiting)).collect();
        released.compared = paths.iter().map(|path| path.to_path_buf()).collect();
    }
}

fn key(skill: &SkillFile) -> (PathBuf, Vec<String>) {
    (skill.path.clone(), skill.paths.clone())
}
