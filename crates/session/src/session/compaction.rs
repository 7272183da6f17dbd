//! Compaction and clear: the conversation restarts.

use std::sync::Arc;

use aside_attachments::{Attachment, CompactFileReference, File, FileContent, TextFile};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use aside_messages::estimate_block;
use aside_models::{TokenEstimate, Tokenizer, estimate};

use super::{Session, SummaryRange};
use crate::compaction_loss::{Compacted, CompactionLoss};
use crate::edit::Edit;
use crate::file_read::{FileRead, ReadExtent};
use crate::files::Files;
use crate::gather::Instructions;
use crate::kinds;
use crate::prepared::Prepared;
use crate::read_state::KnownFile;

/// How many recent files to deliver again.
const MAX_FILES: usize = 5;

/// How large a file may be to deliver its text again.
const MAX_FILE_TOKENS: TokenEstimate = TokenEstimate::of_tokens(5_000);

impl Session {
    /// Replaces the conversation by a summary. Sections, instruction files and
    /// the repository's state are gathered again; the date stays. The next
    /// request delivers again what the compaction removes: the plan, used
    /// skills, running tasks, and recently read files with the instruction files
    /// of their directories and the rules that match their paths.
    ///
    /// If you drop the future, nothing changes.
    pub async fn compact(
        &mut self,
        conversation: &mut Conversation,
        summary: impl Into<Arc<str>>,
    ) -> Vec<Diagnostic> {
        let boundary = Boundary::Compact { summary: summary.into() };
        let range = SummaryRange::all_of(conversation);
        self.compact_to(conversation, boundary, range).await
    }

    /// Returns what a compaction before this request would cost, if it costs
    /// more than it saves. The time grows with the request.
    #[must_use]
    pub fn compaction_loss(&self, prepared: &Prepared) -> Option<CompactionLoss> {
        let facts = self.config.answering().facts;
        let family = facts.estimated_tokenizer();
        let request = prepared.request();
        let replaced = request.messages.iter().skip(1).flat_map(|it| &it.content);
        let newest = self.delivery.reads.newest(MAX_FILES);
        let files = newest.iter().filter(|it| is_sent_again(it, family));
        let files = files.filter_map(|it| it.read.text.as_deref());
        let compacted = Compacted {
            request: prepared.explain().total.tokens(),
            conversation: replaced.map(|it| estimate_block(it, family).tokens()).sum(),
            files: files.map(|it| estimate(it, family).tokens()).sum(),
        };
        CompactionLoss::new(facts, compacted)
    }

    /// Replaces a range of the conversation by a boundary, such as the block
    /// from the API's own compaction, and appends the range's kept entries. The
    /// files that they show stay known, and their instruction files are
    /// delivered again. Otherwise like [`Session::compact`].
    ///
    /// If you drop the future, nothing changes.
    pub async fn compact_to(
        &mut self,
        conversation: &mut Conversation,
        boundary: Boundary,
        range: SummaryRange,
    ) -> Vec<Diagnostic> {
        self.delivery.follow(conversation);
        let is_kept = |it: &KnownFile| it.entries.is_some_and(|at| at > range.end as u64);
        let (kept, others): (Vec<_>, Vec<_>) =
            self.delivery.reads.newest(usize::MAX).into_iter().partition(is_kept);
        let newest = &others[others.len().saturating_sub(MAX_FILES)..];
        let family = self.config.answering().facts.estimated_tokenizer();
        let sent_again: Vec<_> = newest.iter().filter(|it| is_sent_again(it, family)).collect();
        let instructions = match self.instruction_files() {
            Some(memory) => {
                let shown = sent_again.iter().copied().chain(&kept);
                let shown = shown.map(|it| it.read.path.clone()).collect();
                Instructions::ReadAgain(Box::new(memory), shown)
            }
            None => Instructions::Load,
        };
        let diagnostics = self.gather_again(instructions).await;
        let mut recalled = self.config.state.recalled();
        recalled.extend(newest.iter().map(|it| recalled_file(it, family)));
        self.context.change().recalled = recalled;
        let edits = self.restart(conversation, boundary);
        self.delivery.reminders.renew(conversation);
        for entry in range.kept {
            conversation.push(entry);
        }
        let sent_again = sent_again.into_iter().map(|it| (it, ReadExtent::Whole));
        let kept = kept.iter().map(|it| match it.read.extent {
            ReadExtent::Whole if !range.cut.is_empty() => (it, ReadExtent::Part),
            extent => (it, extent),
        });
        for (file, extent) in sent_again.chain(kept) {
            let shown = |file: &KnownFile| {
                let read = FileRead { extent, ..file.read.clone() };
                KnownFile { read, hash: file.hash, entries: None }
            };
            self.delivery.remember(shown(file));
            // A pending edit refers to the text that the model has.
            let waiting = edits.iter().find(|it| it.now.read.path == file.read.path);
            if let Some(edit) = waiting {
                self.delivery.add_edit(edit.edited.clone(), shown(&edit.now));
            }
        }
        diagnostics
    }

    /// Forgets files that no longer exist, so that a compaction does not show them as if they had
    /// just been read. Call it before [`Session::compact_to`].
    ///
    /// If you drop the future, nothing changes.
    pub async fn forget_removed_files(&mut self, files: Arc<dyn Files>) -> Vec<Diagnostic> {
        let known = self.delivery.reads.shared();
        let looked = tokio::task::spawn_blocking(move || {
            let removed = known.iter().filter(|it| files.is_removed(&it.read));
            removed.map(|it| it.read.path.clone()).collect::<Vec<_>>()
        });
        match looked.await {
            Ok(removed) => {
                self.delivery.reads.remove(|it| removed.contains(&it.read.path));
                Vec::new()
            }
            Err(error) => vec![kinds::FILES.diagnostic(error)],
        }
    }

    /// Removes everything from the conversation. Sections, instruction files
    /// and the repository's state are gathered again, and reminder counters are
    /// reset; the date stays.
    ///
    /// If you drop the future, nothing changes.
    pub async fn clear(&mut self, conversation: &mut Conversation) -> Vec<Diagnostic> {
        self.delivery.follow(conversation);
        let diagnostics = self.gather_again(Instructions::Load).await;
        self.context.change().cleared = Some(self.delivery.turn());
        self.delivery.reminders.manager.reset_all();
        self.restart(conversation, Boundary::Clear);
        diagnostics
    }

    pub(super) async fn gather_again(&mut self, instructions: Instructions) -> Vec<Diagnostic> {
        let gathered = self.context.gather_again(&self.config, instructions);
        let diagnostics = gathered.await;
        self.delivery.reminders.look_at(&self.config, self.context.gathered());
        self.pipeline.set_tools(&self.context.gathered().tools);
        diagnostics
    }

    /// Appends the boundary and the first entries after it. Returns the pending
    /// edits.
    pub(super) fn restart(
        &mut self,
        conversation: &mut Conversation,
        boundary: Boundary,
    ) -> Vec<Edit> {
        let edits = self.delivery.restart();
        conversation.push(EntryDraft::boundary(boundary));
        for entry in &self.context.composed.first_entries {
            conversation.push(entry.clone());
        }
        edits
    }
}

/// Returns an attachment with a short file's text, or with any other file's
/// name.
fn recalled_file(file: &KnownFile, family: Tokenizer) -> Attachment {
    let path = file.path();
    match &file.read.text {
        Some(text) if is_sent_again(file, family) => Attachment::File(File {
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

/// Returns true for a short file that the model has seen completely, if maybe in an earlier state.
fn is_sent_again(file: &KnownFile, family: Tokenizer) -> bool {
    let text = file.read.text.as_deref();
    let is_short = text.is_some_and(|text| estimate(text, family) <= MAX_FILE_TOKENS);
    is_short && matches!(file.read.extent, ReadExtent::Whole | ReadExtent::Stale)
}
