//! Many patterns compiled into few sets, so that a touch costs the same in a
//! project with one rule and in one with a thousand.

use std::path::{Path, PathBuf};

use globset::{Candidate, Glob, GlobSet};

use crate::OperatingSystem;
use crate::glob::{Budget, Pattern};
use crate::rule::PathRule;

/// The number of globs in one set, unless the set becomes too large.
const GLOBS_PER_SET: usize = 1_024;

/// The compiled `paths` of many rules. Finding the rules that match a path
/// costs the same for one rule as for a thousand.
#[derive(Debug, Default)]
pub(crate) struct RuleIndex {
    /// One item for each directory that patterns are relative to.
    bases: Vec<Base>,
    /// `None` in the default index, which has no rules.
    platform: Option<OperatingSystem>,
    /// Patterns that could not be compiled, each with the index of its rule.
    pub(crate) faults: Vec<(usize, String)>,
}

/// The rules whose patterns are relative to the same directory.
#[derive(Debug)]
struct Base {
    /// The directory as the rules name it.
    dir: PathBuf,
    /// `dir` with symbolic links resolved.
    resolved: PathBuf,
    /// The compiled globs. The owners of a set are in the order of its globs.
    sets: Vec<(GlobSet, Vec<Owner>)>,
}

/// The pattern and the rule that a glob belongs to.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// The index of the rule in the list that the index was built from.
    rule: usize,
    /// The position of the pattern in the rule, by which the last match is
    /// found.
    pattern: usize,
    /// True if the pattern excludes paths.
    negated: bool,
}

impl RuleIndex {
    /// Compiles the patterns of rules, one set for each directory that they are
    /// relative to.
    ///
    /// Patterns that do not parse are left out. A pattern that parses and
    /// cannot be compiled alone is a fault.
    pub(crate) fn new(rules: &[PathRule], platform: OperatingSystem) -> Self {
        let mut index = Self {
            platform: Some(platform),
            ..Self::default()
        };
        let mut globs: Vec<(PathBuf, Vec<(Glob, Owner)>)> = Vec::new();
        let mut budget = Budget::default();
        for (rule, path_rule) in rules.iter().enumerate() {
            for (pattern, written) in path_rule.globs.iter().enumerate() {
                // The fault of the pattern was reported when the rule was read.
                let Ok(parsed) = Pattern::parse(written, platform, &mut budget) else {
                    continue;
                };
                let owner = Owner {
                    rule,
                    pattern,
                    negated: parsed.negated,
                };
                let owned = parsed.globs.into_iter().map(|glob| (glob, owner));
                match globs.iter_mut().find(|(dir, _)| *dir == path_rule.base) {
                    Some((_, globs)) => globs.extend(owned),
                    None => globs.push((path_rule.base.clone(), owned.collect())),
                }
            }
        }
        for (dir, globs) in globs {
            let mut sets = Vec::new();
            for globs in globs.chunks(GLOBS_PER_SET) {
                index.compile(globs, &mut sets);
            }
            index.bases.push(Base {
                resolved: std::fs::canonicalize(&dir).unwrap_or_else(|_| dir.clone()),
                dir,
                sets,
            });
        }
        index
    }

    /// Compiles globs to as few sets as the size limit allows.
    ///
    /// A list that is too large is halved until its parts fit.
    fn compile(&mut self, globs: &[(Glob, Owner)], sets: &mut Vec<(GlobSet, Vec<Owner>)>) {
        match GlobSet::new(globs.iter().map(|(glob, _)| glob)) {
            Ok(set) => sets.push((set, globs.iter().map(|(_, owner)| *owner).collect())),
            Err(_) if globs.len() > 1 => {
                let (left, right) = globs.split_at(globs.len() / 2);
                self.compile(left, sets);
                self.compile(right, sets);
            }
            Err(error) => {
                for (_, owner) in globs {
                    self.faults.push((owner.rule, error.to_string()));
                }
            }
        }
    }

    /// Returns the rules that match a file with these names, in the order of
    /// the rules.
    ///
    /// A file has several names if links lead to it; a rule that matches any of
    /// them is returned, once. The result holds indexes into the list of rules.
    pub(crate) fn matching(&self, names: &[&Path]) -> Vec<usize> {
        let mut matching: Vec<Owner> = Vec::new();
        for base in &self.bases {
            for relative in base.relative(names, self.platform.unwrap_or(OperatingSystem::CURRENT))
            {
                let candidate = Candidate::from_bytes(&relative);
                for (set, owners) in &base.sets {
                    let glob_indexes = set.matches_candidate(&candidate);
                    matching.extend(glob_indexes.into_iter().map(|index| owners[index]));
                }
            }
        }
        // Of the patterns of a rule, the last one that matches decides.
        matching.sort_by_key(|owner| (owner.rule, owner.pattern));
        let last_of_rule = matching
            .chunk_by(|a, b| a.rule == b.rule)
            .filter_map(<[_]>::last);
        last_of_rule
            .filter(|owner| !owner.negated)
            .map(|owner| owner.rule)
            .collect()
    }
}

impl Base {
    /// Returns the names of a file relative to this directory, each once.
    ///
    /// A name that is not below the directory gives none.
    fn relative(&self, names: &[&Path], platform: OperatingSystem) -> Vec<Vec<u8>> {
        let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let mut relative = Vec::new();
        for base in [&self.dir, &self.resolved] {
            for name in names {
                relative.extend(platform.relative(&bytes(base), &bytes(name)));
            }
        }
        relative.sort();
        relative.dedup();
        relative
    }
}
