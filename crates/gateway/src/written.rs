//! Holds back an error until the client's connection has written all bytes before it.
//!
//! At an error, hyper resets the connection or the HTTP/2 stream, and drops what it has not written
//! yet. So a client would lose bytes that the upstream had sent before it broke off.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use futures_util::{Stream, StreamExt};
use tokio::task::yield_now;

/// The chunks of one response that are not written yet.
#[derive(Debug, Default)]
struct Unwritten {
    chunks: AtomicUsize,
    /// Wakes the body that waits with its error.
    body: AtomicWaker,
}

/// A chunk that the connection drops once it is written.
struct Chunk {
    bytes: Bytes,
    unwritten: Arc<Unwritten>,
}

/// Returns the chunks as they are, and an error once those before it are written.
pub(crate) fn errors_last<E>(
    chunks: impl Stream<Item = Result<Bytes, E>>,
) -> impl Stream<Item = Result<Bytes, E>> {
    let unwritten = Arc::<Unwritten>::default();
    chunks.then(move |chunk| {
        let unwritten = unwritten.clone();
        async move {
            match chunk {
                Ok(bytes) => {
                    unwritten.chunks.fetch_add(1, Ordering::SeqCst);
                    Ok(Bytes::from_owner(Chunk { bytes, unwritten }))
                }
                Err(error) => {
                    unwritten.end().await;
                    Err(error)
                }
            }
        }
    })
}

impl Unwritten {
    /// Waits until every chunk is written.
    async fn end(&self) {
        // The head of a response without a chunk is written while its body waits.
        yield_now().await;
        let ends = poll_fn(|cx| {
            self.body.register(cx.waker());
            if self.chunks.load(Ordering::SeqCst) == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        ends.await;
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.unwritten.chunks.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.unwritten.body.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, stream};

    use super::*;

    #[tokio::test]
    async fn an_error_waits_for_the_chunks_before_it() {
        let chunks = [Ok("ab"), Ok("cd"), Err("gone")];
        let chunks = stream::iter(chunks).map(|it| it.map(Bytes::from));
        let mut chunks = Box::pin(errors_last(chunks));
        let mut kept = Vec::new();
        for expected in ["ab", "cd"] {
            let chunk = chunks.next().await.unwrap().unwrap();
            assert_eq!(chunk, expected);
            kept.push(chunk);
        }
        while !kept.is_empty() {
            for _ in 0..3 {
                assert_eq!(chunks.next().now_or_never(), None);
            }
            kept.pop();
        }
        assert_eq!(chunks.next().await, Some(Err("gone")));
        assert_eq!(chunks.next().await, None);
    }
}
