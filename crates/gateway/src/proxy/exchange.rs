//! One request with its response, until the response has ended.
//!
//! The exchange ends with the response's last byte, with an error, or when the
//! client disconnects, which drops it. In each case one record is written.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use tokio::sync::oneshot;

use super::bookkeeper::{Ended, Job};
use super::finished::Finished;
use super::forwarder::Forwarder;
use super::observe::{Observed, Observer};
use super::upstream::Wire;
use crate::admission::Room;
use crate::redact;

/// The type of the proxy's own errors.
pub(super) const PROXY_ERROR: &str = "proxy_error";

/// No model caches a shorter request.
const MIN_CACHED_BYTES: usize = 1 << 10;

/// A request that was forwarded. If it is dropped before its end, it is
/// recorded as aborted.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The proxy, whose bookkeeper gets the exchange when it ends.
    forwarder: Arc<Forwarder>,
    /// When it was forwarded, for the latency.
    started: Instant,
    /// How many bytes of the response are still to come, if it has a length.
    left: Option<u64>,
    /// What to record; `None` once the exchange has ended.
    ended: Option<Box<Ended>>,
    /// Gets it instead of the bookkeeper, to add the body that is still being read.
    late: Option<oneshot::Sender<Box<Ended>>>,
}

impl Exchange {
    /// Begins an exchange at the system's time, with the headers that may be
    /// recorded.
    pub(crate) fn new(
        forwarder: Arc<Forwarder>,
        wire: Wire,
        path_and_query: &str,
        request: &HeaderMap,
        room: Room,
    ) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut headers = Vec::new();
        redact::headers(request, &mut headers);
        let finished = Finished {
            wire,
            at: now.unwrap_or_default(),
            path: redact::path(path_and_query),
            body: Bytes::new(),
            placed: Vec::new(),
            original: None,
            is_clean: false,
            agent: None,
            headers,
            status: None,
            latency: None,
            observed: Observed::default(),
            is_complete: false,
            note: None,
            secrets: redact::credentials(request, path_and_query),
        };
        Self {
            forwarder,
            started: Instant::now(),
            left: None,
            ended: Some(Box::new(Ended { finished, observer: None, room: Some(room) })),
            late: None,
        }
    }

    /// Moves its begin to an earlier time.
    pub(crate) fn since(mut self, started: Instant) -> Self {
        self.started = started;
        self.set(|it| it.at = it.at.saturating_sub(started.elapsed()));
        self
    }

    /// Returns what receives the exchange at its end, to add the body to it.
    pub(crate) fn lend(&mut self) -> oneshot::Receiver<Box<Ended>> {
        let (late, ended) = oneshot::channel();
        self.late = Some(late);
        ended
    }

    /// Takes up an exchange whose response has ended.
    pub(crate) fn resume(forwarder: Arc<Forwarder>, ended: Box<Ended>) -> Self {
        let started = Instant::now();
        Self { forwarder, started, left: None, ended: Some(ended), late: None }
    }

    /// Adds the room of the body.
    pub(crate) fn merge_room(&mut self, room: Room) {
        if let Some(own) = self.ended.as_mut().and_then(|it| it.room.as_mut()) {
            own.merge(room);
        }
    }

    /// Returns the request's time since 1970.
    pub(crate) fn at(&self) -> Duration {
        self.ended.as_ref().map(|it| it.finished.at).unwrap_or_default()
    }

    /// Returns the agent of the request, if its markers may be replaced and it is long enough
    /// for the cache.
    pub(crate) fn cached_agent(&self) -> Option<u64> {
        let finished = &self.ended.as_ref()?.finished;
        finished.agent.filter(|_| finished.body.len() >= MIN_CACHED_BYTES)
    }

    /// Gives away the room, to add that of a decompressed body.
    pub(crate) fn lend_room(&mut self) -> Option<Room> {
        self.ended.as_mut()?.room.take()
    }

    pub(crate) fn return_room(&mut self, room: Option<Room>) {
        if let Some(ended) = &mut self.ended {
            ended.room = room;
        }
    }

    /// Notes that the request waited for the first one of its prefix. It is sent now.
    pub(crate) fn waited(&mut self) {
        let waited = self.started.elapsed();
        self.started = Instant::now();
        self.set(|it| {
            it.at += waited;
            let seconds = waited.as_secs_f64();
            let text = format!("waited {seconds:.1} s for the first request of its prefix");
            it.note = Some(it.note.take().map_or(text.clone(), |note| format!("{note}; {text}")));
        });
    }

    /// Changes what to record. Does nothing after the end.
    pub(crate) fn set(&mut self, set: impl FnOnce(&mut Finished)) {
        if let Some(ended) = &mut self.ended {
            set(&mut ended.finished);
        }
    }

    /// Notes that the response starts. A response without a body, by its
    /// status or its `content-length`, is complete at once.
    pub(crate) fn begin(&mut self, status: StatusCode, response: &HeaderMap) {
        if let Some(ended) = &mut self.ended {
            let finished = &mut ended.finished;
            ended.observer = Some(Observer::new(finished.wire, response));
            finished.status = Some(status.as_u16());
            finished.latency = Some(self.started.elapsed());
            redact::headers(response, &mut finished.headers);
        }
        let length = response.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        self.left = length.and_then(|length| length.parse().ok());
        let is_empty = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        if self.left == Some(0) || is_empty {
            self.complete();
        }
    }

    /// Ends the exchange without a response.
    pub(crate) fn fail(mut self, message: String) {
        self.set(|it| {
            it.observed.error = Some(PROXY_ERROR.to_owned());
            it.observed.error_message = Some(message);
        });
    }

    /// Reads the response's next chunk.
    ///
    /// The exchange ends with the last byte if the length is known, else when
    /// the stream ends.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if let Some(ended) = &mut self.ended
            && let Some(observer) = &mut ended.observer
        {
            observer.push(chunk, ended.room.as_mut());
        }
        // The server does not poll for the end of a body with a known length.
        let left = self.left.map(|left| left.saturating_sub(chunk.len() as u64));
        self.left = left;
        if left == Some(0) {
            self.complete();
        }
    }

    /// Records that the response is complete.
    pub(crate) fn complete(&mut self) {
        self.set(|it| it.is_complete = true);
        self.end();
    }

    /// Gives the exchange to the bookkeeper, which writes its record. Later
    /// calls do nothing.
    fn end(&mut self) {
        let late = self.late.take();
        let ended = self.ended.take().and_then(|ended| match late {
            Some(late) => late.send(ended).err(),
            None => Some(ended),
        });
        if let Some(ended) = ended {
            self.forwarder.bookkeeper.add(Job::Ended(ended));
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.end();
    }
}
