//! A request that is ready to be sent, possibly several times: address, headers
//! and shared segments. Only the signature differs from one attempt to the
//! next.

use std::convert::Infallible;
use std::time::SystemTime;

use aside_providers::{Outgoing, ResponseMode};
use bytes::Bytes;
use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, HeaderMap};
use reqwest::{Body, Method, Url};

use crate::endpoint::Endpoint;
use crate::error::{TransportError, TransportErrorKind};
use crate::headers::headers;
use crate::secret::Credentials;
use crate::sign::signature;

/// A request that may be sent several times. Its body is shared, not copied.
///
/// It is made once for all attempts.
pub(crate) struct Call<'a> {
    /// The endpoint, with the credentials for a signature.
    pub(crate) endpoint: &'a Endpoint,
    /// The delivery, which decides the time limit.
    pub(crate) delivery: ResponseMode,
    /// The HTTP method.
    method: Method,
    /// The full URL.
    url: Url,
    /// The headers, without a signature and a length.
    headers: HeaderMap,
    /// The bytes of the body, in order.
    segments: Vec<Bytes>,
    /// The number of bytes of the body.
    pub(crate) len: usize,
}

impl<'a> Call<'a> {
    /// Creates a call of an endpoint with the segments of `outgoing`.
    ///
    /// # Errors
    /// If the path or a header is not valid.
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

    /// Builds the request, signed for this moment if the endpoint needs a
    /// signature, which takes a hash of the whole body.
    pub(crate) fn request(&self, now: SystemTime) -> Result<reqwest::Request, TransportError> {
        let mut headers = self.headers.clone();
        if let Credentials::Aws(keys) = self.endpoint.credentials() {
            let scope = self.endpoint.signing_scope();
            let signed = signature(keys, scope, &self.url, &headers, &self.segments, now);
            headers.extend(signed.map_err(|kind| TransportError::new(kind, self.endpoint))?);
        }
        // The length of a streamed body is not known to the HTTP library.
        headers.insert(CONTENT_LENGTH, self.len.into());
        let mut request = reqwest::Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = headers;
        let segments = self
            .segments
            .clone()
            .into_iter()
            .filter(|segment| !segment.is_empty());
        let segments = stream::iter(segments.map(Ok::<_, Infallible>));
        *request.body_mut() = Some(Body::wrap_stream(segments));
        Ok(request)
    }
}
