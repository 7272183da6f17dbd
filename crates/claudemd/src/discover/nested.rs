//! The directories and rules below the working directory.
//!
//! These files load when the model reads a file near them, so a large tree
//! costs nothing until then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::discover::lookup::{Lookup, NestedRules};
use crate::kinds;
use crate::rules::RulesDir;
use crate::rules::header::PathRule;
use crate::rules::index::RuleIndex;
use crate::{LoadReason, Mode};

/// How many levels of directories to search below the working directory.
pub(crate) const MAX_DEPTH: usize = 64;

/// Returns the directories below the working directory, or below an additional
/// one, down to the file's.
///
/// With the working directory `/p`, the file `/p/a/b/c.rs` gives `/p/a` and
/// `/p/a/b`. The working directory is not in the list, since its files load at
/// the start. `names` are one file's paths; the file is below a root if one of
/// them is. A list that is too long is cut, and reported.
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
    // The innermost root is the one with the shortest remainder.
    let innermost =
        roots.iter().filter_map(below).min_by_key(|(_, below)| below.components().count());
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
        // The last part usually is a file, and nothing is below a path that
        // does not exist.
        if !dir.is_dir() {
            break;
        }
        dirs.push(dir.clone());
    }
    dirs
}

/// Loads a nested directory's rules: those without `paths`, then those that
/// match.
///
/// The directory is listed and its patterns are indexed at the first touch;
/// `lookup` keeps both for later ones.
pub(crate) fn nested_rules(
    pass: &mut Collector<'_>,
    rules: &RulesDir,
    names: &[&Path],
    lookup: &mut Lookup,
) {
    let nested = if let Some(nested) = lookup.nested.get(&rules.dir) {
        let nested = Arc::clone(nested);
        for path in &nested.found.always {
            // A rule that was removed needs no report.
            pass.file(rules.candidate(path.clone(), pass));
        }
        nested
    } else {
        let found = pass.rules(rules);
        let loader = &pass.setting.loader;
        let index = RuleIndex::new(&found.waiting, loader.profile.globs(), loader.platform);
        let nested = Arc::new(NestedRules { found, index });
        lookup.nested.insert(rules.dir.clone(), Arc::clone(&nested));
        nested
    };
    let found = nested.index.matching(names);
    for (rule, fault) in &found.faults {
        report_fault(pass, &nested.found.waiting[*rule].path, fault);
    }
    let matching = found.rules.into_iter();
    give_rules(pass, matching.map(|at| nested.found.waiting[at].clone()));
}

/// Loads the rules that match the touched path.
///
/// A rule that the model has is given again only if its bytes have changed.
pub(crate) fn give_rules(pass: &mut Collector<'_>, rules: impl IntoIterator<Item = PathRule>) {
    for rule in rules {
        let candidate = Candidate {
            rule: true,
            header: rule.header,
            above: pass.above(&rule.base),
            globs: rule.globs,
            ..Candidate::new(rule.path, rule.kind, LoadReason::PathGlobMatch)
        };
        pass.file(candidate);
    }
}

/// Reports a pattern in the rule at `path` that is too large to compile.
pub(crate) fn report_fault(pass: &mut Collector<'_>, path: &Path, fault: &str) {
    let message = format!("bad pattern, which matches nothing: {fault}");
    pass.report(kinds::BAD_PATTERN.diagnostic(message).at(path));
}
