//! One pass: the files that a session starts with, or those that a touched path
//! adds. Every file goes through `Collector::file`, which reads it at most once
//! per session unless its bytes change.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_diagnostic::{Diagnostic, Location};
use aside_user_files::open::{Fence, OpenError, resolve};

use crate::candidate::{Candidate, Opened};
use crate::discover::excludes::Excludes;
use crate::discover::profile::ImportForm;
use crate::kinds;
use crate::links::given::{self, Given};
use crate::read::{self, Fault, FileId};
use crate::render::contents::Contents;
use crate::render::parsed::Parsed;
use crate::rules::braces::Budget;
use crate::session::Session;
use crate::setting::Setting;
use crate::{LoadReason, MemoryFile, SkipReason, Skipped};

/// A file with more characters than this gets a warning.
const LONG_FILE_CHARS: usize = 40_000;

/// One pass over the files that may concern the model.
pub(crate) struct Collector<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) session: &'a mut Session,
    pub(crate) pass: Pass<'a>,
    /// Skips checked-in files: the directory belongs to the checkout around
    /// this worktree.
    pub(crate) in_outer_checkout: bool,
    /// What is left of the budget for rule patterns.
    pub(crate) patterns: Budget,
    pub(crate) excludes: &'a Excludes,
    /// Where links of project files may lead.
    pub(crate) fence: Fence,
    /// The same for the user's and the administrator's files: anywhere.
    pub(crate) no_fence: Fence,
    /// The loaded files, in the order that the model reads them.
    pub(crate) found: Vec<MemoryFile>,
    /// The files that this pass has met, whether it loaded them or not.
    seen: HashSet<FileId>,
    /// Directories, with their paths after resolving symbolic links.
    resolved_dirs: HashMap<PathBuf, PathBuf>,
    /// How many bytes were read so far.
    pub(crate) read: usize,
    /// How many imports were looked for so far.
    pub(crate) imports: usize,
    /// True if a `CLAUDE.md` loads in the working directory or above; `None` until that matters.
    pub(crate) has_claude_md: Option<bool>,
    /// What this pass and earlier ones parsed.
    pub(crate) parsed: Parsed,
}

/// What starts a pass.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a> {
    /// A session starts or is compacted. The value is the reason to record for
    /// its files.
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
        parsed: Parsed,
    ) -> Self {
        Self {
            setting,
            session,
            pass,
            in_outer_checkout: false,
            patterns: Budget::default(),
            excludes,
            fence: setting.fence(),
            no_fence: Fence::default().approve_everything(),
            found: Vec::new(),
            seen: HashSet::new(),
            resolved_dirs: HashMap::new(),
            read: 0,
            imports: 0,
            has_claude_md: None,
            parsed,
        }
    }

    /// Returns why to load a file that is discovered by its name.
    pub(crate) fn reason(&self) -> LoadReason {
        match self.pass {
            Pass::Start(reason) => reason,
            Pass::Touch(_) => LoadReason::NestedTraversal,
        }
    }

    /// Loads a file if it exists and has new content. Returns false if there is
    /// no such file.
    pub(crate) fn file(&mut self, candidate: Candidate) -> bool {
        match self.open(candidate) {
            Ok(opened) => self.give(opened),
            Err(Fault::Skip(_)) => {}
            Err(Fault::Missing) => return false,
        }
        true
    }

    /// Reads a file without loading it.
    ///
    /// Counts its bytes towards the pass's limit. A file that exists but must
    /// not or cannot be read is reported as skipped.
    pub(crate) fn open(&mut self, candidate: Candidate) -> Result<Opened, Fault> {
        let (given, text) = match self.read(&candidate) {
            Ok((given, text, replaced)) => {
                if let Some(line) = replaced {
                    let place = Location::new(&candidate.path).line(line);
                    let message = "not UTF-8: the agent sends U+FFFD for the other bytes";
                    self.report(kinds::REPLACED_BYTES.diagnostic(message).at(place));
                }
                (given, text)
            }
            Err(fault) => {
                if let Fault::Skip(reason) = &fault {
                    self.skip(&candidate, reason.clone());
                }
                return Err(fault);
            }
        };
        self.read += text.len();
        Ok(Opened { contents: self.contents(&candidate, &given, &text), given, candidate })
    }

    /// Returns true if a file can be read and has a text. It is neither loaded nor reported.
    pub(crate) fn has_text(&mut self, candidate: &Candidate) -> bool {
        let read = self.read(candidate);
        read.is_ok_and(|(given, text, _)| !self.contents(candidate, &given, &text).text.is_empty())
    }

    fn contents(&mut self, candidate: &Candidate, given: &Given, text: &str) -> Arc<Contents> {
        let header = candidate.header;
        let facts = self.setting.loader.profile.facts();
        let parse = || match facts.imports {
            ImportForm::Lenient | ImportForm::Claude => Contents::of(text, facts),
            form @ (ImportForm::None | ImportForm::Gemini) => Contents::whole(text, header, form),
        };
        self.parsed.contents(given, header, parse)
    }

    /// Opens a candidate inside its fence, and reads its text.
    ///
    /// The path is resolved first, since excludes and the fence apply to where
    /// a link leads. A file that was listed in an open directory is opened
    /// below that directory; any other is opened by its resolved path. The last value is the first
    /// line with replaced bytes.
    fn read(&mut self, candidate: &Candidate) -> Result<(Given, String, Option<usize>), Fault> {
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
        let id = FileId::new(file.inode(), &resolved);
        let (text, replaced) = read::text(file, self.setting.loader.profile.facts().bytes)?;
        let fingerprint = given::fingerprint(text.as_bytes());
        Ok((Given { path: path.clone(), resolved, id, fingerprint }, text, replaced))
    }

    /// Resolves symbolic links in a path that exists. This costs the square of
    /// the path's depth, and many files share few directories; so the results
    /// for directories, and for those above them, are cached.
    pub(crate) fn resolve(&mut self, path: &Path) -> Result<PathBuf, OpenError> {
        let found = fs::symlink_metadata(path).map_err(|error| OpenError::from_io(path, error))?;
        match (path.parent(), path.file_name()) {
            (Some(dir), Some(name)) if !found.is_symlink() => Ok(self.resolve_dir(dir)?.join(name)),
            _ => resolve(path),
        }
    }

    /// Resolves a directory and adds it, with every directory above it, to the
    /// cache.
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

    /// Loads a file, unless the model has it already, and then its imports.
    ///
    /// - A file that the session does not know is loaded.
    /// - A known file whose bytes have changed is loaded with the reason
    ///   [`LoadReason::Changed`].
    /// - A known file with the same bytes is not loaded. A touch still follows
    ///   its imports; a start reports it as [`SkipReason::AlreadyLoaded`] if
    ///   its path is another one.
    /// - The second time in one pass nothing is loaded.
    pub(crate) fn give(&mut self, mut opened: Opened) {
        let known = self
            .session
            .given
            .find(&opened.given)
            .map(|known| (known.path.clone(), known.fingerprint));
        let first_time = self.seen.insert(opened.given.id.clone());
        match (known, self.pass) {
            // The files that it imports may have changed.
            (Some((path, was)), Pass::Touch(_))
                if first_time && was == opened.given.fingerprint =>
            {
                // The model has it under that name, so they count from there.
                opened.candidate.path = path;
                self.follow_imports(&opened);
            }
            (Some((path, was)), _) if !first_time || was == opened.given.fingerprint => {
                if matches!(self.pass, Pass::Start(_)) && path != opened.candidate.path {
                    self.skip(&opened.candidate, SkipReason::AlreadyLoaded { path });
                }
            }
            (None, _) if !first_time => {}
            (Some(_), _) => self.push_file(opened, LoadReason::Changed),
            (None, _) => {
                let reason = opened.candidate.reason;
                self.push_file(opened, reason);
            }
        }
    }

    /// Adds a file and its imports to the result, and records that the model
    /// has it. A file without text is skipped. Faults are reported.
    fn push_file(&mut self, opened: Opened, reason: LoadReason) {
        let (candidate, contents) = (&opened.candidate, &opened.contents);
        for fault in &contents.faults {
            self.report(fault.at(&candidate.path));
        }
        if contents.text.is_empty() {
            self.skip(candidate, SkipReason::Empty);
            return;
        }
        if contents.text.chars().nth(LONG_FILE_CHARS).is_some() {
            let message =
                format!("more than {LONG_FILE_CHARS} characters, sent with every request");
            self.report(kinds::LONG.diagnostic(message).at(&candidate.path));
        }
        self.session.given.record(opened.given.clone());
        self.found.push(MemoryFile {
            path: candidate.path.clone(),
            kind: candidate.kind,
            rule: candidate.rule,
            reason,
            parent: candidate.import.as_ref().map(|import| import.parent.clone()),
            globs: candidate.globs.clone(),
            trigger: match self.pass {
                Pass::Start(_) => None,
                Pass::Touch(path) => Some(path.to_owned()),
            },
            bytes: contents.text.len(),
            differs_from_disk: contents.differs,
            text: Arc::clone(&contents.text),
        });
        self.follow_imports(&opened);
    }

    /// Lists a file as skipped, and reports it.
    ///
    /// An entry that is already listed is neither listed nor reported again.
    pub(crate) fn skip(&mut self, candidate: &Candidate, reason: SkipReason) {
        let import = candidate.import.as_ref();
        let skipped = Skipped {
            path: candidate.path.clone(),
            reason,
            parent: import.map(|import| import.parent.clone()),
            line: import.map(|import| import.line),
        };
        if self.session.skipped.insert(skipped.clone()) {
            self.report(skipped.diagnostic());
        }
    }

    /// Adds a diagnostic to the session's, unless it is there already.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.session.diagnostics.insert(diagnostic);
    }
}
