//! A run as JSON Lines.

use std::io::{self, Write};

use aside_agent::{CancelHandle, Observer, Outcome, Progress};
use aside_messages::wire::ContentBlock;
use aside_providers::Event;
use serde::Serialize;
use serde_json::value::RawValue;

use super::show::Closed;
use super::steer::Steering;
use super::usage_line::UsageLine;
use crate::output;

/// Prints events as JSON Lines.
#[derive(Debug)]
pub(super) struct JsonLines {
    /// Ends the run when stdout cannot be written any more.
    cancel: CancelHandle,
    closed: Closed,
    steering: Option<Steering>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Request {
        bytes: usize,
    },
    Event {
        event: &'a Event,
    },
    ToolCall {
        id: &'a str,
        name: &'a str,
        /// The input as the model wrote it; a string if it is not JSON.
        input: Input<'a>,
    },
    ToolResult {
        id: &'a str,
        is_error: bool,
        content: &'a [ContentBlock],
    },
    End {
        outcome: String,
        usage: &'a UsageLine,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    Json(&'a RawValue),
    Text(&'a str),
}

impl JsonLines {
    pub(super) fn new(cancel: CancelHandle, closed: Closed, steering: Option<Steering>) -> Self {
        Self {
            cancel,
            closed,
            steering,
        }
    }
}

impl Observer for JsonLines {
    fn observe(&mut self, progress: Progress<'_>) {
        let line = match progress {
            Progress::Sending(body) => Line::Request { bytes: body.len() },
            Progress::Event(event) => Line::Event { event },
            Progress::Called(call) => Line::ToolCall {
                id: &call.id,
                name: &call.name,
                input: match serde_json::from_str(&call.input.0) {
                    Ok(json) => Input::Json(json),
                    Err(_) => Input::Text(&call.input.0),
                },
            },
            Progress::Returned(call, output) => Line::ToolResult {
                id: &call.id,
                is_error: output.is_error,
                content: &output.content,
            },
            Progress::Diagnostic(diagnostic) => return output::report(diagnostic),
            Progress::Queued(_) => return self.steering.iter().for_each(Steering::taken_up),
            _ => return,
        };
        if print(&line, &self.closed).is_none() {
            self.cancel.cancel();
        }
    }
}

/// Prints the outcome of the run, and its usage.
pub(super) fn end(outcome: &Outcome, usage: &UsageLine, closed: &Closed) {
    let outcome = format!("{outcome:?}");
    let end = outcome.find(['(', ' ']).unwrap_or(outcome.len());
    let line = Line::End {
        outcome: snake_case(&outcome[..end]),
        usage,
    };
    print(&line, closed);
}

/// Prints a line; `None` if stdout is closed.
fn print(line: &Line<'_>, closed: &Closed) -> Option<()> {
    let mut json = serde_json::to_string(line).ok()?;
    json.push('\n');
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(json.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Ok(()) => Some(()),
        Err(error) => {
            // The first error is kept.
            let _ = closed.set(error);
            None
        }
    }
}

/// Returns `max_tokens` for `MaxTokens`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for (index, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && index > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
