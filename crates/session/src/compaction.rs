//! A conversation that begins anew.

use std::mem;
use std::sync::Arc;

use aside_attachments::{Attachment, CompactFileReference, File, FileContent, TextFile};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use aside_messages::{TokenEstimate, estimate_tokens};
use aside_prompt_sections::{Registry, Resolved};

use crate::composed::Composed;
use crate::context::{Instructions, gather};
use crate::file_read::ReadExtent;
use crate::read_state::KnownFile;
use crate::session::Session;

/// So many of the files that were read last are told of again.
const FILES: usize = 5;

/// The longest file that is brought back.
const FILE_TOKENS: TokenEstimate = TokenEstimate::of_tokens(5_000);

impl Session {
    /// A summary takes the place of what was said. Sections, instruction files
    /// and the state of the repository are gathered anew; the date stays. What
    /// the compaction takes away and the model needs is told again with the
    /// next request: the plan, skills that were used, files that were read,
    /// tasks that are running.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn compact(
        &mut self,
        conversation: &mut Conversation,
        summary: impl Into<Arc<str>>,
    ) -> Vec<Diagnostic> {
        self.follow(conversation);
        let instructions = match self.context.memory.clone() {
            Some(memory) => Instructions::ReadAgain(Box::new(memory)),
            None => Instructions::Load,
        };
        let diagnostics = self.gather_anew(instructions).await;
        self.context.recalled = self.config.state.recalled();
        let newest = self.reads.newest(FILES);
        self.context.recalled.extend(newest.iter().map(recalled));
        let edits = mem::take(&mut self.edits);
        let summary = summary.into();
        self.begin_anew(conversation, Boundary::Compact { summary });
        for file in newest.into_iter().filter(is_brought_back) {
            // An edit that was not told yet is told of the text brought back.
            let waiting = edits.iter().find(|it| it.now.read.path == file.read.path);
            self.remember(file);
            if let Some(edit) = waiting {
                self.will_tell(edit.edited.clone(), edit.now.clone());
            }
        }
        diagnostics
    }

    /// Nothing of what was said is kept. Sections, instruction files and the
    /// state of the repository are gathered anew, and reminders forget that
    /// they fired; the date stays.
    ///
    /// Dropping the future leaves everything as it was.
    pub async fn clear(&mut self, conversation: &mut Conversation) -> Vec<Diagnostic> {
        self.follow(conversation);
        let diagnostics = self.gather_anew(Instructions::Load).await;
        self.context.cleared = Some(self.reminders.turn());
        self.reminders.reset();
        self.begin_anew(conversation, Boundary::Clear);
        diagnostics
    }

    async fn gather_anew(&mut self, instructions: Instructions) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let registry = self.registry.as_ref();
        let cleared = registry.map(|registry| Cleared::new(registry, self.context.latest()));
        let found = gather(&self.config, registry, instructions, &mut diagnostics).await;
        mem::forget(cleared);
        self.context.begin_anew(found);
        self.context
            .cache_breaker
            .clone_from(&self.config.cache_breaker);
        self.reminders.look_at(&self.context);
        self.composed = Composed::new(&self.config, &self.context, registry, &mut diagnostics);
        diagnostics
    }

    fn begin_anew(&mut self, conversation: &mut Conversation, boundary: Boundary) {
        self.reads.clear();
        self.edits.clear();
        self.is_noted = false;
        conversation.push(EntryDraft::boundary(boundary));
        for entry in &self.composed.first_entries {
            conversation.push(entry.clone());
        }
    }
}

/// A registry that has forgotten its sections. It knows them again when this is
/// dropped.
struct Cleared<'a> {
    registry: &'a Registry,
    before: Option<&'a Resolved>,
}

impl<'a> Cleared<'a> {
    fn new(registry: &'a Registry, before: Option<&'a Resolved>) -> Self {
        registry.clear();
        Self { registry, before }
    }
}

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // Whatever it has no section for was told when the session began.
            let _ = self.registry.restore(before);
        }
    }
}

/// A short text as it was, of any other file the name.
fn recalled(file: &KnownFile) -> Attachment {
    let path = file.path();
    match &file.read.text {
        Some(text) if is_brought_back(file) => Attachment::File(File {
            path,
            content: FileContent::Text(TextFile {
                content: text.to_string(),
                start_line: 1,
                total_lines: 0,
            }),
        }),
        _ => Attachment::CompactFileReference(CompactFileReference { path }),
    }
}

/// Of a file that the model saw a part of, no more is brought back.
fn is_brought_back(file: &KnownFile) -> bool {
    let text = file.read.text.as_deref();
    let is_short = text.is_some_and(|text| estimate_tokens(text) <= FILE_TOKENS);
    is_short && file.read.extent == ReadExtent::Whole
}
