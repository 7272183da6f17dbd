use std::fmt;
use std::pin::Pin;

use aside_messages::encode::Body;
use aside_providers::Event;
use futures_util::Stream;

use crate::client_error::ClientError;

/// Somebody who answers requests: a provider over HTTP, or a [recording].
///
/// Dropping a future or a stream ends what it stands for, as soon as can be.
///
/// [recording]: crate::Replay
pub trait Client: fmt::Debug + Send + Sync {
    /// Who serves the model, such as `first-party`; it is noted with every
    /// answer.
    fn provider(&self) -> &str;

    /// Sends a request, and resolves once the headers of a success have come,
    /// to what follows them.
    ///
    /// # Errors
    /// Why there will be no answer; of what broke the stream off afterwards,
    /// its last item tells.
    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a>;
}

/// A request on its way.
pub type CompleteFuture<'a> =
    Pin<Box<dyn Future<Output = Result<EventStream, ClientError>> + Send + 'a>>;

/// An answer on its way: whole where it ends with [`Event::MessageStop`],
/// broken off where it ends with anything else.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Event, ClientError>> + Send>>;
