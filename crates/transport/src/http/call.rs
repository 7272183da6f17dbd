//! A request that is ready to send, possibly several times: address, headers
//! and shared segments. Only the signature differs between attempts.

use std::convert::Infallible;
use std::time::SystemTime;

use aside_providers::{Outgoing, ResponseMode};
use bytes::Bytes;
use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, HeaderMap};
use reqwest::{Body, Method, Url};

use super::endpoint::Endpoint;
use super::error::{TransportError, TransportErrorKind};
use super::headers::headers;
use super::secret::Credentials;
use super::sign::signature;

/// A request to send, possibly several times. Its body is shared, not copied.
///
/// Made once for all attempts.
pub(crate) struct Call<'a> {
    /// Includes the credentials for a signature.
    pub(crate) endpoint: &'a Endpoint,
    /// Decides the time limit.
    pub(crate) delivery: ResponseMode,
    method: Method,
    url: Url,
    /// Without a signature and a length.
    headers: HeaderMap,
    segments: Vec<Bytes>,
    pub(crate) len: usize,
}

impl<'a> Call<'a> {
    /// Creates a call to an endpoint with the segments of `outgoing`.
    ///
    /// # Errors
    /// The path or a header is not valid.
    pub(crate) fn new(endpoint: &'a Endpoint, outgoing: &Outgoing) -> Result<Self, TransportError> {
        let failed = |kind| TransportError::new(kind, endpoint);
        let url = endpoint.url(&outgoing.path);
        let method = Method::from_bytes(outgoing.method.as_bytes());
        Ok(Self {
            endpoint,
            delivery: outgoing.delivery,
            method: method
                .map_err(|error| failed(TransportErrorKind::Endpoint(error.to_string())))?,
            url: url.map_err(|error| failed(error.into()))?,
            headers: headers(endpoint, &outgoing.headers).map_err(failed)?,
            segments: outgoing.segments.clone(),
            len: outgoing.body_len(),
        })
    }

    /// Builds the request. If the endpoint needs a signature, signs it for this
    /// moment, which takes a hash over the whole body.
    pub(crate) fn request(&self, now: SystemTime) -> Result<reqwest::Request, TransportError> {
        let mut headers = self.headers.clone();
        if let Credentials::Aws(keys) = self.endpoint.credentials() {
            let scope = self.endpoint.signing_scope();
            let signed = signature(keys, scope, &self.url, &headers, &self.segments, now);
            headers.extend(signed.map_err(|kind| TransportError::new(kind, self.endpoint))?);
        }
        // The HTTP library does not know how long a streamed body is.
        headers.insert(CONTENT_LENGTH, self.len.into());
        let mut request = reqwest::Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = headers;
        let segments = self.segments.clone().into_iter().filter(|segment| !segment.is_empty());
        let segments = stream::iter(segments.map(Ok::<_, Infallible>));
        *request.body_mut() = Some(Body::wrap_stream(segments));
        Ok(request)
    }
}
