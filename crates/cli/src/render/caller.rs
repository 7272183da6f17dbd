//! A session whose history another program keeps as messages or files.
//!
//! ```text
//! files ─ CallerState, CallerHistory ─ begin ─> Session, Conversation
//!       ─ request ─> Prepared       ─ Stored::end ─> files
//! ```

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_messages::conversation::{Conversation, Entry, Origin};
use aside_messages::wire::Message;
use aside_session::caller::{Call, CallEnd, CallerHistory, CallerState, CallerStorage};
use aside_session::{Prepared, Session};
use aside_transcript::{
    Contents, Owner, Record, SessionFile, Snapshot, TranscriptError, read_lines_of_caller,
};
use serde::Serialize;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::NextRequest;
use crate::input::{self, MAX_CONVERSATION_BYTES};
use crate::interrupt;
use crate::kinds;
use crate::output;
use crate::run::{self, transcripts};
use crate::session_plan::SessionPlan;

/// Which files to store between two calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage<'a> {
    /// None: every call is a new session.
    Nothing,
    /// The `--context` file. Without `--json` the caller cannot store
    /// additions, so only the first call writes the file.
    Context(&'a Path),
    /// The `--context` file with `--json`: the caller also stores the messages
    /// that a call appends, and each call updates the file.
    ContextAndMessages(&'a Path),
    /// The `--conversation` file with `--append`.
    Conversation(&'a Path),
}

/// An open [`Storage`] file.
enum Store {
    Nothing,
    /// Nothing, and the caller has no entries to append either: it keeps
    /// messages.
    Forgotten,
    Snapshot(Snapshot),
    Log(SessionFile),
}

/// Where a call stores what the next one needs.
pub(super) struct Stored {
    store: Store,
    call: Call,
}

/// Opens the caller's session, and reports its diagnostics.
///
/// # Errors
/// Usage errors are found before git runs and before anything is written.
pub(super) fn begin(
    arguments: &NextRequest,
    storage: Storage<'_>,
    mut plan: SessionPlan,
) -> Result<(Session, Conversation, Stored), Failure> {
    let origin = Origin::Model {
        provider: plan.selection.provider().to_string(),
        name: plan.config.model.clone(),
    };
    let (store, mut call, history) = open(arguments, storage, &origin).map_err(Failure::usage)?;
    let conversation = match &history {
        CallerHistory::Conversation(conversation) => Some(conversation),
        _ => None,
    };
    let provider = run::serving(&plan, conversation);
    plan.serve_by(provider);
    output::report_all(plan.faults);
    let begun = interrupt::block_on(call.begin(plan.config, history, Uuid::nil()))?;
    let (session, conversation) = begun.map_err(|error| Failure::usage(error.into()))?;
    output::report_all(session.diagnostics().iter().cloned());
    if matches!(store, Store::Forgotten) {
        report_changeable(&session);
    }
    Ok((session, conversation, Stored { store, call }))
}

/// What a request adds to its history, in the history's form.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Append {
    /// Entries to append to a conversation.
    Entries(Vec<Entry>),
    /// Messages, as in the Messages API.
    Messages(Vec<Message>),
}

impl Append {
    /// Returns true when the caller has nothing to store.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Entries(entries) => entries.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
        }
    }
}

/// What the next call needs, before it is written: a request that is refused or not printed leaves
/// the files as they were.
pub(crate) struct Unwritten {
    store: Store,
    end: CallEnd,
}

impl Unwritten {
    pub(super) fn write(mut self) -> anyhow::Result<()> {
        let written = self.store.write(self.end);
        written.context("failed to write the session")
    }
}

impl Stored {
    /// Returns what the next call needs, and sets what the caller appends.
    pub(super) fn end(
        self,
        append: &mut Append,
        prepared: &mut Prepared,
        session: &mut Session,
        mut conversation: Conversation,
    ) -> anyhow::Result<Option<Unwritten>> {
        match self.store {
            Store::Nothing => return Ok(None),
            Store::Forgotten => {
                *append = Append::Messages(Vec::new());
                return Ok(None);
            }
            Store::Snapshot(_) | Store::Log(_) => {}
        }
        prepared.commit(&mut conversation);
        let mut end = self.call.end(session, prepared, &conversation)?;
        if matches!(self.store, Store::Snapshot(_)) {
            *append = Append::Messages(std::mem::take(&mut end.messages));
        }
        let store = self.store;
        Ok(Some(Unwritten { store, end }))
    }
}

/// Opens the files, and reads the history.
fn open(
    arguments: &NextRequest,
    storage: Storage<'_>,
    model: &Origin,
) -> anyhow::Result<(Store, Call, CallerHistory)> {
    let in_file = |error: TranscriptError, verb: &str| anyhow!("failed to {verb} {error}");
    let kept = |contents: &Contents, file: &Path| {
        let conversation = contents.conversation(Uuid::nil());
        let conversation = conversation.map_err(|id| anyhow!("two entries have the id {id}"));
        let conversation =
            conversation.with_context(|| format!("failed to read {}", file.display()))?;
        let state = contents.caller_state();
        let state = state.map_err(|error| anyhow!("failed to read {}", error.in_file(file)))?;
        let call = Call::new(CallerStorage::Lines, state);
        Ok::<_, anyhow::Error>((call, CallerHistory::Conversation(conversation)))
    };
    match (storage, &arguments.conversation) {
        (Storage::Conversation(file), _) => {
            if file == Path::new("-") {
                return Err(anyhow!("--append needs a file: - is stdin"));
            }
            let opened = SessionFile::open(file, Owner::Caller);
            let (log, contents) = opened.map_err(|error| in_file(error, "open"))?;
            transcripts::report(&contents, file, "removed");
            let (call, history) = kept(&contents, file)?;
            Ok((Store::Log(log), call, history))
        }
        (_, Some(file)) => {
            let text = input::text(file, MAX_CONVERSATION_BYTES)?;
            let contents =
                read_lines_of_caller(file, &text).map_err(|error| in_file(error, "read"))?;
            transcripts::report(&contents, file, "left out");
            let (call, history) = kept(&contents, file)?;
            Ok((Store::Nothing, call, history))
        }
        (Storage::Nothing, None) => {
            let call = Call::new(CallerStorage::Nothing, None);
            let history = messages(arguments, &call, model)?;
            Ok((Store::Forgotten, call, history))
        }
        (Storage::Context(file) | Storage::ContextAndMessages(file), None) => {
            if file == Path::new("-") {
                return Err(anyhow!("--context needs a file: - is stdin"));
            }
            let snapshot = Snapshot::new(file);
            let text = snapshot.read().map_err(|error| in_file(error, "read"))?;
            let state = text.as_deref().map(CallerState::parse).transpose();
            let state = state.map_err(|error| anyhow!("failed to read {}", error.in_file(file)))?;
            let stored = match storage {
                Storage::Context(_) => CallerStorage::State,
                _ => CallerStorage::StateAndMessages,
            };
            let call = Call::new(stored, state);
            let history = messages(arguments, &call, model)?;
            Ok((Store::Snapshot(snapshot), call, history))
        }
    }
}

/// Reads the `--messages` history.
fn messages(arguments: &NextRequest, call: &Call, model: &Origin) -> anyhow::Result<CallerHistory> {
    let file = arguments.messages.as_ref();
    let file = file.expect("a caller without a conversation has messages");
    let text = input::text(file, MAX_CONVERSATION_BYTES)?;
    let history = call.read_messages(&text, model, &mut |diagnostic| {
        output::report(&diagnostic.at(file));
    });
    history.map_err(|error| anyhow!("failed to read {}", error.in_file(file)))
}

impl Store {
    fn write(&mut self, end: CallEnd) -> anyhow::Result<()> {
        match self {
            Self::Nothing | Self::Forgotten => {}
            Self::Snapshot(snapshot) => {
                if let Some(state) = end.state {
                    snapshot.replace(&(state.to_json_line() + "\n"))?;
                }
            }
            Self::Log(log) => log.append(&Record::from_call(end)?)?,
        }
        Ok(())
    }
}

/// When a request without a context has instruction files, reports that the
/// next call reads them again.
fn report_changeable(session: &Session) {
    let memory = session.context().memory.as_ref();
    if memory.is_some_and(|memory| !memory.files().is_empty()) {
        let message = "the next call reads the instruction files again: if one has changed, \
                       everything after it is missed in the cache; --context FILE keeps them";
        output::report(&kinds::CONTEXT_NOT_KEPT.diagnostic(message));
    }
}
