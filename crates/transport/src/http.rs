//! Sending with retries and time limits.

mod call;
mod client;
mod converters;
mod count;
mod endpoint;
mod error;
mod event_stream;
mod events;
mod headers;
mod limits;
mod pools;
mod retry;
mod retry_after;
mod secret;
mod sign;
mod signing_scope;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use aside_providers::{Answer, MAX_LINE_BYTES, Outgoing, ResponseMode, Stream};
use reqwest::Response;
use tokio::time::sleep;

pub use client::HttpClient;
pub use count::Tokens;
pub use endpoint::{BadEndpoint, Endpoint};
pub use error::{TransportError, TransportErrorKind};
pub use event_stream::AwsEventStream;
pub use events::Events;
pub use limits::{Limits, Proxies};
pub use pools::NoClient;
pub use retry::{Failure, RetryPolicy};
pub use secret::{AwsKeys, Credentials, Secret};

use call::Call;
use headers::request_id;
use limits::within;
use pools::Pools;
use retry_after::retry_after;

/// An HTTP client. Cheap to clone; clones share connections.
///
/// You may drop the future of any call at any time: this cancels the request and closes its
/// connection.
///
/// ```no_run
/// # async fn f(request: aside_providers::Outgoing) -> Result<(), Box<dyn std::error::Error>> {
/// use aside_providers::Provider;
/// use aside_transport::{Credentials, Endpoint, Http, Limits, Proxies, RetryPolicy};
///
/// let http = Http::new(Limits::default(), RetryPolicy::default(), Proxies::Environment);
/// let local = Some("http://localhost:8080/v1");
/// let endpoint = Endpoint::new(Provider::OpenAi, local, &[], Credentials::None)?;
/// let mut events = http.send(&endpoint, request).await?;
/// while let Some(event) = events.next().await {
///     println!("{}", serde_json::to_string(&event?)?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Http {
    pools: Arc<Pools>,
    limits: Limits,
    retries: RetryPolicy,
}

/// How much of an error response to read.
const MAX_ERROR_BYTES: usize = 64 << 10;

impl Http {
    /// Creates a client. It follows no redirects: they would take the key along.
    #[must_use]
    pub fn new(limits: Limits, retries: RetryPolicy, proxies: Proxies) -> Self {
        Self { pools: Arc::new(Pools::new(limits.connect, proxies)), limits, retries }
    }

    /// Sets up what this endpoint needs: certificates and a proxy. Otherwise the first request
    /// does.
    ///
    /// # Errors
    /// The system has no usable TLS, or the proxy in the environment is not a valid address.
    pub fn prepare(&self, endpoint: &Endpoint) -> Result<(), NoClient> {
        self.pools.of(endpoint).map(|_| ())
    }

    /// Sends a request with a streamed response.
    ///
    /// # Errors
    /// The request was not converted for a stream, or no stream starts.
    ///
    /// Resolves when the headers of a successful response arrive; to read the events, call
    /// [`Events::next`]. Only failures before that are retried.
    pub async fn send(
        &self,
        endpoint: &Endpoint,
        request: Outgoing,
    ) -> Result<Events, TransportError> {
        if request.delivery != ResponseMode::Streamed {
            let kind = TransportErrorKind::Refused("the request asks for no stream".to_owned());
            return Err(TransportError::new(kind, endpoint));
        }
        let (response, sent) = self.post(&Call::new(endpoint, &request)?).await?;
        let stream = Stream::on(request.wire, request.names);
        Ok(Events::new(response, endpoint.clone(), stream, &self.limits, sent))
    }

    /// Sends a request whose response is not streamed.
    ///
    /// # Errors
    /// The request was converted for a stream, or there is no response.
    ///
    /// Resolves when the whole body was read, at most [`MAX_LINE_BYTES`] bytes. If the body breaks
    /// off, the request is not sent again.
    pub async fn answer(
        &self,
        endpoint: &Endpoint,
        request: Outgoing,
    ) -> Result<Answer, TransportError> {
        if request.delivery != ResponseMode::Whole {
            let kind = TransportErrorKind::Refused("the request asks for a stream".to_owned());
            return Err(TransportError::new(kind, endpoint));
        }
        let (response, sent) = self.post(&Call::new(endpoint, &request)?).await?;
        let (status, id) = (response.status().as_u16(), request_id(response.headers(), endpoint));
        let failed = |kind| {
            TransportError::new(kind, endpoint).answered(status, id.clone(), None).sent(sent)
        };
        let body = self.whole(response).await.map_err(failed)?;
        aside_providers::answer(request.wire, &body, &request.names)
            .map_err(|error| failed(error.into()))
    }

    /// Sends a request, with retries. Returns the response and how many times the request was sent.
    ///
    /// The error is from the last attempt.
    pub(crate) async fn post(&self, call: &Call<'_>) -> Result<(Response, u32), TransportError> {
        let provider = call.endpoint.provider();
        let mut sent = 0;
        loop {
            tracing::debug!(%provider, host = call.endpoint.host(), bytes = call.len, "send");
            let (error, failure) = match self.once(call).await? {
                Ok(response) => return Ok((response, sent + 1)),
                Err(failed) => failed,
            };
            let wait = self.retries.wait(provider, sent, &failure, chance());
            sent += 1;
            let Some(wait) = wait else {
                return Err(error.sent(sent));
            };
            tracing::debug!(%provider, ?failure, ?wait, "send again");
            sleep(wait).await;
        }
    }

    /// Sends once. When the outer error occurs, a retry does not help.
    ///
    /// The inner error has the failure, by which [`RetryPolicy::wait`] decides.
    async fn once(
        &self,
        call: &Call<'_>,
    ) -> Result<Result<Response, (TransportError, Failure)>, TransportError> {
        let endpoint = call.endpoint;
        let request = call.request(SystemTime::now())?;
        let limit = match call.delivery {
            ResponseMode::Streamed => self.limits.silence,
            ResponseMode::Whole => self.limits.answer,
        };
        let client = self.pools.of(endpoint).map_err(|error| {
            let kind = TransportErrorKind::Endpoint(error.to_string());
            TransportError::new(kind, endpoint)
        })?;
        let response = match within(limit, client.execute(request)).await {
            Ok(response) => response,
            Err(kind) => {
                return Ok(Err((TransportError::new(kind, endpoint), Failure::NoAnswer)));
            }
        };
        if response.status().is_success() {
            return Ok(Ok(response));
        }
        Ok(Err(self.failed(response, endpoint).await))
    }

    /// Reads an error response.
    ///
    /// Reads at most 64 KiB of its body. The kind of an AWS error may be in a header only.
    async fn failed(
        &self,
        mut response: Response,
        endpoint: &Endpoint,
    ) -> (TransportError, Failure) {
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let text = |name| response.headers().get(name)?.to_str().ok();
        let should_retry = text("x-should-retry").and_then(|it| it.parse().ok());
        let amazons = text("x-amzn-errortype").and_then(|it| it.split(':').next());
        let amazons = amazons.map(str::to_owned);
        let mut id = request_id(response.headers(), endpoint);
        let mut body = Vec::new();
        // A body that breaks off is reported as far as it was read.
        while let Ok(Some(chunk)) = within(self.limits.silence, response.chunk()).await {
            let room = MAX_ERROR_BYTES - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == MAX_ERROR_BYTES {
                break;
            }
        }
        let mut error_body = aside_providers::ErrorBody::parse(&body);
        if let Some(id) = &mut error_body.request_id {
            endpoint.credentials().redact(id);
        }
        id = id.or_else(|| error_body.request_id.clone());
        error_body.kind = error_body.kind.or(amazons);
        let error = TransportError::new(TransportErrorKind::Provider(error_body), endpoint);
        let failure = Failure::Status { status, retry_after, should_retry };
        (error.answered(status, id, retry_after), failure)
    }

    /// Reads a response's whole body.
    ///
    /// # Errors
    /// The body is longer than [`MAX_LINE_BYTES`] or breaks off, or no bytes arrive in time.
    pub(crate) async fn whole(
        &self,
        mut response: Response,
    ) -> Result<Vec<u8>, TransportErrorKind> {
        let mut body = Vec::new();
        while let Some(chunk) = within(self.limits.silence, response.chunk()).await? {
            if body.len() + chunk.len() > MAX_LINE_BYTES {
                return Err(TransportErrorKind::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Returns a random number from 0 to 1: the standard library seeds its hashers from the system.
///
/// It only varies the waits, and need not be unpredictable.
fn chance() -> f64 {
    let bits = RandomState::new().hash_one(0_u8) >> 32;
    bits as f64 / f64::from(u32::MAX)
}
