//! The steps in a run.
//!
//! ```text
//!         ┌──────────── append the results ────────────┐
//!         v                                            │
//! state ─ Calls ─────────────────────────────── run the tools
//!       ─ Awaits ─ append queued messages ─┐
//!       ─ Paused ──────────────────────────┼─ command of the user, or request ─ state
//!       ─ Idle ─ append queued messages ─ end, if nothing is pending
//! ```
//!
//! The state is read from the conversation before every step, so a run
//! cancelled between two steps continues at the same one.

use std::sync::Arc;

use aside_messages::conversation::{EntryDraft, Origin, ToolCall, TurnState, Visibility};
use aside_messages::wire::Role;
use aside_models::{Usage, UsageSum};
use aside_providers::StopReason;
use aside_session::{AppliedEdits, Note, Prepared, Received, SentRequest, StartedNote, removable};
use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::compact::{Cause, Compacted};
use super::messages::CONTINUE;
use super::refusals::{GivenUp, is_bound_elsewhere};
use super::{Loop, MAY_HAVE_RUN, NOT_RUN, Underway};
use crate::calls::{self, Ended, Running};
use crate::client::EventStream;
use crate::client_error::{ClientError, ClientErrorKind};
use crate::outcome::{LoopError, Outcome, ReportedReset};
use crate::progress::Progress;
use crate::tool::{Tool, ToolOutput};

/// How often to compact the conversation for one request.
const MAX_COMPACTIONS: u32 = 2;

impl Loop {
    /// Repeats the next step until the turn ends.
    ///
    /// # Errors
    ///
    /// The journal cannot be written, a request cannot be prepared, or it
    /// failed in a way that no other form of it avoids.
    pub(super) async fn run_steps(&mut self) -> Result<Outcome, LoopError> {
        self.write()?;
        let mut outcome = Outcome::Idle;
        loop {
            let state = TurnState::from_entries(self.conversation.entries());
            let is_paused = state == TurnState::Paused;
            match state {
                TurnState::Calls(calls) => {
                    self.call_tools(calls).await?;
                    continue;
                }
                // No message may be appended between the two halves of a
                // response.
                TurnState::Paused => {}
                TurnState::Awaits => self.append_queued_messages().await?,
                TurnState::Idle => {
                    self.append_queued_messages().await?;
                    if self.is_idle() && self.commands.is_empty() {
                        return Ok(outcome);
                    }
                    // A recording never waits and messages may arrive without
                    // end, so only here is a cancellation noticed.
                    tokio::task::yield_now().await;
                }
            }
            if let Some(limit) = self.report.reached(&self.limits) {
                return Ok(Outcome::Limit(limit));
            }
            // A paused response has to be continued first.
            if !is_paused && let Some(command) = self.commands.pop_front() {
                outcome = self.execute(command).await?;
                if outcome != Outcome::Done {
                    return Ok(outcome);
                }
                continue;
            }
            outcome = self.send_request().await?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
        }
    }

    /// Sends a request and appends the response. Returns `Done` if the turn may
    /// continue.
    ///
    /// A request that the API refuses is prepared again in another form, at
    /// most once for its thinking, once for its betas and twice by a compaction:
    /// the second one also summarizes the round that the first one keeps. Apart
    /// from a compaction, the conversation changes only when a response's headers
    /// have arrived.
    async fn send_request(&mut self) -> Result<Outcome, LoopError> {
        if let Some(clock) = &mut self.clock {
            let (time, today) = clock.now();
            self.session.set_time(time);
            if let Some(today) = today {
                self.session.set_date(today);
            }
        }
        if let Some(files) = &self.files {
            let faults = self.session.detect_external_edits(files.clone()).await;
            self.report(&faults);
        }
        // A paused response is continued with the prompt that it began with.
        if TurnState::from_entries(self.conversation.entries()) != TurnState::Paused {
            self.update_servers().await;
            let faults = self.session.refresh().await;
            self.report(&faults);
        }
        let mut given_up = GivenUp::default();
        loop {
            let prepared = self.session.prepare(&self.conversation)?;
            let may_compact = given_up.compactions < MAX_COMPACTIONS && self.can_compact();
            if may_compact && given_up.compactions == 0 && self.is_over_threshold(&prepared) {
                given_up.compactions = 1;
                drop(prepared);
                match self.compact(Cause::Planned, None).await? {
                    Compacted::Done => continue,
                    Compacted::Failed(why) => return Ok(Outcome::NotCompacted(why)),
                    Compacted::NothingToSummarize => return Ok(Outcome::ContextFull(None)),
                }
            }
            self.report(&prepared.diagnostics);
            if let Some(unsent) = &mut self.unsent {
                *unsent = Some(prepared);
                return Ok(Outcome::Idle);
            }
            self.observe(Progress::Sending(&prepared.body));
            let bytes = prepared.body.len() as u64;
            let error = match self.client.complete(&prepared.body).await {
                Ok(events) => {
                    self.commit_sent(prepared)?;
                    match self.receive(events).await {
                        Ok(answer) => {
                            let usage = answer.usage.figures();
                            let output = usage.output.unwrap_or(0);
                            self.size.set_counted(bytes, usage.context(), output);
                            return self.conclude(answer);
                        }
                        Err(error) if may_compact && self.is_too_long(&error) => {
                            // Some providers report it in a stream, which has no output then.
                            self.underway = Underway::Nothing;
                            error
                        }
                        Err(error) => {
                            self.settle()?;
                            return full_or_failed(error);
                        }
                    }
                }
                Err(error) => match self.give_up(&error, &prepared.body, &mut given_up) {
                    Some(report) => {
                        self.report(&[report]);
                        continue;
                    }
                    None if is_bound_elsewhere(&error) => {
                        return Ok(Outcome::ThinkingRefused(error.message().to_owned()));
                    }
                    None => {
                        drop(prepared);
                        error
                    }
                },
            };
            if !(may_compact && self.is_too_long(&error)) {
                return full_or_failed(error);
            }
            given_up.compactions += 1;
            let cause = match given_up.compactions {
                1 => Cause::TooLong { bytes },
                _ => Cause::Planned,
            };
            match self.compact(cause, None).await? {
                Compacted::Done => {}
                _ => return full_or_failed(error),
            }
        }
    }

    /// Returns true if the request was too long and there is a policy.
    fn is_too_long(&self, error: &ClientError) -> bool {
        error.kind() == ClientErrorKind::ContextFull && self.policy.is_some()
    }

    /// Commits a request once its response's headers have arrived. The journal
    /// gets the record of the request before the entries that the request
    /// appends.
    fn commit_sent(&mut self, mut prepared: Prepared) -> Result<(), LoopError> {
        let turn = self.session.turn();
        prepared.commit(&mut self.conversation);
        self.report.spent.requests += 1;
        let lost_thinking = prepared.lost_thinking;
        let reset = prepared.reset.map(|reason| ReportedReset { reason, lost_thinking });
        self.report.resets.extend(reset);
        self.underway = Underway::Receiving(Box::default());
        if let Some(journal) = &mut self.journal {
            let (time, counters) = (self.session.time(), self.session.reminder_counters());
            let sent = SentRequest::new(turn, time, &counters, &prepared.body);
            journal.sent(&sent).map_err(LoopError::Journal)?;
        }
        self.write()
    }

    /// Reads a response's events until it is complete.
    ///
    /// # Errors
    ///
    /// The stream ends early or fails. The received part stays in `underway`,
    /// from which the caller keeps the complete blocks.
    async fn receive(&mut self, mut events: EventStream) -> Result<Received, ClientError> {
        while let Some(event) = events.next().await {
            let event = event?;
            self.observe(Progress::Event(&event));
            let Underway::Receiving(received) = &mut self.underway else {
                break;
            };
            received.push(event)?;
            if received.is_whole() {
                let received = std::mem::take(received);
                self.underway = Underway::Nothing;
                return Ok(received.into_answer());
            }
        }
        let kind = ClientErrorKind::BrokenStream;
        Err(ClientError::new(kind, "the response broke off"))
    }

    /// Appends a complete response. Returns `Done` if the turn may continue.
    ///
    /// A truncated, refused or otherwise stopped response is an outcome; its
    /// calls get an error instead of being run. One that ends the turn after a
    /// server tool looks like a paused one: it is closed, to not send it again.
    /// A paused response that does not end with a server tool is followed by a
    /// message to continue: sent back alone, the API takes it for a prefill,
    /// which most models refuse.
    fn conclude(&mut self, answer: Received) -> Result<Outcome, LoopError> {
        let outcome = Outcome::from_stop_reason(answer.stop_reason.as_ref());
        let is_paused = answer.stop_reason == Some(StopReason::PauseTurn);
        self.record(&answer)?;
        self.append_answer(answer);
        let is_ended = match TurnState::from_entries(self.conversation.entries()) {
            TurnState::Awaits => true,
            TurnState::Paused => !is_paused,
            TurnState::Calls(_) | TurnState::Idle => false,
        };
        if outcome != Outcome::Done || is_ended {
            // The response is truncated or empty, so its calls are not run.
            self.close(NOT_RUN)?;
        }
        if is_paused && !is_ended && self.is_idle() {
            let message = EntryDraft::human(CONTINUE);
            self.conversation.push(message.with_visibility(Visibility::Meta));
        }
        self.write()?;
        Ok(outcome)
    }

    /// Adds what a request used and how its context was edited to the report,
    /// and records both in the journal.
    ///
    /// An unknown price makes the run's price unknown.
    pub(super) fn record(&mut self, answer: &Received) -> Result<(), LoopError> {
        let billed = Usage::from(answer.usage.figures());
        self.report.spent.add(&UsageSum {
            requests: 0,
            usage: billed,
            dollars: self.session.price(&answer.usage),
        });
        if let Some(edits) = &answer.context_management {
            self.report.edits.add(AppliedEdits::read(edits));
        }
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if billed != Usage::default() {
            journal.usage(billed).map_err(LoopError::Journal)?;
        }
        if let Some(edits) = &answer.context_management {
            journal.context_edits(edits).map_err(LoopError::Journal)?;
        }
        Ok(())
    }

    /// Appends the parts of a response that are kept, if any.
    pub(super) fn append_answer(&mut self, answer: Received) {
        let mut parts = answer.parts;
        if parts.is_empty() {
            return;
        }
        self.ids.follow(&self.conversation);
        self.ids.make_unique(&mut parts);
        let origin = Origin::Model {
            provider: self.client.provider().to_owned(),
            name: self.session.model().to_owned(),
        };
        let answer = EntryDraft::message(Role::Assistant, origin, parts);
        self.conversation.push(answer);
    }

    /// Runs calls concurrently. Their results are appended in call order, each
    /// as soon as it and the preceding ones have ended.
    ///
    /// At most [`calls::MAX_CONCURRENT_CALLS`] run at the same time. A call
    /// that fails or panics has a result with an error, so the run continues. A
    /// call waits for earlier ones for the same file if one of them changes it. A
    /// call that an earlier run or process had started is not run if its tool
    /// may have changed something.
    async fn call_tools(&mut self, calls: Vec<ToolCall>) -> Result<(), LoopError> {
        for call in &calls {
            self.observe(Progress::Called(call));
        }
        if let Some(files) = &self.files {
            files.set_known(self.session.reads());
        }
        let tools: Vec<_> = calls.iter().map(|call| self.tool(&call.name)).collect();
        let files = tools.iter().zip(&calls).map(|(tool, call)| calls::file(tool.as_ref(), call));
        let files: Vec<_> = files.collect();
        let may_have_run: Vec<_> =
            calls.iter().map(|call| self.session.has_started(&call.id)).collect();
        self.record_started(&tools, &calls)?;
        // Each is closed when its call has ended.
        let ends: Arc<[Semaphore]> = calls.iter().map(|_| Semaphore::new(0)).collect();
        let running: Vec<_> = tools
            .into_iter()
            .zip(&calls)
            .enumerate()
            .map(|(index, (tool, call))| {
                let earlier = calls::conflicts(&files[..=index]);
                let (call, ends) = (call.clone(), ends.clone());
                let may_have_run = may_have_run[index];
                async move {
                    for call in earlier {
                        let _ = ends[call].acquire().await;
                    }
                    let output = if may_have_run {
                        ToolOutput::error(MAY_HAVE_RUN)
                    } else {
                        calls::run(tool, call).await
                    };
                    ends[index].close();
                    (index, output)
                }
            })
            .collect();
        let mut ended = stream::iter(running).buffer_unordered(calls::MAX_CONCURRENT_CALLS);
        self.underway = Underway::Calling(Running::new(calls.clone()));
        while let Some((index, output)) = ended.next().await {
            let (output, snipped) = match removable(self.conversation.entries(), &output.snipped) {
                Ok(ids) => (output, ids),
                Err(why) => (ToolOutput::error(why), Vec::new()),
            };
            self.observe(Progress::Returned(&calls[index], &output));
            if let Some(usage) = &output.delegated {
                self.report.add_delegated(usage);
            }
            if let Underway::Calling(running) = &mut self.underway {
                running.end(index, Ended { output, snipped });
            }
            self.append_results().await?;
        }
        self.underway = Underway::Nothing;
        Ok(())
    }

    /// Records which calls may change something, before they run. If this fails, none has started.
    fn record_started(
        &mut self,
        tools: &[Option<Arc<dyn Tool>>],
        calls: &[ToolCall],
    ) -> Result<(), LoopError> {
        let is_changing =
            |tool: &Option<Arc<dyn Tool>>| tool.as_ref().is_some_and(|tool| !tool.is_repeatable());
        let changing = tools.iter().zip(calls).filter(|(tool, _)| is_changing(tool));
        let calls: Vec<_> = changing.map(|(_, call)| call.id.clone()).collect();
        if calls.is_empty() {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            let entries = self.conversation.entries().len() as u64;
            let note = Note::Started(StartedNote { entries, calls: calls.clone() });
            journal.note(&note).map_err(LoopError::Journal)?;
        }
        self.session.start_calls(calls);
        Ok(())
    }

    /// Appends the results of the calls that have ended, up to the first that has not.
    ///
    /// What a call read is noted with its result, so it does not depend on which call ends first.
    /// If you drop the future, the remaining results are still in `underway`.
    async fn append_results(&mut self) -> Result<(), LoopError> {
        while let Underway::Calling(running) = &self.underway
            && let Some(reads) = running.first_reads()
        {
            let faults = self.session.note_reads(&reads).await;
            self.report(&faults);
            if let Underway::Calling(running) = &mut self.underway
                && let Some((call, entries)) = running.take_first()
            {
                self.append_result(&call, entries);
            }
        }
        self.write()
    }

    /// `None` if the session does not offer it.
    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let is_offered = self.session.context().offers(name);
        let found = self.callable().find(|tool| tool.name() == name);
        found.filter(|_| is_offered).cloned()
    }
}

/// Turns the error for a full context, which every session has to expect, into
/// an outcome.
fn full_or_failed(error: ClientError) -> Result<Outcome, LoopError> {
    match error.kind() {
        ClientErrorKind::ContextFull => Ok(Outcome::ContextFull(Some(error.message().to_owned()))),
        _ => Err(error.into()),
    }
}
