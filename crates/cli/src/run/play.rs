//! Runs a loop to its end, and turns its outcome into the `aside run` exit
//! code.

use std::fmt::Write as _;
use std::io::ErrorKind;

use anyhow::anyhow;
use aside_agent::{Limit, Loop, Observer, Outcome, RunReport};
use aside_inspect::prices_of;
use aside_models::{Date, find};

use super::json_lines::{self, JsonLines};
use super::show::{Closed, Show};
use super::spending::{Measured, RunSpending, SpentLine};
use super::steer::Steering;
use super::usage_line::UsageLine;
use crate::Failure;
use crate::count::count;
use crate::interrupt;
use crate::kinds;
use crate::output;

/// How to print a run.
///
/// Without JSON, the response is text on stdout.
pub(super) struct Form {
    /// True to print events as JSON Lines.
    pub(super) is_json: bool,
}

/// Runs to the end and reports the outcome.
///
/// Usage is the last line on stderr before an error, after what the run pays apart from the
/// cache. With `--steer`, this starts reading lines from stdin; when the run
/// ends, it stores unused lines in the session.
///
/// # Errors
/// Every outcome but `Done` fails with exit code 1. When a reader closes stdout
/// early, as `head` does, the run ends without an error.
pub(super) fn play(
    mut agent: Loop,
    prompt: Option<&str>,
    steering: Option<Steering>,
    form: &Form,
) -> Result<(), Failure> {
    if prompt.is_none() && agent.is_idle() && !agent.continue_aborted()? {
        // Check this before reading any input, which would be lost.
        return ended(Outcome::Idle);
    }
    let closed = Closed::default();
    let cancel = agent.cancel_handle();
    let spending = RunSpending::new(agent.session().model());
    let (error, lines) = (closed.clone(), steering.clone());
    let observer: Box<dyn Observer> = if form.is_json {
        Box::new(JsonLines { cancel, closed: error, steering: lines })
    } else {
        Box::new(Show::new(cancel, error, lines))
    };
    let mut agent = agent.with_observer(Measured { observer, spending: spending.clone() });
    if let Some(steering) = &steering {
        steering.listen()?;
    }
    let result = interrupt::block_on(async {
        if let Some(prompt) = prompt {
            agent.prompt(prompt).await?;
        }
        agent.run().await
    });
    if let Some(steering) = &steering
        && let Err(failure) = steering.end(&mut agent)
    {
        let message = failure.diagnostic().message;
        output::report(&kinds::MESSAGE_NOT_STORED.diagnostic(message));
    }
    let (report, failure) = match result? {
        Ok(report) => (report, None),
        Err(error) => {
            // What was answered is paid for.
            let mut report = RunReport::default();
            report.spent = agent.unreported_usage();
            (report, Some(error))
        }
    };
    let day = find(agent.session().model()).facts.prices_as_of;
    let spent = spending.lines();
    let texts = spent.iter().map(SpentLine::text);
    texts.for_each(|text| output::progress("cost", &text));
    if form.is_json {
        let usage = UsageLine::of(&report, day, spent);
        let outcome = failure.is_none().then_some(&report.outcome);
        json_lines::end(outcome, &usage, &closed);
    }
    if report.spent.requests > 0 {
        output::progress("usage", &usage(&report, day));
    }
    if let Some(error) = failure {
        return Err(error.into());
    }
    let outcome = report.outcome;
    match closed.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow!("failed to write to stdout: {error}").into())
        }
        // The reader closed the pipe.
        Some(_) if outcome == Outcome::Cancelled => Ok(()),
        _ => ended(outcome),
    }
}

/// Returns a run's usage, with its workers, cleared tool results, and prefix
/// resets:
///
/// ```text
/// 2 requests, 1630 input tokens (1232 read from the cache, 373 written), 48 output tokens, $0.0042
/// ```
fn usage(report: &RunReport, prices_as_of: Option<Date>) -> String {
    let usage = &report.spent.usage;
    let (read, written, input) = (usage.read, usage.written(), usage.input());
    let requests = count(report.spent.requests, "request", "requests");
    let mut text = format!(
        "{requests}, {input} input tokens ({read} read from the cache, {written} written), {} \
         output tokens",
        usage.output
    );
    if let Some(dollars) = report.spent.dollars.filter(|it| *it > 0.0) {
        let _ = write!(text, ", ${dollars:.4}{}", prices_of(prices_as_of));
    }
    if let Some(workers) = &report.delegated {
        let requests = workers.requests;
        let _ = write!(text, "; {requests} of the requests by workers");
        if let Some(dollars) = workers.dollars.filter(|it| *it > 0.0) {
            let _ = write!(text, " (${dollars:.4})");
        }
    }
    let edits = &report.edits;
    if edits.tool_uses > 0 {
        let results = count(edits.tool_uses, "tool result", "tool results");
        let _ = write!(text, "; {results} cleared ({} tokens)", edits.input_tokens);
    }
    for (index, reset) in report.resets.iter().enumerate() {
        text.push_str(if index == 0 { "; resets: " } else { ", " });
        text.push_str(&reset.reason.to_string());
        if reset.lost_thinking > 0 {
            let lost = count(reset.lost_thinking, "block", "blocks");
            let _ = write!(text, " (thinking lost: {lost})");
        }
    }
    text
}

/// Returns an outcome's failure.
fn ended(outcome: Outcome) -> Result<(), Failure> {
    match outcome {
        Outcome::Done => Ok(()),
        outcome => Err(anyhow!(reason(&outcome)).into()),
    }
}

/// Returns why a run ended, with the argument that would help, if any.
pub(super) fn reason(outcome: &Outcome) -> String {
    let why = match outcome {
        Outcome::Done => "the model is done",
        Outcome::Idle => "no message needs a response: pass a prompt",
        Outcome::MaxTokens => "the answer is longer than --max-tokens allows",
        Outcome::Refused => "the model refuses to answer",
        Outcome::ContextFull(None) => "the conversation is too long for the model",
        Outcome::ContextFull(Some(why)) => return format!("the conversation is too long: {why}"),
        Outcome::NotCompacted(why) => {
            return format!("the conversation cannot be compacted: {why}");
        }
        Outcome::ThinkingRefused(why) => {
            return format!(
                "the provider refuses the earlier thinking, and the conversation without it \
                 ({why}): begin a new session, or resume this one with another --model"
            );
        }
        Outcome::Limit(Limit::Turns) => "the requests that --max-turns allows went out",
        Outcome::Limit(_) => "the run reached its limit",
        Outcome::Cancelled => "cancelled",
        Outcome::Stopped(reason) => return format!("the answer stops: {reason}"),
        _ => "the run ended for an unknown reason",
    };
    why.to_owned()
}
