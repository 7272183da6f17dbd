//! Sessions whose history is kept by their caller.
//!
//! A caller with a loop of its own passes the history in every [`Call`], and stores what
//! the call adds, so that a series of calls has the bytes of one session that was never
//! interrupted. A call is
//!
//! 1. [`Call::new`] with the stored [`CallerState`], if there is one,
//! 2. [`Call::read_messages`], if the caller keeps messages of the API: blocks that
//!    earlier calls appended become their entries again,
//! 3. [`Call::begin`], which opens or resumes the session,
//! 4. a request of the session, and
//! 5. [`Call::end`], which returns what to store.

mod appended;
mod messages;
mod state;

use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Conversation, Entry, EntryDraft, EntryKind, Origin};
use aside_messages::wire::Message;
use aside_user_files::json;
use uuid::Uuid;

use self::appended::{NewEntries, Recorded};
pub use self::state::CallerState;
use crate::config::{Git, Persistence, SessionConfig};
use crate::prepared::Prepared;
use crate::session::Session;

/// The kind of the note that a body or a history was converted from another wire.
pub const INPUT_FORM: aside_diagnostic::Kind = crate::kinds::INPUT_FORM;

/// A history, or a state of a caller, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct CallerError {
    detail: String,
    is_positioned: bool,
}

impl CallerError {
    fn new(detail: impl std::fmt::Display) -> Self {
        Self {
            detail: detail.to_string(),
            is_positioned: false,
        }
    }

    /// An error that begins with the line and the column.
    fn in_json(error: json::JsonError) -> Self {
        Self {
            is_positioned: true,
            ..Self::new(error)
        }
    }

    /// Returns the error of this file, such as `m.json:2:1: …` or `m.json: messages[0]…`.
    #[must_use]
    pub fn in_file(&self, file: &std::path::Path) -> String {
        let space = if self.is_positioned { "" } else { " " };
        format!("{}:{space}{}", file.display(), self.detail)
    }
}

/// What a caller stores between two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerStorage {
    /// Nothing: every call is a new session.
    Nothing,
    /// The state as the first call returned it.
    State,
    /// The state that each call returns, and its messages.
    StateAndMessages,
    /// The lines that each call returns.
    Lines,
}

/// The history that a caller passes.
#[derive(Debug)]
pub enum CallerHistory {
    /// Entries, which have their ids.
    Conversation(Conversation),
    /// Entries that were read from a list of messages, and the length of that list.
    Messages(Vec<EntryDraft>, usize),
}

/// A call of a caller.
#[derive(Debug)]
pub struct Call {
    storage: CallerStorage,
    state: Option<CallerState>,
    /// The number of messages of the caller; `None` for a conversation.
    messages: Option<usize>,
    /// The number of entries that the caller has already.
    given: usize,
    /// True if reminder tags in text from outside are escaped.
    neutralize: bool,
}

/// What a caller stores after a call.
#[derive(Debug, Default)]
pub struct CallEnd {
    /// The messages to append to the history before the response, for a history of
    /// messages.
    pub messages: Vec<Message>,
    /// The new state; `None` if the stored one stays.
    pub state: Option<CallerState>,
    /// The entries to append to the conversation before the response.
    pub entries: Vec<Entry>,
    /// The line with the counters of reminders, before the state and the entries; `None`
    /// if it is not needed. It has the number of lines that follow it, by which
    /// [`CallerState::cut_write`] finds an incomplete write.
    pub counters: Option<String>,
}

impl Call {
    /// Creates a call with the state that was stored; `None` before the first call.
    #[must_use]
    pub fn new(storage: CallerStorage, state: Option<CallerState>) -> Self {
        Self {
            storage,
            state,
            messages: None,
            given: 0,
            neutralize: false,
        }
    }

    /// Reads a history of messages: a list of the Messages API, an object with `messages`,
    /// or a body of another wire, whose losses are reported. Messages of the model get
    /// `model` as their origin, by which thinking of another provider is recognized.
    ///
    /// A text is an ordinary text, whatever it contains: a reminder tag is reported,
    /// because the list does not show who wrote it.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or a message cannot be read. The error has the place.
    pub fn read_messages(
        &self,
        text: &str,
        model: &Origin,
        report: &mut dyn FnMut(Diagnostic),
    ) -> Result<CallerHistory, CallerError> {
        let recorded = match &self.state {
            Some(state) => state.recorded()?,
            None => Recorded::default(),
        };
        messages::read(text, model, &recorded, report)
    }

    /// Opens the session, or resumes it from the state, and returns it with the
    /// conversation. A call with no more messages than the last one repeats it.
    ///
    /// A conversation without the context of a session after its last boundary gets that
    /// of this session there. The id is for a history of messages.
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
        let mut conversation = complete(conversation, &session)?;
        for draft in drafts {
            conversation.push(draft);
        }
        if self.state.is_none() {
            session.adopt(&conversation);
        }
        self.given = match (self.messages, is_empty) {
            // The first line of a new file is the context of its session.
            (None, true) => 0,
            _ => conversation.entries().len(),
        };
        Ok((session, conversation))
    }

    /// Sets what follows from the storage.
    ///
    /// If nothing is stored next to messages, the next call does not know what this one
    /// adds. So the parts that would differ from call to call are left out: the git
    /// status, the date and attachments; reminders are not joined with results of tools.
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
        if self.storage == CallerStorage::Nothing {
            config.git = Git::Skip;
        }
    }

    /// Returns what to store after a request that was committed to the conversation.
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
        match self.storage {
            CallerStorage::StateAndMessages => {
                state.record(new.appended, messages, session.reminder_counters());
                state.record_changes(new.changes);
                end.messages = new.messages;
                end.state = Some(state);
            }
            CallerStorage::State if is_new => {
                state.record_changes(new.changes);
                end.state = Some(state);
            }
            _ => {}
        }
        Ok(end)
    }
}

impl CallerHistory {
    /// Returns the number of responses of the model, which is that of the requests so
    /// far.
    fn answers(&self) -> u64 {
        let count = match self {
            Self::Conversation(conversation) => {
                let entries = conversation.entries().iter();
                entries.filter(|entry| entry.kind.is_answer()).count()
            }
            Self::Messages(drafts, _) => {
                let drafts = drafts.iter();
                drafts.filter(|draft| draft.kind.is_answer()).count()
            }
        };
        count as u64
    }
}

/// Inserts the context entries of the session at the start, or after the last boundary,
/// if there are none.
fn complete(conversation: Conversation, session: &Session) -> Result<Conversation, CallerError> {
    let entries = conversation.entries();
    let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
    let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
    let start = entries.iter().rposition(is_boundary).map_or(0, |at| at + 1);
    // The entries of the file have the ids that the other one gives.
    let first = session.begin(Uuid::max());
    if first.entries().is_empty() || entries[start..].iter().any(is_context) {
        return Ok(conversation);
    }
    let (before, behind) = entries.split_at(start);
    let all = before.iter().chain(first.entries()).chain(behind).cloned();
    Conversation::from_entries(conversation.id(), all.collect())
        .map_err(|id| CallerError::new(format_args!("two entries have the id {id}")))
}
