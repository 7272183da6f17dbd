use std::borrow::Cow;
use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use super::block::Run;
use super::finish::{Before, Finished};
use super::front::{Front, is_context};
use super::lowered::{LowerError, Lowered, Reset, markers};
use super::tail::append_ephemeral;
use super::{
    LowerOptions, Tail, after_boundary, drop_display_only, drop_snipped, media_to_replace,
};
use crate::conversation::{Conversation, Entry, EntryId, EntryKind, Instance, Part};
use crate::diagnostic::Diagnostic;
use crate::encode::{Encoded, History, Marker};
use crate::wire::{ContentBlock, Message, ResultContent, Role, ToolResult};

/// Lowers a conversation that grows, turn by turn: the work of a turn depends
/// on what is new, not on what was.
#[derive(Debug)]
pub struct Lowerer {
    options: LowerOptions,
    /// How far the conversation was followed.
    position: Option<Position>,
    snipped: HashSet<EntryId>,
    /// How many images and documents are replaced by a text.
    replaced: usize,
    state: State,
    /// What was mended and not told yet.
    untold: Vec<Diagnostic>,
    /// Why the next request does not continue the last one.
    reset: Option<Reset>,
}

#[derive(Debug)]
struct Position {
    instance: Instance,
    entries: usize,
    last: EntryId,
}

/// What was lowered so far.
#[derive(Debug, Default)]
struct State {
    history: History,
    markers: Vec<Marker>,
    before: Before,
    front: Front,
    /// Tools that results refer to.
    references: HashSet<String>,
    /// What was told of messages that were not closed yet.
    told: HashSet<Diagnostic>,
    /// Whether there was a request since lowering began.
    was_sent: bool,
}

impl Lowerer {
    /// A lowerer that has seen nothing.
    #[must_use]
    pub fn new(options: LowerOptions) -> Self {
        Self {
            options,
            position: None,
            snipped: HashSet::new(),
            replaced: 0,
            state: State::default(),
            untold: Vec::new(),
            reset: None,
        }
    }

    /// Lowers what comes with other options. What was lowered is kept where
    /// they make no difference to it.
    pub fn set_options(&mut self, options: LowerOptions) {
        let before = mem::replace(&mut self.options, options);
        let now = &self.options;
        let mut same_tools = before.clone();
        same_tools.tools.clone_from(&now.tools);
        if same_tools != *now {
            self.start_again(Reset::Options);
        } else if self
            .state
            .references
            .iter()
            .any(|tool| before.offers(tool) != now.offers(tool))
        {
            self.start_again(Reset::Tools);
        }
    }

    /// Takes up what is new in the conversation. Where it does not continue
    /// what was seen before, everything is lowered again, and the next request
    /// says why.
    pub fn extend(&mut self, conversation: &Conversation) {
        let entries = conversation.entries();
        if self
            .position
            .as_ref()
            .is_some_and(|it| !it.leads_to(conversation))
        {
            self.start_again(Reset::Forked);
            self.snipped.clear();
        }
        self.find_breaks(entries);
        let seen = self.position.as_ref().map_or(0, |it| it.entries);
        let snipped = mem::take(&mut self.snipped);
        let new = drop_display_only(after_boundary(&entries[seen..]));
        for entry in drop_snipped(new, &snipped) {
            self.take_up(entry);
        }
        self.snipped = snipped;
        self.position = entries.last().map(|last| Position {
            instance: conversation.instance().clone(),
            entries: entries.len(),
            last: last.id,
        });
    }

    /// Lowers the conversation with what this one request adds to it.
    ///
    /// # Errors
    /// [`LowerError::NothingToAnswer`].
    pub fn lower(
        &mut self,
        conversation: &Conversation,
        tail: Tail<'_>,
    ) -> Result<Lowered<'_>, LowerError> {
        self.extend(conversation);
        let mut told = Vec::new();
        let mut finished = self.finish_tail(conversation, tail, &mut told);
        let media = self.state.before.media_with(&finished);
        let to_replace = media_to_replace(media, self.options.media_limit);
        if to_replace != self.replaced {
            // They may be closed already. Fewer are to be replaced than before
            // where some were pending and never came.
            self.start_again(Reset::MediaLimit);
            self.replaced = to_replace;
            self.extend(conversation);
            told.clear();
            finished = self.finish_tail(conversation, tail, &mut told);
        }
        let state = &mut self.state;
        let mut runs = state
            .before
            .complete(&mut finished, self.replaced, &self.options);
        match runs.last_mut() {
            Some(last) if last.role == Role::User => append_ephemeral(last, tail.ephemeral),
            Some(last) if last.is_paused() => last.will_grow(),
            _ => return Err(LowerError::NothingToAnswer),
        }
        state.was_sent = true;
        for draft in tail.pending {
            state.note_references(&draft.parts);
        }
        let is_new = |it: &Diagnostic| !state.told.contains(it);
        let mut diagnostics = mem::take(&mut self.untold);
        diagnostics.extend(told.iter().filter(|it| is_new(it)).cloned());
        state.told = told.into_iter().collect();
        Ok(Lowered {
            history: Cow::Borrowed(&state.history),
            tail: runs.into_iter().map(encode).collect(),
            history_markers: Cow::Borrowed(&state.markers),
            diagnostics,
            reset: self.reset.take(),
        })
    }

    /// Boundaries and snips among what is new that concern what was seen.
    fn find_breaks(&mut self, entries: &[Entry]) {
        let seen = self.position.as_ref().map_or(0, |it| it.entries);
        let new = &entries[seen..];
        if seen > 0 && self.begins_anew(new) {
            self.start_again(Reset::Boundary);
        }
        let snips = new.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Snip { ids } => Some(ids),
            _ => None,
        });
        let ids: HashSet<EntryId> = snips.flatten().copied().collect();
        // What was said since the last request counts too: it closed what
        // stood before it.
        let is_snipped = |entry: &Entry| ids.contains(&entry.id);
        if self.position.is_some()
            && !ids.is_empty()
            && after_boundary(entries).iter().any(is_snipped)
        {
            self.start_again(Reset::Snip);
        }
        self.snipped.extend(ids);
    }

    /// Whether there is a boundary, or context that goes before a summary that
    /// was sent already.
    fn begins_anew(&self, new: &[Entry]) -> bool {
        let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
        let mut sent = drop_snipped(drop_display_only(new), &self.snipped);
        let next =
            sent.find(|entry| matches!(entry.kind, EntryKind::Message { .. } | EntryKind::Aborted));
        new.iter().any(is_boundary)
            || (self.state.front.awaits_context()
                && self.state.was_sent
                && next.is_some_and(is_context))
    }

    /// Forgets what was lowered. The first reason is told.
    fn start_again(&mut self, reset: Reset) {
        let state = mem::take(&mut self.state);
        self.replaced = 0;
        // It will be found again.
        self.untold.clear();
        if self.position.take().is_some() && state.was_sent {
            self.reset.get_or_insert(reset);
        }
        self.state.told = state.told;
    }

    fn take_up(&mut self, entry: &Entry) {
        let mut diagnostics = Vec::new();
        self.state.note_references(&entry.parts);
        let closed = self
            .state
            .front
            .take_up(entry, &self.options, &mut diagnostics);
        if !closed.is_empty() {
            let mut finished = self
                .state
                .before
                .finish(closed, &self.options, &mut diagnostics);
            let runs = self
                .state
                .before
                .complete(&mut finished, self.replaced, &self.options);
            self.state.before.extend(finished);
            for run in runs {
                self.state.push(encode(run));
            }
        }
        diagnostics.retain(|it| !self.state.told.contains(it));
        self.untold.extend(diagnostics);
    }

    /// The messages that are not closed, with what is pending.
    fn finish_tail(
        &self,
        conversation: &Conversation,
        tail: Tail<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Finished {
        let mut front = self.state.front.clone();
        let first = conversation.entries().len();
        let mut runs = Vec::new();
        let pending: Vec<Entry> = tail
            .pending
            .iter()
            .zip(first..)
            .map(|(draft, index)| draft.clone().with_id(conversation.entry_id(index)))
            .collect();
        for entry in drop_display_only(&pending) {
            runs.extend(front.take_up(entry, &self.options, diagnostics));
        }
        runs.extend(front.into_runs());
        self.state.before.finish(runs, &self.options, diagnostics)
    }
}

impl State {
    fn note_references(&mut self, parts: &[Part]) {
        for part in parts {
            if let Part::ToolResult(ToolResult {
                content: ResultContent::Blocks(blocks),
                ..
            }) = part
            {
                let tools = blocks.iter().filter_map(ContentBlock::tool_reference);
                self.references.extend(tools);
            }
        }
    }

    fn push(&mut self, message: Arc<Encoded>) {
        self.markers.extend(markers(&message, self.history.len()));
        self.history.push(message);
    }
}

impl Position {
    fn leads_to(&self, conversation: &Conversation) -> bool {
        let last = conversation.entries().get(self.entries - 1);
        self.instance == *conversation.instance() && last.is_some_and(|it| it.id == self.last)
    }
}

fn encode(run: Run) -> Arc<Encoded> {
    let blocks = run.blocks.into_iter();
    let (content, sources) = blocks.map(|block| (block.content, block.source)).unzip();
    Arc::new(Encoded::message(Message::new(run.role, content), sources))
}

/// Lowers a whole conversation, for those who ask only once.
///
/// # Errors
/// [`LowerError::NothingToAnswer`].
pub fn lower(
    conversation: &Conversation,
    tail: Tail<'_>,
    options: &LowerOptions,
) -> Result<Lowered<'static>, LowerError> {
    let mut lowerer = Lowerer::new(options.clone());
    let lowered = lowerer.lower(conversation, tail)?;
    Ok(Lowered {
        history: Cow::Owned(lowered.history.into_owned()),
        history_markers: Cow::Owned(lowered.history_markers.into_owned()),
        tail: lowered.tail,
        diagnostics: lowered.diagnostics,
        reset: None,
    })
}
