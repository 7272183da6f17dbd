//! A streamed response: bytes from the connection, decoded into events of the
//! Messages API.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use aside_providers::{Event, Framing, Stream};
use bytes::Bytes;
use reqwest::Response;
use tokio::time::timeout;

use crate::causes::causes;
use crate::endpoint::Endpoint;
use crate::error::{TransportError, TransportErrorKind};
use crate::event_stream::AwsEventStream;
use crate::headers::request_id;
use crate::limits::Limits;

/// A streamed response. Dropping it closes the connection.
///
/// The stream ends with an error if no bytes arrive within [`Limits::silence`],
/// if it exceeds [`Limits::stream_bytes`], or if it stops before its last
/// event.
///
/// Memory is bounded: the events of one chunk, and the line or frame that is not complete yet.
pub struct Events {
    /// The response, from which the bytes are read.
    response: Response,
    /// The endpoint, for the texts of errors and for their redaction.
    endpoint: Endpoint,
    /// The decoder, if the events are in frames of AWS.
    frames: Option<AwsEventStream>,
    /// The decoder of the provider's events.
    stream: Stream,
    /// The decoded events that [`Events::next`] has not returned yet.
    ready: VecDeque<Event>,
    /// Returned once, after the events that are ready.
    error: Option<TransportError>,
    /// True after the last bytes, or after an error.
    is_over: bool,
    /// The longest wait for the next bytes.
    silence: Duration,
    /// The bytes that may still come.
    left: u64,
    /// How many times the request was sent.
    sent: u32,
}

impl Events {
    /// Creates a stream of events from a response whose headers were read.
    pub(crate) fn new(
        response: Response,
        endpoint: Endpoint,
        stream: Stream,
        limits: &Limits,
        sent: u32,
    ) -> Self {
        let is_framed = endpoint.provider().framing == Framing::AwsEventStream;
        Self {
            frames: is_framed.then(AwsEventStream::default),
            stream,
            response,
            endpoint,
            ready: VecDeque::new(),
            error: None,
            is_over: false,
            silence: limits.silence,
            left: limits.stream_bytes,
            sent,
        }
    }

    /// Returns the id that the provider gave to the request.
    #[must_use]
    pub fn request_id(&self) -> Option<String> {
        request_id(self.response.headers(), &self.endpoint)
    }

    /// Returns how many times the request was sent until the response started.
    #[must_use]
    pub fn times_sent(&self) -> u32 {
        self.sent
    }

    /// Returns the next event; `None` after the last one, and after an error.
    /// The future is cancel safe: no event is lost if it is dropped.
    ///
    /// # Errors
    /// If the response breaks off, after all events before that.
    pub async fn next(&mut self) -> Option<Result<Event, TransportError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.is_over {
                return self.error.take().map(Err);
            }
            let chunk = match timeout(self.silence, self.response.chunk()).await {
                Ok(Ok(chunk)) => Ok(chunk),
                Ok(Err(error)) => Err(TransportErrorKind::Connection(causes(&error.without_url()))),
                Err(_) => Err(TransportErrorKind::Silence),
            };
            self.take(chunk);
        }
    }

    /// Adds the next bytes, or ends the stream.
    fn take(&mut self, chunk: Result<Option<Bytes>, TransportErrorKind>) {
        let mut events = Vec::new();
        let result = match chunk {
            Ok(Some(bytes)) => self.read(&bytes, &mut events),
            Ok(None) => self.finish(&mut events),
            Err(kind) => Err(kind),
        };
        // Only the end of the bytes can follow the last event.
        let result = match result {
            Ok(()) if self.stream.is_complete() && !self.is_over => self.finish(&mut events),
            result => result,
        };
        self.ready.extend(events);
        if let Err(kind) = result {
            let status = self.response.status().as_u16();
            let error = TransportError::new(kind, &self.endpoint);
            self.error = Some(
                error
                    .answered(status, self.request_id(), None)
                    .sent(self.sent),
            );
            self.is_over = true;
        }
    }

    /// Decodes the next bytes.
    ///
    /// # Errors
    /// If the stream exceeds its limit of bytes, or they are not of the wire.
    fn read(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TransportErrorKind> {
        let length = bytes.len() as u64;
        let left = self.left.checked_sub(length);
        self.left = left.ok_or(TransportErrorKind::TooLong)?;
        let Self { frames, stream, .. } = self;
        match frames {
            Some(frames) => frames.push(bytes, |json| Ok(stream.push_event(json, events)?)),
            None => Ok(stream.push(bytes, events)?),
        }
    }

    fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), TransportErrorKind> {
        self.is_over = true;
        let is_cut = self.frames.as_ref().is_some_and(AwsEventStream::is_within);
        self.stream.finish(events)?;
        if is_cut && !self.stream.is_complete() {
            return Err(TransportErrorKind::Ended);
        }
        Ok(())
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("provider", &self.endpoint.provider())
            .field("request_id", &self.request_id())
            .field("ready", &self.ready.len())
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}
