//! What lowering returns: messages as bytes, the repairs, and the prefix
//! changes.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::conversation::{PrefixChange, PrefixReset};
use crate::encode::{Encoded, History, Marker};
use crate::repair::Repair;

/// A conversation as one request's messages.
#[derive(Debug)]
pub struct Lowered<'a> {
    pub(super) history: Cow<'a, History>,
    pub(super) tail: Vec<Arc<Encoded>>,
    pub(super) history_markers: Cow<'a, [Marker]>,
    /// Repairs that no earlier request reported.
    pub diagnostics: Vec<Repair>,
    /// Why the messages do not continue those of the last request, if they do
    /// not.
    ///
    /// A provider's cache finds nothing of the conversation then.
    pub reset: Option<PrefixReset>,
    /// Prefix changes that lowering found: a snip, media over the limit. Append
    /// their entries once the request was sent; until then each request finds
    /// them again.
    pub prefix_changes: Vec<PrefixChange>,
    /// How many thinking blocks this request leaves out because of changes that
    /// no entry records yet: those above, and pending ones.
    pub lost_thinking: u64,
}

/// Why a conversation cannot be lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// The conversation is empty, or it ends with a response that is not paused
    /// for a server tool.
    NothingToAnswer,
}

impl Lowered<'_> {
    /// Returns the messages that will not change.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the messages after the history, which may change in the next
    /// request.
    #[must_use]
    pub fn tail(&self) -> &[Arc<Encoded>] {
        &self.tail
    }

    /// Returns all messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Encoded>> + Clone {
        self.history.messages().chain(&self.tail)
    }

    /// Returns the cache markers that the conversation's own blocks had, oldest
    /// first. Does not search the history for them.
    pub fn caller_markers(&self) -> impl Iterator<Item = Marker> {
        let tail = self
            .tail
            .iter()
            .zip(self.history.len()..)
            .flat_map(|(message, index)| message.caller_markers(index));
        self.history_markers.iter().cloned().chain(tail)
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.history.len() + self.tail.len()
    }

    /// Returns false: a request has at least one message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToAnswer => {
                f.write_str("no message needs a response: the last message must be the user's")
            }
        }
    }
}

impl std::error::Error for LowerError {}
