use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::contents::Contents;
use crate::given::{self, Given};
use crate::memory::{Session, Setting};
use crate::read::{self, Fault, FileId, FileText, Location};
use crate::{Diagnostic, LoadReason, MemoryFile, MemoryKind, Severity, SkipReason, Skipped};

/// More characters than this in one file are worth a warning.
const LONG: usize = 40_000;
/// How many bytes one start-up, or one touch, reads at most.
const BUDGET: usize = 64 * 1024 * 1024;

/// One pass over files that may concern the model.
pub(crate) struct Collector<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) session: &'a mut Session,
    pub(crate) pass: Pass<'a>,
    found: Vec<MemoryFile>,
    seen: HashSet<FileId>,
    resolved_dirs: HashMap<PathBuf, PathBuf>,
    read: usize,
}

/// What occasions a pass.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a> {
    /// A session starts, or starts over; with the reason to give.
    Start(LoadReason),
    /// A path was touched.
    Touch(&'a Path),
}

/// A file to look for.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) kind: MemoryKind,
    pub(crate) rule: bool,
    pub(crate) reason: LoadReason,
    pub(crate) globs: Vec<String>,
    pub(crate) import: Option<Import>,
}

/// How an imported file was come by.
#[derive(Clone)]
pub(crate) struct Import {
    pub(crate) parent: PathBuf,
    pub(crate) line: usize,
}

/// A candidate that exists.
pub(crate) struct Opened {
    pub(crate) candidate: Candidate,
    pub(crate) contents: Contents,
    disk: String,
    given: Given,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(setting: &'a Setting, session: &'a mut Session, pass: Pass<'a>) -> Self {
        Self {
            setting,
            session,
            pass,
            found: Vec::new(),
            seen: HashSet::new(),
            resolved_dirs: HashMap::new(),
            read: 0,
        }
    }

    pub(crate) fn finish(self) -> Vec<MemoryFile> {
        self.found
    }

    /// Gives the file to the model, if it is there and has something new to
    /// say. Says whether it is there.
    pub(crate) fn file(&mut self, candidate: Candidate) -> bool {
        match self.open(candidate) {
            Ok(opened) => {
                self.give(opened);
                true
            }
            Err(Absence::Missing) => false,
            Err(Absence::Skipped) => true,
        }
    }

    /// Reads a file, without giving it to anybody.
    pub(crate) fn open(&mut self, candidate: Candidate) -> Result<Opened, Absence> {
        match self.read(&candidate) {
            Ok((resolved, file)) => {
                self.read += file.text.len();
                Ok(Opened {
                    contents: Contents::of(&file.text),
                    given: Given {
                        path: candidate.path.clone(),
                        resolved,
                        id: file.id,
                        fingerprint: given::fingerprint(file.text.as_bytes()),
                    },
                    disk: file.text,
                    candidate,
                })
            }
            Err(Fault::Missing) => Err(Absence::Missing),
            Err(Fault::Skip(reason)) => {
                self.skip(&candidate, reason);
                Err(Absence::Skipped)
            }
        }
    }

    fn read(&mut self, candidate: &Candidate) -> Result<(PathBuf, FileText), Fault> {
        let path = &candidate.path;
        let resolved = match read::locate(path)? {
            Location::Here => self.resolve(path),
            Location::Linked(resolved) => resolved,
        };
        if self.read > BUDGET {
            let limit = "64 MiB read at once".to_owned();
            return Err(Fault::Skip(SkipReason::OverLimit { limit }));
        }
        let file = read::text(path, &resolved)?;
        Ok((resolved, file))
    }

    /// Resolves a path whose last part is no link. Many files share few
    /// directories, so these are remembered.
    fn resolve(&mut self, path: &Path) -> PathBuf {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_owned();
        };
        if !self.resolved_dirs.contains_key(dir) {
            let resolved = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
            self.resolved_dirs.insert(dir.to_owned(), resolved);
        }
        self.resolved_dirs[dir].join(name)
    }

    pub(crate) fn give(&mut self, opened: Opened) {
        let Opened {
            candidate,
            contents,
            disk,
            given,
        } = opened;
        let known = self.session.given.find(&given);
        let changed = known.is_some_and(|known| known.fingerprint != given.fingerprint);
        let known = known.map(|known| known.path.clone());
        let seen_now = !self.seen.insert(given.id.clone());
        if seen_now || (known.is_some() && !changed) {
            if let (Pass::Start(_), Some(path)) = (self.pass, known)
                && path != candidate.path
            {
                self.skip(&candidate, SkipReason::AlreadyLoaded { path });
            }
            return;
        }
        for fault in &contents.faults {
            self.report(Diagnostic {
                severity: fault.severity,
                path: candidate.path.clone(),
                line: fault.line,
                message: fault.message.clone(),
            });
        }
        if contents.text.is_empty() {
            self.skip(&candidate, SkipReason::Empty);
            return;
        }
        let characters = contents.text.chars().take(LONG + 1).count();
        if characters > LONG {
            self.report(Diagnostic {
                severity: Severity::Warning,
                path: candidate.path.clone(),
                line: None,
                message: format!(
                    "more than {LONG} characters, all of them sent with every request"
                ),
            });
        }
        self.session.given.record(given);
        self.found.push(MemoryFile {
            reason: if changed {
                LoadReason::Changed
            } else {
                candidate.reason
            },
            path: candidate.path,
            kind: candidate.kind,
            rule: candidate.rule,
            parent: candidate.import.map(|import| import.parent),
            globs: candidate.globs,
            trigger: match self.pass {
                Pass::Start(_) => None,
                Pass::Touch(path) => Some(path.to_owned()),
            },
            bytes: contents.text.len(),
            differs_from_disk: contents.text != disk,
            text: contents.text,
        });
    }

    /// A text that is in no file.
    pub(crate) fn text(&mut self, file: MemoryFile) {
        self.found.push(file);
    }

    pub(crate) fn skip(&mut self, candidate: &Candidate, reason: SkipReason) {
        let skipped = Skipped {
            path: candidate.path.clone(),
            reason,
            parent: candidate.import.as_ref().map(|i| i.parent.clone()),
            line: candidate.import.as_ref().map(|i| i.line),
        };
        // A session asks for the same file many times.
        if self.session.skipped.contains(&skipped) {
            return;
        }
        let (path, line) = match &candidate.import {
            Some(import) => (&import.parent, Some(import.line)),
            None => (&candidate.path, None),
        };
        let message = match &candidate.import {
            Some(_) => format!("import of {}: {}", candidate.path.display(), skipped.reason),
            None => skipped.reason.to_string(),
        };
        self.report(Diagnostic {
            severity: skipped.reason.severity(),
            path: path.clone(),
            line,
            message,
        });
        self.session.skipped.push(skipped);
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.session.diagnostics.contains(&diagnostic) {
            self.session.diagnostics.push(diagnostic);
        }
    }
}

/// Why a candidate could not be opened.
#[derive(Debug)]
pub(crate) enum Absence {
    /// It does not exist.
    Missing,
    /// It does, and was reported.
    Skipped,
}
