//! The memory that clients can take, taken before their bytes are read.
//!
//! A client that begins a request and never ends it must not cost more than an
//! honest one. So each connection, head and body needs a place first, and must
//! arrive within a time:
//!
//! ```text
//! connections   256, each with a head of at most 64 KB within 30 seconds    16 MB
//! bodies        room for the whole body first, then 60 seconds             192 MB
//! growth        what there is now                                           48 MB
//! ```
//!
//! Room is held until the request is recorded or judged. A request that finds
//! none waits unread, so TCP holds back its client.
//!
//! A body that is decompressed, and a response that is kept, take more room as
//! they grow. They do not wait for it: a request that waits while it holds room
//! could wait for itself. While a body waits for room, all that becomes free is
//! kept for it, so growth has some of its own.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::arriving::Arriving;
use crate::buffers::Buffers;

/// How many bytes a server holds for all clients.
const MAX_HELD_BYTES: usize = 256 << 20;

/// How many connections may be open; further clients wait.
pub(crate) const MAX_CONNECTIONS: usize = 256;

/// How long a request's head may be, and how large a connection's buffer.
pub(crate) const MAX_HEAD_BYTES: usize = 64 << 10;

/// How many fields a head may have. The parser takes memory for all of them with each head.
pub(crate) const MAX_HEADERS: usize = 1_000;

/// How long a connection's first request, and each head, may take.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(30);

/// How long a body may take, once there is room for it.
const BODY_TIME: Duration = Duration::from_secs(60);

/// How much of it is for what grows, even if bodies wait for room.
const GROWTH_BYTES: usize = 48 << 20;

/// For how many of the largest requests there is always room.
const LARGEST_REQUESTS: usize = 3;

/// The unit to count room in.
const UNIT_BYTES: usize = 1 << 10;

/// The first buffer for a body of unknown length, which doubles.
const FIRST_BYTES: usize = 64 << 10;

/// A request's room, until this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    /// What it waited for.
    first: OwnedSemaphorePermit,
    /// What it took of the room for growth.
    grown: OwnedSemaphorePermit,
}

impl Room {
    /// Adds room for this many bytes, if there is some now.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        for permit in [&mut self.first, &mut self.grown] {
            if let Ok(more) = permit.semaphore().clone().try_acquire_many_owned(units) {
                permit.merge(more);
                return true;
            }
        }
        false
    }

    /// Adds other room of the same server.
    pub(crate) fn merge(&mut self, other: Self) {
        self.first.merge(other.first);
        self.grown.merge(other.grown);
    }

    /// Room without any for growth but what is left where this permit is from.
    #[cfg(test)]
    pub(crate) fn of(first: OwnedSemaphorePermit) -> Self {
        Self { first, grown: none_of(&Arc::new(Semaphore::new(0))) }
    }
}

/// Returns a permit for nothing, which can be merged with others.
fn none_of(room: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    room.clone().try_acquire_many_owned(0).expect("the semaphore is never closed")
}

/// Room for bodies.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    /// One permit for each unit.
    room: Arc<Semaphore>,
    /// The same, for what grows while bodies wait.
    growth: Arc<Semaphore>,
    /// How many permits there are, which is also the most that one request can
    /// take.
    units: usize,
    /// How long a body may be, in bytes.
    max_body_bytes: usize,
    /// How much room to take with each body for its response.
    response_bytes: usize,
    /// Memory of earlier bodies.
    buffers: Buffers,
}

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRead {
    TooLong,
    BrokeOff,
    /// It did not arrive within a minute.
    TooSlow,
}

impl Admission {
    /// Makes room for bodies up to this length.
    pub(crate) fn new(max_body_bytes: usize) -> Self {
        let heads = MAX_CONNECTIONS * MAX_HEAD_BYTES;
        let largest = max_body_bytes.saturating_mul(LARGEST_REQUESTS);
        let bytes = (MAX_HELD_BYTES - heads - GROWTH_BYTES).max(largest);
        let units = (bytes / UNIT_BYTES).clamp(1, u32::MAX as usize);
        Self {
            room: Arc::new(Semaphore::new(units)),
            growth: Arc::new(Semaphore::new(GROWTH_BYTES / UNIT_BYTES)),
            units,
            max_body_bytes,
            response_bytes: 0,
            buffers: Buffers::default(),
        }
    }

    /// Takes room for the beginning of a response with each body.
    pub(crate) fn with_responses(self, response_bytes: usize) -> Self {
        Self { response_bytes, ..self }
    }

    /// Reads a body that will be kept in this many copies.
    ///
    /// If its length is known, room for all of it is taken before the first
    /// byte is read, so requests that wait for room hold none.
    pub(crate) async fn read<E>(
        &self,
        length: Option<u64>,
        copies: usize,
        chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<(Bytes, Room), NotRead> {
        let arriving = Arriving::default();
        self.read_into(&arriving, length, copies, chunks).await
    }

    /// Reads a body as [`read`](Self::read) does. Others see in `arriving` what there is of it.
    pub(crate) async fn read_into<E>(
        &self,
        arriving: &Arriving,
        length: Option<u64>,
        copies: usize,
        mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<(Bytes, Room), NotRead> {
        let limit = self.max_body_bytes;
        let length = length.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        if length.is_some_and(|it| it > limit) {
            return Err(NotRead::TooLong);
        }
        let first = length.unwrap_or(FIRST_BYTES.min(limit));
        let first_room = self.room(copies * first + self.response_bytes).await;
        let mut room = Room { first: first_room, grown: none_of(&self.growth) };
        let mut length = 0;
        let mut kept = arriving.change(|bytes| {
            *bytes = self.buffers.take(first);
            bytes.capacity()
        });
        let read = async {
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk.map_err(|_| NotRead::BrokeOff)?;
                let needed = length + chunk.len();
                if needed > limit {
                    return Err(NotRead::TooLong);
                }
                let capacity = needed.max(2 * kept).min(limit);
                if needed > kept {
                    room.first.merge(self.room(copies * (capacity - kept)).await);
                }
                kept = arriving.change(|bytes| {
                    if needed > kept {
                        bytes.reserve_exact(capacity - length);
                    }
                    bytes.extend_from_slice(&chunk);
                    bytes.capacity()
                });
                length = needed;
            }
            Ok((arriving.end(|bytes| self.buffers.freeze(bytes)), room))
        };
        let read = timeout(BODY_TIME, read).await;
        read.unwrap_or(Err(NotRead::TooSlow))
    }

    /// Returns room for nothing, which can grow.
    pub(crate) fn no_room(&self) -> Room {
        Room { first: none_of(&self.room), grown: none_of(&self.growth) }
    }

    /// Returns the memory of earlier bodies.
    pub(crate) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Waits until there is room for this many bytes.
    async fn room(&self, bytes: usize) -> OwnedSemaphorePermit {
        let units = bytes.div_ceil(UNIT_BYTES).min(self.units);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let room = self.room.clone().acquire_many_owned(units).await;
        room.expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;

    use super::*;

    const LIMIT: usize = 64 << 20;

    type Chunks = stream::BoxStream<'static, Result<Bytes, ()>>;

    /// A client that sends all of its body but the last byte.
    fn half_open(length: usize, sent: Arc<AtomicUsize>) -> Chunks {
        let chunk = Bytes::from(vec![b'x'; 1 << 20]);
        let chunks = stream::iter(0..length / chunk.len()).map(move |_| {
            sent.fetch_add(chunk.len(), Ordering::Relaxed);
            Ok(chunk.clone())
        });
        chunks.chain(stream::pending()).boxed()
    }

    fn honest(text: &'static str) -> Chunks {
        stream::iter([Ok(Bytes::from(text))]).boxed()
    }

    /// Begins 60 MB uploads that never end, and returns how many of their bytes
    /// were read after a second.
    async fn fill(admission: &Admission, clients: usize, length: Option<u64>) -> usize {
        let sent = Arc::new(AtomicUsize::new(0));
        for _ in 0..clients {
            let (admission, sent) = (admission.clone(), sent.clone());
            tokio::spawn(async move {
                let chunks = half_open(60 << 20, sent);
                let read = admission.read(length, 1, chunks).await;
                assert_eq!(read.unwrap_err(), NotRead::TooSlow);
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        sent.load(Ordering::Relaxed)
    }

    #[tokio::test(start_paused = true)]
    async fn half_open_uploads_hold_no_more_than_the_figure() {
        for length in [Some(60_u64 << 20), None] {
            let admission = Admission::new(LIMIT);
            let held = fill(&admission, 40, length).await;
            assert!(held > MAX_HELD_BYTES / 4, "{held}");
            assert!(held <= MAX_HELD_BYTES, "{held}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_honest_client_waits_until_the_time_of_half_open_ones_is_over() {
        let admission = Admission::new(LIMIT);
        fill(&admission, 4, Some(60 << 20)).await;
        let begun = tokio::time::Instant::now();
        let (bytes, room) = admission.read(Some(2), 1, honest("{}")).await.unwrap();
        assert_eq!((&bytes[..], room.first.num_permits()), (&b"{}"[..], 1));
        let waited = begun.elapsed();
        assert!(!waited.is_zero() && waited <= BODY_TIME, "{waited:?}");
    }

    #[tokio::test]
    async fn a_body_is_limited_and_its_copies_count() {
        let admission = Admission::new(4);
        for (length, text, expected) in [
            (Some(5), "", Err(NotRead::TooLong)),
            (None, "12345", Err(NotRead::TooLong)),
            (None, "1234", Ok(4)),
            (Some(4), "1234", Ok(4)),
        ] {
            let read = admission.read(length, 2, honest(text)).await;
            assert_eq!(read.map(|it| it.0.len()), expected, "{text}");
        }
        let broken = stream::iter([Err::<Bytes, ()>(())]);
        let read = admission.read(Some(2), 1, broken).await;
        assert_eq!(read.unwrap_err(), NotRead::BrokeOff);
        let admission = Admission::new(LIMIT);
        let read = admission.read(Some(4_096), 2, honest("1")).await;
        assert_eq!(read.unwrap().1.first.num_permits(), 8);
        let admission = admission.with_responses(2_048);
        let read = admission.read(Some(4_096), 2, honest("1")).await;
        let (_, mut room) = read.unwrap();
        assert_eq!(room.first.num_permits(), 10);
        assert!(room.grow(4_097) && !room.grow(MAX_HELD_BYTES));
        assert_eq!(room.first.num_permits(), 15);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_waits_keeps_no_other_from_growing() {
        let admission = Admission::new(LIMIT);
        let (_, mut room) = admission.read(Some(2), 1, honest("{}")).await.unwrap();
        fill(&admission, 4, Some(60 << 20)).await;
        assert!(room.grow(1) && room.grow(GROWTH_BYTES - UNIT_BYTES));
        assert!(!room.grow(1));
        drop(room);
        let units = GROWTH_BYTES / UNIT_BYTES;
        assert_eq!(admission.growth.available_permits(), units);
    }
}
