//! Requests of a caller that keeps its own history, or has it kept in a file.
//!
//! Each call opens the session with its configuration, or resumes it from the stored
//! context, adds the prompt, prepares the request as `aside run` would, and stores what
//! the next call needs. So a series of calls gives the bytes of one session that was
//! never interrupted.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_session::{Persistence, Prepared, Session, SessionConfig};
use aside_tools::Workspace;
use uuid::Uuid;

use super::appended::NewEntries;
use super::before;
use super::caller_context::{self, CallerContext};
use super::captured::Captured;
use super::kept_conversation::KeptConversation;
use crate::Failure;
use crate::arguments::NextRequest;
use crate::interrupt;
use crate::output;
use crate::session_plan::SessionPlan;

/// The state that is stored between two calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage<'a> {
    /// Nothing: every call is a new session.
    Nothing,
    /// The file of `--context`. Without `--json` the caller cannot store additions, so
    /// the file is written by the first call only.
    Context(&'a Path),
    /// The file of `--context` with `--json`: the caller also stores the messages that a
    /// call appends, and each call updates the file.
    ContextAndMessages(&'a Path),
    /// The file of `--conversation` with `--append`.
    Conversation(&'a Path),
}

/// Prepares the next request of a caller that passes the file of `--context` in every
/// call.
///
/// 1. The messages are read; blocks that earlier calls appended become their entries
///    again.
/// 2. The session is opened, or resumed from the context. A call with no more messages
///    than the last one repeats it.
/// 3. The prompt is appended, and the request prepared.
/// 4. The context is written: by every call that reports its additions, else by the first
///    one.
///
/// # Errors
/// Usage errors are found before git runs and before anything is written.
pub(super) fn with_context(
    arguments: &NextRequest,
    (file, persistence): (&Path, Persistence),
    plan: SessionPlan,
) -> Result<(Captured, Session), Failure> {
    let mut context = CallerContext::read(file).map_err(Failure::usage)?;
    let recorded = context
        .as_ref()
        .map(CallerContext::recorded)
        .transpose()
        .map_err(Failure::usage)?
        .unwrap_or_default();
    let provider = plan.selection.provider();
    let before = before::messages_of(arguments, provider, &recorded).map_err(Failure::usage)?;
    if let Some(context) = &mut context {
        context.repeat(before.messages);
    }
    let SessionPlan {
        mut config, faults, ..
    } = plan;
    output::report_all(faults);
    let workspace = Workspace::new(&config.cwd, &config.additional_directories);
    config.persistence = persistence;
    config.lower.smoosh_reminders = false;
    let neutralize = config.lower.neutralize;
    let mut conversation = Conversation::new(Uuid::nil());
    let answers = before.answers();
    let mut session = open(context.as_ref(), config, answers, &mut conversation)?;
    for entry in before.entries {
        conversation.push(entry);
    }
    if context.is_none() {
        session.adopt(&conversation);
    }
    let given = conversation.entries().len();
    prompt(arguments, &mut session, &mut conversation, workspace)?;
    let mut prepared = prepare(&mut session, &conversation)?;
    let mut captured = Captured::of(&prepared, conversation.entries().to_vec());
    prepared.commit(&mut conversation);
    let is_new = context.is_none();
    let mut context = context.unwrap_or_else(|| CallerContext::new(&session));
    context.follow(&mut session, &prepared, &conversation);
    let entries = &conversation.entries()[given..];
    let mut new = NewEntries::of(entries, before.messages, neutralize)?;
    match persistence {
        Persistence::Conversation => {
            context.record(&mut new, before.messages, session.reminder_counters());
            captured.report = captured.report.with_messages(new.messages);
            context.write(file)?;
        }
        _ => {
            captured.report = captured.report.with_messages(Vec::new());
            if is_new {
                context.record_changes(&mut new);
                context.write(file)?;
            }
        }
    }
    Ok((captured, session))
}

/// Prepares the next request of a conversation that is kept in a file.
///
/// The file is locked from its reading until the new entries are appended to it. The
/// context entries of a new session are appended only if the file was empty; a
/// conversation of the caller gets them in each request, and keeps its lines.
pub(super) fn with_conversation(
    arguments: &NextRequest,
    file: &Path,
    plan: SessionPlan,
) -> Result<(Captured, Session), Failure> {
    let mut kept = KeptConversation::open(file).map_err(Failure::usage)?;
    let SessionPlan { config, faults, .. } = plan;
    output::report_all(faults);
    let workspace = Workspace::new(&config.cwd, &config.additional_directories);
    let mut conversation =
        std::mem::replace(&mut kept.conversation, Conversation::new(Uuid::nil()));
    let is_empty = conversation.entries().is_empty();
    let answers = before::answers(&conversation);
    let mut session = open(kept.context.as_ref(), config, answers, &mut conversation)?;
    conversation = before::complete(conversation, &session)?;
    if kept.context.is_none() {
        session.adopt(&conversation);
    }
    let stored = match is_empty {
        true => 0,
        false => conversation.entries().len(),
    };
    prompt(arguments, &mut session, &mut conversation, workspace)?;
    let mut prepared = prepare(&mut session, &conversation)?;
    let captured = Captured::of(&prepared, conversation.entries().to_vec());
    prepared.commit(&mut conversation);
    let is_new = kept.context.is_none();
    let context = kept
        .context
        .get_or_insert_with(|| CallerContext::new(&session));
    let is_changed = context.follow(&mut session, &prepared, &conversation);
    let new = &conversation.entries()[stored..];
    kept.append(is_new || is_changed, session.reminder_counters(), new)?;
    Ok((captured, session))
}

/// Opens a session, or resumes the one of the context; reports its diagnostics.
///
/// `answers` is the number of responses so far, which is the turn that schedules of
/// reminders count. An empty conversation gets the context entries of a new session.
fn open(
    context: Option<&CallerContext>,
    config: SessionConfig,
    answers: u64,
    conversation: &mut Conversation,
) -> Result<Session, Failure> {
    let tools = config.tools.clone();
    let session = match context {
        Some(context) => {
            let mut session = context.resume(config, answers, conversation);
            output::report_all(session.set_tools(tools));
            session
        }
        None => {
            let config = SessionConfig {
                turn: answers,
                ..config
            };
            let session = caller_context::open(config)?;
            if conversation.entries().is_empty() {
                *conversation = session.begin(Uuid::nil());
            }
            session
        }
    };
    output::report_all(session.diagnostics().iter().cloned());
    Ok(session)
}

/// Appends the prompt of the arguments, and the files that it mentions.
///
/// Without a prompt, nothing is appended. A mentioned file that cannot be read is
/// reported.
pub(super) fn prompt(
    arguments: &NextRequest,
    session: &mut Session,
    conversation: &mut Conversation,
    workspace: Workspace,
) -> Result<(), Failure> {
    let Some(prompt) = &arguments.prompt else {
        return Ok(());
    };
    conversation.push(EntryDraft::human(prompt.as_str()));
    let mentions = session.resolve_mentions(prompt, Arc::new(workspace));
    let (entries, faults) = interrupt::block_on(mentions)?;
    output::report_all(faults);
    for entry in entries {
        conversation.push(entry);
    }
    Ok(())
}

/// Prepares a request and reports its diagnostics.
///
/// Nothing is stored until the request is committed.
pub(super) fn prepare(
    session: &mut Session,
    conversation: &Conversation,
) -> Result<Prepared, Failure> {
    let mut prepared = session
        .prepare(conversation)
        .context("failed to prepare a request")?;
    output::report_all(std::mem::take(&mut prepared.diagnostics));
    Ok(prepared)
}
