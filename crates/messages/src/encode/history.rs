//! A conversation's closed messages, joined into chunks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use super::chunk::Chunk;
use super::encoded::Encoded;
use super::features::Features;
use super::turns::Turns;
use super::written::EncodedBlock;

/// Messages that will not change, oldest first.
///
/// Neighbours are kept as one chunk of bytes, so a request has few segments
/// however long the conversation is. A message begins a chunk, and a chunk
/// joins the one before it as soon as that is not much longer. So a byte is
/// copied at most once per doubling up to 256 KiB, and never after that.
///
/// A clone shares the bytes. Both can grow; the one that grows second is
/// another history from then on ([`HistoryPosition`]).
///
/// ```
/// use std::sync::Arc;
/// use aside_messages::encode::{Encoded, History};
/// use aside_messages::wire::{ContentBlock, Message, Role};
///
/// let message = Message::new(Role::User, vec![ContentBlock::text("Hi")]);
/// let mut history = History::default();
/// history.push(Arc::new(Encoded::message(message, Vec::new())));
/// assert_eq!(history.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    chunks: Vec<Arc<Chunk>>,
    len: usize,
    /// What needs a beta in any message.
    features: Features,
    turns: Turns,
    lineage: Arc<Lineage>,
}

/// Histories in one lineage have the same messages up to the shorter one's
/// length. The number is the longest one's length.
#[derive(Debug, Default)]
struct Lineage(AtomicUsize);

/// A position in a [`History`], for a reader to continue from.
#[derive(Clone, Debug)]
pub struct HistoryPosition {
    lineage: Weak<Lineage>,
    len: usize,
}

impl History {
    /// Appends a message. All its blocks count as stable.
    ///
    /// Amortized over many messages, each byte is copied a bounded number of
    /// times.
    pub fn push(&mut self, mut message: Arc<Encoded>) {
        let is_open = |block: &EncodedBlock| block.volatile || block.turn_scoped;
        if message.blocks().iter().any(is_open) {
            message = Arc::new(message.closed());
        }
        self.features = self.features.and(message.features());
        self.turns.push(&message);
        let tip = &self.lineage.0;
        let is_longest =
            tip.compare_exchange(self.len, self.len + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.len += 1;
        if is_longest.is_err() {
            self.lineage = Arc::new(Lineage(AtomicUsize::new(self.len)));
        }
        let mut chunk = Chunk::new(message);
        while let Some(before) = self.chunks.pop_if(|before| before.is_joined_by(&chunk)) {
            chunk = Arc::unwrap_or_clone(before).join(chunk);
        }
        self.chunks.push(Arc::new(chunk));
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Encoded>> + Clone {
        self.chunks.iter().flat_map(|chunk| &chunk.messages)
    }

    /// Returns the messages from this index on. The work depends on how many
    /// these are, not on those before.
    pub fn messages_from(&self, index: usize) -> impl Iterator<Item = &Arc<Encoded>> {
        let mut before = index;
        self.chunks.iter().flat_map(move |chunk| {
            let skipped = before.min(chunk.messages.len());
            before -= skipped;
            &chunk.messages[skipped..]
        })
    }

    /// Returns these messages' turns.
    #[must_use]
    pub fn turns(&self) -> Turns {
        self.turns
    }

    /// Returns the end of this history as a position to continue from.
    ///
    /// It does not keep the messages in memory.
    #[must_use]
    pub fn position(&self) -> HistoryPosition {
        HistoryPosition { lineage: Arc::downgrade(&self.lineage), len: self.len }
    }

    pub(super) fn features(&self) -> Features {
        self.features
    }

    pub(super) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }
}

impl HistoryPosition {
    /// Returns true if the messages before this position are the first messages
    /// in `history`.
    #[must_use]
    pub fn is_within(&self, history: &History) -> bool {
        std::ptr::eq(self.lineage.as_ptr(), Arc::as_ptr(&history.lineage))
            && self.len <= history.len
    }

    /// Returns how many messages are before this position.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true at the beginning of a history.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if no history is left to continue.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.lineage.strong_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ContentBlock, Message, Other, RawJson, Role};

    fn push(history: &mut History, text: &str) {
        let message = Message::new(Role::User, vec![ContentBlock::text(text)]);
        history.push(Arc::new(Encoded::message(message, Vec::new())));
    }

    #[test]
    fn a_position_is_within_every_history_that_grew_from_it() {
        let mut history = History::default();
        push(&mut history, "a");
        let position = history.position();
        let mut other = history.clone();
        push(&mut history, "b");
        assert!(position.is_within(&history) && position.is_within(&other));
        let longer = history.position();
        assert!(!longer.is_within(&other));
        push(&mut other, "c");
        assert!(!longer.is_within(&other) && !other.position().is_within(&history));
        push(&mut history, "d");
        assert!(longer.is_within(&history));
        drop(history);
        assert!(longer.is_dead() && !other.position().is_dead());
    }

    #[test]
    fn messages_are_found_by_index() {
        let mut history = History::default();
        for index in 0..700 {
            push(&mut history, &format!("{index} {}", "x".repeat(1_000)));
        }
        assert!(history.chunks().len() > 2);
        for index in [0, 1, 5, 300, 698, 699, 700, 800] {
            let from: Vec<_> = history.messages_from(index).collect();
            let all: Vec<_> = history.messages().skip(index).collect();
            assert_eq!(from.len(), all.len());
            assert!(from.iter().zip(all).all(|(a, b)| Arc::ptr_eq(a, b)));
        }
    }

    #[test]
    fn old_messages_are_read_from_their_bytes() {
        let mut history = History::default();
        // No text, so it cannot be read again.
        let broken = RawJson::parse(r#"{"type":"text"}"#).unwrap();
        let broken = vec![ContentBlock::Other(Other::new(broken).unwrap())];
        let broken = Message::new(Role::Assistant, broken);
        history.push(Arc::new(Encoded::message(broken.clone(), Vec::new())));
        let texts: Vec<_> = (0..40).map(|it| format!("\"{it}\"\n")).collect();
        texts.iter().for_each(|text| push(&mut history, text));
        let is_kept = |it: &&Arc<Encoded>| it.is_typed();
        assert!(history.messages().filter(is_kept).count() < texts.len() / 2);
        let first = history.messages().next();
        assert_eq!(first.and_then(|it| it.as_message()), Some(&broken));
        for (message, text) in history.messages().skip(1).zip(&texts) {
            let expected = Message::new(Role::User, vec![ContentBlock::text(&**text)]);
            assert_eq!(message.as_message(), Some(&expected));
            assert_eq!(message.role(), Some(&Role::User));
        }
    }
}
