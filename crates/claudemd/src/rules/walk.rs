//! The files in a rules directory, sorted by path.
//!
//! They are sorted by path, not as the file system lists them, so the same
//! rules give the same prompt on every machine.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use aside_user_files::open::{DirEntry, DirEntryKind, OpenError, TrustedDir, resolve};

use crate::SkipReason;
use crate::admit::in_dot_git;
use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::rules::RulesDir;

/// The maximum number of entries visited per rules directory.
const MAX_ENTRIES: usize = 100_000;
/// How many levels of directories to visit below a rules directory.
const MAX_DEPTH: usize = 32;

/// A walk through one rules directory.
///
/// Each directory is opened below the one that lists it, so that the cost grows
/// with the number of entries. A link is resolved, and its target is opened
/// inside the fence.
struct Walk<'a> {
    rules: &'a RulesDir,
    each: &'a mut dyn FnMut(&mut Collector<'_>, Candidate),
    /// How many entries may still be visited.
    left: usize,
    /// True if there were more entries.
    is_over: bool,
    /// The directories that were visited: their resolved paths, and how they
    /// were reached.
    seen: HashMap<PathBuf, PathBuf>,
    /// The directories on the path to the current one, each in the one before
    /// it.
    open: Vec<PathBuf>,
}

impl Collector<'_> {
    /// Calls a function for every rule in a directory and below it, sorted by
    /// path.
    pub(crate) fn walk_rules(
        &mut self,
        rules: &RulesDir,
        each: &mut dyn FnMut(&mut Collector<'_>, Candidate),
    ) {
        let mut walk = Walk {
            rules,
            each,
            left: MAX_ENTRIES,
            is_over: false,
            seen: HashMap::new(),
            open: Vec::new(),
        };
        match self.resolve(&rules.dir) {
            Ok(resolved) => walk.through(self, &rules.dir, &resolved),
            Err(error) => walk.skip_error(self, &rules.dir, error),
        }
    }
}

impl Walk<'_> {
    /// Visits a directory whose path may contain links.
    ///
    /// A link from outside into a `.git` directory is skipped.
    fn through(&mut self, pass: &mut Collector<'_>, path: &Path, resolved: &Path) {
        let candidate = self.rules.candidate(path.to_owned(), pass);
        if in_dot_git(resolved) && !in_dot_git(path) {
            return pass.skip(&candidate, SkipReason::GitDirectory);
        }
        match pass.fence_of(&candidate).open_resolved_dir(resolved) {
            Ok(dir) => self.enter(pass, path, dir),
            Err(error) => self.skip_error(pass, path, error),
        }
    }

    /// Visits an open directory's entries.
    ///
    /// A directory that was visited before, by a link, is skipped. A directory
    /// with more entries than may still be visited is skipped whole, and no
    /// directory is entered after it.
    fn enter(&mut self, pass: &mut Collector<'_>, path: &Path, dir: TrustedDir) {
        if self.is_over {
            return;
        }
        let resolved = dir.path().to_owned();
        if let Some(known) = self.seen.insert(resolved.clone(), path.to_owned()) {
            let reason = SkipReason::AlreadyLoaded { path: known };
            return self.skip(pass, path, reason);
        }
        let entries = match dir.entries(self.left) {
            Ok(entries) => entries,
            Err(error) => return self.skip_error(pass, path, error),
        };
        self.left -= entries.list.len();
        self.is_over = entries.is_cut;
        if self.is_over {
            // The system decides which entries are in the listing.
            let limit = format!("{MAX_ENTRIES} files in a rules directory");
            return self.skip(pass, path, SkipReason::OverLimit { limit });
        }
        self.open.push(resolved);
        let dir = Rc::new(dir);
        for entry in entries.list {
            self.entry(pass, path, &dir, &entry);
        }
        self.open.pop();
    }

    /// Visits an entry: a rule, a directory, or a link to one.
    fn entry(
        &mut self,
        pass: &mut Collector<'_>,
        parent: &Path,
        dir: &Rc<TrustedDir>,
        entry: &DirEntry,
    ) {
        let path = parent.join(&entry.name);
        let is_rule = self.rules.has_rule(&path);
        match entry.kind {
            DirEntryKind::Directory if self.is_deepest() => self.skip_deep(pass, &path),
            DirEntryKind::Directory => match dir.open_dir(Path::new(&entry.name)) {
                Ok(dir) => self.enter(pass, &path, dir),
                Err(error) => self.skip_error(pass, &path, error),
            },
            DirEntryKind::Link => self.link(pass, path, is_rule),
            DirEntryKind::File if is_rule => {
                let candidate = Candidate {
                    listed_in: Some(Rc::clone(dir)),
                    ..self.rules.candidate(path, pass)
                };
                (self.each)(pass, candidate);
            }
            // To open it reports it.
            DirEntryKind::Special if is_rule => {
                let candidate = self.rules.candidate(path, pass);
                (self.each)(pass, candidate);
            }
            DirEntryKind::File | DirEntryKind::Special => {}
        }
    }

    /// Visits what a link leads to: a rule, or a rules directory.
    ///
    /// A link to a directory that contains the link is skipped, since the walk
    /// would not end.
    fn link(&mut self, pass: &mut Collector<'_>, path: PathBuf, is_rule: bool) {
        let resolved = match resolve(&path) {
            Ok(resolved) => resolved,
            Err(error) => return self.skip_error(pass, &path, error),
        };
        if !fs::metadata(&resolved).is_ok_and(|found| found.is_dir()) {
            if is_rule {
                let candidate = self.rules.candidate(path, pass);
                (self.each)(pass, candidate);
            }
            return;
        }
        if let Some(above) = self.open.iter().find(|dir| dir.starts_with(&resolved)) {
            // The path by which the user knows it.
            let known = self.seen.get(above).filter(|_| *above == resolved);
            let to = known.unwrap_or(&resolved).display();
            let error = format!("link that leads back to {to}");
            return self.skip(pass, &path, SkipReason::Unreadable { error });
        }
        if self.is_deepest() {
            return self.skip_deep(pass, &path);
        }
        self.through(pass, &path, &resolved);
    }

    fn is_deepest(&self) -> bool {
        self.open.len() > MAX_DEPTH
    }

    /// Skips a directory below the last level, and reports the limit.
    fn skip_deep(&self, pass: &mut Collector<'_>, path: &Path) {
        let limit = format!("{MAX_DEPTH} levels of directories");
        self.skip(pass, path, SkipReason::OverLimit { limit });
    }

    /// Skips a path that cannot be opened. A missing one is not reported.
    fn skip_error(&self, pass: &mut Collector<'_>, path: &Path, error: OpenError) {
        // The directory does not exist, or no longer does.
        if !error.is_missing() {
            self.skip(pass, path, error.into());
        }
    }

    /// Lists a path in this walk as skipped.
    fn skip(&self, pass: &mut Collector<'_>, path: &Path, reason: SkipReason) {
        pass.skip(&self.rules.candidate(path.to_owned(), pass), reason);
    }
}
