use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture, EventStream};
use aside_messages::encode::Body;
use aside_messages::wire::Request;
use aside_providers::{Options, Provider};
use futures_util::stream;

use crate::endpoint::Endpoint;
use crate::error::{Error, ErrorKind};
use crate::http::Http;

/// A provider over HTTP, as the loop of `aside-agent` wants it.
#[derive(Clone, Debug)]
pub struct HttpClient {
    http: Http,
    endpoint: Endpoint,
    options: Options,
}

impl HttpClient {
    /// A client that asks this endpoint, with requests converted so.
    #[must_use]
    pub fn new(http: Http, endpoint: Endpoint, options: Options) -> Self {
        Self {
            http,
            endpoint,
            options,
        }
    }

    async fn answer(&self, body: &Body) -> Result<EventStream, ClientError> {
        let request = body.to_request().map_err(|error| {
            ClientError::new(
                ClientErrorKind::Refused,
                format!("read the request: {error}"),
            )
        })?;
        let request = Request {
            stream: Some(true),
            ..request
        };
        let events = self
            .http
            .ask(&self.endpoint, &request, &self.options)
            .await?;
        let next = |mut events: crate::Events| async move {
            let event = events.next().await?;
            Some((event.map_err(ClientError::from), events))
        };
        Ok(Box::pin(stream::unfold(events, next)))
    }
}

impl Client for HttpClient {
    fn provider(&self) -> &str {
        match self.endpoint.provider() {
            Provider::FirstParty => "first_party",
            provider => provider.as_str(),
        }
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(self.answer(body))
    }
}

impl From<Error> for ClientError {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Told(body) => {
                let told = Self::of_response(error.status().unwrap_or(500), body);
                return match error.request_id() {
                    Some(id) => told.with_request_id(id),
                    None => told,
                };
            }
            ErrorKind::Refused(_) | ErrorKind::Endpoint(_) => ClientErrorKind::Refused,
            // Before an answer began, or in the midst of it.
            ErrorKind::Connection(_) | ErrorKind::Silence if error.status().is_none() => {
                ClientErrorKind::Transport
            }
            _ => ClientErrorKind::BrokenStream,
        };
        Self::new(kind, error.to_string())
    }
}
