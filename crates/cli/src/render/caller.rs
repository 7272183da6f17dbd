//! The next request for a new session without a prompt, or for a history that
//! another program keeps as messages or files.
//!
//! ```text
//! files ─ CallerState, CallerHistory ─ Call::begin ─> Session, Conversation
//!       ─ prompt, prepare ─> Captured      ─ Call::end ─> files
//! ```

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use aside_messages::conversation::{Conversation, EntryDraft, Origin};
use aside_session::Session;
use aside_session::caller::{Call, CallEnd, CallerHistory, CallerState, CallerStorage};
use aside_tools::Workspace;
use aside_transcript::{
    Contents, Owner, Record, SessionFile, Snapshot, TranscriptError, TranscriptErrorKind,
    read_lines_of_caller,
};
use uuid::Uuid;

use super::captured::Captured;
use crate::Failure;
use crate::arguments::NextRequest;
use crate::input::{self, MAX_CONVERSATION_BYTES};
use crate::interrupt;
use crate::kinds;
use crate::output;
use crate::run::transcripts;
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
    Snapshot(Snapshot),
    Log(SessionFile),
}

/// Prepares the request, and stores what the next call needs. `id` is for a new
/// session.
///
/// # Errors
/// Usage errors are found before git runs and before anything is written.
pub(super) fn request(
    arguments: &NextRequest,
    storage: Storage<'_>,
    plan: SessionPlan,
    id: Uuid,
) -> Result<(Captured, Session), Failure> {
    let origin = Origin::Model {
        provider: plan.selection.provider().to_string(),
        name: arguments.request.model.clone(),
    };
    let (mut store, mut call, history) =
        open(arguments, storage, &origin).map_err(Failure::usage)?;
    output::report_all(plan.faults);
    let workspace = Workspace::new(&plan.config.cwd, &plan.config.additional_directories);
    let begun = interrupt::block_on(call.begin(plan.config, history, id))?;
    let (mut session, mut conversation) = begun.map_err(|error| Failure::usage(error.into()))?;
    output::report_all(session.diagnostics().iter().cloned());
    let is_forgotten = arguments.messages.is_some() && matches!(storage, Storage::Nothing);
    if is_forgotten {
        report_changeable(&session);
    }
    if let Some(prompt) = &arguments.prompt {
        conversation.push(EntryDraft::human(prompt.as_str()));
        let mentions = session.resolve_mentions(prompt, Arc::new(workspace));
        let (entries, faults) = interrupt::block_on(mentions)?;
        output::report_all(faults);
        for entry in entries {
            conversation.push(entry);
        }
    }
    let mut prepared = session
        .prepare(&conversation)
        .context("failed to prepare a request")?;
    output::report_all(std::mem::take(&mut prepared.diagnostics));
    let mut captured = Captured::of(&prepared, conversation.entries().to_vec());
    if matches!(storage, Storage::Nothing) {
        if is_forgotten {
            captured.report = captured.report.with_messages(Vec::new());
        }
        return Ok((captured, session));
    }
    prepared.commit(&mut conversation);
    let mut end = call
        .end(&mut session, &prepared, &conversation)
        .map_err(anyhow::Error::from)?;
    if matches!(store, Store::Snapshot(_)) {
        let messages = std::mem::take(&mut end.messages);
        captured.report = captured.report.with_messages(messages);
    }
    store.write(end).context("failed to write the session")?;
    Ok((captured, session))
}

/// Opens the files, and reads the history.
fn open(
    arguments: &NextRequest,
    storage: Storage<'_>,
    model: &Origin,
) -> anyhow::Result<(Store, Call, CallerHistory)> {
    let in_file = |error: TranscriptError, verb: &str| {
        let id = error.path().file_stem().and_then(|stem| stem.to_str());
        let id = id
            .filter(|stem| Uuid::try_parse(stem).is_ok())
            .unwrap_or("ID");
        match error.kind() {
            TranscriptErrorKind::OfSession => {
                anyhow!("failed to {verb} {error}: take --resume {id}")
            }
            _ => anyhow!("failed to {verb} {error}"),
        }
    };
    let kept = |contents: &Contents, file: &Path| {
        let conversation = contents.conversation(Uuid::nil());
        let conversation = conversation.map_err(|id| anyhow!("two entries have the id {id}"));
        conversation.with_context(|| format!("failed to read {}", file.display()))
    };
    match (storage, &arguments.conversation) {
        (Storage::Conversation(file), _) => {
            if file == Path::new("-") {
                return Err(anyhow!("--append needs a file: - is stdin"));
            }
            let opened = SessionFile::open(file, Owner::Caller);
            let (log, contents) = opened.map_err(|error| in_file(error, "open"))?;
            transcripts::report(&contents, file, "removed");
            let state = contents.caller_state();
            let state = state.map_err(|error| anyhow!("failed to open {}", error.in_file(file)))?;
            let history = CallerHistory::Conversation(kept(&contents, file)?);
            let call = Call::new(CallerStorage::Lines, state);
            Ok((Store::Log(log), call, history))
        }
        (_, Some(file)) => {
            let text = input::text(file, MAX_CONVERSATION_BYTES)?;
            let contents =
                read_lines_of_caller(file, &text).map_err(|error| in_file(error, "read"))?;
            transcripts::report(&contents, file, "left out");
            let history = CallerHistory::Conversation(kept(&contents, file)?);
            Ok((
                Store::Nothing,
                Call::new(CallerStorage::Nothing, None),
                history,
            ))
        }
        (Storage::Nothing, None) => {
            let call = Call::new(CallerStorage::Nothing, None);
            let history = messages(arguments, &call, model)?;
            Ok((Store::Nothing, call, history))
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

/// Reads the `--messages` history; empty without the argument.
fn messages(arguments: &NextRequest, call: &Call, model: &Origin) -> anyhow::Result<CallerHistory> {
    let Some(file) = &arguments.messages else {
        return Ok(CallerHistory::Conversation(Conversation::new(
            arguments.id().unwrap_or_default(),
        )));
    };
    let text = input::text(file, MAX_CONVERSATION_BYTES)?;
    let history = call.read_messages(&text, model, &mut |diagnostic| {
        output::report(&diagnostic.at(file));
    });
    history.map_err(|error| anyhow!("failed to read {}", error.in_file(file)))
}

impl Store {
    fn write(&mut self, end: CallEnd) -> anyhow::Result<()> {
        match self {
            Self::Nothing => {}
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
