//! `aside run --json`: the events of a run as JSON Lines on stdout.
//!
//! ```json
//! {"type": "request", "bytes": 9214}
//! {"type": "event", "event": {"type": "message_start"}}
//! {"type": "tool_call", "id": "toolu_1", "name": "Read", "input": {"file_path": "src/lib.rs"}}
//! {"type": "tool_result", "id": "toolu_1", "is_error": false, "content": []}
//! {"type": "end", "outcome": "done", "usage": {"requests": 2, "input_tokens": 31}}
//! ```
//!
//! Diagnostics and the reports on steering messages are on stderr, as without `--json`.

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

/// Prints the events of the loop as they arrive.
#[derive(Debug)]
pub(super) struct JsonLines {
    /// Ends the run when stdout cannot be written any more.
    cancel: CancelHandle,
    /// Set by the first failure to write.
    closed: Closed,
    /// Notified of messages that were appended; `None` without `--steer`.
    steering: Option<Steering>,
}

/// One line of the output.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    /// A request is about to be sent.
    Request {
        /// The length of its body on the wire of the Messages API.
        bytes: usize,
    },
    /// An event of the response, in the form of the stream of the Messages API, whatever
    /// the provider is.
    Event {
        /// The event.
        event: &'a Event,
    },
    /// The model called a tool, which is about to run.
    ToolCall {
        /// The id of the call.
        id: &'a str,
        /// The name of the tool.
        name: &'a str,
        /// The input as the model wrote it; a string if it is not JSON.
        input: Input<'a>,
    },
    /// A tool has returned.
    ToolResult {
        /// The id of the call.
        id: &'a str,
        /// True if the call failed.
        is_error: bool,
        /// The content that the model gets.
        content: &'a [ContentBlock],
    },
    /// The last line of a run.
    End {
        /// The name of the outcome, such as `done`, `max_tokens` or `cancelled`.
        outcome: String,
        /// The usage of the whole run, with its workers.
        usage: &'a UsageLine,
    },
}

/// The input of a tool call.
#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    /// With the bytes that the model wrote.
    Json(&'a RawValue),
    /// An input that is not JSON, as a string.
    Text(&'a str),
}

impl JsonLines {
    /// Creates the observer of a loop whose run `cancel` ends.
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
///
/// The outcome is the name of its variant in snake case, without its fields.
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
