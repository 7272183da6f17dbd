//! Why requests fail, with the facts that a provider's support needs.

use std::error::Error as _;
use std::iter::successors;
use std::time::Duration;

use aside_providers::{ErrorBody, RefusedError, StreamError, StreamErrorKind};

use super::endpoint::{BadEndpoint, Endpoint};

/// A failed request, or a response that ended early. It never holds a secret,
/// even if the provider repeated one.
///
/// The message has the provider, the host, the status, the provider's type and
/// text, and the request id. In programs use [`kind`](Self::kind), for example
/// to decide whether a prompt was too long.
///
/// ```text
/// first-party reported overloaded_error: Overloaded (status 529, request req_1) (sent 3 times)
/// no connection to localhost: … (sent 3 times)
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{}", self.fault(), self.0.response(), self.0.repeats())]
pub struct TransportError(Box<Facts>);

/// Boxed to keep results that may hold an error small.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    kind: TransportErrorKind,
    /// Such as `bedrock`.
    provider: &'static str,
    /// Without a port.
    host: String,
    /// `None` if there was no response.
    status: Option<u16>,
    /// The provider's id for the request.
    request_id: Option<String>,
    retry_after: Option<Duration>,
    /// 0 if the request was refused before it was sent.
    sent: u32,
}

/// The kinds of [`TransportError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The provider would refuse the request; nothing was sent. The text names
    /// the rule and the place.
    Refused(String),
    /// The endpoint cannot be used, or the request cannot be signed; nothing was
    /// sent.
    Endpoint(String),
    /// The connection failed or broke. The text has the causes, such as an
    /// invalid certificate.
    Connection(String),
    /// No bytes arrived within [`Limits`](crate::Limits).
    Silence,
    /// The provider reported an error, by its status or within the stream. To
    /// tell them apart, use [`TransportError::status`].
    Provider(ErrorBody),
    /// The response ended early.
    Ended,
    /// A line, an event or a response exceeds the memory limit.
    TooLong,
    /// The bytes are not a response of this provider.
    Malformed(String),
}

impl TransportError {
    /// Creates an error at an endpoint. Secrets are removed from its texts.
    pub(crate) fn new(kind: TransportErrorKind, endpoint: &Endpoint) -> Self {
        Self(Box::new(Facts {
            kind: kind.without_secrets(endpoint),
            provider: endpoint.provider().name,
            host: endpoint.host().to_owned(),
            status: None,
            request_id: None,
            retry_after: None,
            sent: 0,
        }))
    }

    /// Creates an error from a response. Secrets are removed from the request
    /// id.
    pub(crate) fn answered(
        mut self,
        status: u16,
        request_id: Option<String>,
        retry_after: Option<Duration>,
    ) -> Self {
        self.0.status = Some(status);
        self.0.request_id = request_id.or(self.0.request_id);
        self.0.retry_after = retry_after;
        self
    }

    /// Describes the fault, without status and request id.
    pub(crate) fn fault(&self) -> String {
        let Facts { kind, provider, host, status, retry_after, .. } = &*self.0;
        match kind {
            TransportErrorKind::Refused(what) => {
                format!("{provider} would refuse the request: {what}")
            }
            TransportErrorKind::Endpoint(what) => {
                format!("no valid endpoint for {provider}: {what}")
            }
            TransportErrorKind::Connection(what) if status.is_some() => {
                format!("the connection to {host} broke off: {what}")
            }
            TransportErrorKind::Connection(what) => format!("no connection to {host}: {what}"),
            TransportErrorKind::Silence => format!("{host} sent no data for too long"),
            TransportErrorKind::Provider(body) => match retry_after {
                Some(wait) => {
                    let seconds = wait.as_secs_f64().ceil();
                    format!("{provider} reported {body}; it asks for a wait of {seconds} s")
                }
                None => format!("{provider} reported {body}"),
            },
            TransportErrorKind::Ended => format!("the response of {host} broke off"),
            TransportErrorKind::TooLong => format!("{host} sent too much without an end"),
            TransportErrorKind::Malformed(what) => format!("{host} sent no valid response: {what}"),
        }
    }

    /// Sets how many times the request was sent.
    pub(crate) fn sent(mut self, times: u32) -> Self {
        self.0.sent = times;
        self
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> &TransportErrorKind {
        &self.0.kind
    }

    /// Returns the provider's name.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.0.provider
    }

    /// Returns the response's HTTP status, if there was one. An error within a
    /// stream has the stream's status.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns the provider's id for the request; its support asks for it.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Returns how long the provider asked to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns how many times the request was sent.
    #[must_use]
    pub fn times_sent(&self) -> u32 {
        self.0.sent
    }
}

impl TransportErrorKind {
    /// Redacts the endpoint's secrets in every text.
    fn without_secrets(mut self, endpoint: &Endpoint) -> Self {
        let credentials = endpoint.credentials();
        match &mut self {
            Self::Refused(text)
            | Self::Endpoint(text)
            | Self::Connection(text)
            | Self::Malformed(text) => credentials.redact(text),
            Self::Provider(body) => {
                credentials.redact(&mut body.message);
                for text in
                    [&mut body.kind, &mut body.code, &mut body.request_id].into_iter().flatten()
                {
                    credentials.redact(text);
                }
            }
            Self::Silence | Self::Ended | Self::TooLong => {}
        }
        self
    }
}

impl From<StreamError> for TransportErrorKind {
    fn from(error: StreamError) -> Self {
        match error.kind() {
            StreamErrorKind::Ended => Self::Ended,
            StreamErrorKind::TooLong => Self::TooLong,
            StreamErrorKind::Provider(body) => Self::Provider(body.clone()),
            _ => Self::Malformed(error.to_string()),
        }
    }
}

impl From<BadEndpoint> for TransportErrorKind {
    fn from(error: BadEndpoint) -> Self {
        Self::Endpoint(error.to_string())
    }
}

impl From<RefusedError> for TransportErrorKind {
    fn from(error: RefusedError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl Facts {
    fn response(&self) -> String {
        let id = self.request_id.as_ref();
        let id = id.map(|id| format!(", request {id}")).unwrap_or_default();
        let status = self.status.map(|status| format!(" (status {status}{id})"));
        status.unwrap_or_default()
    }

    fn repeats(&self) -> String {
        match self.sent {
            0 | 1 => String::new(),
            times => format!(" (sent {times} times)"),
        }
    }
}

/// Joins an error's text with those of its sources by `: `: reqwest's own message leaves out the
/// cause, such as a certificate or a refused connection.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let sources = successors(error.source(), |source| (*source).source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}
