use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use aside_diagnostic::{Diagnostic, Location};
use aside_user_files::open::{Fence, OpenError, resolve};

use crate::candidate::{Absence, Candidate, Opened};
use crate::contents::Contents;
use crate::excludes::Excludes;
use crate::given::{self, Given};
use crate::glob::Budget;
use crate::kinds;
use crate::profile::ImportForm;
use crate::read::{self, Fault, FileId, FileText};
use crate::session::Session;
use crate::setting::Setting;
use crate::{LoadReason, MemoryFile, SkipReason, Skipped};

/// More characters than this in one file are worth a warning.
const LONG: usize = 40_000;

/// One pass over the files that may concern the model.
pub(crate) struct Collector<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) session: &'a mut Session,
    pub(crate) pass: Pass<'a>,
    /// Leave out what is checked in: the directory is that of the checkout
    /// around this worktree.
    pub(crate) in_outer_checkout: bool,
    /// What is left for the patterns of rules.
    pub(crate) patterns: Budget,
    pub(crate) excludes: &'a Excludes,
    pub(crate) fences: Fences,
    found: Vec<MemoryFile>,
    seen: HashSet<FileId>,
    resolved_dirs: HashMap<PathBuf, PathBuf>,
    /// How many bytes were read.
    pub(crate) read: usize,
}

/// What files may lead to.
pub(crate) struct Fences {
    /// For files of the project.
    pub(crate) project: Fence,
    /// For files of the user and the administrator.
    pub(crate) none: Fence,
}

/// What occasions a pass.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a> {
    /// A session starts, or starts over; with the reason to give.
    Start(LoadReason),
    /// A path was touched.
    Touch(&'a Path),
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        setting: &'a Setting,
        session: &'a mut Session,
        excludes: &'a Excludes,
        pass: Pass<'a>,
    ) -> Self {
        Self {
            setting,
            session,
            pass,
            in_outer_checkout: false,
            patterns: Budget::default(),
            excludes,
            fences: Fences {
                project: setting.fence(),
                none: Fence::default().approve_everything(),
            },
            found: Vec::new(),
            seen: HashSet::new(),
            resolved_dirs: HashMap::new(),
            read: 0,
        }
    }

    pub(crate) fn finish(self) -> Vec<MemoryFile> {
        self.found
    }

    /// The reason for a file that is in its place.
    pub(crate) fn reason(&self) -> LoadReason {
        match self.pass {
            Pass::Start(reason) => reason,
            Pass::Touch(_) => LoadReason::NestedTraversal,
        }
    }

    /// Gives the file to the model, if it is there and has something new to
    /// say. Fails only where there is no such file.
    pub(crate) fn file(&mut self, candidate: Candidate) -> Result<(), Absence> {
        match self.open(candidate) {
            Ok(opened) => self.give(opened),
            Err(Absence::Skipped) => {}
            Err(missing) => return Err(missing),
        }
        Ok(())
    }

    /// Reads a file, without giving it to anybody.
    pub(crate) fn open(&mut self, candidate: Candidate) -> Result<Opened, Absence> {
        match self.read(&candidate) {
            Ok((resolved, file)) => {
                self.read += file.text.len();
                Ok(Opened {
                    contents: self.contents(&candidate, &file.text),
                    given: Given {
                        path: candidate.path.clone(),
                        resolved,
                        id: file.id,
                        fingerprint: given::fingerprint(file.text.as_bytes()),
                    },
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

    /// Returns what a file contributes by the rules of the profile.
    fn contents(&self, candidate: &Candidate, text: &str) -> Contents {
        match self.setting.loader.profile.imports() {
            ImportForm::Claude => Contents::of(text),
            ImportForm::None => Contents::whole(text, candidate.header, false),
            ImportForm::Gemini => Contents::whole(text, candidate.header, true),
        }
    }

    /// Returns true if the working directory or one above it has a `CLAUDE.md` or a
    /// `CLAUDE.local.md`.
    pub(crate) fn has_claude_md(&self) -> bool {
        let names = ["CLAUDE.md", "CLAUDE.local.md"];
        let mut dirs = self.setting.cwd.ancestors();
        dirs.any(|dir| names.iter().any(|name| dir.join(name).is_file()))
    }

    fn read(&mut self, candidate: &Candidate) -> Result<(PathBuf, FileText), Fault> {
        let path = &candidate.path;
        let listed = candidate.listed_in.as_ref().zip(path.file_name());
        let resolved = match listed {
            Some((dir, name)) => dir.path().join(name),
            None => self.resolve(path)?,
        };
        self.admit(candidate, &resolved).map_err(Fault::Skip)?;
        let file = match listed {
            Some((dir, name)) => dir.open_file(Path::new(name))?,
            None => self.fence_of(candidate).open_resolved_file(&resolved)?,
        };
        let file = read::text(file, &resolved)?;
        Ok((resolved, file))
    }

    /// Resolves the symbolic links of a path that exists. Many files share few
    /// directories, so these are remembered; of those above, too, since to
    /// resolve a path costs the square of its depth.
    pub(crate) fn resolve(&mut self, path: &Path) -> Result<PathBuf, OpenError> {
        let found = fs::symlink_metadata(path);
        let found = found.map_err(|error| OpenError::from_io(path, error))?;
        match (path.parent(), path.file_name()) {
            (Some(dir), Some(name)) if !found.is_symlink() => Ok(self.resolve_dir(dir)?.join(name)),
            _ => resolve(path),
        }
    }

    fn resolve_dir(&mut self, dir: &Path) -> Result<PathBuf, OpenError> {
        let known = |dir: &&Path| self.resolved_dirs.contains_key(*dir);
        let unknown: Vec<_> = dir.ancestors().take_while(|dir| !known(dir)).collect();
        for dir in unknown.into_iter().rev() {
            let above = dir.parent().and_then(|above| self.resolved_dirs.get(above));
            let is_link = fs::symlink_metadata(dir).is_ok_and(|found| found.is_symlink());
            let resolved = match (above, dir.file_name()) {
                (Some(above), Some(name)) if !is_link => above.join(name),
                _ => resolve(dir)?,
            };
            self.resolved_dirs.insert(dir.to_owned(), resolved);
        }
        Ok(self.resolved_dirs[dir].clone())
    }

    /// Gives a file to the model, unless it has it already, and then what it
    /// imports.
    pub(crate) fn give(&mut self, opened: Opened) {
        let known = self.session.given.find(&opened.given);
        let known = known.map(|known| (known.path.clone(), known.fingerprint));
        let first_time = self.seen.insert(opened.given.id.clone());
        match (known, self.pass) {
            // What it imports may have changed.
            (Some((_, was)), Pass::Touch(_)) if first_time && was == opened.given.fingerprint => {
                self.follow_imports(&opened);
            }
            (Some((path, was)), _) if !first_time || was == opened.given.fingerprint => {
                if matches!(self.pass, Pass::Start(_)) && path != opened.candidate.path {
                    self.skip(&opened.candidate, SkipReason::AlreadyLoaded { path });
                }
            }
            (None, _) if !first_time => {}
            (Some(_), _) => self.tell(opened, LoadReason::Changed),
            (None, _) => {
                let reason = opened.candidate.reason;
                self.tell(opened, reason);
            }
        }
    }

    fn tell(&mut self, opened: Opened, reason: LoadReason) {
        let (candidate, contents) = (&opened.candidate, &opened.contents);
        for fault in &contents.faults {
            let place = Location::new(&candidate.path).line(fault.line);
            self.report(fault.kind.diagnostic(&fault.message).at(place));
        }
        if contents.text.is_empty() {
            self.skip(candidate, SkipReason::Empty);
            return;
        }
        if contents.text.chars().nth(LONG).is_some() {
            let message = format!("more than {LONG} characters, sent with every request");
            self.report(kinds::LONG.diagnostic(message).at(&candidate.path));
        }
        self.session.given.record(opened.given.clone());
        self.text(MemoryFile {
            path: candidate.path.clone(),
            kind: candidate.kind,
            rule: candidate.rule,
            reason,
            parent: candidate
                .import
                .as_ref()
                .map(|import| import.parent.clone()),
            globs: candidate.globs.clone(),
            trigger: match self.pass {
                Pass::Start(_) => None,
                Pass::Touch(path) => Some(path.to_owned()),
            },
            bytes: contents.text.len(),
            differs_from_disk: contents.differs,
            text: contents.text.clone(),
        });
        self.follow_imports(&opened);
    }

    /// Gives a text as it is.
    pub(crate) fn text(&mut self, file: MemoryFile) {
        self.found.push(file);
    }

    /// Lists a file as skipped, and reports it.
    pub(crate) fn skip(&mut self, candidate: &Candidate, reason: SkipReason) {
        let import = candidate.import.as_ref();
        let skipped = Skipped {
            path: candidate.path.clone(),
            reason,
            parent: import.map(|import| import.parent.clone()),
            line: import.map(|import| import.line),
        };
        if !self.session.skipped.insert(skipped.clone()) {
            return;
        }
        self.report(skipped.diagnostic());
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.session.diagnostics.insert(diagnostic);
    }
}
