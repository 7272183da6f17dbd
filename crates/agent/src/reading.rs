//! Files that the model comes to, and files that others change.

use std::sync::Arc;

use aside_attachments::{Attachment, EditedFile, NestedMemory};
use aside_claudemd::{Memory, MemoryFile};

use crate::attachments::Edit;
use crate::diagnostic::{Area, Diagnostic};
use crate::files::Files;
use crate::read_state::KnownFile;
use crate::session::Session;
use crate::tool::FileRead;

impl Session {
    /// The model was shown these files, such as by the results of its tools.
    /// The instruction files of their directories, and rules for their paths,
    /// are in the next request. Says what is wrong with those.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn note_reads(&mut self, reads: &[FileRead]) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if let Some(memory) = self.opened.memory.clone().filter(|_| !reads.is_empty()) {
            let told = memory.diagnostics().len();
            let paths: Vec<_> = reads.iter().map(|read| read.path.clone()).collect();
            let touched = tokio::task::spawn_blocking(move || touch(memory, paths)).await;
            match touched {
                Ok((memory, files)) => {
                    let new = memory.diagnostics().iter().skip(told);
                    diagnostics.extend(new.filter_map(Diagnostic::of_memory));
                    self.came_to(memory, &files);
                }
                Err(error) => diagnostics.push(Diagnostic::new(Area::Memory, error)),
            }
        }
        for read in reads {
            // What it is now is what the model knows.
            self.edits.retain(|edit| edit.now.read.path != read.path);
            self.remember(KnownFile::new(read.clone()));
        }
        diagnostics
    }

    fn came_to(&mut self, memory: Memory, files: &[MemoryFile]) {
        self.opened.memory = Some(memory);
        for file in files {
            let file = NestedMemory {
                path: file.path.to_string_lossy().into_owned(),
                content: file.text.clone(),
            };
            self.opened.nested.retain(|known| known.path != file.path);
            self.opened.nested.push(file);
        }
        self.is_noted &= files.is_empty();
    }

    /// Looks whether somebody changed a file that the model has seen. If so,
    /// the next request says what is different.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn look_for_edits(&mut self, files: Arc<dyn Files>) -> Vec<Diagnostic> {
        let known = self.reads.files().to_vec();
        if known.is_empty() {
            return Vec::new();
        }
        let looked = tokio::task::spawn_blocking(move || {
            let changed = known.into_iter().filter_map(|known| {
                let now = files.changed(&known.read)?;
                Some((edited(&known, &now), now))
            });
            changed.collect::<Vec<_>>()
        });
        let changed = match looked.await {
            Ok(changed) => changed,
            Err(error) => return vec![Diagnostic::new(Area::Files, error)],
        };
        for (edited, mut now) in changed {
            let known = self.reads.find(&now);
            now.extent = known.map_or(now.extent, |known| known.read.extent);
            let is_same = known.is_some_and(|known| known.has_text_of(&now));
            let now = KnownFile::new(now);
            self.edits
                .retain(|edit| edit.now.read.path != now.read.path);
            if is_same {
                self.remember(now);
                continue;
            }
            let drafts = Attachment::EditedTextFile(edited).into_entries();
            let edits = drafts.into_iter().map(|draft| Edit {
                draft,
                now: now.clone(),
            });
            self.edits.extend(edits);
        }
        Vec::new()
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
