use std::fmt;

use aside_messages::conversation::{Entry, ToolCall};
use aside_messages::encode::Body;
use aside_providers::Event;

use crate::tool::ToolOutput;
use aside_session::Diagnostic;

/// Observes a [`Loop`](crate::Loop) at work, for example to display it.
pub trait Observer: fmt::Debug + Send {
    /// Receives an event. The loop continues when this returns.
    fn observe(&mut self, progress: Progress<'_>);
}

/// What a [`Loop`](crate::Loop) does. Texts from models, tools and others are
/// unchanged, and not safe for a terminal.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A message that arrived during the run was appended and is in the
    /// journal.
    Queued(&'a Entry),
    /// A user command that arrived during the run, such as `/compact`, is
    /// executed.
    Command(&'a str),
    /// A diagnostic about the next request.
    Diagnostic(&'a Diagnostic),
    /// A request is about to be sent.
    Sending(&'a Body),
    /// The conversation is being replaced by a summary.
    Compacting,
    /// The conversation was replaced by a summary.
    Compacted,
    /// The request for this summary is about to be sent.
    SendingSummary(&'a Body),
    /// An event in a response.
    Event(&'a Event),
    /// An event in the response with a summary.
    SummaryEvent(&'a Event),
    /// A tool is called.
    Called(&'a ToolCall),
    /// A tool call ended.
    Returned(&'a ToolCall, &'a ToolOutput),
}
