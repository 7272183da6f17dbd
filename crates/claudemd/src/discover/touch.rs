//! The files that load when the model reads another file: those in its
//! directories, and the rules that match its path.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::collect::Collector;
use crate::discover::lookup::Lookup;
use crate::discover::nested::{give_rules, nested_dirs, nested_rules, report_fault};
use crate::discover::{self, startup};
use crate::links::plain_path::with_resolved_dir;
use crate::rules::index::RuleIndex;
use crate::{MemoryKind, Mode};

/// Loads the files that concern the model when it reads the file at `path`.
///
/// In order of precedence: the administrator's and the user's matching rules,
/// then files and rules in each directory down to the path, then the project's
/// matching rules that are known from the start.
pub(crate) fn collect(pass: &mut Collector<'_>, path: &Path, lookup: &mut Lookup) {
    if pass.setting.loader.mode == Mode::Off {
        return;
    }
    let resolved = resolve(path);
    let names = [path, resolved.as_path()];
    let loader = &pass.setting.loader;
    let index = match &lookup.rules {
        Some(index) => Arc::clone(index),
        None => {
            let index =
                RuleIndex::new(&pass.session.rules, loader.profile.globs(), loader.platform);
            Arc::clone(lookup.rules.insert(Arc::new(index)))
        }
    };
    let found = index.matching(&names);
    for (rule, fault) in &found.faults {
        let path = pass.session.rules[*rule].path.clone();
        report_fault(pass, &path, fault);
    }
    let matching = found.rules.iter().map(|at| pass.session.rules[*at].clone());
    let (project, own): (Vec<_>, Vec<_>) =
        matching.partition(|rule| rule.kind == MemoryKind::Project);
    give_rules(pass, own);
    if !pass.setting.loader.profile.is_claude() {
        discover::touch(pass, &names, lookup);
        give_rules(pass, project);
        return;
    }
    for dir in nested_dirs(pass, &names) {
        startup::directory(pass, &dir, |pass, rules| {
            nested_rules(pass, rules, &names, lookup);
        });
    }
    give_rules(pass, project);
}

/// Resolves a path's symbolic links; if it does not exist, its directory's. One path alone takes far
/// less than a pass that caches its directories.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| with_resolved_dir(path))
}
