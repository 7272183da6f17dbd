use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aside_messages::encode::Body;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use aside_agent::{Client, CompleteFuture};

/// How long a request waits for another one.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long a cache entry lives after its last use.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// A gate that sends the first of several requests with one prefix alone.
///
/// An entry in the provider's prompt cache can be read once the response to the
/// request that writes it begins. Concurrent subagents would each write the
/// whole prefix. Behind a gate, the others wait until the first response
/// begins, for two seconds at most: each pays one latency and saves one write.
///
/// Two requests share a prefix if their model, tools and system prompt are
/// equal.
///
/// ```
/// use std::sync::Arc;
/// use aside_agent::Client;
/// use aside_transport::{PrefixGate, Replay};
///
/// let gate = Arc::new(PrefixGate::default());
/// let client: Arc<dyn Client> = Arc::new(Replay::default());
/// // The client of every subagent.
/// let gated = gate.client(client);
/// assert_eq!(gated.provider(), "replay");
/// ```
#[derive(Debug, Default)]
pub struct PrefixGate {
    prefixes: Mutex<HashMap<u64, Prefix>>,
}

#[derive(Debug)]
enum Prefix {
    /// A request that writes it was sent; the channel closes when its response
    /// begins or it fails.
    Pending(watch::Receiver<()>),
    /// It can be read until this moment.
    Cached(Instant),
}

impl PrefixGate {
    /// Returns a client that sends its requests through the gate.
    #[must_use]
    pub fn client(self: &Arc<Self>, client: Arc<dyn Client>) -> Arc<dyn Client> {
        Arc::new(Gated { gate: self.clone(), client })
    }

    /// Waits until a request may be sent. Returns a guard to the first request
    /// with a prefix.
    async fn enter(&self, prefix: u64) -> Option<First<'_>> {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            let mut pending = match self.look(prefix) {
                Ok(first) => return first,
                Err(pending) => pending,
            };
            // No value is ever sent: the channel closes.
            if timeout_at(deadline, pending.changed()).await.is_err() {
                return None;
            }
        }
    }

    /// Returns the guard of a first request, nothing for one whose prefix is cached, or what to
    /// wait for.
    fn look(&self, prefix: u64) -> Result<Option<First<'_>>, watch::Receiver<()>> {
        let now = Instant::now();
        let mut prefixes = self.lock();
        prefixes.retain(|_, it| match it {
            Prefix::Pending(_) => true,
            Prefix::Cached(until) => *until > now,
        });
        match prefixes.get_mut(&prefix) {
            Some(Prefix::Pending(pending)) => Err(pending.clone()),
            Some(Prefix::Cached(until)) => {
                *until = now + LIFETIME;
                Ok(None)
            }
            None => {
                let (sender, pending) = watch::channel(());
                prefixes.insert(prefix, Prefix::Pending(pending));
                Ok(Some(First { gate: self, prefix, is_cached: false, _sender: sender }))
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Prefix>> {
        self.prefixes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by the first request. When it is dropped, the others check the prefix
/// again.
struct First<'a> {
    gate: &'a PrefixGate,
    prefix: u64,
    is_cached: bool,
    /// Dropped after the prefix has changed.
    _sender: watch::Sender<()>,
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        let mut prefixes = self.gate.lock();
        if self.is_cached {
            let until = Instant::now() + LIFETIME;
            prefixes.insert(self.prefix, Prefix::Cached(until));
        } else {
            prefixes.remove(&self.prefix);
        }
    }
}

#[derive(Debug)]
struct Gated {
    gate: Arc<PrefixGate>,
    client: Arc<dyn Client>,
}

impl Client for Gated {
    fn provider(&self) -> &str {
        self.client.provider()
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        Box::pin(async move {
            let first = self.gate.enter(prefix_of(body)).await;
            let events = self.client.complete(body).await;
            if let Some(mut first) = first {
                first.is_cached = events.is_ok();
            }
            events
        })
    }
}

fn prefix_of(body: &Body) -> u64 {
    let parts = body.parts();
    let mut hasher = DefaultHasher::new();
    parts.parameters.model.hash(&mut hasher);
    parts.tools.bytes().hash(&mut hasher);
    parts.system.bytes().hash(&mut hasher);
    hasher.finish()
}
