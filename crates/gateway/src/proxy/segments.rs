//! A request body that is sent in parts.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// Slices of the agent's body and inserted markers. To join them first would copy a session for
/// each turn.
#[derive(Debug)]
pub(crate) struct Segments(IntoIter<Bytes>);

impl Segments {
    pub(crate) fn new(segments: Vec<Bytes>) -> Self {
        Self(segments.into_iter())
    }
}

impl Body for Segments {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|segment| Ok(Frame::data(segment))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    /// Returns the exact length, so that the client sends a `content-length`.
    fn size_hint(&self) -> SizeHint {
        let bytes: usize = self.0.as_slice().iter().map(Bytes::len).sum();
        SizeHint::with_exact(bytes as u64)
    }
}
