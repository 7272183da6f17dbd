//! Sessions whose caller keeps the history.
//!
//! If you have a loop of your own, pass the history in every [`Call`] and store what the call adds:
//! a series of calls then has the same bytes as one session that was never interrupted. To make a
//! call, use
//!
//! 1. [`Call::new`] with the stored [`CallerState`], if there is one,
//! 2. [`Call::read_messages`], if you keep API messages: blocks that earlier calls appended become
//!    their entries again,
//! 3. [`Call::begin`], to open or resume the session,
//! 4. a request of the session, and
//! 5. [`Call::end`], which returns what to store.

mod appended;
mod messages;
mod state;

use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Boundary, Conversation, Entry, EntryDraft, EntryKind, Origin, Part,
};
use aside_messages::wire::{Compaction, Message};
use aside_user_files::json;
use uuid::Uuid;

use self::appended::NewEntries;
pub use self::state::CallerState;
use crate::config::{Git, Persistence, SessionConfig};
use crate::prepared::Prepared;
use crate::session::Session;

/// The kind of the note that a body or a history was converted from another wire.
pub const INPUT_FORM: aside_diagnostic::Kind = crate::kinds::INPUT_FORM;

/// Why a history or a caller's state cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct CallerError {
    detail: String,
    is_positioned: bool,
}

impl CallerError {
    fn new(detail: impl std::fmt::Display) -> Self {
        Self { detail: detail.to_string(), is_positioned: false }
    }

    /// Begins the error with line and column.
    fn in_json(error: json::JsonError) -> Self {
        Self { is_positioned: true, ..Self::new(error) }
    }

    /// Returns the error for this file, such as `m.json:2:1: …` or `m.json: messages[0]…`.
    #[must_use]
    pub fn in_file(&self, file: &std::path::Path) -> String {
        let space = if self.is_positioned { "" } else { " " };
        format!("{}:{space}{}", file.display(), self.detail)
    }
}

/// What you store between two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerStorage {
    /// Nothing: every call is a new session.
    Nothing,
    /// The state, as the first call returned it.
    State,
    /// The state that each call returns, and its messages.
    StateAndMessages,
    /// The lines that each call returns.
    Lines,
}

/// The history that you pass.
#[derive(Debug)]
pub enum CallerHistory {
    /// Entries, which have their ids.
    Conversation(Conversation),
    /// Entries read from a list of messages, and how long that list is.
    Messages(Vec<EntryDraft>, usize),
}

/// One call.
#[derive(Debug)]
pub struct Call {
    storage: CallerStorage,
    state: Option<CallerState>,
    /// How many messages the caller has; `None` for a conversation.
    messages: Option<usize>,
    /// How many entries the caller already has.
    given: usize,
    /// Whether to escape reminder tags in text from outside.
    neutralize: bool,
}

/// What to store after a call.
#[derive(Debug, Default)]
pub struct CallEnd {
    /// For a history of messages: the messages to append before the response.
    pub messages: Vec<Message>,
    /// The new state; `None` to keep the stored one.
    pub state: Option<CallerState>,
    /// The entries to append to the conversation before the response.
    pub entries: Vec<Entry>,
    /// The line with the reminder counters, to write before state and entries; `None` if it is not
    /// needed. It says how many lines follow, by which [`CallerState::cut_write`] finds an
    /// incomplete write.
    pub counters: Option<String>,
}

impl Call {
    /// Creates a call with the stored state; `None` before the first call.
    #[must_use]
    pub fn new(storage: CallerStorage, state: Option<CallerState>) -> Self {
        Self { storage, state, messages: None, given: 0, neutralize: false }
    }

    /// Reads a history of messages: a Messages API list, an object with `messages`, or a body for
    /// another wire, whose losses are reported. Messages from the model get `model` as their
    /// origin, by which another provider's thinking is recognized.
    ///
    /// Text is ordinary text, whatever it contains: a reminder tag is reported, because the list
    /// does not show who wrote it.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or a message cannot be read. The error says where.
    pub fn read_messages(
        &self,
        text: &str,
        model: &Origin,
        report: &mut dyn FnMut(Diagnostic),
    ) -> Result<CallerHistory, CallerError> {
        let recorded = self.state.as_ref().map(CallerState::recorded).transpose()?;
        messages::read(text, model, &recorded.unwrap_or_default(), report)
    }

    /// Opens the session, or resumes it from the state, and returns it with the conversation. A
    /// call with no more messages than the last one repeats it.
    ///
    /// If a conversation has no session context after its last boundary, it gets this session's
    /// there. The id is for a history of messages.
    ///
    /// # Errors
    ///
    /// Two entries have the same id.
    pub async fn begin(
        &mut self,
        mut config: SessionConfig,
        history: CallerHistory,
        id: Uuid,
    ) -> Result<(Session, Conversation), CallerError> {
        let answers = history.answers();
        let (mut conversation, drafts) = match history {
            CallerHistory::Conversation(conversation) => (conversation, Vec::new()),
            CallerHistory::Messages(drafts, count) => {
                self.messages = Some(count);
                (Conversation::new(id), drafts)
            }
        };
        self.configure(&mut config, answers);
        let is_empty = conversation.entries().is_empty();
        let mut session = match &mut self.state {
            Some(state) => {
                state.repeat(self.messages);
                let tools = config.tools.clone();
                let mut session = state.resume(config, answers, &mut conversation);
                let left_out = session.set_tools(tools);
                session.add_diagnostics(left_out);
                let faults = session.refresh().await;
                session.add_diagnostics(faults);
                session
            }
            None => {
                let session = Session::open(config).await;
                if is_empty {
                    conversation = session.begin(id);
                }
                session
            }
        };
        for draft in drafts {
            conversation.push(draft);
        }
        let conversation = complete(with_boundaries(conversation)?, &session)?;
        if self.state.is_none() {
            session.adopt(&conversation);
        }
        self.given = match (self.messages, is_empty) {
            // A new file's first line is its session's context.
            (None, true) => 0,
            _ => conversation.entries().len(),
        };
        Ok((session, conversation))
    }

    /// Sets what follows from the storage.
    ///
    /// If nothing is stored next to messages, the next call does not know what this one adds. So
    /// whatever would differ from call to call is left out: git status, date and attachments;
    /// reminders are not joined with tool results.
    fn configure(&mut self, config: &mut SessionConfig, answers: u64) {
        self.neutralize = config.lower.neutralize;
        let is_lines = self.storage == CallerStorage::Lines;
        if self.messages.is_some() || is_lines {
            config.turn = answers;
        }
        if self.messages.is_none() {
            return;
        }
        config.lower.smoosh_reminders = false;
        config.persistence = match self.storage {
            CallerStorage::Nothing => Persistence::Nothing,
            CallerStorage::State => Persistence::Context,
            CallerStorage::StateAndMessages | CallerStorage::Lines => Persistence::Conversation,
        };
        if self.storage == CallerStorage::Nothing && matches!(config.git, Git::Snapshot(_)) {
            config.git = Git::Branch;
        }
    }

    /// Returns what to store after a request that you committed to the conversation.
    ///
    /// # Errors
    ///
    /// A new entry cannot be written as a message.
    pub fn end(
        self,
        session: &mut Session,
        prepared: &Prepared,
        conversation: &Conversation,
    ) -> Result<CallEnd, CallerError> {
        let is_new = self.state.is_none();
        let mut state = self.state.unwrap_or_else(|| CallerState::new(session));
        let is_changed = state.follow(session, prepared, conversation);
        let entries = &conversation.entries()[self.given..];
        let mut end = CallEnd::default();
        if self.storage == CallerStorage::Lines {
            end.entries = entries.to_vec();
            let is_written = is_new || is_changed;
            let lines = entries.len() + usize::from(is_written);
            end.counters = state.counters_line(session.reminder_counters(), lines);
            end.state = is_written.then_some(state);
            return Ok(end);
        }
        let messages = self.messages.unwrap_or_default();
        let new = NewEntries::of(entries, messages, self.neutralize)?;
        let has_messages = self.storage == CallerStorage::StateAndMessages;
        if has_messages {
            state.record(new.appended, messages, session.reminder_counters());
            end.messages = new.messages;
        }
        if has_messages || (self.storage == CallerStorage::State && is_new) {
            state.changes.extend(new.changes);
            end.state = Some(state);
        }
        Ok(end)
    }
}

impl CallerHistory {
    /// Counts the model's responses, which equal the requests so far.
    fn answers(&self) -> u64 {
        let count = match self {
            Self::Conversation(it) => it.entries().iter().filter(|it| it.kind.is_answer()).count(),
            Self::Messages(drafts, _) => drafts.iter().filter(|it| it.kind.is_answer()).count(),
        };
        count as u64
    }
}

/// Turns messages that are nothing but the API's signed summary into boundaries: the API requires
/// that the block is the first one, before the context.
fn with_boundaries(conversation: Conversation) -> Result<Conversation, CallerError> {
    let is_signed = |entry: &Entry| match &*entry.parts {
        [_] => leading_summary(entry).is_some_and(|it| it.is_signed),
        _ => false,
    };
    if !conversation.entries().iter().any(is_signed) {
        return Ok(conversation);
    }
    let mut entries = conversation.entries().to_vec();
    for entry in entries.iter_mut().filter(|it| is_signed(it)) {
        if let Some(Part::Other(block)) = entry.parts.pop() {
            entry.kind = EntryKind::Boundary(Boundary::CompactBlock { block });
        }
    }
    from_entries(conversation.id(), entries)
}

/// Returns the summary by the API with which an answer begins.
fn leading_summary(entry: &Entry) -> Option<Compaction> {
    let first = entry.parts.first().filter(|_| entry.kind.is_answer());
    first?.as_other()?.compaction()
}

/// Inserts the session's context entries, if there are none, at the start, or after the last
/// boundary or summary by the API, which ignores what is before it.
fn complete(conversation: Conversation, session: &Session) -> Result<Conversation, CallerError> {
    let entries = conversation.entries();
    let is_boundary = |entry: &Entry| entry.is_boundary() || leading_summary(entry).is_some();
    let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
    let start = entries.iter().rposition(is_boundary).map_or(0, |at| at + 1);
    // The file's entries have the ids that the other one gives.
    let first = session.begin(Uuid::max());
    if first.entries().is_empty() || entries[start..].iter().any(is_context) {
        return Ok(conversation);
    }
    let (before, behind) = entries.split_at(start);
    let all = before.iter().chain(first.entries()).chain(behind).cloned();
    from_entries(conversation.id(), all.collect())
}

fn from_entries(id: Uuid, entries: Vec<Entry>) -> Result<Conversation, CallerError> {
    Conversation::from_entries(id, entries)
        .map_err(|id| CallerError::new(format_args!("two entries have the id {id}")))
}
