//! A response body that is read while it passes.
//!
//! A client that reads slowly slows the upstream down: the next chunk is
//! requested only after the client took the one before.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use futures_util::Stream;

use super::exchange::Exchange;

/// Passes chunks on as they arrive. The record is written on another thread as
/// soon as the response has ended.
pub(crate) struct Tee<S> {
    chunks: Pin<Box<S>>,
    /// The last chunk ends it; if the client disconnects, it is dropped, and so
    /// recorded as aborted.
    exchange: Exchange,
}

impl<S> Tee<S> {
    pub(crate) fn new(chunks: S, exchange: Exchange) -> Self {
        Self { chunks: Box::pin(chunks), exchange }
    }
}

impl<S: Stream<Item = reqwest::Result<Bytes>>> Stream for Tee<S> {
    type Item = reqwest::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.chunks.as_mut().poll_next(cx);
        match &polled {
            Poll::Ready(Some(Ok(chunk))) => self.exchange.push(chunk),
            Poll::Ready(None) => self.exchange.complete(),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}
