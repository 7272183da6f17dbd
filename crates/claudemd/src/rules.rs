use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::candidate::Candidate;
use crate::collect::{Collector, Pass};
use crate::glob::Pattern;
use crate::read::FileId;
use crate::rule::PathRule;
use crate::{Diagnostic, MemoryKind, Severity, SkipReason};

/// How many files and directories of one rules directory are looked at.
const MOST_ENTRIES: usize = 100_000;

/// A directory of rules.
#[derive(Debug)]
pub(crate) struct RulesDir {
    pub(crate) dir: PathBuf,
    pub(crate) kind: MemoryKind,
    /// What the patterns of its rules are relative to.
    pub(crate) base: PathBuf,
}

/// What a directory of rules holds, in the order of the paths.
#[derive(Debug, Default)]
pub(crate) struct RulesFound {
    /// Rules for every file.
    pub(crate) always: Vec<PathBuf>,
    /// Rules that wait for a path that they match.
    pub(crate) waiting: Vec<PathRule>,
}

/// What the walk of a rules directory has found.
#[derive(Debug)]
struct RuleFile {
    path: PathBuf,
    listed: bool,
}

impl RulesDir {
    pub(crate) fn candidate(&self, path: PathBuf, pass: &Collector<'_>) -> Candidate {
        Candidate {
            rule: true,
            ..Candidate::new(path, self.kind, pass.reason())
        }
    }
}

impl Collector<'_> {
    /// Gives the rules without `paths`, and returns what was found.
    pub(crate) fn rules(&mut self, rules: &RulesDir) -> RulesFound {
        let mut found = RulesFound::default();
        for RuleFile { path, listed } in self.rule_files(rules) {
            let candidate = Candidate {
                listed,
                ..rules.candidate(path, self)
            };
            let Ok(opened) = self.open(candidate) else {
                continue;
            };
            let path = opened.candidate.path.clone();
            if opened.contents.globs.is_empty() {
                found.always.push(path);
                self.give(opened);
            } else if self.is_new_rule(opened.given.id) {
                self.check_patterns(&path, &opened.contents.globs);
                found.waiting.push(PathRule {
                    path,
                    kind: rules.kind,
                    base: rules.base.clone(),
                    globs: opened.contents.globs,
                });
            }
        }
        found
    }

    /// Whether a rule that waits is not among those known from the start,
    /// under another name and relative to another directory.
    fn is_new_rule(&mut self, id: FileId) -> bool {
        match self.pass {
            Pass::Start(_) => self.session.rule_ids.insert(id),
            Pass::Touch(_) => !self.session.rule_ids.contains(&id),
        }
    }

    fn check_patterns(&mut self, path: &Path, globs: &[String]) {
        for glob in globs {
            let spent = self.patterns.is_spent();
            let parsed = Pattern::parse(glob, self.setting.loader.platform, &mut self.patterns);
            if let Err(fault) = parsed {
                self.report(Diagnostic {
                    severity: Severity::Warning,
                    path: path.to_owned(),
                    line: None,
                    message: format!("bad pattern {glob}, which matches nothing: {fault}"),
                });
            }
            if spent {
                return;
            }
        }
    }

    /// The rules in a directory and below it, in the order of their paths.
    fn rule_files(&mut self, rules: &RulesDir) -> Vec<RuleFile> {
        let mut files = Vec::new();
        let mut entries = WalkDir::new(&rules.dir)
            .follow_links(true)
            .sort_by_file_name()
            .into_iter();
        // Links can make a tree endless without making it a loop.
        let mut dirs: HashMap<PathBuf, PathBuf> = HashMap::new();
        let mut count = 0;
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.report_walk(rules, &error);
                    continue;
                }
            };
            count += 1;
            if count > MOST_ENTRIES {
                let limit = format!("{MOST_ENTRIES} files in a rules directory");
                let candidate = rules.candidate(entry.into_path(), self);
                self.skip(&candidate, SkipReason::OverLimit { limit });
                break;
            }
            if !entry.file_type().is_dir() {
                if entry.path().extension().is_some_and(|end| end == "md") {
                    files.push(RuleFile {
                        listed: entry.file_type().is_file() && !entry.path_is_symlink(),
                        path: entry.into_path(),
                    });
                }
                continue;
            }
            let Ok(resolved) = fs::canonicalize(entry.path()) else {
                continue;
            };
            let candidate = rules.candidate(entry.path().to_owned(), self);
            if entry.path_is_symlink() && rules.dir.starts_with(&resolved) {
                self.skip(&candidate, link_loop(&resolved));
                entries.skip_current_dir();
            } else if let Some(path) = dirs.insert(resolved, entry.into_path()) {
                self.skip(&candidate, SkipReason::AlreadyLoaded { path });
                entries.skip_current_dir();
            }
        }
        files
    }

    fn report_walk(&mut self, rules: &RulesDir, error: &walkdir::Error) {
        use std::io::ErrorKind::{NotADirectory, NotFound};

        let path = error.path().unwrap_or(&rules.dir);
        let kind = error.io_error().map(std::io::Error::kind);
        let link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let reason = match (error.loop_ancestor(), kind) {
            (Some(ancestor), _) => link_loop(ancestor),
            (_, Some(NotFound)) if link => SkipReason::Unreadable {
                error: "link that leads nowhere".to_owned(),
            },
            // There is no such directory, or no longer.
            (_, Some(NotFound | NotADirectory)) => return,
            (_, _) => SkipReason::Unreadable {
                error: match error.io_error() {
                    Some(error) => error.to_string(),
                    None => error.to_string(),
                },
            },
        };
        self.skip(&rules.candidate(path.to_owned(), self), reason);
    }
}

fn link_loop(to: &Path) -> SkipReason {
    SkipReason::Unreadable {
        error: format!("link that leads back to {}", to.display()),
    }
}
