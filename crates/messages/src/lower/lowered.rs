use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::encode::{BlockRef, Encoded, History, Marker};

/// A conversation as the messages of one request.
#[derive(Debug)]
pub struct Lowered<'a> {
    pub(super) history: Cow<'a, History>,
    pub(super) tail: Vec<Arc<Encoded>>,
    pub(super) history_markers: Cow<'a, [Marker]>,
    /// What was mended since the last time.
    pub diagnostics: Vec<Diagnostic>,
    /// Why nothing of the last time could be kept.
    pub reset: Option<Reset>,
}

/// Why lowering began anew, and with it the bytes of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reset {
    /// The conversation is not a continuation of the one seen last.
    Forked,
    /// A boundary came: what stood before it is no longer sent.
    Boundary,
    /// Something that was sent is left out from now on.
    Snip,
    /// There were more images and documents than a request may hold.
    MediaLimit,
    /// Lowering was told something else.
    Options,
    /// Tools that results refer to came or went.
    Tools,
    /// The system prompt in front of the conversation changed.
    Prompt,
}

/// Why there is nothing to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// The conversation is empty, or the last word is the model's, and was not
    /// paused by a tool that its provider runs.
    NothingToAnswer,
}

impl Lowered<'_> {
    /// The messages that will not change.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The messages behind them.
    #[must_use]
    pub fn tail(&self) -> &[Arc<Encoded>] {
        &self.tail
    }

    /// All messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Encoded>> + Clone {
        self.history.messages().chain(&self.tail)
    }

    /// Where callers marked the end of a prefix themselves, oldest first. The
    /// messages that will not change are not searched for it.
    pub fn caller_markers(&self) -> impl Iterator<Item = Marker> {
        let behind = self.tail.iter().zip(self.history.len()..);
        let tail = behind.flat_map(|(message, index)| markers(message, index));
        self.history_markers.iter().cloned().chain(tail)
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.history.len() + self.tail.len()
    }

    /// Never: a request answers somebody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The markers that callers put into a message.
pub(super) fn markers(encoded: &Encoded, message: usize) -> impl Iterator<Item = Marker> {
    let blocks = encoded.blocks().iter().enumerate();
    blocks.filter_map(move |(block, encoded)| {
        let control = encoded.marker.clone()?;
        let at = BlockRef::Message { message, block };
        Some(Marker { at, control })
    })
}

impl Reset {
    /// A word for it, for files: `forked`, `boundary`, `snip`, `media_limit`,
    /// `options` or `tools`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forked => "forked",
            Self::Boundary => "boundary",
            Self::Snip => "snip",
            Self::MediaLimit => "media_limit",
            Self::Options => "options",
            Self::Tools => "tools",
            Self::Prompt => "prompt",
        }
    }
}

impl fmt::Display for Reset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forked => "another conversation",
            Self::Boundary => "a boundary",
            Self::Snip => "a snip",
            Self::MediaLimit => "too many images and documents",
            Self::Options => "other options",
            Self::Tools => "other tools",
            Self::Prompt => "another system prompt",
        })
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToAnswer => {
                f.write_str("nothing to answer: the last message must be the user's")
            }
        }
    }
}

impl std::error::Error for LowerError {}
