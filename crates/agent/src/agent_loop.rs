mod compact;
mod messages;
mod refusals;
mod turn;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aside_attachments::QueuedCommand;
use aside_messages::conversation::{Conversation, EntryDraft, EntryKind};

use crate::call_ids::CallIds;
use crate::calls::{self, Running};
use crate::cancel::CancelHandle;
use crate::client::Client;
use crate::compaction::{Command, CompactionPolicy};
use crate::inbox::Inbox;
use crate::journal::Journal;
use crate::outcome::{Limit, Limits, LoopError, Outcome, Report, UsageTotals};
use crate::partial_response::PartialResponse;
use crate::progress::{Observer, Progress};
use crate::tool::{Tool, ToolOutput};
use crate::turn_state::TurnState;
use aside_session::Diagnostic;
use aside_session::Files;
use aside_session::Session;
use aside_session::SessionDate;
use aside_session::SessionTime;
use aside_session::{SessionTool, ToolOrigin};
use compact::Measured;

const INTERRUPTED: &str = "The call was interrupted.";
const NOT_RUN: &str = "The call was not run: the answer that it is in did not come to its end.";

/// Lets a model and its tools work in a session until the model has nothing
/// more to say.
///
/// What is to be done next follows from where the conversation stands: calls
/// without a result are run, somebody who waits for the model is answered. So
/// a loop goes on wherever the conversation comes from, also out of the middle
/// of a turn.
///
/// A run can be ended at any time, by its [handle](Loop::cancel_handle) or by
/// dropping its future. What is settled then is settled at once: calls that
/// had not come to their end get a result that says so, and an answer that
/// never came is given up.
#[derive(Debug)]
pub struct Loop {
    session: Session,
    conversation: Conversation,
    client: Arc<dyn Client>,
    tools: Vec<Arc<dyn Tool>>,
    /// Who looks at files for the session.
    files: Option<Arc<dyn Files>>,
    limits: Limits,
    clock: Option<Box<dyn Clock>>,
    observer: Option<Box<dyn Observer>>,
    journal: Option<Box<dyn Journal>>,
    /// How many entries are in the journal.
    written: usize,
    inbox: Inbox,
    /// What was in the inbox and is to be taken up next.
    heard: VecDeque<QueuedCommand>,
    /// Commands of the user to run before the next request.
    commands: VecDeque<Command>,
    /// When the conversation is replaced by a summary; never, if `None`.
    policy: Option<CompactionPolicy>,
    /// The size of the last request.
    measured: Option<Measured>,
    cancel: CancelHandle,
    ids: CallIds,
    spent: UsageTotals,
    underway: Underway,
    /// Diagnostics that no observer has seen yet.
    pending: Vec<Diagnostic>,
}

/// Says what time it is in a session.
pub trait Clock: std::fmt::Debug + Send {
    /// Returns the local date before every request; `None` keeps the date that
    /// was [set](Session::set_date) last.
    fn today(&mut self) -> Option<SessionDate> {
        None
    }

    /// Asked before every request.
    fn now(&mut self) -> SessionTime;
}

/// What would be lost if the loop ended right now.
#[derive(Debug, Default)]
enum Underway {
    #[default]
    Nothing,
    Receiving(Box<PartialResponse>),
    Calling(Running),
}

/// Settles what is under way, should the run be dropped.
struct Unsettled<'a>(&'a mut Loop);

impl Loop {
    /// Creates a loop over a conversation of this session.
    pub fn new(session: Session, conversation: Conversation, client: Arc<dyn Client>) -> Self {
        Self {
            session,
            conversation,
            client,
            tools: Vec::new(),
            files: None,
            limits: Limits::default(),
            clock: None,
            observer: None,
            journal: None,
            written: 0,
            inbox: Inbox::default(),
            heard: VecDeque::new(),
            commands: VecDeque::new(),
            policy: None,
            measured: None,
            cancel: CancelHandle::default(),
            ids: CallIds::default(),
            spent: UsageTotals::default(),
            underway: Underway::Nothing,
            pending: Vec::new(),
        }
    }

    /// Sets the tools that the model can call. Tools that the session does not
    /// offer yet are added to it, so that the next request has them.
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

    /// Who looks at the files that a prompt mentions, and at those that the
    /// model has seen, whether somebody else changed them. Needs a tokio
    /// runtime.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn Files>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// How far one run goes.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets when the conversation is replaced by a summary. Without a policy, a
    /// conversation that outgrows the context window ends the run.
    #[must_use]
    pub fn with_compaction(self, policy: CompactionPolicy) -> Self {
        Self {
            policy: Some(policy),
            ..self
        }
    }

    /// What time it is. Without a clock, it is the time that was
    /// [set](Session::set_time) last.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self {
            clock: Some(Box::new(clock)),
            ..self
        }
    }

    /// Who watches.
    #[must_use]
    pub fn with_observer(self, observer: impl Observer + 'static) -> Self {
        Self {
            observer: Some(Box::new(observer)),
            ..self
        }
    }

    /// Who writes down what happens. The first `written` entries of the
    /// conversation are there already.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static, written: usize) -> Self {
        Self {
            journal: Some(Box::new(journal)),
            written,
            ..self
        }
    }

    /// Takes messages from this inbox, in the place of one of its own.
    #[must_use]
    pub fn with_inbox(self, inbox: Inbox) -> Self {
        Self { inbox, ..self }
    }

    /// Where messages come in while the loop is running.
    #[must_use]
    pub fn inbox(&self) -> Inbox {
        self.inbox.clone()
    }

    /// Ends the run that is going on.
    #[must_use]
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// What was said so far.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Session and conversation, to go on without a loop.
    #[must_use]
    pub fn into_parts(self) -> (Session, Conversation) {
        self.inbox.put_back(self.heard);
        (self.session, self.conversation)
    }

    /// Runs until the model has nothing more to say, or something ends it.
    ///
    /// # Errors
    /// Where a request cannot be made, is not answered, or not to its end, or
    /// where what happens cannot be written down. The conversation can go on.
    pub async fn run(&mut self) -> Result<Report, LoopError> {
        self.spent = UsageTotals::default();
        self.underway = Underway::Nothing;
        let pending = std::mem::take(&mut self.pending);
        self.tell(&pending);
        let cancel = self.cancel.clone();
        let time = self.limits.time;
        let unsettled = Unsettled(self);
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Outcome::Cancelled,
            () = passed(time) => Outcome::Limit(Limit::Time),
            outcome = unsettled.0.go() => return unsettled.end(outcome),
        };
        if outcome == Outcome::Cancelled {
            cancel.reset();
        }
        let settled = unsettled.0.settle();
        unsettled.end(settled.map(|()| outcome))
    }

    /// Ends what is under way, so that the conversation can go on.
    fn settle(&mut self) -> Result<(), LoopError> {
        match std::mem::take(&mut self.underway) {
            Underway::Nothing => self.close(INTERRUPTED),
            Underway::Receiving(received) => {
                let answer = received.into_partial();
                let usage = self.record_usage(&answer.usage);
                self.append_answer(answer);
                self.close_calls(NOT_RUN);
                self.abort();
                // The answer and its end are one record, so that a process that
                // is killed in between leaves neither or both.
                self.write().and(usage)
            }
            Underway::Calling(running) => {
                for result in running.give_up(INTERRUPTED) {
                    self.conversation.push(result);
                }
                self.close(INTERRUPTED)
            }
        }
    }

    /// Gives calls without a result one with the reason, and aborts the turn if
    /// a message waits for an answer.
    fn close(&mut self, why: &'static str) -> Result<(), LoopError> {
        self.close_calls(why);
        if TurnState::of(self.conversation.entries()) != TurnState::Idle {
            self.abort();
        }
        self.write()
    }

    /// Gives calls without a result one with the reason.
    fn close_calls(&mut self, why: &'static str) {
        if let TurnState::Calls(calls) = TurnState::of(self.conversation.entries()) {
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

    /// Writes down what is new: notes of the session first, then entries.
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

    /// Says what people should know.
    fn tell(&mut self, diagnostics: &[Diagnostic]) {
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
    /// Nothing is under way any more.
    fn end(self, outcome: Result<Outcome, LoopError>) -> Result<Report, LoopError> {
        self.0.underway = Underway::Nothing;
        let UsageTotals {
            requests,
            usage,
            resets,
        } = std::mem::take(&mut self.0.spent);
        let report = outcome.map(|outcome| Report {
            outcome,
            requests,
            usage,
            resets,
        });
        std::mem::forget(self);
        report
    }
}

impl Drop for Unsettled<'_> {
    fn drop(&mut self) {
        // What cannot be written down now will be told by whoever writes next.
        let _ = self.0.settle();
    }
}

/// Resolves when the time has passed: never, where there is no limit.
async fn passed(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}
