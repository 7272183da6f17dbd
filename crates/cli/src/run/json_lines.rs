//! `aside run --json`: a run's events as JSON Lines on stdout.
//!
//! ```json
//! {"type": "request", "bytes": 9214}
//! {"type": "event", "event": {"type": "message_start"}}
//! {"type": "compaction_event", "event": {"type": "message_start"}}
//! {"type": "tool_call", "id": "toolu_1", "name": "Read", "input": {"file_path": "src/lib.rs"}}
//! {"type": "tool_result", "id": "toolu_1", "is_error": false, "content": []}
//! {"type": "end", "outcome": "done", "usage": {"requests": 2, "input_tokens": 31}}
//! ```
//!
//! Diagnostics and reports on steering messages go to stderr, the same as
//! without `--json`.

use aside_agent::{CancelHandle, Observer, Outcome, Progress};
use aside_messages::wire::ContentBlock;
use aside_providers::Event;
use serde::Serialize;
use serde_json::value::RawValue;

use super::show::Closed;
use super::steer::Steering;
use super::usage_line::UsageLine;
use crate::output;

/// Prints the loop's events as they arrive.
#[derive(Debug)]
pub(super) struct JsonLines {
    /// Ends the run when stdout can no longer be written.
    pub(super) cancel: CancelHandle,
    /// Set by the first failure to write.
    pub(super) closed: Closed,
    /// To notify when messages were appended; `None` without `--steer`.
    pub(super) steering: Option<Steering>,
}

/// One line to print.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    /// A request is about to be sent.
    Request {
        /// How long its body is on the Messages API wire.
        bytes: usize,
    },
    /// A response event, in the Messages API's stream form, whatever the
    /// provider is.
    Event {
        /// The event, whole.
        event: &'a Event,
    },
    /// The same for the summary of a compaction, which is not for the user.
    CompactionEvent { event: &'a Event },
    /// The model called a tool, which is about to run.
    ToolCall {
        id: &'a str,
        name: &'a str,
        /// The input as the model wrote it; a string when it is not JSON.
        input: Input<'a>,
    },
    /// A tool has returned.
    ToolResult {
        id: &'a str,
        /// True when the call failed.
        is_error: bool,
        /// The content that the model gets.
        content: &'a [ContentBlock],
    },
    /// The run's last line.
    End {
        /// The outcome's name, such as `done`, `max_tokens` or `cancelled`; `failed` with an error.
        outcome: String,
        /// Usage for the whole run, including workers.
        usage: &'a UsageLine,
    },
}

/// What a tool call passes to the tool.
#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    /// Byte for byte as the model wrote it.
    Json(&'a RawValue),
    /// An input that is not JSON, as a string.
    Text(&'a str),
}

impl Observer for JsonLines {
    fn observe(&mut self, progress: Progress<'_>) {
        let line = match progress {
            Progress::Sending(body) | Progress::SendingSummary(body) => {
                Line::Request { bytes: body.len() }
            }
            Progress::Event(event) => Line::Event { event },
            Progress::SummaryEvent(event) => Line::CompactionEvent { event },
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

/// Prints the run's outcome and usage.
///
/// The outcome is its variant's name in snake case, without fields; `None` is `failed`.
pub(super) fn end(outcome: Option<&Outcome>, usage: &UsageLine, closed: &Closed) {
    let outcome = outcome.map_or("Failed".to_owned(), |it| format!("{it:?}"));
    let end = outcome.find(['(', ' ']).unwrap_or(outcome.len());
    let line = Line::End { outcome: snake_case(&outcome[..end]), usage };
    print(&line, closed);
}

/// Prints a line; `None` when stdout is closed.
fn print(line: &Line<'_>, closed: &Closed) -> Option<()> {
    let json = serde_json::to_string(line).ok()? + "\n";
    match output::write_json([json.as_bytes()]) {
        Ok(()) => Some(()),
        Err(error) => {
            // Keep the first error.
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
