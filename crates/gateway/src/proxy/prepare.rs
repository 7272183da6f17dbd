//! Which body to send, and which to record.
//!
//! A body is sent as it came, unless its markers are replaced. A compressed
//! body is always sent as it came, and decompressed for the record.
//!
//! ```text
//!                       sent                  recorded
//! unchanged             body                  body
//! compressed            body                  decompressed
//! markers replaced      segments              segments, with the body as the original
//! ```

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use reqwest::Body;

use super::exchange::Exchange;
use super::forwarder::Forwarder;
use super::segments::Segments;
use super::upstream::Wire;
use crate::admission::Room;
use crate::decode::{decode, is_encoded};
use crate::place::Placer;

/// If more of a body is new, it is read on a separate thread, so that it holds up no other
/// connection.
const MAX_INLINE_BYTES: usize = 64 << 10;

struct Prepared {
    /// The body to record, decompressed; the agent's own if markers are replaced.
    body: Bytes,
    /// The body for the upstream, if it is another one.
    sent: Option<Sent>,
    /// The request's agent, if its markers may be replaced.
    agent: Option<u64>,
    /// Why the markers were left as they were, or the body was not read.
    note: Option<String>,
    /// The exchange's room, with that of a decompressed body.
    room: Option<Room>,
}

enum Sent {
    Compressed(Bytes),
    Placed(Vec<Bytes>),
}

/// Returns true if the body to send can differ from the agent's.
pub(crate) fn may_be_placed(it: &Forwarder, wire: Wire, parts: &Parts) -> bool {
    placer(it, wire, parts).is_some() && !is_encoded(&parts.headers)
}

/// Only a Messages or Responses request gets other markers.
fn placer<'f>(it: &'f Forwarder, wire: Wire, parts: &Parts) -> Option<&'f Arc<Placer>> {
    let is_sampled = match wire {
        Wire::Messages => parts.uri.path().ends_with("/messages"),
        wire => wire == Wire::Responses,
    };
    it.placer.as_ref().filter(|_| is_sampled)
}

/// Returns the body to send, and notes it in the exchange.
///
/// A body that must be read and is longer than `MAX_INLINE_BYTES` is read on a thread for blocking
/// work.
pub(crate) async fn prepare(
    it: &Forwarder,
    wire: Wire,
    parts: &Parts,
    body: Bytes,
    exchange: &mut Exchange,
) -> Body {
    let placer = placer(it, wire, parts);
    let at = exchange.at();
    let is_read = placer.is_some() || is_encoded(&parts.headers);
    let limit = it.max_request_bytes;
    let room = exchange.lend_room();
    let is_quick = body.len() <= MAX_INLINE_BYTES
        || placer.is_some_and(|it| it.is_quick(&body, MAX_INLINE_BYTES));
    let prepared = if is_read && !is_quick {
        let (headers, kept, placer) = (parts.headers.clone(), body.clone(), placer.cloned());
        let read = move || prepared(&headers, placer.as_deref(), at, body, limit, room);
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or_else(|_| as_sent(kept, Some("the request was not read".to_owned()), None))
    } else if is_read {
        prepared(&parts.headers, placer.map(|it| &**it), at, body, limit, room)
    } else {
        as_sent(body, None, room)
    };
    exchange.return_room(prepared.room);
    let (sent, placed) = match prepared.sent {
        None => (prepared.body.clone().into(), Vec::new()),
        Some(Sent::Compressed(body)) => (body.into(), Vec::new()),
        Some(Sent::Placed(segments)) => (Body::wrap(Segments::new(segments.clone())), segments),
    };
    exchange.set(|it| {
        it.body = prepared.body;
        it.placed = placed;
        it.agent = prepared.agent;
        it.note = prepared.note;
    });
    sent
}

/// Returns the bodies for a request that is not changed.
fn as_sent(body: Bytes, note: Option<String>, room: Option<Room>) -> Prepared {
    Prepared { body, sent: None, agent: None, note, room }
}

/// Reads a body: decompresses it for the record, or replaces its markers. A
/// body that cannot be decompressed within `limit` bytes and the room that there is, is recorded as
/// empty.
fn prepared(
    headers: &HeaderMap,
    placer: Option<&Placer>,
    at: Duration,
    body: Bytes,
    limit: usize,
    mut room: Option<Room>,
) -> Prepared {
    if is_encoded(headers) {
        let mut is_full = false;
        let mut grow = |bytes| {
            is_full = !room.as_mut().is_some_and(|room| room.grow(bytes));
            !is_full
        };
        let read = decode(headers, &body, limit, &mut grow);
        let read = read.map(|read| Bytes::from(read.into_owned()));
        let full = is_full.then(|| "there was no room to decompress the request".to_owned());
        let note = full.or(placer.map(|_| "the request is compressed".to_owned()));
        return Prepared {
            sent: Some(Sent::Compressed(body)),
            ..as_sent(read.unwrap_or_default(), note, room)
        };
    }
    let Some(placer) = placer else {
        return as_sent(body, None, room);
    };
    let placement = placer.place(&body, at);
    let prepared = match placement.placed {
        Ok(placed) if placed.inserted + placed.removed > 0 => {
            Prepared { sent: Some(Sent::Placed(placed.segments)), ..as_sent(body, None, room) }
        }
        Ok(_) => as_sent(body, None, room),
        Err(error) => as_sent(body, Some(error.to_string()), room),
    };
    Prepared { agent: placement.agent, ..prepared }
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::bufread::GzipEncoder;
    use axum::http::{HeaderValue, header};
    use tokio::io::AsyncReadExt;
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn a_body_is_decompressed_if_there_is_room_for_it() {
        let body = vec![b'x'; 1 << 20];
        let mut compressed = Vec::new();
        GzipEncoder::new(&body[..]).read_to_end(&mut compressed).await.expect("it is in memory");
        let headers = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        let headers = HeaderMap::from_iter(headers);
        for (kilobytes, expected) in [(2_050, body.len()), (1_000, 0)] {
            let free = Arc::new(Semaphore::new(kilobytes));
            let room = free.clone().try_acquire_owned().ok().map(Room::of);
            let sent = compressed.clone().into();
            let read = prepared(&headers, None, Duration::ZERO, sent, 64 << 20, room);
            assert_eq!(read.body.len(), expected);
            assert_eq!(read.note.is_some(), expected == 0);
            assert!(matches!(read.sent, Some(Sent::Compressed(body)) if body == compressed));
            let taken = kilobytes - free.available_permits();
            assert!(taken <= 2_049 && taken * 1_024 >= expected, "{taken}");
            drop(read.room);
            assert_eq!(free.available_permits(), kilobytes);
        }
    }
}
