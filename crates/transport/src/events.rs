//! A streamed response: bytes from the connection, decoded into Messages API
//! events.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use aside_providers::{Event, Framing, Stream};
use bytes::Bytes;
use reqwest::Response;

use crate::endpoint::Endpoint;
use crate::error::{TransportError, TransportErrorKind};
use crate::event_stream::AwsEventStream;
use crate::headers::request_id;
use crate::limits::{Limits, within};

/// A streamed response. To close the connection, drop it.
///
/// It ends with an error if no bytes arrive within [`Limits::silence`], if it
/// exceeds [`Limits::stream_bytes`], or if it stops before its last event.
///
/// Memory is bounded: it holds one chunk's events, and an incomplete line or
/// frame.
pub struct Events {
    /// Where bytes are read from.
    response: Response,
    /// For error texts and to redact them.
    endpoint: Endpoint,
    /// Set if AWS frames wrap the events.
    frames: Option<AwsEventStream>,
    /// Decodes the provider's events.
    stream: Stream,
    /// Decoded events that [`Events::next`] has not returned yet.
    ready: VecDeque<Event>,
    /// Returned once, after the events that are ready.
    error: Option<TransportError>,
    /// True after the last bytes, or after an error.
    is_over: bool,
    /// How long to wait for the next bytes.
    silence: Duration,
    /// How many bytes may still come.
    left: u64,
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

    /// Returns the provider's id for the request.
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
    /// The future is cancel safe: if you drop it, no event is lost.
    ///
    /// # Errors
    /// The response breaks off; all events before that have been returned.
    pub async fn next(&mut self) -> Option<Result<Event, TransportError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.is_over {
                return self.error.take().map(Err);
            }
            let chunk = within(self.silence, self.response.chunk()).await;
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
            self.error = Some(error.answered(status, self.request_id(), None).sent(self.sent));
            self.is_over = true;
        }
    }

    /// # Errors
    /// The stream exceeds its byte limit, or the bytes do not fit the wire.
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
