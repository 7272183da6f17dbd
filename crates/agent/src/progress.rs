use std::fmt;

use aside_messages::conversation::{Entry, ToolCall};
use aside_messages::encode::Body;
use aside_providers::Event;

use crate::tool::ToolOutput;
use aside_session::{Diagnostic, Prepared};

/// Watches a [`Loop`](crate::Loop) at work, to show it to somebody.
pub trait Observer: fmt::Debug + Send {
    /// Something happens. The loop goes on when this returns.
    fn observe(&mut self, progress: Progress<'_>);
}

/// What happens in a [`Loop`](crate::Loop). Texts of the model, of tools and
/// of others are as they came, not yet fit for a terminal.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// Somebody's message that came in while the model was working was taken
    /// up, and is written down.
    Queued(&'a Entry),
    /// A command of the user, such as `/compact`, that came in while the model
    /// was working was taken up.
    Command(&'a str),
    /// Something that people should know about the next request.
    Diagnostic(&'a Diagnostic),
    /// A request was prepared: its resets, and what it takes from the session.
    Prepared(&'a Prepared),
    /// A request is about to be sent.
    Sending(&'a Body),
    /// The conversation is being replaced by a summary.
    Compacting,
    /// The conversation was replaced by a summary.
    Compacted,
    /// A piece of an answer.
    Event(&'a Event),
    /// A tool is called.
    Called(&'a ToolCall),
    /// A call of a tool came to its end.
    Returned(&'a ToolCall, &'a ToolOutput),
}
