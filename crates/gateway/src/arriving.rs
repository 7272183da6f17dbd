//! A body that is sent on while it arrives.
//!
//! ```text
//! client   ──►  Arriving (keeps the whole body)  ──►  Forwarded  ──►  upstream
//! ```
//!
//! The client is never slowed down by the upstream, so an upstream that responds before it has
//! read the body holds up nothing.

use std::future::poll_fn;
use std::io;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// How much to send at once while more is to come.
const MAX_FRAME_BYTES: usize = 256 << 10;

/// A body that is being read. If it is dropped before its end, [`Forwarded`] fails, which closes
/// the upstream's connection: a part of a request is never sent as if it were the whole.
#[derive(Debug, Default)]
pub(crate) struct Arriving(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    bytes: Arrived,
    /// Wakes the connection that sends the body.
    sender: Option<Waker>,
}

#[derive(Debug)]
enum Arrived {
    Part(Vec<u8>),
    Whole(Bytes),
    BrokeOff,
}

/// The body for the upstream, of a known length.
#[derive(Debug)]
pub(crate) struct Forwarded {
    state: Arc<Mutex<State>>,
    sent: usize,
    length: usize,
}

impl Default for Arrived {
    fn default() -> Self {
        Self::Part(Vec::new())
    }
}

impl Arriving {
    /// Returns what is sent on: a body that will have this many bytes.
    pub(crate) fn forwarded(&self, length: usize) -> Forwarded {
        Forwarded { state: self.0.clone(), sent: 0, length }
    }

    /// Changes what has arrived so far.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut state = lock(&self.0);
        let changed = match &mut state.bytes {
            Arrived::Part(bytes) => change(bytes),
            Arrived::Whole(_) | Arrived::BrokeOff => change(&mut Vec::new()),
        };
        wake(state);
        changed
    }

    /// Ends the body, and returns it as `freeze` keeps it.
    pub(crate) fn end(&self, freeze: impl FnOnce(Vec<u8>) -> Bytes) -> Bytes {
        let mut state = lock(&self.0);
        let whole = match mem::take(&mut state.bytes) {
            Arrived::Part(bytes) => freeze(bytes),
            Arrived::Whole(whole) => whole,
            Arrived::BrokeOff => Bytes::new(),
        };
        state.bytes = Arrived::Whole(whole.clone());
        wake(state);
        whole
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        if matches!(state.bytes, Arrived::Part(_)) {
            state.bytes = Arrived::BrokeOff;
            wake(state);
        }
    }
}

impl Forwarded {
    /// Waits for the first bytes, or the end.
    pub(crate) async fn begins(&self) {
        let begins = |cx: &mut Context<'_>| {
            let mut state = lock(&self.state);
            match &state.bytes {
                Arrived::Part(bytes) if bytes.is_empty() => {
                    state.sender = Some(cx.waker().clone());
                    Poll::Pending
                }
                _ => Poll::Ready(()),
            }
        };
        poll_fn(begins).await;
    }
}

impl Body for Forwarded {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.is_end_stream() {
            return Poll::Ready(None);
        }
        let mut state = lock(&self.state);
        let next = match &state.bytes {
            Arrived::Whole(whole) if whole.len() == self.length => whole.slice(self.sent..),
            Arrived::Part(bytes) if bytes.len() > self.sent => {
                let end = bytes.len().min(self.sent + MAX_FRAME_BYTES);
                Bytes::copy_from_slice(&bytes[self.sent..end])
            }
            Arrived::Part(_) => {
                state.sender = Some(cx.waker().clone());
                return Poll::Pending;
            }
            Arrived::Whole(_) | Arrived::BrokeOff => {
                let error = io::Error::new(io::ErrorKind::UnexpectedEof, "the body broke off");
                return Poll::Ready(Some(Err(error)));
            }
        };
        drop(state);
        self.sent += next.len();
        Poll::Ready(Some(Ok(Frame::data(next))))
    }

    fn is_end_stream(&self) -> bool {
        self.sent >= self.length
    }

    /// Returns the exact length, so that the client sends a `content-length`.
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length.saturating_sub(self.sent) as u64)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes the sender once it can have the lock.
fn wake(mut state: MutexGuard<'_, State>) {
    let sender = state.sender.take();
    drop(state);
    if let Some(sender) = sender {
        sender.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the next frame; `None` if there is none yet.
    fn next(body: &mut Forwarded) -> Option<Result<Vec<u8>, io::ErrorKind>> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(body).poll_frame(&mut context) {
            Poll::Pending => None,
            Poll::Ready(None) => Some(Ok(Vec::new())),
            Poll::Ready(Some(frame)) => Some(match frame {
                Ok(frame) => Ok(frame.into_data().unwrap_or_default().to_vec()),
                Err(error) => Err(error.kind()),
            }),
        }
    }

    fn text(text: &str) -> Option<Result<Vec<u8>, io::ErrorKind>> {
        Some(Ok(text.as_bytes().to_vec()))
    }

    #[test]
    fn what_has_arrived_is_sent_on() {
        let arriving = Arriving::default();
        let mut body = arriving.forwarded(6);
        assert_eq!(next(&mut body), None);
        for part in ["ab", "cd"] {
            arriving.change(|bytes| bytes.extend_from_slice(part.as_bytes()));
            assert_eq!(next(&mut body), text(part));
            assert_eq!(next(&mut body), None);
        }
        arriving.change(|bytes| bytes.extend_from_slice(b"ef"));
        assert_eq!(body.size_hint().exact(), Some(2));
        assert_eq!(&arriving.end(Bytes::from)[..], b"abcdef");
        assert_eq!(next(&mut body), text("ef"));
        drop(arriving);
        assert_eq!(next(&mut body), text(""));
    }

    #[test]
    fn a_part_is_never_the_whole() {
        let broken = Err(io::ErrorKind::UnexpectedEof);
        let arriving = Arriving::default();
        let mut body = arriving.forwarded(6);
        arriving.change(|bytes| bytes.extend_from_slice(b"abc"));
        assert_eq!(next(&mut body), text("abc"));
        let mut other = arriving.forwarded(4);
        drop(arriving);
        assert_eq!(next(&mut body), Some(broken.clone()));
        assert_eq!(next(&mut other), Some(broken.clone()));
        let short = Arriving::default();
        let mut body = short.forwarded(6);
        short.change(|bytes| bytes.extend_from_slice(b"abc"));
        short.end(Bytes::from);
        assert_eq!(next(&mut body), Some(broken));
    }
}
