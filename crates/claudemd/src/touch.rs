use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::kinds;
use crate::lookup::Lookup;
use crate::profile;
use crate::rule::PathRule;
use crate::rule_index::RuleIndex;
use crate::rules::{RulesDir, RulesFound};
use crate::startup;
use crate::{LoadReason, MemoryKind, Mode};

/// How many levels of directories below the working directory are looked at.
const MAX_DEPTH: usize = 64;

/// What was found in the rules directory of a nested directory.
#[derive(Debug)]
pub(crate) struct NestedRules {
    found: RulesFound,
    index: RuleIndex,
}

/// Gives what concerns the model when it reads the file at `path`.
pub(crate) fn collect(pass: &mut Collector<'_>, path: &Path, lookup: &mut Lookup) {
    if pass.setting.loader.mode == Mode::Off {
        return;
    }
    let resolved = resolve(pass, path);
    let names = [path, resolved.as_path()];
    let platform = pass.setting.loader.platform;
    let index = match &lookup.rules {
        Some(index) => Arc::clone(index),
        None => {
            let index = RuleIndex::new(&pass.session.rules, platform);
            report_faults(pass, &index, &pass.session.rules.clone());
            Arc::clone(lookup.rules.insert(Arc::new(index)))
        }
    };
    let matching: Vec<PathRule> = index
        .matching(&names)
        .into_iter()
        .map(|at| pass.session.rules[at].clone())
        .collect();
    let (project, own): (Vec<_>, Vec<_>) = matching
        .into_iter()
        .partition(|rule| rule.kind == MemoryKind::Project);
    give_rules(pass, own);
    if !pass.setting.loader.profile.is_claude() {
        profile::touch(pass, &names, lookup);
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

/// Resolves the symbolic links of a path; of one that does not exist, those of
/// its directory.
fn resolve(pass: &mut Collector<'_>, path: &Path) -> PathBuf {
    if let Ok(resolved) = pass.resolve(path) {
        return resolved;
    }
    match (path.parent(), path.file_name()) {
        (Some(dir), Some(name)) => match pass.resolve(dir) {
            Ok(dir) => dir.join(name),
            Err(_) => path.to_owned(),
        },
        _ => path.to_owned(),
    }
}

/// The directories below the working directory, or below an additional one,
/// down to the file's own.
pub(crate) fn nested_dirs(pass: &mut Collector<'_>, names: &[&Path]) -> Vec<PathBuf> {
    let setting = pass.setting;
    let mut roots = setting.additional_dirs();
    if setting.loader.mode == Mode::Full {
        roots.push(setting.cwd.clone());
    }
    let below = |root: &PathBuf| {
        let resolved = fs::canonicalize(root).unwrap_or_else(|_| root.clone());
        names.iter().find_map(|name| {
            let below = name.strip_prefix(root).or(name.strip_prefix(&resolved));
            Some((root.clone(), below.ok()?.to_owned()))
        })
    };
    // The innermost is the one from which the least is left.
    let innermost = roots.iter().filter_map(below);
    let innermost = innermost.min_by_key(|(_, below)| below.components().count());
    let Some((mut dir, below)) = innermost else {
        return Vec::new();
    };
    let mut dirs = Vec::new();
    for part in &below {
        dir.push(part);
        if dirs.len() == MAX_DEPTH {
            let message = format!("only {MAX_DEPTH} levels of directories are looked at");
            pass.report(kinds::DEEP_DIRECTORY.diagnostic(message).at(dir));
            break;
        }
        // The last part mostly is a file, and what does not exist has nothing
        // below it.
        if !dir.is_dir() {
            break;
        }
        dirs.push(dir.clone());
    }
    dirs
}

/// Gives the rules of a nested directory: those without `paths`, then those
/// that match.
pub(crate) fn nested_rules(
    pass: &mut Collector<'_>,
    rules: &RulesDir,
    names: &[&Path],
    lookup: &mut Lookup,
) {
    let nested = if let Some(nested) = lookup.nested.get(&rules.dir) {
        let nested = Arc::clone(nested);
        for path in &nested.found.always {
            // A rule that is gone has nothing to say.
            let _ = pass.file(rules.candidate(path.clone(), pass));
        }
        nested
    } else {
        let found = pass.rules(rules);
        let index = RuleIndex::new(&found.waiting, pass.setting.loader.platform);
        report_faults(pass, &index, &found.waiting);
        let nested = Arc::new(NestedRules { found, index });
        lookup.nested.insert(rules.dir.clone(), Arc::clone(&nested));
        nested
    };
    let matching = nested.index.matching(names).into_iter();
    give_rules(pass, matching.map(|at| nested.found.waiting[at].clone()));
}

fn give_rules(pass: &mut Collector<'_>, rules: impl IntoIterator<Item = PathRule>) {
    for rule in rules {
        let candidate = Candidate {
            rule: true,
            header: rule.header,
            above: pass.above(&rule.base),
            globs: rule.globs,
            ..Candidate::new(rule.path, rule.kind, LoadReason::PathGlobMatch)
        };
        let _ = pass.file(candidate);
    }
}

fn report_faults(pass: &mut Collector<'_>, index: &RuleIndex, rules: &[PathRule]) {
    for (rule, fault) in &index.faults {
        let message = format!("bad pattern, which matches nothing: {fault}");
        let path = &rules[*rule].path;
        pass.report(kinds::BAD_PATTERN.diagnostic(message).at(path));
    }
}
