//! Many rules' patterns, indexed by their literal first components, so that a
//! touch costs the same in a project with one rule and in one with a thousand.
//!
//! To build the index compiles nothing. A touch compares the path with the
//! literal parts of globs that share its first component or have none, and
//! compiles the globs that fit. A compiled glob is kept for later touches.

use std::collections::HashMap;
use std::path::Path;

use crate::OperatingSystem;
use crate::discover::profile::GlobForm;
use crate::rules::base::{Base, Owner};
use crate::rules::braces::Budget;
use crate::rules::glob::Pattern;
use crate::rules::header::PathRule;

#[cfg(test)]
mod tests;

/// The `paths` of many rules.
#[derive(Debug)]
pub(crate) struct RuleIndex {
    /// One item for each directory that patterns are relative to.
    bases: Vec<Base>,
    form: GlobForm,
    platform: OperatingSystem,
}

/// The rules that match a path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Matching {
    /// The rules' indexes in the list that the index was built from, in its
    /// order.
    pub(crate) rules: Vec<usize>,
    /// Globs that could match but are too large to compile, each with its
    /// rule's index.
    pub(crate) faults: Vec<(usize, String)>,
}

impl RuleIndex {
    /// Indexes rules' patterns.
    ///
    /// Patterns over the limits are left out, and so are, at a touch, those
    /// that do not parse. Their faults were reported when the rules were read.
    pub(crate) fn new(rules: &[PathRule], form: GlobForm, platform: OperatingSystem) -> Self {
        let platform = form.platform(platform);
        let mut bases: Vec<Base> = Vec::new();
        let mut known = Vec::new();
        let mut budget = Budget::default();
        for (rule, path_rule) in rules.iter().enumerate() {
            let dir = path_rule.base.as_os_str();
            let at = bases.iter().position(|base| base.dir() == dir);
            let at = at.unwrap_or_else(|| {
                bases.push(Base::new(path_rule.base.clone()));
                known.push(HashMap::new());
                bases.len() - 1
            });
            for (position, written) in path_rule.globs.iter().enumerate() {
                if let Ok(pattern) = Pattern::expand(written, form, platform, &mut budget) {
                    bases[at].add(rule, position, pattern, &mut known[at], platform);
                }
            }
        }
        Self { bases, form, platform }
    }

    /// Returns the rules that match a file with these names.
    ///
    /// A file has several names if links lead to it; a rule that matches any of
    /// them is returned, once.
    pub(crate) fn matching(&self, names: &[&Path]) -> Matching {
        let mut found = Matching::default();
        let mut owners: Vec<&Owner> = Vec::new();
        for base in &self.bases {
            for path in base.relative(names, self.platform) {
                if self.form == GlobForm::Rooted {
                    base.matching(&path, self.platform, &mut owners, &mut found.faults);
                    continue;
                }
                for part in dirs_and_path(&path) {
                    let mut owners = Vec::new();
                    base.matching(part, self.platform, &mut owners, &mut found.faults);
                    found.rules.extend(decided(owners));
                }
            }
        }
        found.rules.extend(decided(owners));
        found.rules.sort_unstable();
        found.rules.dedup();
        found.faults.sort();
        found.faults.dedup();
        found
    }
}

/// Returns the rules whose last pattern that matches includes the path.
fn decided(mut owners: Vec<&Owner>) -> Vec<usize> {
    owners.sort_by_key(|owner| (owner.rule, owner.position));
    let last_of_rule = owners.chunk_by(|a, b| a.rule == b.rule).filter_map(<[_]>::last);
    last_of_rule.filter(|owner| !owner.negated).map(|owner| owner.rule).collect()
}

/// Returns the directories above a path, each with the slash after it, and the path itself.
fn dirs_and_path(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
    let ends = ends.chain((!path.is_empty()).then_some(path.len()));
    ends.map(|end| &path[..end])
}

#[cfg(test)]
impl RuleIndex {
    /// Returns how many globs were compiled.
    fn compiled(&self) -> usize {
        self.bases.iter().map(Base::compiled).sum()
    }
}
