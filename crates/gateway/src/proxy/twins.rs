//! Concurrent requests with one prefix that is not in the cache yet.
//!
//! The provider's entry can be read once the response to the request that writes it
//! begins. So the first request goes alone, and the others wait until then, for two seconds
//! at most: each pays one latency and saves one write of the prefix.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The maximum time that a request waits for another one.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The lifetime of an entry after its last use.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The prefixes of the agents, by the hash of their tools and system prompt.
#[derive(Debug, Default)]
pub(crate) struct Twins {
    prefixes: Mutex<HashMap<u64, Prefix>>,
}

#[derive(Debug)]
enum Prefix {
    /// A request that writes it was sent; the channel closes when its response begins, or
    /// when it fails.
    Pending(watch::Receiver<()>),
    /// It can be read until this time.
    Written(Instant),
}

/// The first request of a prefix. The others go on when it is dropped.
#[derive(Debug)]
pub(crate) struct First<'a> {
    twins: &'a Twins,
    agent: u64,
    is_written: bool,
    _sender: watch::Sender<()>,
}

impl Twins {
    /// Waits until a request may be sent. Returns a guard for the first one of its prefix,
    /// and whether it waited.
    pub(crate) async fn enter(&self, agent: u64) -> (Option<First<'_>>, bool) {
        let deadline = Instant::now() + MAX_WAIT;
        let mut has_waited = false;
        loop {
            let mut pending = match self.look(agent) {
                Ok(first) => return (first, has_waited),
                Err(pending) => pending,
            };
            has_waited = true;
            // No value is ever sent: the channel closes.
            if timeout_at(deadline, pending.changed()).await.is_err() {
                return (None, has_waited);
            }
        }
    }

    /// Returns the guard of a first request, nothing for one whose prefix is written, or
    /// what to wait for.
    fn look(&self, agent: u64) -> Result<Option<First<'_>>, watch::Receiver<()>> {
        let now = Instant::now();
        let mut prefixes = self.lock();
        prefixes.retain(|_, prefix| match prefix {
            Prefix::Pending(_) => true,
            Prefix::Written(until) => *until > now,
        });
        match prefixes.get_mut(&agent) {
            Some(Prefix::Pending(pending)) => Err(pending.clone()),
            Some(Prefix::Written(until)) => {
                *until = now + LIFETIME;
                Ok(None)
            }
            None => {
                let (sender, pending) = watch::channel(());
                prefixes.insert(agent, Prefix::Pending(pending));
                Ok(Some(First { twins: self, agent, is_written: false, _sender: sender }))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Prefix>> {
        self.prefixes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl First<'_> {
    /// Notes that the response begins.
    pub(crate) fn begins(mut self) {
        self.is_written = true;
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        let mut prefixes = self.twins.lock();
        if self.is_written {
            let until = Instant::now() + LIFETIME;
            prefixes.insert(self.agent, Prefix::Written(until));
        } else {
            prefixes.remove(&self.agent);
        }
    }
}
