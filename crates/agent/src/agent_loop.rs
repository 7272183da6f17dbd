mod compact;
mod messages;
mod refusals;
mod servers;
mod turn;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aside_attachments::QueuedCommand;
use aside_messages::conversation::{
    CallIds, Conversation, EntryDraft, EntryKind, ToolCall, TurnState,
};
use aside_models::UsageSum;
use aside_session::{
    CompactionPolicy, ContextSize, Diagnostic, Files, Journal, PartialResponse, Prepared, Session,
    SessionDate, SessionTime, SessionTool, ToolOrigin,
};

use crate::calls::{self, Running};
use crate::cancel::CancelHandle;
use crate::client::Client;
use crate::compaction::Command;
use crate::inbox::Inbox;
use crate::kinds;
use crate::outcome::{Limit, LoopError, Outcome, RunLimits, RunReport};
use crate::progress::{Observer, Progress};
use crate::tool::{Tool, ToolOutput};
use crate::tool_servers::ToolServers;

const INTERRUPTED: &str = "The call was interrupted.";
const MAY_HAVE_RUN: &str = "The call was interrupted, and its result is lost. It may have taken \
                            effect: check before you repeat it.";
const NOT_RUN: &str = "The call was not run: the answer that it is in did not come to its end.";

/// A coding agent's loop: it sends requests and runs tools until the model ends
/// its turn.
///
/// The conversation's state decides the next step: tool calls without a result
/// are run, and a message without a response is sent. A loop can therefore
/// continue any conversation, even one interrupted in the middle of a turn.
///
/// You can end a run at any time, by its [handle](Loop::cancel_handle) or by
/// dropping its future. Unfinished work is settled at once: calls that have not
/// ended get an error as their result, and a response that has not arrived is
/// recorded as aborted.
///
/// For an example, see the [crate documentation](crate).
#[derive(Debug)]
pub struct Loop {
    session: Session,
    conversation: Conversation,
    client: Arc<dyn Client>,
    tools: Vec<Arc<dyn Tool>>,
    servers: Option<Arc<dyn ToolServers>>,
    server_tools: Vec<Arc<dyn Tool>>,
    files: Option<Arc<dyn Files>>,
    limits: RunLimits,
    clock: Option<Box<dyn Clock>>,
    observer: Option<Box<dyn Observer>>,
    journal: Option<Box<dyn Journal>>,
    /// How many entries are in the journal.
    written: usize,
    inbox: Inbox,
    /// Taken from the inbox, and not appended yet.
    queued: VecDeque<QueuedCommand>,
    /// User commands to run before the next request.
    commands: VecDeque<Command>,
    /// With `None` the conversation is never compacted.
    policy: Option<CompactionPolicy>,
    size: ContextSize,
    /// True if a compaction was postponed since the last one.
    is_postponed: bool,
    cancel: CancelHandle,
    ids: CallIds,
    report: RunReport,
    underway: Underway,
    /// Not reported to an observer yet.
    pending: Vec<Diagnostic>,
    /// The tools that were reported as offered but not callable, as a list.
    uncallable: String,
    /// Where to keep the next request instead of sending it.
    unsent: Option<Option<Prepared>>,
}

/// A session's clock.
pub trait Clock: std::fmt::Debug + Send {
    /// Returns the session's time and the local date. It is called before every
    /// request; without a date, the one [set](Session::set_date) last stays.
    fn now(&mut self) -> (SessionTime, Option<SessionDate>);
}

/// What is lost if the loop ends now.
#[derive(Debug, Default)]
enum Underway {
    #[default]
    Nothing,
    Receiving(Box<PartialResponse>),
    Calling(Running),
}

/// Settles unfinished work if the run is dropped.
struct Unsettled<'a>(&'a mut Loop);

impl Loop {
    /// Creates a loop over a conversation in this session.
    pub fn new(session: Session, conversation: Conversation, client: Arc<dyn Client>) -> Self {
        let policy = session.compaction().cloned();
        Self {
            session,
            conversation,
            client,
            tools: Vec::new(),
            servers: None,
            server_tools: Vec::new(),
            files: None,
            limits: RunLimits::default(),
            clock: None,
            observer: None,
            journal: None,
            written: 0,
            inbox: Inbox::default(),
            queued: VecDeque::new(),
            commands: VecDeque::new(),
            policy,
            size: ContextSize::default(),
            is_postponed: false,
            cancel: CancelHandle::default(),
            ids: CallIds::default(),
            report: RunReport::default(),
            underway: Underway::Nothing,
            pending: Vec::new(),
            uncallable: String::new(),
            unsent: None,
        }
    }

    /// Reports tools that are offered and cannot be called. The same
    /// tools are reported once.
    fn uncallable_tools(&mut self) -> Option<Diagnostic> {
        let context = self.session.context();
        // Another list may wait for this turn.
        let is_kept = |name: &&str| {
            let next = context.next_tools.as_ref();
            next.is_none_or(|next| next.iter().any(|it| it.tool.name == *name))
        };
        let names = context.offered_tools().map(|it| &*it.tool.name);
        let names = names.filter(is_kept);
        let is_missing = |name: &&str| self.callable().all(|tool| tool.name() != *name);
        let missing = names.filter(is_missing).collect::<Vec<_>>().join(", ");
        if missing == self.uncallable {
            return None;
        }
        let message = format!("the model is offered tools that cannot be called: {missing}");
        self.uncallable = missing;
        let is_fault = !self.uncallable.is_empty();
        is_fault.then(|| kinds::TOOL_NOT_CALLABLE.diagnostic(message))
    }

    /// The program's, then the servers'.
    fn callable(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().chain(&self.server_tools)
    }

    /// Sets the tools that the model can call. Tools that the session does not
    /// offer yet are added to it, and so are in the next request.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        let offered = tools
            .iter()
            .map(|tool| SessionTool { origin: ToolOrigin::Builtin, tool: tool.definition() });
        let left_out = self.session.add_tools(offered.collect());
        self.pending.extend(left_out);
        Self { tools, ..self }
    }

    /// Sets the reader for files. It resolves the files that a prompt mentions,
    /// and detects external changes to files that the model has seen. It needs
    /// a tokio runtime.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Sets the limits for each run.
    #[must_use]
    pub fn with_limits(self, limits: RunLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets when to replace the conversation by a summary, in place of the
    /// session's policy, which the model knows of. Without a policy, a
    /// conversation that exceeds the context window ends the run.
    #[must_use]
    pub fn with_compaction(self, policy: CompactionPolicy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Sets the size of a conversation to continue, as this model's provider
    /// counted it last. Without it, the size is estimated.
    #[must_use]
    pub fn with_size(self, size: ContextSize) -> Self {
        Self { size, ..self }
    }

    /// Sets the clock. Without one, the session keeps the time
    /// [set](Session::set_time) last.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Some(Box::new(clock)), ..self }
    }

    /// Sets the loop's observer, and reports the diagnostics so far to it.
    #[must_use]
    pub fn with_observer(self, observer: impl Observer + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Sets the journal, which already contains the conversation's first
    /// `written` entries.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static, written: usize) -> Self {
        Self { journal: Some(Box::new(journal)), written, ..self }
    }

    /// Takes messages from this inbox instead of the loop's own.
    #[must_use]
    pub fn with_inbox(self, inbox: Inbox) -> Self {
        Self { inbox, ..self }
    }

    /// Returns the inbox for messages that arrive during a run.
    #[must_use]
    pub fn inbox(&self) -> Inbox {
        self.inbox.clone()
    }

    /// Returns a handle to end the current run.
    #[must_use]
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// Returns the conversation so far.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the session and the conversation, to use them without a loop.
    #[must_use]
    pub fn into_parts(self) -> (Session, Conversation) {
        self.inbox.put_back(self.queued);
        (self.session, self.conversation)
    }

    /// Runs until the model ends its turn, a limit is reached, or the run is
    /// cancelled.
    ///
    /// # Errors
    ///
    /// Returns an error when a request cannot be prepared, when its response is
    /// missing or incomplete, or when the journal cannot be written. You can
    /// continue the conversation after every error.
    pub async fn run(&mut self) -> Result<RunReport, LoopError> {
        self.report = RunReport::default();
        self.underway = Underway::Nothing;
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend(self.uncallable_tools());
        self.report(&pending);
        let cancel = self.cancel.clone();
        let time = self.limits.time;
        let unsettled = Unsettled(self);
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Outcome::Cancelled,
            () = passed(time) => Outcome::Limit(Limit::Time),
            outcome = unsettled.0.run_steps() => return unsettled.end(outcome),
        };
        if outcome == Outcome::Cancelled {
            cancel.reset();
        }
        let settled = unsettled.0.settle();
        unsettled.end(settled.map(|()| outcome))
    }

    /// Runs until a request would be sent, and returns it unsent, with the session and the
    /// conversation. Tool calls without a result run before. `None` if no request is due.
    ///
    /// The client is used only if the conversation has to be compacted first.
    ///
    /// # Errors
    ///
    /// As [`Loop::run`].
    pub async fn into_request(
        mut self,
    ) -> Result<Option<(Prepared, Session, Conversation)>, LoopError> {
        self.unsent = Some(None);
        self.run().await?;
        let request = self.unsent.take().flatten();
        let (session, conversation) = self.into_parts();
        Ok(request.map(|request| (request, session, conversation)))
    }

    /// Returns what a failed run used, which has no report. Nothing before the
    /// first run, and after one that returned a report.
    #[must_use]
    pub fn unreported_usage(&self) -> UsageSum {
        self.report.spent
    }

    /// Settles unfinished work, so that the conversation can continue.
    fn settle(&mut self) -> Result<(), LoopError> {
        match std::mem::take(&mut self.underway) {
            Underway::Nothing => self.close(INTERRUPTED),
            Underway::Receiving(received) => {
                let answer = received.into_partial();
                let recorded = self.record(&answer);
                self.append_answer(answer);
                self.close_calls(NOT_RUN);
                self.abort();
                // The response and its end are one record, so a process killed
                // in between leaves neither or both.
                self.write().and(recorded)
            }
            Underway::Calling(mut running) => {
                running.give_up(|call| self.error_text(call, INTERRUPTED));
                while let Some(reads) = running.first_reads() {
                    let faults = self.session.note_reads_blocking(&reads);
                    self.report(&faults);
                    if let Some((call, entries)) = running.take_first() {
                        self.append_result(&call, entries);
                    }
                }
                self.close(INTERRUPTED)
            }
        }
    }

    /// Appends an error for each call without a result, as [`Self::close_calls`] does, and
    /// records a message without a response as aborted.
    fn close(&mut self, why: &'static str) -> Result<(), LoopError> {
        self.close_calls(why);
        if !self.is_idle() {
            self.abort();
        }
        self.write()
    }

    /// Appends an error for each call without a result: the reason `why`, or that the call may
    /// have taken effect.
    fn close_calls(&mut self, why: &'static str) {
        if let TurnState::Calls(calls) = TurnState::from_entries(self.conversation.entries()) {
            for call in calls {
                let error = ToolOutput::error(self.error_text(&call, why));
                self.append_result(&call, [calls::result(&call, error)]);
            }
        }
    }

    fn error_text(&self, call: &ToolCall, why: &'static str) -> &'static str {
        if self.session.has_started(&call.id) { MAY_HAVE_RUN } else { why }
    }

    /// Appends a call's entries, the first of which is its result.
    fn append_result(&mut self, call: &ToolCall, entries: impl IntoIterator<Item = EntryDraft>) {
        for entry in entries {
            self.conversation.push(entry);
        }
        self.session.end_call(&call.id);
    }

    /// Records that the turn was aborted, so that it can continue.
    fn abort(&mut self) {
        let last = self.conversation.entries().last();
        if last.is_none_or(|entry| entry.kind != EntryKind::Aborted) {
            self.conversation.push(EntryDraft::aborted());
        }
    }

    /// Writes the session's new notes to the journal, then the new entries.
    fn write(&mut self) -> Result<(), LoopError> {
        let notes = self.session.take_notes(&self.conversation);
        let entries = self.conversation.entries();
        let new = entries.get(self.written..).unwrap_or_default();
        if let Some(journal) = &mut self.journal {
            for note in &notes {
                journal.note(note).map_err(LoopError::Journal)?;
            }
            if !new.is_empty() {
                journal.entries(new).map_err(LoopError::Journal)?;
            }
        }
        self.written = entries.len();
        Ok(())
    }

    /// Reports diagnostics to the observer, or keeps them until there is one.
    fn report(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.observe(Progress::Diagnostic(diagnostic));
        }
    }

    fn observe(&mut self, progress: Progress<'_>) {
        if let Some(observer) = &mut self.observer {
            observer.observe(progress);
        }
    }
}

impl Unsettled<'_> {
    /// Settles the run and returns its report.
    fn end(self, outcome: Result<Outcome, LoopError>) -> Result<RunReport, LoopError> {
        self.0.underway = Underway::Nothing;
        let report =
            outcome.map(|outcome| RunReport { outcome, ..std::mem::take(&mut self.0.report) });
        std::mem::forget(self);
        report
    }
}

impl Drop for Unsettled<'_> {
    fn drop(&mut self) {
        // A failure recurs at the next write, which reports it.
        let _ = self.0.settle();
    }
}

/// Never resolves if there is no limit.
async fn passed(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}
