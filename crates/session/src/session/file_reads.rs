//! Files that the model reads, and files that are changed outside the session.

use std::path::Path;
use std::sync::Arc;

use aside_attachments::EditedFile;
use aside_claudemd::{Memory, MemoryFile};
use aside_diagnostic::Diagnostic;

use super::Session;
use crate::file_read::{FileRead, ReadExtent};
use crate::files::Files;
use crate::gather::is_reported;
use crate::kinds;
use crate::read_state::KnownFile;

impl Session {
    /// Records that the model has seen these files, for example in its tools'
    /// results. The next request delivers the instruction files in their
    /// directories and the rules that match their paths. Returns the
    /// diagnostics for those files.
    ///
    /// If you drop the future, nothing changes.
    pub async fn note_reads(&mut self, reads: &[FileRead]) -> Vec<Diagnostic> {
        let Some(touch) = self.touch(reads) else {
            return self.remember_reads(reads, None);
        };
        match tokio::task::spawn_blocking(touch).await {
            Ok(touched) => self.remember_reads(reads, Some(touched)),
            Err(error) => {
                let mut diagnostics = self.remember_reads(reads, None);
                diagnostics.push(kinds::INSTRUCTION_FILES.diagnostic(error));
                diagnostics
            }
        }
    }

    /// Like [`Session::note_reads`], but reads the instruction files on this thread: for code that
    /// cannot wait, such as a destructor.
    pub fn note_reads_blocking(&mut self, reads: &[FileRead]) -> Vec<Diagnostic> {
        let touched = self.touch(reads).map(|touch| touch());
        self.remember_reads(reads, touched)
    }

    /// Returns the work to load the instruction files for these reads, if any.
    fn touch(&self, reads: &[FileRead]) -> Option<impl FnOnce() -> Touched + Send + use<>> {
        let mut memory = self.instruction_files().filter(|_| !reads.is_empty())?;
        let paths: Vec<_> = reads.iter().map(|read| read.path.clone()).collect();
        Some(move || {
            let known = memory.diagnostics().len();
            let files = paths.iter().flat_map(|path| memory.touch(path)).collect();
            Touched { memory, files, known }
        })
    }

    fn remember_reads(&mut self, reads: &[FileRead], touched: Option<Touched>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if let Some(Touched { memory, files, known }) = touched {
            let new = memory.diagnostics().iter().skip(known);
            diagnostics.extend(new.filter(is_reported).cloned());
            self.context.set_memory(memory, &files);
        }
        for read in reads {
            // A whole read needs no search of the known files.
            let is_whole = read.extent == ReadExtent::Whole;
            let known = (!is_whole).then(|| self.delivery.reads.find(read)).flatten().cloned();
            let changed = known.as_ref().filter(|it| self.has_unseen_change(it, read));
            let changed = changed.map(|known| (known, edited(known, read)));
            // A change that is too long to show is not told: the model would have to read again.
            if let Some((known, edited)) = changed.filter(|(_, it)| it.is_shown_whole()) {
                let mut known = known.clone();
                known.read.extent = match known.read.extent {
                    ReadExtent::Whole => ReadExtent::Whole,
                    _ => ReadExtent::Part,
                };
                self.apply_look(&known, Some((edited, read.clone())));
                continue;
            }
            // The model knows the present text, so an edit is not due.
            self.delivery.drop_edit(&read.path);
            if is_whole {
                self.context.drop_recalled(&read.path);
            }
            let file = known.map(|known| known.after(read));
            self.delivery.remember(file.unwrap_or_else(|| KnownFile::new(read.clone())));
        }
        diagnostics
    }

    /// Returns true if a read shows a part of a file that another program changed: what the model
    /// knows of the rest is of an earlier state. A changed instruction file is announced as such.
    fn has_unseen_change(&self, known: &KnownFile, read: &FileRead) -> bool {
        read.extent == ReadExtent::Part
            && known.has_text_of(read) == Some(false)
            && !self.context.disk.has_changed(&read.path)
    }

    /// Detects files that the model has seen and another program changed. The
    /// next request delivers the differences. Unchanged files are not opened.
    ///
    /// The first call looks at all files that the model has seen, and so does
    /// the first after [`Session::expect_edits`]. Otherwise it looks at the 20
    /// latest and at some of the others: at each within a dozen calls.
    ///
    /// A file that was removed since a compaction recalled it is not shown.
    ///
    /// If you drop the future, nothing changes.
    pub async fn detect_external_edits(&mut self, files: Arc<dyn Files>) -> Vec<Diagnostic> {
        let known = self.delivery.reads.shared();
        if known.is_empty() {
            return Vec::new();
        }
        let due: Vec<usize> = self.delivery.look.next(known.len()).collect();
        // Most requests recall none, and search no known file.
        let place = |path: &Path| known.iter().rposition(|it| it.read.path == path);
        let recalled: Vec<usize> = self.context.recalled_paths().filter_map(place).collect();
        let shared = Arc::clone(&known);
        let looked = tokio::task::spawn_blocking(move || {
            let look = |index: usize| {
                let known = &shared[index];
                let now = files.changed(&known.read);
                (index, now.map(|now| (edited(known, &now), now)))
            };
            let is_removed = |index: &usize| files.is_removed(&shared[*index].read);
            let removed: Vec<usize> = recalled.into_iter().filter(is_removed).collect();
            (due.into_iter().map(look).collect::<Vec<_>>(), removed)
        });
        let (looked, removed) = match looked.await {
            Ok(looked) => looked,
            Err(error) => return vec![kinds::FILES.diagnostic(error)],
        };
        for (index, looked) in looked {
            self.apply_look(&known[index], looked);
        }
        for index in removed {
            self.forget_recalled(&known[index].read);
        }
        Vec::new()
    }

    /// Forgets a file that the last compaction removed from the conversation, so that it is not
    /// shown again.
    fn forget_recalled(&mut self, read: &FileRead) {
        self.context.drop_recalled(&read.path);
        self.delivery.drop_edit(&read.path);
        // Should it be there again, the model has to read it: it does not have this text.
        let read = FileRead { extent: ReadExtent::Stale, text: None, ..read.clone() };
        self.delivery.remember(KnownFile::new(read));
    }

    /// Makes the next [`Session::detect_external_edits`] look at all known
    /// files, because the user may have edited them.
    pub fn expect_edits(&mut self) {
        self.delivery.look.at_all();
    }

    /// Applies what examining a file showed.
    ///
    /// `looked` is `None` if the file is as the model knows it. A file with
    /// another time but the same text is recorded as known. A pending edit with
    /// an older text is replaced.
    fn apply_look(&mut self, known: &KnownFile, looked: Option<(EditedFile, FileRead)>) {
        let Some((edited, now)) = looked else {
            // The edit was reverted before it was delivered.
            if self.delivery.drop_edit(&known.read.path) {
                self.delivery.remember(known.clone());
            }
            return;
        };
        let path = known.read.path.clone();
        let pending = self.delivery.edit_of(&path);
        if pending.is_some_and(|edit| edit.now.has_text_of(&now) == Some(true)) {
            return;
        }
        let is_same_text = known.has_text_of(&now) == Some(true);
        self.delivery.drop_edit(&path);
        if is_same_text {
            self.delivery.remember(known.with_state(now));
        } else {
            self.delivery.add_edit(edited, known.with_state(FileRead { path, ..now }));
        }
    }
}

/// The instruction files after files were read.
struct Touched {
    memory: Memory,
    /// The files that loaded.
    files: Vec<MemoryFile>,
    /// How many diagnostics `memory` had before.
    known: usize,
}

/// Returns the difference. If a text is unknown, it has only the path.
fn edited(known: &KnownFile, now: &FileRead) -> EditedFile {
    match (&known.read.text, &now.text) {
        (Some(before), Some(after)) => EditedFile::between(known.path(), before, after),
        _ => EditedFile { path: known.path(), diff: String::new() },
    }
}
