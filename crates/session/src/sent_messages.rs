//! The messages in requests that were sent.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use aside_messages::encode::{Encoded, History, HistoryPosition};
use aside_messages::lower::Lowered;
use aside_messages::wire::Role;

use crate::prefix::Prefix;

/// A hash of how a request starts: system prompt, tools and some messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PrefixHash(u64);

/// A request's messages, and what comes before them.
#[derive(Debug)]
pub(crate) struct SentMessages {
    system: Arc<Encoded>,
    tools: Arc<Encoded>,
    /// Where the messages end that will not change.
    history: HistoryPosition,
    /// The messages after them.
    tail: Vec<Arc<Encoded>>,
}

/// The last request that was committed since the session last looked.
pub(crate) type SentLog = Arc<Mutex<Option<SentMessages>>>;

impl PrefixHash {
    /// Hashes these bytes followed by a message.
    pub(crate) fn followed_by(self, message: &Encoded) -> Self {
        let mut hasher = DefaultHasher::new();
        (self, message.hash()).hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl SentMessages {
    /// Takes a request's messages after this prefix.
    pub(crate) fn new(prefix: &Prefix, lowered: &Lowered<'_>) -> Self {
        Self { tail: lowered.tail().to_vec(), ..Self::closed(prefix, lowered.history()) }
    }

    /// Takes the messages of a request that ended with this history.
    pub(crate) fn closed(prefix: &Prefix, history: &History) -> Self {
        Self {
            system: prefix.system.clone(),
            tools: prefix.tools.clone(),
            history: history.position(),
            tail: Vec::new(),
        }
    }

    /// Hashes what comes before the messages. Deferred tools may be appended to
    /// the list without effect on this.
    pub(crate) fn start(&self) -> PrefixHash {
        let mut hasher = DefaultHasher::new();
        self.system.hash().hash(&mut hasher);
        let tools = self.tools.as_tools().iter().zip(self.tools.blocks());
        for (_, block) in tools.filter(|(tool, _)| tool.defer_loading != Some(true)) {
            self.tools.bytes()[block.range.clone()].hash(&mut hasher);
        }
        PrefixHash(hasher.finish())
    }

    /// Returns the messages, without a last one that is a paused answer, which
    /// later requests continue. `history` is the conversation's; `None` if it
    /// was lowered again since.
    pub(crate) fn messages<'a>(
        &'a self,
        history: &'a History,
    ) -> Option<impl Iterator<Item = &'a Arc<Encoded>>> {
        let is_paused = self.tail.last().is_some_and(|it| is_answer(it));
        let tail = &self.tail[..self.tail.len() - usize::from(is_paused)];
        let closed = history.messages().take(self.history.len());
        self.history.is_within(history).then(|| closed.chain(tail))
    }
}

pub(crate) fn is_answer(message: &Encoded) -> bool {
    message.role() == Some(&Role::Assistant)
}
