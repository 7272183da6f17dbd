//! A streamed response: bytes from the connection, decoded into Messages API
//! events.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use aside_providers::{Event, Framing, Stream};
use bytes::Bytes;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::endpoint::Endpoint;
use super::error::{TransportError, TransportErrorKind};
use super::event_stream::AwsEventStream;
use super::headers::request_id;
use super::limits::{Limits, within};

/// How much of a response to keep until its first event, in bytes.
const MAX_START_BYTES: usize = 4096;

/// How much of a response that is no stream, and of its content type, an error quotes.
const MAX_QUOTED_CHARS: usize = 200;

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
    /// True after the first event.
    has_begun: bool,
    /// The first bytes of a response without an event.
    start: Vec<u8>,
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
            has_begun: false,
            start: Vec::new(),
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
        self.has_begun |= !events.is_empty();
        self.ready.extend(events);
        if let Err(kind) = result.map_err(|kind| self.explained(kind)) {
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
        if !self.has_begun {
            let room = MAX_START_BYTES - self.start.len();
            self.start.extend(bytes.iter().take(room));
        }
        let Self { frames, stream, .. } = self;
        match frames {
            Some(frames) => frames.push(bytes, |json| Ok(stream.push_event(json, events)?)),
            None => Ok(stream.push(bytes, events)?),
        }
    }

    /// Explains an end before the first event if the response does not claim to be a stream: it may
    /// be a login page. Its type alone is no fault, since some servers name another one, or none.
    fn explained(&self, kind: TransportErrorKind) -> TransportErrorKind {
        let expected = match self.frames {
            Some(_) => "application/vnd.amazon.eventstream",
            None => "text/event-stream",
        };
        let found = self.response.headers().get(CONTENT_TYPE).map(|it| quoted(it.as_bytes(), self));
        let is_stream = found.as_ref().is_some_and(|it| it.to_ascii_lowercase().contains(expected));
        if self.has_begun || is_stream || kind != TransportErrorKind::Ended {
            return kind;
        }
        let found = found.unwrap_or_else(|| "no content type".to_owned());
        let start = match quoted(&self.start, self) {
            start if start == r#""""# => "an empty response".to_owned(),
            start => start,
        };
        TransportErrorKind::Malformed(format!("expected {expected:?}, found {found}: {start}"))
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

/// Returns the beginning of a text in quotes, escaped and without secrets.
fn quoted(text: &[u8], events: &Events) -> String {
    let mut text = String::from_utf8_lossy(text).into_owned();
    // Before it is cut, since a part of a secret is not found.
    events.endpoint.credentials().redact(&mut text);
    let start: String = text.trim().chars().take(MAX_QUOTED_CHARS).collect();
    format!("{start:?}")
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
