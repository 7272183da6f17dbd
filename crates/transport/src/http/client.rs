//! The client for the loop in `aside-agent`, over HTTP.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, EventStream};
use aside_messages::encode::Body;
use aside_providers::{ConversionLoss, Options};
use futures_util::stream;

use super::Http;
use super::converters::Converters;
use super::endpoint::Endpoint;
use super::error::{TransportError, TransportErrorKind};
use super::events::Events;

/// An LLM client: sends a loop's requests to one endpoint.
///
/// ```
/// use aside_agent::Client;
/// use aside_providers::{Options, Provider};
/// use aside_transport::{Credentials, Endpoint, Http, HttpClient, Limits, Proxies, RetryPolicy};
///
/// let http = Http::new(Limits::default(), RetryPolicy::default(), Proxies::None);
/// let local = Some("http://localhost:8080/v1");
/// let endpoint = Endpoint::new(Provider::OpenAi, local, &[], Credentials::None)?;
/// let client = HttpClient::new(http, endpoint, Options::default())
///     .reporting_losses(|loss| eprintln!("{loss}"));
/// assert_eq!(client.provider(), "openai");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Several sessions may share it at once: it keeps the converted messages of up to 16.
#[derive(Debug)]
pub struct HttpClient {
    http: Http,
    endpoint: Endpoint,
    /// Each session's converted messages.
    converters: Converters,
    /// `None` if losses are not reported.
    losses: Option<Losses>,
}

struct Losses {
    /// Called without a lock.
    report: Box<dyn Fn(&ConversionLoss) + Send + Sync>,
    /// What it has received.
    reported: Mutex<HashSet<ConversionLoss>>,
}

impl HttpClient {
    /// Creates a client that converts requests for an endpoint. Messages sent earlier are neither
    /// converted nor copied again; conversion losses are left out of the request.
    #[must_use]
    pub fn new(http: Http, endpoint: Endpoint, options: Options) -> Self {
        Self {
            converters: Converters::new(endpoint.provider(), options),
            http,
            endpoint,
            losses: None,
        }
    }

    /// Reports conversion losses before the request is sent, each of them once for all requests.
    #[must_use]
    pub fn reporting_losses(
        self,
        report: impl Fn(&ConversionLoss) + Send + Sync + 'static,
    ) -> Self {
        let losses = Losses { report: Box::new(report), reported: Mutex::default() };
        Self { losses: Some(losses), ..self }
    }

    /// Converts and sends a request.
    ///
    /// Losses are reported before anything is sent, so you know them even when the request fails.
    async fn ask(&self, body: &Body) -> Result<Events, TransportError> {
        let mut outgoing = self
            .converters
            .outgoing(body)
            .map_err(|refused| TransportError::new(refused.into(), &self.endpoint))?;
        if let Some(losses) = &self.losses {
            losses.report(std::mem::take(&mut outgoing.losses));
        }
        self.http.send(&self.endpoint, outgoing).await
    }
}

impl Losses {
    /// Reports the losses that are new.
    fn report(&self, losses: Vec<ConversionLoss>) {
        for loss in losses {
            let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = reported.insert(loss.clone());
            drop(reported);
            if is_new {
                (self.report)(&loss);
            }
        }
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Losses").field("reported", &self.reported).finish_non_exhaustive()
    }
}

impl Client for HttpClient {
    fn provider(&self) -> &str {
        self.endpoint.provider().name
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move {
            let events = self.ask(body).await.map_err(|error| client_error(&error))?;
            let events = stream::unfold(events, |mut events| async {
                let event = events.next().await?;
                Some((event.map_err(|error| client_error(&error)), events))
            });
            Ok(Box::pin(events) as EventStream)
        })
    }
}

/// Converts an error to the loop's error type.
///
/// An error after a response began is a broken stream: the loop already has events from it. Only a
/// prompt that is too long is reported as such.
fn client_error(error: &TransportError) -> ClientError {
    let status = error.status();
    let has_begun = status.is_some_and(|status| (200..300).contains(&status));
    let kind = match error.kind() {
        TransportErrorKind::Refused(_) | TransportErrorKind::Endpoint(_) => {
            ClientErrorKind::Refused
        }
        TransportErrorKind::Provider(body) => {
            ClientError::of_response(status.unwrap_or(500), body).kind()
        }
        _ if has_begun => ClientErrorKind::BrokenStream,
        TransportErrorKind::Connection(_) | TransportErrorKind::Silence => {
            ClientErrorKind::Transport
        }
        TransportErrorKind::Ended
        | TransportErrorKind::TooLong
        | TransportErrorKind::Malformed(_) => ClientErrorKind::BrokenStream,
    };
    let mut converted = ClientError::new(kind, error.fault());
    if let Some(status) = status {
        converted = converted.with_status(status);
    }
    if let Some(id) = error.request_id() {
        converted = converted.with_request_id(id);
    }
    converted
}
