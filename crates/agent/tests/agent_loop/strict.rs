//! A client that accepts the same requests as the API.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use aside_agent::{Client, CompleteFuture, Replay};
use aside_messages::Rules;
use aside_messages::encode::Body;
use futures_util::StreamExt;

/// Checks every request before a recording responds, and delays each response:
/// no await returns at once.
#[derive(Clone, Debug)]
pub(crate) struct Strict {
    replay: Arc<Replay>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

/// A request whose response has a status of 2xx.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) body: String,
    stable: Vec<u8>,
}

impl Strict {
    pub(crate) fn new(replay: Replay) -> Self {
        Self {
            replay: Arc::new(replay),
            sent: Arc::default(),
        }
    }

    /// Returns the bodies of the requests that were sent.
    pub(crate) fn sent(&self) -> Vec<String> {
        let sent = self.sent.lock().unwrap();
        sent.iter().map(|sent| sent.body.clone()).collect()
    }

    /// Returns a client with the same earlier requests and another recording.
    pub(crate) fn continue_with(&self, replay: Replay) -> Self {
        Self {
            replay: Arc::new(replay),
            sent: self.sent.clone(),
        }
    }

    fn check(&self, body: &Body) {
        let request = body.to_request();
        let bytes = body.to_vec();
        assert_eq!(serde_json::to_vec(&request).unwrap(), bytes);
        let checked = request.check(&Rules::default());
        let refused: Vec<_> = checked.refused().collect();
        assert!(refused.is_empty(), "{refused:?}");
        let sent = self.sent.lock().unwrap();
        if let Some(last) = sent.last() {
            let stable = body.stable_prefix();
            assert!(
                stable.starts_with(&last.stable),
                "not continued:\n{}\nby:\n{}",
                String::from_utf8_lossy(&last.stable),
                String::from_utf8_lossy(&stable),
            );
        }
    }
}

impl Client for Strict {
    fn provider(&self) -> &str {
        "strict"
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move {
            self.check(body);
            turn_over().await;
            let events = self.replay.complete(body).await?;
            turn_over().await;
            self.sent.lock().unwrap().push(Sent {
                body: String::from_utf8(body.to_vec()).unwrap(),
                stable: body.stable_prefix(),
            });
            let late = events.then(|event| async move {
                turn_over().await;
                event
            });
            Ok(Box::pin(late) as Pin<Box<_>>)
        })
    }
}

/// Lets every other task run first.
pub(crate) async fn turn_over() {
    let mut had_one = false;
    std::future::poll_fn(|context| {
        if had_one {
            return Poll::Ready(());
        }
        had_one = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
