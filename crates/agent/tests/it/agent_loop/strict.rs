//! A client that accepts the same requests as the API: the judge in
//! `aside-gateway` checks each one.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use aside_agent::{Client, CompleteFuture};
use aside_gateway::strict::{Draft, ResponseBlock, Strict, StrictOptions, StrictRequest};
use aside_messages::encode::Body;
use aside_providers::{Delta, Event};
use aside_transport::Replay;
use futures_util::StreamExt;

/// Lets the judge check every request before a recording responds, and delays
/// each response: no await returns at once.
#[derive(Clone, Debug)]
pub(crate) struct StrictClient {
    replay: Arc<Replay>,
    api: Arc<Mutex<Strict>>,
    sent: Arc<Mutex<Vec<Sent>>>,
    /// True if each request has to continue the one before it.
    is_continued: bool,
}

/// A request whose response has a 2xx status.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) body: String,
    stable: Vec<u8>,
}

impl StrictClient {
    pub(crate) fn new(replay: Replay) -> Self {
        Self {
            replay: Arc::new(replay),
            api: Arc::new(Mutex::new(Strict::new(StrictOptions::default()))),
            sent: Arc::default(),
            is_continued: true,
        }
    }

    /// Accepts requests that do not continue the one before them.
    pub(crate) fn of_any_history(self) -> Self {
        Self { is_continued: false, ..self }
    }

    /// Returns the bodies sent so far.
    pub(crate) fn sent(&self) -> Vec<String> {
        let sent = self.sent.lock().unwrap();
        sent.iter().map(|sent| sent.body.clone()).collect()
    }

    /// Returns a client with the same earlier requests and another recording.
    pub(crate) fn continue_with(&self, replay: Replay) -> Self {
        Self {
            replay: Arc::new(replay),
            api: self.api.clone(),
            sent: self.sent.clone(),
            is_continued: self.is_continued,
        }
    }

    /// Returns the signature for the response's thinking.
    fn check(&self, body: &Body) -> Option<String> {
        let request = body.to_request();
        let bytes = body.to_vec();
        assert_eq!(serde_json::to_vec(&request).unwrap(), bytes);
        let betas = body.betas().join(",");
        let judged = StrictRequest::new(&bytes).betas(&betas);
        let draft = Draft::new().thinking("hm").text("So.");
        let response = self.api.lock().unwrap().answer_with(&judged, &draft);
        let shown = String::from_utf8_lossy(&bytes);
        let response = response.map_err(|refused| format!("{refused}: {shown}")).unwrap();
        let sent = self.sent.lock().unwrap();
        if let Some(last) = sent.last()
            && self.is_continued
        {
            assert_eq!(response.miss, None);
            let stable = body.stable_prefix();
            assert!(
                stable.starts_with(&last.stable),
                "not continued:\n{}\nby:\n{}",
                String::from_utf8_lossy(&last.stable),
                String::from_utf8_lossy(&stable),
            );
        }
        response.content.into_iter().find_map(|block| match block {
            ResponseBlock::Thinking { signature, .. } => Some(signature),
            _ => None,
        })
    }
}

impl Client for StrictClient {
    fn provider(&self) -> &str {
        "strict"
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move {
            let signature = self.check(body);
            turn_over().await;
            let events = self.replay.complete(body).await?;
            turn_over().await;
            self.sent.lock().unwrap().push(Sent {
                body: String::from_utf8(body.to_vec()).unwrap(),
                stable: body.stable_prefix(),
            });
            let late = events.then(move |mut event| {
                if let Ok(event) = &mut event {
                    sign(event, signature.as_deref());
                }
                async move {
                    turn_over().await;
                    event
                }
            });
            Ok(Box::pin(late) as Pin<Box<_>>)
        })
    }
}

/// Replaces a recording's signature by the judge's.
fn sign(event: &mut Event, signature: Option<&str>) {
    if let Event::BlockDelta { delta: Delta::Signature(recorded), .. } = event
        && let Some(signature) = signature
    {
        signature.clone_into(recorded);
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
