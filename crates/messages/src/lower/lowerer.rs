use std::fmt;
use std::sync::Arc;

use super::block::Run;
use super::tail::append_ephemeral;
use super::{
    LowerOptions, Tail, drop_blank, expand, hoist_tool_results, merge_adjacent, smoosh_reminders,
};
use crate::conversation::{Conversation, Entry, EntryId, EntryKind, Instance, Visibility};
use crate::diagnostic::Diagnostic;
use crate::encode::Encoded;
use crate::wire::{Message, Role};

/// Lowers a conversation that grows, turn by turn: the work of a turn depends
/// on what is new, not on what was.
#[derive(Debug)]
pub struct Lowerer {
    options: LowerOptions,
    /// The conversation that is followed.
    instance: Option<Instance>,
    /// The last entry that was taken up, and how many there were with it.
    position: Option<(usize, EntryId)>,
    closed: Vec<LoweredMessage>,
    /// The run that may still grow, expanded and merged; the passes that look
    /// at a whole message are yet to come.
    open: Option<Run>,
    diagnostics: Vec<Diagnostic>,
}

/// A message in its final form.
#[derive(Clone, Debug)]
pub struct LoweredMessage {
    /// The typed form.
    pub message: Arc<Message>,
    /// The same as bytes, with the source of every block.
    pub encoded: Arc<Encoded>,
}

/// A conversation as the messages of one request.
#[derive(Debug)]
pub struct Lowered<'a> {
    closed: &'a [LoweredMessage],
    tail: Vec<LoweredMessage>,
    /// What was mended since the last time.
    pub diagnostics: Vec<Diagnostic>,
    /// Why nothing of the last time could be kept.
    pub reset: Option<Reset>,
}

/// Why lowering began anew, and with it the bytes of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reset {
    /// The conversation is not a continuation of the one seen last.
    Forked,
}

/// Why there is nothing to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// The conversation is empty, or the last word is the model's.
    NothingToAnswer,
}

impl Lowerer {
    /// A lowerer that has seen nothing.
    #[must_use]
    pub fn new(options: LowerOptions) -> Self {
        Self {
            options,
            instance: None,
            position: None,
            closed: Vec::new(),
            open: None,
            diagnostics: Vec::new(),
        }
    }

    /// Takes up what is new in the conversation. Where it does not continue
    /// what was seen before, everything is lowered again, and the reason is
    /// returned.
    pub fn extend(&mut self, conversation: &Conversation) -> Option<Reset> {
        let entries = conversation.entries();
        let is_other = self
            .instance
            .as_ref()
            .is_some_and(|it| it != conversation.instance());
        let is_cut = self
            .position
            .is_some_and(|(seen, id)| entries.get(seen - 1).map(|entry| entry.id) != Some(id));
        let reset = (is_other || is_cut).then(|| {
            *self = Self::new(self.options.clone());
            Reset::Forked
        });
        self.instance = Some(conversation.instance().clone());
        let seen = self.position.map_or(0, |(seen, _)| seen);
        for entry in &entries[seen..] {
            self.take_up(entry);
        }
        self.position = entries.last().map(|last| (entries.len(), last.id));
        reset
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
        let reset = self.extend(conversation);
        let mut diagnostics = Vec::new();
        let first = conversation.entries().len();
        let pending = tail
            .pending
            .iter()
            .enumerate()
            .filter_map(|(index, draft)| {
                let entry = draft.clone().with_id(conversation.entry_id(first + index));
                expand_sent(&entry, &self.options, &mut diagnostics)
            });
        let mut runs = merge_adjacent(self.open.clone().into_iter().chain(pending));
        runs.retain(|run| !run.blocks.is_empty());
        let opens = self.closed.first().map(|message| &message.message.role);
        let is_users = |role: Option<&Role>| role == Some(&Role::User);
        let first = opens.or(runs.first().map(|run| &run.role));
        if !is_users(first) || !is_users(runs.last().map(|run| &run.role)) {
            return Err(LowerError::NothingToAnswer);
        }
        for run in &mut runs {
            finish(run, &self.options);
        }
        if let Some(last) = runs.last_mut() {
            append_ephemeral(last, tail.ephemeral);
        }
        diagnostics.splice(0..0, self.diagnostics.drain(..));
        let tail = runs.into_iter().map(LoweredMessage::new).collect();
        Ok(Lowered {
            closed: &self.closed,
            tail,
            diagnostics,
            reset,
        })
    }

    fn take_up(&mut self, entry: &Entry) {
        let Some(run) = expand_sent(entry, &self.options, &mut self.diagnostics) else {
            return;
        };
        let mut runs = merge_adjacent(self.open.take().into_iter().chain([run])).into_iter();
        let first = runs.next();
        match runs.next() {
            None => self.open = first,
            Some(second) => {
                self.closed
                    .extend(first.and_then(|run| close(run, &self.options)));
                self.open = Some(second);
            }
        }
    }
}

impl<'a> Lowered<'a> {
    /// The messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &LoweredMessage> + Clone {
        self.closed.iter().chain(&self.tail)
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.closed.len() + self.tail.len()
    }

    /// Never: a request answers somebody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl LoweredMessage {
    fn new(run: Run) -> Self {
        let (content, sources): (Vec<_>, Vec<_>) = run
            .blocks
            .into_iter()
            .map(|block| (block.content, block.source))
            .unzip();
        let message = Message::new(run.role, content);
        let encoded = Arc::new(Encoded::message(&message, sources));
        Self {
            message: Arc::new(message),
            encoded,
        }
    }
}

/// Lowers a whole conversation, for those who ask only once.
///
/// # Errors
/// [`LowerError::NothingToAnswer`].
pub fn lower(
    conversation: &Conversation,
    tail: Tail<'_>,
    options: &LowerOptions,
) -> Result<Vec<LoweredMessage>, LowerError> {
    let mut lowerer = Lowerer::new(options.clone());
    let lowered = lowerer.lower(conversation, tail)?;
    Ok(lowered.messages().cloned().collect())
}

/// The passes of one entry; `None` for what is never sent.
fn expand_sent(
    entry: &Entry,
    options: &LowerOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Run> {
    let EntryKind::Message { role } = &entry.kind else {
        return None;
    };
    if entry.visibility == Visibility::DisplayOnly {
        return None;
    }
    let mut run = expand(role, entry, options, diagnostics);
    drop_blank(&mut run);
    Some(run)
}

/// The passes that need the whole run.
fn finish(run: &mut Run, options: &LowerOptions) {
    hoist_tool_results(run);
    if options.smoosh_reminders {
        smoosh_reminders(run);
    }
}

fn close(mut run: Run, options: &LowerOptions) -> Option<LoweredMessage> {
    finish(&mut run, options);
    (!run.blocks.is_empty()).then(|| LoweredMessage::new(run))
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToAnswer => {
                f.write_str("nothing to answer: the last message must be the user's")
            }
        }
    }
}

impl std::error::Error for LowerError {}
