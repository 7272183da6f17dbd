use std::path::PathBuf;

use walkdir::WalkDir;

use crate::collect::{Candidate, Collector, Pass};
use crate::rule::PathRule;
use crate::{LoadReason, MemoryKind};

/// A directory of rules.
#[derive(Debug)]
pub(crate) struct RulesDir {
    pub(crate) dir: PathBuf,
    pub(crate) kind: MemoryKind,
    /// What the patterns of its rules are relative to.
    pub(crate) base: PathBuf,
}

impl Collector<'_> {
    /// Gives the rules without `paths`, and keeps those with, which wait for
    /// a path that they match.
    pub(crate) fn rules(&mut self, rules: &RulesDir) {
        for path in rule_files(&rules.dir) {
            let candidate = Candidate {
                path,
                kind: rules.kind,
                rule: true,
                reason: match self.pass {
                    Pass::Start(reason) => reason,
                    Pass::Touch(_) => LoadReason::NestedTraversal,
                },
                globs: Vec::new(),
                import: None,
            };
            let Ok(opened) = self.open(candidate) else {
                continue;
            };
            if opened.contents.globs.is_empty() {
                self.give(opened);
            } else {
                self.session.rules.push(PathRule {
                    path: opened.candidate.path,
                    kind: rules.kind,
                    base: rules.base.clone(),
                    globs: opened.contents.globs,
                });
            }
        }
    }
}

/// The rules below `dir`, in the order of their paths.
fn rule_files(dir: &std::path::Path) -> Vec<PathBuf> {
    WalkDir::new(dir)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| !entry.file_type().is_dir())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}
