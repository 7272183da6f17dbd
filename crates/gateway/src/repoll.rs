//! A future that is polled again on its own thread if it wakes itself.
//!
//! A connection of hyper wakes itself after each chunk of a body, 64 KB at most. The runtime then
//! gives the connection to another thread, and to wake that takes longer than to read the chunk.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// How often to poll before other tasks have their turn. 64 chunks are 4 MB.
const MAX_POLLS: usize = 64;

/// A future, and what its waker does.
pub(crate) struct Repoll<F> {
    future: Pin<Box<F>>,
    signal: Arc<Signal>,
}

#[derive(Default)]
struct Signal {
    is_polled: AtomicBool,
    was_woken: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl<F: Future> Repoll<F> {
    pub(crate) fn new(future: F) -> Self {
        Self { future: Box::pin(future), signal: Arc::default() }
    }
}

impl<F: Future> Future for Repoll<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let signal = Arc::clone(&self.signal);
        *signal.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        let waker = Waker::from(signal.clone());
        for _ in 0..MAX_POLLS {
            signal.was_woken.store(false, Ordering::SeqCst);
            signal.is_polled.store(true, Ordering::SeqCst);
            let polled = self.future.as_mut().poll(&mut Context::from_waker(&waker));
            signal.is_polled.store(false, Ordering::SeqCst);
            if polled.is_ready() || !signal.was_woken.load(Ordering::SeqCst) {
                return polled;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.was_woken.store(true, Ordering::SeqCst);
        if !self.is_polled.load(Ordering::SeqCst) {
            let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(task) = &*task {
                task.wake_by_ref();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;
    use std::task::ready;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Polls a future that wakes itself so often, and returns whether it is ready and how often
    /// its task was woken.
    fn polled(own_wakes: usize) -> (bool, usize) {
        let mut left = own_wakes;
        let future = poll_fn(move |cx| {
            let Some(rest) = left.checked_sub(1) else {
                return Poll::Ready(());
            };
            left = rest;
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let polled = Pin::new(&mut Repoll::new(future)).poll(&mut Context::from_waker(&waker));
        (polled.is_ready(), wakes.0.load(Ordering::SeqCst))
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_at_once() {
        assert_eq!(polled(0), (true, 0));
        assert_eq!(polled(MAX_POLLS - 1), (true, 0));
        assert_eq!(polled(MAX_POLLS), (false, 1));
    }

    #[tokio::test]
    async fn another_thread_wakes_it() {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
        let mut sum = 0;
        let sum = Repoll::new(poll_fn(move |cx| {
            while let Some(number) = ready!(receiver.poll_recv(cx)) {
                sum += number;
            }
            Poll::Ready(sum)
        }));
        std::thread::spawn(move || sender.blocking_send(3));
        assert_eq!(sum.await, 3);
    }
}
