//! Concurrent requests with one prefix.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aside_agent::{Client, ClientError, ClientErrorKind, CompleteFuture};
use aside_messages::encode::{Body, BodyParts, Encoded, History};
use aside_messages::wire::{ContentBlock, Message, Request, Role, SystemBlock};
use aside_transport::PrefixGate;
use tokio::time::{Instant, sleep};

/// A client that responds after a second and records when requests arrive.
#[derive(Debug)]
struct Slow {
    began: Instant,
    latency: Duration,
    arrival_millis: Mutex<Vec<u64>>,
    fails_first: AtomicBool,
}

impl Slow {
    fn new(latency: u64) -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            latency: Duration::from_millis(latency),
            arrival_millis: Mutex::default(),
            fails_first: AtomicBool::new(false),
        })
    }

    fn arrival_millis(&self) -> Vec<u64> {
        self.arrival_millis.lock().unwrap().clone()
    }
}

impl Client for Slow {
    fn provider(&self) -> &'static str {
        "first-party"
    }

    fn complete<'a>(&'a self, _: &'a Body) -> CompleteFuture<'a> {
        let now = self.began.elapsed().as_millis() as u64;
        self.arrival_millis.lock().unwrap().push(now);
        let fails = self.fails_first.swap(false, Ordering::Relaxed);
        Box::pin(async move {
            sleep(self.latency).await;
            if fails {
                return Err(ClientError::new(ClientErrorKind::Server, "it broke off"));
            }
            Ok(Box::pin(futures_util::stream::empty()) as _)
        })
    }
}

fn body(system: &str, prompt: &str) -> Body {
    let message = Message::new(Role::User, vec![ContentBlock::text(prompt)]);
    Body::new(BodyParts {
        parameters: &Arc::new(Request {
            model: "claude-opus-5-5".into(),
            max_tokens: Some(64),
            ..Request::default()
        }),
        tools: &Arc::new(Encoded::tools(vec![])),
        system: &Arc::new(Encoded::system(vec![SystemBlock::text(system)], vec![])),
        history: &History::default(),
        tail: &[Arc::new(Encoded::message(message, vec![]))],
        markers: &[],
    })
    .unwrap()
}

/// Sends a request for each system prompt at once.
async fn send(client: &Arc<dyn Client>, systems: &[&str]) {
    let tasks: Vec<_> = systems
        .iter()
        .enumerate()
        .map(|(number, system)| {
            let (client, body) = (client.clone(), body(system, &number.to_string()));
            tokio::spawn(async move { client.complete(&body).await.is_ok() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_request_of_a_prefix_goes_alone() {
    let slow = Slow::new(1_000);
    let client = Arc::new(PrefixGate::default()).client(slow.clone());
    send(&client, &["a"; 40]).await;
    let mut expected = vec![1_000; 40];
    expected[0] = 0;
    assert_eq!(slow.arrival_millis(), expected);
    // The prefix is in the cache, for five minutes after its last use.
    send(&client, &["a"; 2]).await;
    assert_eq!(slow.arrival_millis()[40..], [2_000, 2_000]);
    sleep(Duration::from_secs(301)).await;
    send(&client, &["a"; 2]).await;
    assert_eq!(slow.arrival_millis()[42..], [304_000, 305_000]);
}

#[tokio::test(start_paused = true)]
async fn other_prefixes_do_not_wait() {
    let slow = Slow::new(1_000);
    let client = Arc::new(PrefixGate::default()).client(slow.clone());
    send(&client, &["a", "b", "a", "b"]).await;
    assert_eq!(slow.arrival_millis(), [0, 0, 1_000, 1_000]);
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_two_seconds_at_most() {
    let slow = Slow::new(10_000);
    let client = Arc::new(PrefixGate::default()).client(slow.clone());
    send(&client, &["a"; 3]).await;
    assert_eq!(slow.arrival_millis(), [0, 2_000, 2_000]);
}

#[tokio::test(start_paused = true)]
async fn if_the_first_one_fails_another_goes_first() {
    let slow = Slow::new(500);
    slow.fails_first.store(true, Ordering::Relaxed);
    let client = Arc::new(PrefixGate::default()).client(slow.clone());
    send(&client, &["a"; 3]).await;
    assert_eq!(slow.arrival_millis(), [0, 500, 1_000]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_does_not_block_the_others() {
    let slow = Slow::new(1_500);
    let client = Arc::new(PrefixGate::default()).client(slow.clone());
    let first = {
        let (client, body) = (client.clone(), body("a", "first"));
        tokio::spawn(async move { client.complete(&body).await.is_ok() })
    };
    sleep(Duration::from_millis(100)).await;
    first.abort();
    send(&client, &["a"]).await;
    assert_eq!(slow.arrival_millis(), [0, 100]);
}
