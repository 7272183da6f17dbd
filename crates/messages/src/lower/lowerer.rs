//! Incremental lowering.
//!
//! ```text
//! entries   e1 e2 e3 e4 | e5 | pending
//!           closed        open
//! messages  history       tail
//! ```
//!
//! New entries extend the open messages; those that can no longer change are
//! repaired, encoded and appended to the history. The open ones are lowered for
//! each request, together with the pending entries and the ephemeral reminders.
//! If a closed message has to change (a boundary, a snip, other options, too
//! many images), everything is lowered once more, and the request reports the
//! reset.

use std::borrow::Cow;
use std::collections::HashSet;
use std::mem;

use super::closed_history::RepairedRuns;
use super::lowered::{LowerError, Lowered};
use super::open_run::is_context;
use super::options::LowerOptions;
use super::passes::{ReplacedMedia, after_boundary};
use super::pipeline::{append_tail, limit_runs, repair_runs, select_entries};
use super::prefix_changes::{Change, Entries, Exclusion, PrefixChanges, exclude, lost_with_model};
use super::run::Run;
use super::settings::Settings;
use super::state::State;
use super::tail::Tail;
use crate::conversation::{
    Advance, Conversation, Cursor, Entry, EntryDraft, EntryId, EntryKind, PrefixReset,
};
use crate::encode::History;
use crate::repair::Repair;
use crate::wire::Role;

/// Lowers a conversation that grows turn by turn. A turn's work depends on the
/// new entries, not on how long the conversation is.
///
/// ```
/// use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
/// use aside_messages::lower::{LowerOptions, Lowerer, Tail};
/// use aside_messages::wire::Role;
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// let mut lowerer = Lowerer::new(LowerOptions::default());
/// conversation.push(EntryDraft::human("Hi"));
/// assert_eq!(lowerer.lower(&conversation, Tail::default())?.len(), 1);
///
/// let model = Origin::Model {
///     provider: "anthropic".into(),
///     name: "claude-opus-5-5".into(),
/// };
/// let answer = vec![Part::text("Hello")];
/// conversation.push(EntryDraft::message(Role::Assistant, model, answer));
/// conversation.push(EntryDraft::human("Find the bug."));
/// let lowered = lowerer.lower(&conversation, Tail::default())?;
/// assert_eq!((lowered.history().len(), lowered.tail().len()), (2, 1));
/// # Ok::<(), aside_messages::lower::LowerError>(())
/// ```
#[derive(Debug, Default)]
pub struct Lowerer {
    options: LowerOptions,
    /// How far entries are lowered.
    cursor: Cursor,
    /// Everything snipped so far.
    snipped: HashSet<EntryId>,
    changes: PrefixChanges,
    /// What the last request changed, and which entries that excludes.
    applied: (Vec<Change>, Exclusion),
    /// How many images and documents are replaced by text.
    replaced: usize,
    state: State,
    /// Repairs to closed messages that no request reported yet.
    unreported: Vec<Repair>,
    /// To report with the next request.
    reset: Option<PrefixReset>,
}

impl Lowerer {
    /// Creates a lowerer that has seen no conversation.
    #[must_use]
    pub fn new(options: LowerOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Changes the options. Lowered messages are kept if the change does not
    /// concern them.
    ///
    /// Otherwise, all entries are lowered again, and the next request reports
    /// [`PrefixReset::Options`] or [`PrefixReset::Tools`] if there was one
    /// before. To add a tool that no result refers to changes nothing.
    pub fn set_options(&mut self, options: LowerOptions) {
        let before = mem::replace(&mut self.options, options);
        let now = &self.options;
        let mut same_tools = before.clone();
        same_tools.tools.clone_from(&now.tools);
        let mut references = self.state.references.iter();
        let reset = if same_tools != *now {
            PrefixReset::Options
        } else if references.any(|tool| before.has_tool(tool) != now.has_tool(tool)) {
            PrefixReset::Tools
        } else {
            return;
        };
        self.forget(reset);
        self.cursor = Cursor::new();
        self.changes = PrefixChanges::default();
        self.applied = Default::default();
    }

    /// Returns the messages lowered so far that will not change.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.state.history
    }

    /// Lowers the conversation as the last request contained it. Returns the
    /// messages that will not change.
    ///
    /// The repairs are reported with the next request. Images and documents are
    /// replaced as the last recorded prefix change states.
    pub fn lower_closed(&mut self, conversation: &Conversation) -> &History {
        self.extend(conversation);
        let all = Entries { recorded: conversation.entries(), pending: &[] };
        let reason = self.apply(all);
        let replaced = self.changes.replaced_media();
        if reason.is_some() || replaced != self.replaced {
            self.lower_again(all, reason.unwrap_or(PrefixReset::MediaLimit), replaced);
        }
        &self.state.history
    }

    /// Lowers the conversation's new entries. If it does not continue the one
    /// seen before, lowers all entries again, and the next request reports the
    /// reset.
    ///
    /// [`Lowerer::lower`] does this too; call it yourself to read
    /// [`Lowerer::history`] between two requests.
    pub fn extend(&mut self, conversation: &Conversation) {
        let mut new = match self.cursor.advance(conversation) {
            Advance::Continues(new) => new,
            Advance::Restarts { entries, .. } => {
                self.forget(PrefixReset::Forked);
                self.snipped.clear();
                self.changes = PrefixChanges::default();
                entries
            }
        };
        let entries = conversation.entries();
        self.changes.note(entries, entries.len() - new.len());
        if let Some(reset) = self.find_reset(entries, new) {
            self.forget(reset);
            new = entries;
        }
        self.push(new);
    }

    /// Lowers the conversation and one request's tail.
    ///
    /// # Errors
    /// [`LowerError::NothingToAnswer`] if the request would end with the
    /// model's response.
    pub fn lower(
        &mut self,
        conversation: &Conversation,
        tail: Tail<'_>,
    ) -> Result<Lowered<'_>, LowerError> {
        self.lower_to(conversation, tail, await_answer)
    }

    /// Lowers the conversation for a request that summarizes it, which may end
    /// with the model's response.
    ///
    /// The request has no tail: no pending entries and no ephemeral reminders.
    ///
    /// # Errors
    /// [`LowerError::NothingToAnswer`] if there is nothing to summarize.
    pub fn lower_to_summarize(
        &mut self,
        conversation: &Conversation,
    ) -> Result<Lowered<'_>, LowerError> {
        self.lower_to(conversation, Tail::default(), |runs| !runs.is_empty())
    }

    /// `may_end` decides whether a request may end with these runs. If the
    /// number of replaced images changes, the whole conversation is lowered a
    /// second time.
    fn lower_to(
        &mut self,
        conversation: &Conversation,
        tail: Tail<'_>,
        may_end: fn(&[Run]) -> bool,
    ) -> Result<Lowered<'_>, LowerError> {
        self.extend(conversation);
        let pending = pending_entries(conversation, tail);
        let all = Entries { recorded: conversation.entries(), pending: &pending };
        if let Some(reason) = self.apply(all) {
            self.lower_again(all, reason, self.replaced);
        }
        let mut found = Vec::new();
        let open = self.open_runs(&pending, &mut found);
        if !may_end(&open) {
            return Err(LowerError::NothingToAnswer);
        }
        let mut repaired = self.repair(open, &mut found);
        let mut media = ReplacedMedia::new(&self.options);
        let known = self.state.before.media.iter().chain(&repaired.media);
        known.for_each(|medium| media.push(*medium));
        let replaced = media.count.max(self.changes.replaced_media());
        self.changes.replace_media(all, replaced, media.seen(), &self.options);
        // The media may be in closed messages. The number can also go down, if
        // media were pending and never appended.
        if self.apply(all).is_some() || replaced != self.replaced {
            self.lower_again(all, PrefixReset::MediaLimit, replaced);
            found.clear();
            let open = self.open_runs(&pending, &mut found);
            repaired = self.repair(open, &mut found);
        }
        let lost_thinking = self.lost_thinking(all);
        let mut runs = repaired.runs;
        let state = &mut self.state;
        limit_runs(&mut runs, &state.before, self.replaced, &self.options);
        state.encode_open(runs);
        let tail_messages = append_tail(&state.sent, tail.ephemeral, &self.options);
        state.was_sent = true;
        for draft in tail.pending {
            state.note_references(&draft.parts);
        }
        let is_new = |it: &Repair| !state.reported.contains(it);
        let mut diagnostics = mem::take(&mut self.unreported);
        diagnostics.extend(found.iter().filter(|it| is_new(it)).cloned());
        state.reported = found.into_iter().collect();
        Ok(Lowered {
            history: Cow::Borrowed(&state.history),
            tail: tail_messages,
            history_markers: Cow::Borrowed(&state.markers),
            diagnostics,
            reset: self.reset.take(),
            prefix_changes: self.changes.open().map(|it| it.change.clone()).collect(),
            lost_thinking,
        })
    }

    /// Computes which entries the prefix changes exclude, including this
    /// request's changes. Returns the last change's reason if it differs from
    /// the one before.
    fn apply(&mut self, all: Entries<'_>) -> Option<PrefixReset> {
        let changes = self.changes.with_open(all);
        if self.applied.0 == changes {
            return None;
        }
        let excluded = exclude(all, &changes, &self.options);
        let is_same = excluded.entries == self.applied.1.entries;
        let reason = changes.last().map(|it| it.change.reason);
        self.applied = (changes, excluded);
        (!is_same).then(|| reason.unwrap_or(PrefixReset::Forked))
    }

    /// Linear in the conversation.
    fn lower_again(&mut self, all: Entries<'_>, reason: PrefixReset, replaced: usize) {
        self.forget(reason);
        self.replaced = replaced;
        self.push(all.recorded);
    }

    /// Counts thinking that is left out because of changes that no entry
    /// records.
    fn lost_thinking(&self, all: Entries<'_>) -> u64 {
        let recorded = self.changes.recorded();
        let (changes, excluded) = &self.applied;
        if changes.len() == recorded.len() {
            return 0;
        }
        let before = exclude(all, recorded, &self.options).thinking;
        let lost = excluded.thinking.saturating_sub(before);
        let mut open = changes[recorded.len()..].iter();
        if open.any(|it| it.change.reason == PrefixReset::Model) {
            return lost + lost_with_model(all, recorded, &self.options);
        }
        lost
    }

    /// Finds boundaries and snips among the new entries that concern earlier
    /// ones. Notes the snipped ids.
    fn find_reset(&mut self, entries: &[Entry], new: &[Entry]) -> Option<PrefixReset> {
        let has_seen = new.len() < entries.len();
        let boundary = has_seen && self.restarts_at_boundary(new);
        let snips = new.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Snip { ids } => Some(ids),
            _ => None,
        });
        let ids: HashSet<EntryId> = snips.flatten().copied().collect();
        // New entries count too: a snipped one has closed the message before.
        let is_snipped = |entry: &Entry| ids.contains(&entry.id);
        let snip = has_seen && !ids.is_empty() && after_boundary(entries).iter().any(is_snipped);
        self.snipped.extend(ids);
        if boundary { Some(PrefixReset::Boundary) } else { snip.then_some(PrefixReset::Snip) }
    }

    /// Returns true if there is a boundary, or session context that belongs
    /// before a summary that was sent.
    fn restarts_at_boundary(&self, new: &[Entry]) -> bool {
        let is_placed =
            |entry: &&Entry| matches!(entry.kind, EntryKind::Message { .. } | EntryKind::Aborted);
        new.iter().any(Entry::is_boundary)
            || (self.state.open.awaits_context()
                && self.state.was_sent
                && select_entries(new, &self.snipped).find(is_placed).is_some_and(is_context))
    }

    /// Forgets all lowered entries. When there are several resets, the first is
    /// reported.
    fn forget(&mut self, reset: PrefixReset) {
        let state = mem::take(&mut self.state);
        self.replaced = 0;
        // Lowering the entries again finds the same repairs.
        self.unreported.clear();
        if state.was_sent {
            self.reset.get_or_insert(reset);
        }
        self.state.reported = state.reported;
    }

    /// Lowers entries after those lowered so far.
    fn push(&mut self, entries: &[Entry]) {
        let mut diagnostics = Vec::new();
        let settings = Settings { options: &self.options, excluded: &self.applied.1.entries };
        for entry in select_entries(entries, &self.snipped) {
            if is_excluded_tool_change(entry, settings.excluded) {
                continue;
            }
            let state = &mut self.state;
            state.note_references(&entry.parts);
            let closed = state.open.push(entry, &self.options, &mut diagnostics);
            if closed.is_empty() {
                continue;
            }
            let mut repaired = repair_runs(closed, &state.before, settings, &mut diagnostics);
            limit_runs(&mut repaired.runs, &state.before, self.replaced, &self.options);
            for run in state.before.close(repaired) {
                state.push_closed(run);
            }
        }
        diagnostics.retain(|it| !self.state.reported.contains(it));
        self.unreported.extend(diagnostics);
    }

    /// Returns the runs that are not closed, with the pending entries.
    fn open_runs(&self, pending: &[Entry], diagnostics: &mut Vec<Repair>) -> Vec<Run> {
        let mut open = self.state.open.clone();
        let mut runs = Vec::new();
        for entry in select_entries(pending, &HashSet::new()) {
            runs.extend(open.push(entry, &self.options, diagnostics));
        }
        runs.extend(open.into_runs());
        runs
    }

    fn repair(&self, runs: Vec<Run>, diagnostics: &mut Vec<Repair>) -> RepairedRuns {
        let settings = Settings { options: &self.options, excluded: &self.applied.1.entries };
        repair_runs(runs, &self.state.before, settings, diagnostics)
    }
}

/// Returns true for tool changes from before the tools were written again.
fn is_excluded_tool_change(entry: &Entry, excluded: &HashSet<EntryId>) -> bool {
    matches!(entry.kind, EntryKind::ToolChange { .. }) && excluded.contains(&entry.id)
}

/// Returns the pending entries, with the ids that they will have.
fn pending_entries(conversation: &Conversation, tail: Tail<'_>) -> Vec<Entry> {
    let first = conversation.entries().len();
    let pending = tail.pending.iter().zip(first..);
    let entry =
        |(draft, index): (&EntryDraft, usize)| draft.clone().with_id(conversation.entry_id(index));
    pending.map(entry).collect()
}

/// Returns true if a request may end with these runs: with a user message,
/// system messages after one, or a paused response.
fn await_answer(runs: &[Run]) -> bool {
    let mut last_first = runs.iter().rev();
    match last_first.find(|run| run.role != Role::System) {
        // An unknown role is the encoder's fault to report.
        Some(run) => run.role != Role::Assistant || runs.last().is_some_and(Run::is_paused),
        None => false,
    }
}

/// Lowers a whole conversation once.
///
/// # Errors
/// [`LowerError::NothingToAnswer`] if the request would end with the model's
/// response.
///
/// ```
/// use aside_messages::conversation::{Conversation, EntryDraft};
/// use aside_messages::lower::{LowerOptions, Tail, lower};
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// conversation.push(EntryDraft::human("Hi"));
/// let lowered = lower(&conversation, Tail::default(), &LowerOptions::default())?;
/// let expected = br#"{"role":"user","content":[{"type":"text","text":"Hi"}]}"#;
/// assert_eq!(lowered.tail()[0].bytes(), expected);
/// # Ok::<(), aside_messages::lower::LowerError>(())
/// ```
pub fn lower(
    conversation: &Conversation,
    tail: Tail<'_>,
    options: &LowerOptions,
) -> Result<Lowered<'static>, LowerError> {
    let mut lowerer = Lowerer::new(options.clone());
    let lowered = lowerer.lower(conversation, tail)?;
    let (tail, diagnostics) = (lowered.tail, lowered.diagnostics);
    let (prefix_changes, lost_thinking) = (lowered.prefix_changes, lowered.lost_thinking);
    let State { history, markers, .. } = lowerer.state;
    Ok(Lowered {
        history: Cow::Owned(history),
        history_markers: Cow::Owned(markers),
        tail,
        diagnostics,
        reset: None,
        prefix_changes,
        lost_thinking,
    })
}
