use std::fmt;
use std::pin::Pin;

use aside_messages::encode::Body;
use aside_providers::Event;
use futures_util::Stream;

use crate::client_error::ClientError;

/// An LLM client: a provider over HTTP, or a recording.
///
/// When you drop a future or a stream, its request ends as soon as possible.
pub trait Client: fmt::Debug + Send + Sync {
    /// Returns the provider's name, such as `first-party`; it is recorded with
    /// every response.
    fn provider(&self) -> &str;

    /// Sends a request. The future resolves to the response's events once the
    /// headers of a success have arrived.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no response. If the stream breaks off
    /// later, its last item is the error.
    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a>;
}

/// A request that was sent.
pub type CompleteFuture<'a> =
    Pin<Box<dyn Future<Output = Result<EventStream, ClientError>> + Send + 'a>>;

/// A response's events: complete if the stream ends with
/// [`Event::MessageStop`], else broken off.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Event, ClientError>> + Send>>;
