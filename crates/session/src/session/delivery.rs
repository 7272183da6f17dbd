//! The texts at the end of requests: which are due, which were delivered, and
//! how.
//!
//! A text is pending until a request with it is committed and its entry appears
//! in the conversation. So to drop a prepared request delivers nothing.

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;

use aside_attachments::EditedFile;
use aside_attachments::cadence::CadenceTracker;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Conversation, Entry, EntryDraft, EntryId, EntryKind, EphemeralForm, Origin, Part, ToolForm,
};
use aside_models::Tokenizer;
use aside_prompt_sections::SessionDate;
use aside_reminder::Due;

use super::cadence_inputs::cadence_inputs;
use super::context::Context;
use super::forms::Added;
use crate::config::{Persistence, SessionConfig};
use crate::edit::Edit;
use crate::file_read::FileRead;
use crate::prepared::Sent;
use crate::read_state::{KnownFile, Look, ReadState};
use crate::reminders::Reminders;
use crate::resume_state::{Note, ReadNote};
use crate::session_context::SessionContext;
use crate::tool_list::RecordedChanges;

/// Pending and delivered texts at the end of requests.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) reminders: Reminders,
    /// The attachments that the conversation records, from which due ones
    /// follow.
    cadence: CadenceTracker,
    /// The tool changes that the conversation records.
    tool_changes: RecordedChanges,
    /// The files that the model has seen, as it knows them.
    pub(super) reads: ReadState,
    /// Which of them to look at before the next request.
    pub(super) look: Look,
    /// Edits that are not delivered yet.
    edits: Vec<Edit>,
    /// The date, if it was set in this process.
    today: Option<SessionDate>,
    /// How often the conversation has restarted, for the notes.
    restarts: u64,
    /// The notes since the last [`Delivery::take_notes`].
    notes: Vec<ReadNote>,
    /// Ids of reminders that were reported as kept in the conversation.
    kept_reminders: BTreeSet<String>,
}

impl Delivery {
    pub(super) fn new(reminders: Reminders, context: &SessionContext, family: Tokenizer) -> Self {
        Self {
            reminders,
            cadence: CadenceTracker::new(family),
            tool_changes: RecordedChanges::default(),
            reads: ReadState::default(),
            look: Look::default(),
            edits: Vec::new(),
            today: None,
            restarts: context.restarts,
            notes: Vec::new(),
            kept_reminders: BTreeSet::new(),
        }
    }

    /// Returns how many requests were sent.
    pub(super) fn turn(&self) -> u64 {
        self.reminders.turn()
    }

    /// Sets the date. If the context has another date, this one is delivered as
    /// an attachment.
    pub(super) fn set_date(&mut self, today: SessionDate) {
        self.today = Some(today);
        self.reminders.set_date(today);
    }

    /// Records what new entries in the conversation deliver, and what they
    /// remove.
    ///
    /// An edit is delivered if its attachment is in one of them: the model
    /// knows the new text. It does not know a file that was snipped.
    pub(super) fn follow(&mut self, conversation: &Conversation) {
        self.tool_changes.follow(conversation);
        let entries = conversation.entries();
        self.reads.place(entries.len() as u64);
        let new = self.cadence.update(conversation);
        for (index, entry) in (entries.len() - new.len()..).zip(new) {
            match &entry.kind {
                EntryKind::Snip { ids } => self.forget_snipped(ids, entries),
                EntryKind::PrefixChange(change) if change.replaced_media.is_some() => {
                    self.reads.lose_media(index as u64);
                }
                _ => {}
            }
            let edits = &mut self.edits;
            if let Some(at) = edits.iter().position(|edit| edit.is_delivered_by(entry)) {
                let edit = edits.remove(at);
                self.remember(edit.now);
            }
        }
    }

    /// Forgets the files that these entries show. They are shown before the next response.
    fn forget_snipped(&mut self, ids: &[EntryId], entries: &[Entry]) {
        let snipped = entries.iter().enumerate();
        for (index, _) in snipped.filter(|(_, it)| ids.contains(&it.id) && shows_files(it)) {
            // A file that a compaction brought back is known from before its attachment on.
            let is_attached = |it: &Entry| matches!(it.origin, Origin::Attachment { .. });
            let shown = entries[..=index].iter().rposition(|it| !is_attached(it));
            let next = shown.map_or(0, |at| at + 1);
            let answer = entries[next..].iter().position(|it| it.kind.is_answer());
            let end = answer.map_or(entries.len(), |at| next + at);
            for file in self.reads.remove_shown(next as u64..=end as u64) {
                self.drop_edit(&file.read.path);
            }
        }
    }

    /// Returns the entries and reminders that the next request adds: reminders,
    /// and, if the last message has no answer yet, attachments before them.
    /// Nothing is appended that is not stored.
    ///
    /// They come in this order: attachments, file edits, tool changes,
    /// reminders, prefix changes. After a paused response nothing is added. If
    /// the caller does not store the conversation, only ephemeral reminders at
    /// the request's end are sent, and no attachments.
    pub(super) fn due(
        &mut self,
        conversation: &Conversation,
        config: &SessionConfig,
        context: &mut Context,
        changes: Vec<EntryDraft>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Sent {
        let sent = self.reminders.due(conversation, diagnostics);
        let mut added = Added::default();
        let is_stored = config.persistence == Persistence::Conversation;
        if self.reminders.awaits_answer() && is_stored {
            let cadence = self.cadence.state();
            let inputs = cadence_inputs(config, context, cadence, self.today);
            let due = cadence.due(&inputs);
            context.keep_due(&due);
            for attachment in due {
                added.attachment(attachment, &context.form);
            }
            // A changed instruction file is announced as such, and not a second
            // time.
            let is_announced = |edit: &&Edit| context.disk.has_changed(&edit.now.read.path);
            let edits = self.edits.iter().filter(|edit| !is_announced(edit));
            added.pending.extend(edits.map(|edit| edit.draft.clone()));
            let is_rewritten = changes.iter().any(rewrites_tools);
            let gathered = context.gathered();
            let tools = match context.form.tools {
                ToolForm::Appended => gathered.tool_changes(&self.tool_changes, is_rewritten),
                _ => Vec::new(),
            };
            if !tools.is_empty() {
                added.pending.push(EntryDraft::tool_change(tools));
            }
        }
        let is_tail = context.form.ephemeral == EphemeralForm::Tail;
        let is_sent = |due: &&Due| {
            is_stored || (is_tail && due.delivery == aside_reminder::ReminderDelivery::Ephemeral)
        };
        for due in sent.due.iter().filter(is_sent) {
            let reported = &mut self.kept_reminders;
            added.reminder(due, &context.form, conversation, reported, diagnostics);
        }
        if self.reminders.awaits_answer() {
            // To continue a paused response, nothing is added.
            added.pending.extend(changes);
        }
        sent.with_entries(added.pending, added.ephemeral)
    }

    /// Returns true if the model has seen the whole file as this read shows it.
    pub(super) fn knows(&self, now: &FileRead) -> bool {
        let known = self.reads.find(now);
        known.is_some_and(|known| known.is_known_as(now))
    }

    /// Records that the model has seen a file. A file whose path is not UTF-8
    /// cannot be stored and is not recorded.
    pub(super) fn remember(&mut self, file: KnownFile) {
        if file.read.path.to_str().is_some() {
            self.note(file.clone(), None);
            self.reads.insert(file);
        }
    }

    /// Records a file's difference, to be delivered.
    pub(super) fn add_edit(&mut self, edit: EditedFile, now: KnownFile) {
        self.note(now.clone(), Some(edit.clone()));
        self.edits.extend(Edit::new(edit, now));
    }

    /// Returns a file's pending edit.
    pub(super) fn edit_of(&self, path: &Path) -> Option<&Edit> {
        let mut edits = self.edits.iter();
        edits.find(|edit| edit.now.read.path == path)
    }

    /// Removes a file's pending edit. Returns false if there was none.
    pub(super) fn drop_edit(&mut self, path: &Path) -> bool {
        let before = self.edits.len();
        self.edits.retain(|edit| edit.now.read.path != path);
        self.edits.len() < before
    }

    /// Adds a note to store; with an edit it records a difference that is
    /// pending.
    fn note(&mut self, file: KnownFile, edit: Option<EditedFile>) {
        self.notes.push(ReadNote {
            restarts: self.restarts,
            // Set when the note is taken.
            entries: 0,
            file,
            edit,
        });
    }

    /// Returns the notes since the last call, for a conversation with this many
    /// entries.
    pub(super) fn take_notes(&mut self, entries: u64) -> impl Iterator<Item = Note> {
        let notes = mem::take(&mut self.notes).into_iter();
        notes.map(move |mut note| {
            // A pending edit is valid whichever entries were appended.
            if note.edit.is_none() {
                note.entries = entries;
                note.file.entries.get_or_insert(entries);
            }
            Note::Read(note)
        })
    }

    /// Restores the files that the model had seen when the session was stored.
    ///
    /// Notes from before a restart of the conversation are ignored.
    pub(super) fn restore(&mut self, reads: Vec<ReadNote>) {
        for mut note in reads {
            if note.restarts != self.restarts {
                continue;
            }
            self.drop_edit(&note.file.read.path.clone());
            match note.edit {
                Some(edit) => self.edits.extend(Edit::new(edit, note.file)),
                None => {
                    // Earlier versions recorded it for the note only.
                    note.file.entries.get_or_insert(note.entries);
                    self.reads.insert(note.file);
                }
            }
        }
    }

    /// Forgets the files that the model has seen, because the conversation
    /// restarts. Returns the pending edits.
    pub(super) fn restart(&mut self) -> Vec<Edit> {
        self.restarts += 1;
        self.reads.clear();
        mem::take(&mut self.edits)
    }
}

/// Returns true for calls, their results, and a file that the user mentioned.
fn shows_files(entry: &Entry) -> bool {
    let is_call = |part: &Part| matches!(part, Part::ToolUse(_) | Part::ToolResult(_));
    matches!(&entry.origin, Origin::Attachment { kind, .. } if kind == "file")
        || entry.parts.iter().any(is_call)
}

/// Returns true for a change that rewrites the tool list.
pub(super) fn rewrites_tools(entry: &EntryDraft) -> bool {
    matches!(&entry.kind, EntryKind::PrefixChange(change) if change.reason.rewrites_tools())
}
