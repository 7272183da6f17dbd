//! Files that the model comes to, and files that others change.

use std::sync::Arc;

use aside_attachments::{EditedFile, NestedMemory};
use aside_cache_split::Layout;
use aside_claudemd::{Memory, MemoryFile};
use aside_diagnostic::Diagnostic;

use crate::context::is_reported;
use crate::file_read::{FileRead, ReadExtent};
use crate::files::Files;
use crate::kinds;
use crate::read_state::KnownFile;
use crate::session::Session;

impl Session {
    /// The model was shown these files, such as by the results of its tools.
    /// The instruction files of their directories, and rules for their paths,
    /// are in the next request. Says what is wrong with those.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn note_reads(&mut self, reads: &[FileRead]) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if let Some(memory) = self.context.memory.clone().filter(|_| !reads.is_empty()) {
            let told = memory.diagnostics().len();
            let paths: Vec<_> = reads.iter().map(|read| read.path.clone()).collect();
            let touched = tokio::task::spawn_blocking(move || touch(memory, paths)).await;
            match touched {
                Ok((memory, files)) => {
                    let new = memory.diagnostics().iter().skip(told);
                    diagnostics.extend(new.filter(is_reported).cloned());
                    self.came_to(memory, &files);
                }
                Err(error) => diagnostics.push(kinds::INSTRUCTION_FILES.diagnostic(error)),
            }
        }
        for read in reads {
            // What it is now is what the model knows.
            self.edits.retain(|edit| edit.now.read.path != read.path);
            let mut read = read.clone();
            if self.knows(&read) {
                // A part of what the model knows as a whole.
                read.extent = ReadExtent::Whole;
            }
            self.remember(KnownFile::new(read));
        }
        diagnostics
    }

    /// Whether the model has seen the file whole, as it is in this reading.
    pub(crate) fn knows(&self, now: &FileRead) -> bool {
        let known = self.reads.find(now);
        known.is_some_and(|known| known.is_known_as(now))
    }

    fn came_to(&mut self, memory: Memory, files: &[MemoryFile]) {
        self.context.memory = Some(memory);
        for file in files {
            let content = match self.context.layout {
                Layout::Layered => file.guarded_text().into_owned(),
                Layout::Classic => file.text.clone(),
            };
            let file = NestedMemory {
                path: file.path.to_string_lossy().into_owned(),
                content,
            };
            self.context.nested.retain(|known| known.path != file.path);
            self.context.nested.push(file);
        }
        self.is_noted &= files.is_empty();
    }

    /// Finds out which files that the model has seen were changed by somebody
    /// else. The next request says what is different. The cost is in proportion
    /// to the number of known files; those that are unchanged are not opened.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn detect_external_edits(&mut self, files: Arc<dyn Files>) -> Vec<Diagnostic> {
        let known = self.reads.files().to_vec();
        if known.is_empty() {
            return Vec::new();
        }
        let looked = tokio::task::spawn_blocking(move || {
            let look = |known: KnownFile| {
                let now = files.changed(&known.read);
                let edited = now.map(|now| (edited(&known, &now), now));
                (known, edited)
            };
            known.into_iter().map(look).collect::<Vec<_>>()
        });
        let looked = match looked.await {
            Ok(looked) => looked,
            Err(error) => return vec![kinds::FILES.diagnostic(error)],
        };
        for (known, looked) in looked {
            self.found(known, looked);
        }
        Vec::new()
    }

    /// Takes up what a look at a file came to.
    fn found(&mut self, known: KnownFile, looked: Option<(EditedFile, FileRead)>) {
        let waited = self.edits.len();
        let path = &known.read.path;
        let waiting = self.edits.iter().find(|edit| edit.now.read.path == *path);
        match looked {
            Some((_, now)) if waiting.is_some_and(|edit| edit.now.has_text_of(&now)) => {}
            Some((_, now)) if known.has_text_of(&now) => {
                self.edits.retain(|edit| edit.now.read.path != *path);
                let extent = known.read.extent;
                self.remember(KnownFile::new(FileRead { extent, ..now }));
            }
            Some((edited, now)) => {
                self.edits.retain(|edit| edit.now.read.path != *path);
                let (extent, path) = (known.read.extent, known.read.path);
                let now = FileRead {
                    extent,
                    path,
                    ..now
                };
                self.will_tell(edited, KnownFile::new(now));
            }
            None => {
                self.edits.retain(|edit| edit.now.read.path != *path);
                // It is as it was again.
                if self.edits.len() < waited {
                    self.remember(known);
                }
            }
        }
    }
}

fn touch(mut memory: Memory, paths: Vec<std::path::PathBuf>) -> (Memory, Vec<MemoryFile>) {
    let files = paths.iter().flat_map(|path| memory.touch(path)).collect();
    (memory, files)
}

/// What is different. Where one of the texts is not at hand, the model is told
/// only that there is a difference.
fn edited(known: &KnownFile, now: &FileRead) -> EditedFile {
    match (&known.read.text, &now.text) {
        (Some(before), Some(after)) => EditedFile::between(known.path(), before, after),
        _ => EditedFile {
            path: known.path(),
            diff: String::new(),
        },
    }
}
