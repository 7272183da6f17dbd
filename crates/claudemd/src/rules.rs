//! Rules directories. A rule without `paths` loads at once; one with `paths`
//! waits until a matching file is touched.

pub(crate) mod activation;
pub(crate) mod base;
pub(crate) mod braces;
pub(crate) mod glob;
pub(crate) mod glob_literals;
pub(crate) mod header;
pub(crate) mod header_keys;
pub(crate) mod index;
pub(crate) mod lazy_glob;
pub(crate) mod other_header;
pub(crate) mod walk;

use std::path::{Path, PathBuf};

use aside_diagnostic::Location;

use crate::candidate::{Candidate, Opened};
use crate::collect::{Collector, Pass};
use crate::discover::profile::{GlobForm, Header};
use crate::kinds;
use crate::render::contents::Contents;
use crate::rules::activation::Activation;
use crate::rules::braces::Budget;
use crate::rules::glob::Pattern;
use crate::rules::header::PathRule;
use crate::{MemoryKind, OperatingSystem, SkipReason};

#[derive(Debug)]
pub(crate) struct RulesDir {
    pub(crate) dir: PathBuf,
    /// Who its rules belong to.
    pub(crate) kind: MemoryKind,
    /// The directory that its rules' patterns are relative to.
    pub(crate) base: PathBuf,
    /// How its rules' names end.
    pub(crate) ending: &'static str,
    /// The front matter that decides when a rule loads.
    pub(crate) header: Header,
}

/// The rules in a directory, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct RulesFound {
    /// Rules for every file.
    pub(crate) always: Vec<PathBuf>,
    /// Rules that wait for a path that they match.
    pub(crate) waiting: Vec<PathRule>,
}

impl RulesDir {
    /// Returns a directory with rules of Claude Code.
    pub(crate) fn new(dir: PathBuf, kind: MemoryKind, base: PathBuf) -> Self {
        Self { dir, kind, base, ending: ".md", header: Header::Paths }
    }

    /// Returns true if a file with this name is a rule.
    ///
    /// A name that is only the ending, such as `.md`, is not a rule.
    pub(crate) fn has_rule(&self, path: &Path) -> bool {
        let name = path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
        let stem = name.and_then(|name| name.strip_suffix(self.ending.as_bytes()));
        stem.is_some_and(|stem| !stem.is_empty())
    }

    /// Returns the candidate for a rule in this directory.
    pub(crate) fn candidate(&self, path: PathBuf, pass: &Collector<'_>) -> Candidate {
        Candidate {
            rule: true,
            header: self.header,
            above: pass.above(&self.base),
            ..Candidate::new(path, self.kind, pass.reason())
        }
    }
}

impl Collector<'_> {
    /// Loads the rules without `paths`. The others wait for a path that they
    /// match until the session ends.
    pub(crate) fn start_rules(&mut self, rules: &RulesDir) {
        let found = self.rules(rules);
        self.session.rules.extend(found.waiting);
    }

    /// Loads the rules without `paths`, and returns all rules that were found.
    pub(crate) fn rules(&mut self, rules: &RulesDir) -> RulesFound {
        let mut found = RulesFound::default();
        self.walk_rules(rules, &mut |pass, candidate| {
            pass.rule(rules, candidate, &mut found);
        });
        found
    }

    /// Reads a rule, and loads it or adds it to the waiting ones.
    fn rule(&mut self, rules: &RulesDir, candidate: Candidate, found: &mut RulesFound) {
        let Ok(opened) = self.open(candidate) else {
            return;
        };
        let path = opened.candidate.path.clone();
        for fault in &opened.contents.rule_faults {
            self.report(fault.at(&path));
        }
        match opened.contents.activation {
            Activation::Always => {
                found.always.push(path);
                self.give(opened);
            }
            Activation::OnRequest => self.skip(&opened.candidate, SkipReason::OnRequest),
            Activation::Manual => self.skip(&opened.candidate, SkipReason::Manual),
            Activation::Paths => self.add_waiting(rules, opened, found),
        }
    }

    /// Adds a rule to the waiting ones, unless it is one that was known from the
    /// start under another name, relative to another directory. Reports its
    /// invalid patterns.
    fn add_waiting(&mut self, rules: &RulesDir, opened: Opened, found: &mut RulesFound) {
        let Opened { candidate: Candidate { path, .. }, given, .. } = opened;
        let ids = &mut self.session.rule_ids;
        let is_new = match self.pass {
            Pass::Start(_) => ids.insert(given.id),
            Pass::Touch(_) => !ids.contains(&given.id),
        };
        if is_new {
            self.check_patterns(&path, &opened.contents);
            found.waiting.push(PathRule {
                path,
                kind: rules.kind,
                base: rules.base.clone(),
                globs: opened.contents.globs.clone(),
                header: rules.header,
            });
        }
    }

    /// Reports a rule's patterns that are no globs.
    fn check_patterns(&mut self, path: &Path, contents: &Contents) {
        let platform = self.setting.loader.platform;
        let form = self.setting.loader.profile.globs();
        for (glob, message) in bad_patterns(&contents.globs, form, platform, &mut self.patterns) {
            let place = Location::new(path).line(contents.line_of(glob));
            self.report(kinds::BAD_PATTERN.diagnostic(message).at(place));
        }
    }
}

/// Returns the patterns that are no globs, each with a message, and the first that is over the
/// budget.
pub(crate) fn bad_patterns<'a>(
    globs: &'a [String],
    form: GlobForm,
    platform: OperatingSystem,
    budget: &mut Budget,
) -> Vec<(&'a str, String)> {
    let mut bad = Vec::new();
    for glob in globs {
        let spent = budget.is_spent();
        let parsed = Pattern::expand(glob, form, platform, budget)
            .and_then(|pattern| pattern.check(platform));
        if let Err(fault) = parsed {
            let message = format!("bad pattern {glob}, which matches nothing: {fault}");
            bad.push((&**glob, message));
        }
        if spent {
            break;
        }
    }
    bad
}
