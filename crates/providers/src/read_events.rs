//! The interface of the readers of a wire.

use std::fmt;

use crate::event::Event;
use crate::stream_error::StreamError;

/// Reads the events of a response on one wire.
pub(crate) trait ReadEvents: fmt::Debug + Send + Sync {
    /// Reads the `data` of one event, and appends what it completes.
    ///
    /// # Errors
    /// If the data is not of the wire, or reports an error of the provider.
    fn event(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError>;

    /// Reads a whole response; on some wires it has the form of an event.
    ///
    /// # Errors
    /// As [`ReadEvents::event`].
    fn response(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.event(json, out)
    }

    /// Ends the response, and appends the events that depend on its end.
    ///
    /// # Errors
    /// If the response is not complete.
    fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError>;

    /// Returns true if the start of the response was read.
    fn has_begun(&self) -> bool;

    /// Returns true if nothing can follow. Gemini marks no end.
    fn is_complete(&self) -> bool {
        false
    }
}
