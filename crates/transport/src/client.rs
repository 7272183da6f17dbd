use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, EventStream};
use aside_messages::encode::Body;
use aside_providers::{ConversionLoss, Options};
use futures_util::stream;

use crate::converters::Converters;
use crate::endpoint::Endpoint;
use crate::error::{Error, ErrorKind};
use crate::events::Events;
use crate::http::Http;

/// One endpoint as the [`Client`] of a loop.
#[derive(Debug)]
pub struct HttpClient {
    http: Http,
    endpoint: Endpoint,
    converters: Converters,
    losses: Option<Losses>,
}

/// What the wire had no place for, and who is told.
struct Losses {
    tell: Box<dyn Fn(&ConversionLoss) + Send + Sync>,
    told: Mutex<HashSet<ConversionLoss>>,
}

impl HttpClient {
    /// A client of this endpoint, which converts requests for it. Messages that
    /// were sent before are neither converted nor copied again; what the wire
    /// has no place for is left out.
    #[must_use]
    pub fn new(http: Http, endpoint: Endpoint, options: Options) -> Self {
        Self {
            converters: Converters::new(endpoint.provider(), options),
            http,
            endpoint,
            losses: None,
        }
    }

    /// Tells what the endpoint's wire has no place for, before the request is
    /// sent. What several requests lose is told once.
    #[must_use]
    pub fn telling_losses(self, tell: impl Fn(&ConversionLoss) + Send + Sync + 'static) -> Self {
        let losses = Losses {
            tell: Box::new(tell),
            told: Mutex::default(),
        };
        Self {
            losses: Some(losses),
            ..self
        }
    }

    async fn ask(&self, body: &Body) -> Result<Events, Error> {
        let outgoing = self.converters.outgoing(body);
        let mut outgoing =
            outgoing.map_err(|refused| Error::new(refused.into(), &self.endpoint))?;
        if let Some(losses) = &self.losses {
            losses.tell(std::mem::take(&mut outgoing.losses));
        }
        self.http.send(&self.endpoint, outgoing).await
    }
}

impl Losses {
    fn tell(&self, losses: Vec<ConversionLoss>) {
        for loss in losses {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = told.insert(loss.clone());
            drop(told);
            if is_new {
                (self.tell)(&loss);
            }
        }
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Losses")
            .field("told", &self.told)
            .finish_non_exhaustive()
    }
}

impl Client for HttpClient {
    fn provider(&self) -> &str {
        self.endpoint.provider().name
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move {
            let events = self.ask(body).await.map_err(|error| told(&error))?;
            let events = stream::unfold(events, |mut events| async {
                let event = events.next().await?;
                Some((event.map_err(|error| told(&error)), events))
            });
            Ok(Box::pin(events) as EventStream)
        })
    }
}

/// The error as a loop knows it.
fn told(error: &Error) -> ClientError {
    let status = error.status();
    let has_begun = status.is_some_and(|status| (200..300).contains(&status));
    let kind = match error.kind() {
        ErrorKind::Refused(_) | ErrorKind::Endpoint(_) => ClientErrorKind::Refused,
        _ if has_begun => ClientErrorKind::BrokenStream,
        ErrorKind::Told(body) => ClientError::of_response(status.unwrap_or(500), body).kind(),
        ErrorKind::Connection(_) | ErrorKind::Silence => ClientErrorKind::Transport,
        ErrorKind::Ended | ErrorKind::TooLong | ErrorKind::Malformed(_) => {
            ClientErrorKind::BrokenStream
        }
    };
    let mut told = ClientError::new(kind, error.fault());
    if let Some(status) = status {
        told = told.with_status(status);
    }
    if let Some(id) = error.request_id() {
        told = told.with_request_id(id);
    }
    told
}
