mod compact;
mod messages;
mod refusals;
mod servers;
mod turn;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aside_attachments::QueuedCommand;
use aside_messages::conversation::{CallIds, Conversation, EntryDraft, EntryKind, TurnState};
use aside_models::UsageSum;
use aside_session::{
    CompactionPolicy, ContextSize, Diagnostic, Files, Journal, PartialResponse, Session,
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
const NOT_RUN: &str = "The call was not run: the answer that it is in did not come to its end.";

/// The loop of a coding agent: it sends requests and runs tools until the model
/// ends its turn.
///
/// The state of the conversation decides the next step: tool calls without a
/// result are run, and a message without a response is sent. A loop can
/// therefore continue any conversation, also one that was interrupted in the
/// middle of a turn.
///
/// A run can be ended at any time, by its [handle](Loop::cancel_handle) or by
/// dropping its future. Unfinished work is settled at once: calls that have not
/// ended get an error as their result, and a response that has not arrived is
/// recorded as aborted.
///
/// See the [crate documentation](crate) for an example.
#[derive(Debug)]
pub struct Loop {
    session: Session,
    conversation: Conversation,
    client: Arc<dyn Client>,
    tools: Vec<Arc<dyn Tool>>,
    /// The MCP servers, and the tools that they offer now.
    servers: Option<Arc<dyn ToolServers>>,
    server_tools: Vec<Arc<dyn Tool>>,
    /// Reads mentioned and changed files for the session.
    files: Option<Arc<dyn Files>>,
    limits: RunLimits,
    clock: Option<Box<dyn Clock>>,
    observer: Option<Box<dyn Observer>>,
    journal: Option<Box<dyn Journal>>,
    /// The number of entries that are in the journal.
    written: usize,
    inbox: Inbox,
    /// Messages that were taken from the inbox and are not appended yet.
    queued: VecDeque<QueuedCommand>,
    /// Commands of the user to run before the next request.
    commands: VecDeque<Command>,
    /// The threshold of compaction; with `None` the conversation is never
    /// compacted.
    policy: Option<CompactionPolicy>,
    /// The size of the context, for the policy.
    size: ContextSize,
    cancel: CancelHandle,
    ids: CallIds,
    /// The report of the current run so far.
    report: RunReport,
    underway: Underway,
    /// Diagnostics that were not reported to an observer yet.
    pending: Vec<Diagnostic>,
    /// The reported tools that are offered and cannot be called, as a list.
    uncallable: String,
}

/// The clock of a session.
pub trait Clock: std::fmt::Debug + Send {
    /// Returns the local date. It is called before every request; `None` keeps
    /// the date that was [set](Session::set_date) last.
    fn today(&mut self) -> Option<SessionDate> {
        None
    }

    /// Returns the time of the session. It is called before every request.
    fn now(&mut self) -> SessionTime;
}

/// Work that is lost if the loop ends now.
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
    /// Creates a loop over a conversation of this session.
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
            cancel: CancelHandle::default(),
            ids: CallIds::default(),
            report: RunReport::default(),
            underway: Underway::Nothing,
            pending: Vec::new(),
            uncallable: String::new(),
        }
    }

    /// Returns a diagnostic if the session offers tools that cannot be called.
    /// The same tools are reported once.
    fn uncallable_tools(&mut self) -> Option<Diagnostic> {
        let offered = self.session.context().offered_tools();
        let names = offered.map(|it| &*it.tool.name);
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

    /// Returns the tools of the program, then those of servers.
    fn callable(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().chain(&self.server_tools)
    }

    /// Sets the tools that the model can call. Tools that the session does not
    /// offer yet are added to it, so that they are in the next request.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        let offered = tools.iter().map(|tool| SessionTool {
            origin: ToolOrigin::Builtin,
            tool: tool.definition(),
        });
        let left_out = self.session.add_tools(offered.collect());
        self.pending.extend(left_out);
        Self { tools, ..self }
    }

    /// Sets the reader of files. It resolves the files that a prompt mentions,
    /// and detects external changes of the files that the model has seen. It
    /// needs a tokio runtime.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn Files>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// Sets the limits of each run.
    #[must_use]
    pub fn with_limits(self, limits: RunLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the policy by which the conversation is replaced by a summary, in
    /// place of the policy of the session, which the model knows of. Without a
    /// policy, a conversation that exceeds the context window ends the run.
    #[must_use]
    pub fn with_compaction(self, policy: CompactionPolicy) -> Self {
        Self {
            policy: Some(policy),
            ..self
        }
    }

    /// Sets the clock. Without one, the session keeps the time that was
    /// [set](Session::set_time) last.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self {
            clock: Some(Box::new(clock)),
            ..self
        }
    }

    /// Sets the observer of the loop, and reports the diagnostics so far to it.
    #[must_use]
    pub fn with_observer(self, observer: impl Observer + 'static) -> Self {
        Self {
            observer: Some(Box::new(observer)),
            ..self
        }
    }

    /// Sets the journal. It already contains the first `written` entries of the
    /// conversation.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static, written: usize) -> Self {
        Self {
            journal: Some(Box::new(journal)),
            written,
            ..self
        }
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

    /// Returns a handle that ends the current run.
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
    /// Returns an error if a request cannot be prepared, if its response is
    /// missing or incomplete, or if the journal cannot be written. The
    /// conversation can be continued after every error.
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

    /// Returns the usage of a run that failed, which has no report. Nothing
    /// before the first run, and after one that returned a report.
    #[must_use]
    pub fn unreported_usage(&self) -> UsageSum {
        self.report.spent
    }

    /// Settles unfinished work, so that the conversation can be continued.
    fn settle(&mut self) -> Result<(), LoopError> {
        match std::mem::take(&mut self.underway) {
            Underway::Nothing => self.close(INTERRUPTED),
            Underway::Receiving(received) => {
                let answer = received.into_partial();
                let recorded = self.record(&answer);
                self.append_answer(answer);
                self.close_calls(NOT_RUN);
                self.abort();
                // The answer and its end are one record, so that a process that
                // is killed in between leaves neither or both.
                self.write().and(recorded)
            }
            Underway::Calling(running) => {
                for entry in running.give_up(INTERRUPTED) {
                    self.conversation.push(entry);
                }
                self.close(INTERRUPTED)
            }
        }
    }

    /// Appends a result with the reason `why` for each call without one, and
    /// records a message without a response as aborted.
    fn close(&mut self, why: &'static str) -> Result<(), LoopError> {
        self.close_calls(why);
        if TurnState::from_entries(self.conversation.entries()) != TurnState::Idle {
            self.abort();
        }
        self.write()
    }

    /// Appends a result with the reason `why` for each call without one.
    fn close_calls(&mut self, why: &'static str) {
        if let TurnState::Calls(calls) = TurnState::from_entries(self.conversation.entries()) {
            for call in calls {
                let result = calls::result(&call, ToolOutput::error(why));
                self.conversation.push(result);
            }
        }
    }

    /// Records that the turn was aborted, so that it can be continued.
    fn abort(&mut self) {
        let last = self.conversation.entries().last();
        if last.is_none_or(|entry| entry.kind != EntryKind::Aborted) {
            self.conversation.push(EntryDraft::aborted());
        }
    }

    /// Writes the new notes of the session to the journal, then the new
    /// entries.
    fn write(&mut self) -> Result<(), LoopError> {
        let notes = self.session.take_notes(&self.conversation);
        if let Some(journal) = &mut self.journal {
            for note in &notes {
                journal.note(note).map_err(LoopError::Journal)?;
            }
        }
        let entries = self.conversation.entries();
        let new = entries.get(self.written..).unwrap_or_default();
        if let Some(journal) = &mut self.journal
            && !new.is_empty()
        {
            journal.entries(new).map_err(LoopError::Journal)?;
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
        let report = outcome.map(|outcome| RunReport {
            outcome,
            ..std::mem::take(&mut self.0.report)
        });
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

/// Resolves after this time; never if there is no limit.
async fn passed(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}
