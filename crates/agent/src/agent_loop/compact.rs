//! Compaction: replacing a conversation that exceeds the context window by a
//! summary.

use aside_messages::conversation::{Boundary, Part};
use aside_messages::encode::Body;
use aside_session::{
    CompactionPolicy, PartialResponse, Prepared, Received, SummaryForm, SummaryRange,
};
use futures_util::StreamExt;

use super::Loop;
use super::messages::CONTINUE;
use crate::client_error::{ClientError, ClientErrorKind};
use crate::compaction::Command;
use crate::kinds;
use crate::outcome::{LoopError, Outcome};

use crate::progress::Progress;

/// A result that does not fit is limited to the window divided by this, in
/// bytes at four bytes per token, or to the refused request divided by this.
const RESULT_SHARE: u64 = 8;

/// Why to compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The user requested it, the next request would exceed the threshold, or
    /// the last round does not fit even with cut results.
    Planned,
    /// The API refused the prompt as too long: the last round is kept.
    TooLong {
        /// The length of the request's body.
        bytes: u64,
    },
}

impl Loop {
    /// Executes a user command. Returns the outcome of a run that ends with it.
    ///
    /// `Clear` starts the conversation again; `Compact` replaces it by a
    /// summary.
    pub(super) async fn execute(&mut self, command: Command) -> Result<Outcome, LoopError> {
        match command {
            Command::Clear => {
                let diagnostics = self.session.clear(&mut self.conversation).await;
                self.report(&diagnostics);
                self.size.reset();
                self.write()?;
                Ok(Outcome::Done)
            }
            Command::Compact(instructions) => {
                match self.compact(Cause::Planned, instructions.as_deref()).await? {
                    Compacted::Done => Ok(Outcome::Done),
                    Compacted::NothingToSummarize => {
                        let message = "there is nothing to compact: nothing was answered yet";
                        self.report(&[kinds::NOT_COMPACTED.diagnostic(message)]);
                        Ok(Outcome::Done)
                    }
                    Compacted::Failed(why) => Ok(Outcome::NotCompacted(why)),
                }
            }
        }
    }

    /// Returns true if a request exceeds the policy's threshold. Below the default
    /// threshold, a compaction that would cost more than it saves is postponed,
    /// which is reported once. The conversation [can be
    /// compacted](Self::can_compact).
    pub(super) fn is_over_threshold(&mut self, prepared: &Prepared) -> bool {
        let at = self.policy.as_ref().map(|it| it.at);
        let Some(limit) = at.and_then(|at| self.token_limit(at)) else {
            return false;
        };
        let bytes = prepared.body.len() as u64;
        let estimate = || prepared.explain().total.tokens();
        if !self.size.exceeds(limit, bytes, estimate) {
            return false;
        }
        let demanded = self.token_limit(CompactionPolicy::default().at);
        if demanded.is_none_or(|it| it <= limit || self.size.exceeds(it, bytes, estimate)) {
            return true;
        }
        let Some(loss) = self.session.compaction_loss(prepared) else {
            return true;
        };
        if !self.is_postponed {
            self.is_postponed = true;
            let message = format!("the conversation is not compacted yet: {loss}");
            self.report(&[kinds::COMPACTION_POSTPONED.diagnostic(message)]);
        }
        false
    }

    /// Returns how many tokens fill this share of the context window, or `None`
    /// if the model's window is unknown.
    fn token_limit(&self, share: f64) -> Option<u64> {
        let window = self.session.input_window()?;
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of tokens, which is far below 2^52"
        )]
        let limit = (window as f64 * share.clamp(0.0, 1.0)) as u64;
        Some(limit)
    }

    /// Replaces the conversation by a summary.
    ///
    /// The conversation is unchanged until the summary is complete, and then
    /// everything is written to the journal at once: a process killed at any
    /// moment leaves a conversation that can be resumed.
    ///
    /// # Errors
    ///
    /// The journal cannot be written, the request cannot be prepared, or its
    /// error is one that every form of it would have, such as a missing key. A
    /// summary that fails for another reason is [`Compacted::Failed`].
    pub(super) async fn compact(
        &mut self,
        cause: Cause,
        instructions: Option<&str>,
    ) -> Result<Compacted, LoopError> {
        let Some(mut range) = SummaryRange::of(&self.conversation, CONTINUE) else {
            return Ok(Compacted::NothingToSummarize);
        };
        if let Cause::TooLong { bytes } = cause {
            // The API may accept less than the model's window.
            let window = self.session.input_window().unwrap_or(200_000);
            let share = (window * 4).min(bytes) / RESULT_SHARE;
            let max_bytes = usize::try_from(share).unwrap_or(usize::MAX);
            range.without_last_round(&self.conversation, max_bytes);
        }
        let of_policy = self.policy.as_ref().and_then(|it| it.instructions.clone());
        let instructions = instructions.map(str::to_owned).or(of_policy);
        self.observe(Progress::Compacting);
        let boundary = match self.summarize(&range, instructions.as_deref()).await? {
            Ok(boundary) => boundary,
            Err(why) => return Ok(Compacted::Failed(why)),
        };
        let cut = range.cut.join(", ");
        let mut diagnostics = Vec::new();
        if let Some(files) = &self.files {
            diagnostics = self.session.forget_removed_files(files.clone()).await;
        }
        diagnostics.extend(self.session.compact_to(&mut self.conversation, boundary, range).await);
        self.size.reset();
        self.is_postponed = false;
        self.write()?;
        self.report(&diagnostics);
        if !cut.is_empty() {
            let message = format!(
                "results that are too long for the context window are cut: {}",
                aside_messages::one_line(&cut)
            );
            self.report(&[kinds::RESULT_CUT.diagnostic(message)]);
        }
        self.observe(Progress::Compacted);
        Ok(Compacted::Done)
    }

    /// Requests a summary: by the API's own compaction if the model has it,
    /// then by a request after the same prefix, then by one with cut results.
    /// If all fail, the error has the reason.
    async fn summarize(
        &mut self,
        range: &SummaryRange,
        instructions: Option<&str>,
    ) -> Result<Result<Boundary, String>, LoopError> {
        let method = self.policy.as_ref().map(|it| it.method).unwrap_or_default();
        let mut why = format!("{} does not compact conversations", self.session.model());
        let forms = [SummaryForm::Api, SummaryForm::Request, SummaryForm::Shortened];
        for form in forms {
            if form == SummaryForm::Api && !self.session.has_api_compaction()
                || !method.allows(form)
            {
                continue;
            }
            let session = &mut self.session;
            let body = session.prepare_summary(&self.conversation, range, form, instructions)?;
            let failed = match self.answer_of(&body).await {
                Ok(answer) => {
                    self.record(&answer)?;
                    match boundary(answer, form) {
                        Ok(boundary) => return Ok(Ok(boundary)),
                        Err(why) => why,
                    }
                }
                Err(error) if is_final(&error) => return Err(error.into()),
                Err(error) => error.message().to_owned(),
            };
            let message = format!("the conversation could not be summarized: {failed}");
            self.report(&[kinds::NOT_COMPACTED.diagnostic(message)]);
            why = failed;
        }
        Ok(Err(why))
    }

    /// Returns the complete response to a request outside the conversation.
    ///
    /// It counts as a request of the run.
    async fn answer_of(&mut self, body: &Body) -> Result<Received, ClientError> {
        self.observe(Progress::SendingSummary(body));
        let mut events = self.client.complete(body).await?;
        self.report.spent.requests += 1;
        let mut received = PartialResponse::default();
        while let Some(event) = events.next().await {
            let event = event?;
            self.observe(Progress::SummaryEvent(&event));
            received.push(event)?;
            if received.is_whole() {
                return Ok(received.into_answer());
            }
        }
        let kind = ClientErrorKind::BrokenStream;
        Err(ClientError::new(kind, "the response broke off"))
    }

    /// Returns true if the conversation has a response since the last boundary;
    /// otherwise it has just been compacted.
    pub(super) fn can_compact(&self) -> bool {
        let entries = self.conversation.entries().iter().rev();
        let mut since = entries.take_while(|it| !it.is_boundary());
        since.any(|entry| entry.kind.is_answer())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compacted {
    /// The conversation is the summary and the entries that are kept.
    Done,
    /// The conversation has no response since it started or was compacted.
    NothingToSummarize,
    /// Why there is no summary. The conversation is unchanged.
    Failed(String),
}

/// Returns the boundary with a response's summary.
///
/// # Errors
///
/// The response is refused, incomplete, has a call, no text, or no block from
/// the API's compaction.
fn boundary(answer: Received, form: SummaryForm) -> Result<Boundary, String> {
    match Outcome::from_stop_reason(answer.stop_reason.as_ref()) {
        Outcome::Done => {}
        Outcome::Stopped(reason) if reason == "compaction" => {}
        Outcome::Refused => return Err("the model refuses to summarize it".to_owned()),
        Outcome::Stopped(reason) => return Err(format!("the answer stopped with {reason}")),
        _ => return Err("the answer is longer than its limit and incomplete".to_owned()),
    }
    let is_call = |part: &Part| matches!(part, Part::ToolUse(_));
    if answer.parts.iter().any(is_call) {
        return Err("the answer calls a tool".to_owned());
    }
    if form == SummaryForm::Api {
        let mut parts = answer.parts.into_iter();
        let block = parts.find_map(|part| match part {
            Part::Other(block) if block.kind() == "compaction" => Some(block),
            _ => None,
        });
        let block = block.ok_or_else(|| "the answer has no compaction block".to_owned())?;
        return Ok(Boundary::CompactBlock { block });
    }
    let texts = answer.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.text.trim()),
        _ => None,
    });
    let summary = texts.collect::<Vec<_>>().join("\n\n");
    if summary.trim().is_empty() {
        Err("the answer is empty".to_owned())
    } else {
        Ok(Boundary::Compact { summary: summary.into() })
    }
}

/// Returns true for an error that occurs with every form of the request.
fn is_final(error: &ClientError) -> bool {
    !matches!(
        error.kind(),
        ClientErrorKind::Refused
            | ClientErrorKind::ContextFull
            | ClientErrorKind::Overloaded
            | ClientErrorKind::Server
            | ClientErrorKind::BrokenStream
    )
}
