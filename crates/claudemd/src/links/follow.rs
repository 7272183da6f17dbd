//! Loading the files that a file imports.
//!
//! Imports are followed four levels deep, and a file is loaded once however
//! often it is imported, so a cycle ends by itself.

use std::path::Path;

use aside_diagnostic::Location;

use crate::candidate::{Candidate, Opened, Origin};
use crate::collect::Collector;
use crate::discover::profile::ImportForm;
use crate::kinds;
use crate::links::claude_imports::has_text_ending;
use crate::links::imports::Import;
use crate::links::plain_path::plain_path;
use crate::read::{self, Target};
use crate::{LoadReason, MemoryKind, SkipReason};

/// How many imports in a file to follow.
const MAX_IMPORTS: usize = 1_000;

/// How many imports in all files of a pass to follow: each that is left out is kept for the report.
const MAX_ALL_IMPORTS: usize = 10_000;

impl Collector<'_> {
    /// Loads what `opened` imports, in the order written, each followed by its
    /// own imports.
    pub(crate) fn follow_imports(&mut self, opened: &Opened) {
        let parent = &opened.candidate;
        let form = self.setting.loader.profile.imports();
        if parent.kind == MemoryKind::AutoMemory || form == ImportForm::None {
            return;
        }
        for (count, import) in opened.contents.imports.iter().enumerate() {
            if count == MAX_IMPORTS || self.imports == MAX_ALL_IMPORTS {
                let message = if count == MAX_IMPORTS {
                    format!("only the first {MAX_IMPORTS} imports are followed")
                } else {
                    format!("only the first {MAX_ALL_IMPORTS} imports of all files are followed")
                };
                let place = Location::new(&parent.path).line(import.line);
                self.report(kinds::TOO_MANY_IMPORTS.diagnostic(message).at(place));
                return;
            }
            self.imports += 1;
            self.follow(parent, import);
        }
    }

    /// Loads an import's file, by its first reading that exists.
    ///
    /// If none exists, an import that is written like a path is reported as not
    /// found; any other word is text. A file too many hops away is skipped.
    fn follow(&mut self, parent: &Candidate, import: &Import) {
        let Some(dir) = parent.path.parent() else {
            return;
        };
        let loader = &self.setting.loader;
        let home = loader.dirs.home.as_deref();
        let readings = import.readings(dir, home, loader.platform);
        let form = loader.profile.imports();
        let is_meant = form.is_always_meant() || import.is_written_like_a_path();
        let existing = readings.iter().find(|path| match read::target(path) {
            Target::Nothing => false,
            // `@src` is a word if `src` is a directory, and `@docs/src` is not;
            // a device is an error.
            Target::Directory => is_meant || import.path.contains('/'),
            Target::Other => true,
        });
        let origin = Origin {
            parent: parent.path.clone(),
            line: import.line,
            hops: parent.import.as_ref().map_or(0, |import| import.hops) + 1,
        };
        let too_far = origin.hops > form.max_hops();
        let candidate = |path: &Path| Candidate {
            rule: false,
            header: parent.header,
            import: Some(origin),
            ..Candidate::new(plain_path(path), parent.kind, LoadReason::Include)
        };
        match existing {
            Some(path) if form == ImportForm::Claude && !has_text_ending(path) => {
                self.skip(&candidate(path), SkipReason::NotTextEnding);
            }
            Some(path) if too_far => self.skip(&candidate(path), SkipReason::TooManyHops),
            // A file that was removed meanwhile counts as one that never
            // existed.
            Some(path) => {
                self.file(candidate(path));
            }
            None => {
                let shown = || dir.join(&import.path);
                let without = import.without_punctuation().filter(|_| form == ImportForm::Claude);
                let without = without.and_then(|it| it.readings(dir, home, loader.platform).pop());
                match without.filter(|path| read::target(path) == Target::Other) {
                    Some(path) => self.skip(&candidate(&path), SkipReason::Punctuation),
                    None if is_meant => {
                        let path = readings.last().cloned().unwrap_or_else(shown);
                        self.skip(&candidate(&path), SkipReason::NotFound);
                    }
                    None => {}
                }
            }
        }
    }
}
