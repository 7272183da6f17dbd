//! The prefixes that were sent. If its owner edits a conversation, some
//! thinking follows a prefix that is not among them.

use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;

use aside_messages::Source;
use aside_messages::conversation::{
    Advance, ChangeStart, Conversation, Cursor, PrefixChange, RestartReason,
};
use aside_messages::encode::{Encoded, History};
use aside_messages::lower::{Lowered, PrefixReset};
use aside_messages::wire::ContentBlock;

use crate::sent_messages::{PrefixHash, SentLog, SentMessages, is_answer};

/// The requests that a session has sent, as far as they decide which thinking
/// in a conversation the API accepts.
///
/// As long as entries are appended to one conversation, its thinking has the
/// prefix that produced it. A conversation that replaces another one, for
/// example after a rewind, an edit or a new read, is compared with the
/// requests.
#[derive(Debug, Default)]
pub(crate) struct SentPrefixes {
    /// Where committed requests go.
    pub(crate) log: SentLog,
    cursor: Cursor,
    /// The last request. It contains the answers to the requests before it.
    last: Option<SentMessages>,
    /// Set if the conversation was replaced after the last request.
    replaced: Option<Replaced>,
    /// The prefixes in requests before a replacement, each after one of the
    /// messages.
    accepted: HashSet<PrefixHash>,
    /// For each last request before a replacement, as a whole: how many answers
    /// to it no later request contains.
    awaiting: HashMap<PrefixHash, usize>,
    /// The last of these, as a whole.
    end: Option<PrefixHash>,
}

/// A conversation that replaces the last request's.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    /// True if it may be another session's work, because it has another id.
    has_other_id: bool,
}

/// How a conversation differs from the requests that were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The conversation continues the last request.
    Continued,
    /// It does not, but none of its thinking is known to be after another
    /// prefix.
    Replaced,
    /// Some thinking's prefix was not sent: the history was edited.
    Edited(PrefixChange),
}

impl SentPrefixes {
    /// Starts with another process's conversation, whose requests contained
    /// these messages.
    pub(crate) fn start(&mut self, conversation: &Conversation, messages: SentMessages) {
        let _ = self.cursor.advance(conversation);
        self.last = Some(messages);
    }

    /// Follows the next request's conversation. `history` is the messages of
    /// the conversation followed before. Returns true if
    /// [`SentPrefixes::compare`] may find a difference.
    pub(crate) fn follow(&mut self, conversation: &Conversation, history: &History) -> bool {
        if let Some(last) = self.log.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.last = Some(last);
            self.replaced = None;
        }
        if let Advance::Restarts { reason, .. } = self.cursor.advance(conversation) {
            if let Some(last) = self.last.take() {
                self.keep(&last, history);
            }
            let before = self.replaced.is_some_and(|it| it.has_other_id);
            self.replaced = Some(Replaced {
                has_other_id: before || reason == RestartReason::OtherConversation,
            });
        }
        self.replaced.is_some() && self.end.is_some()
    }

    /// Keeps a request's prefixes.
    fn keep(&mut self, request: &SentMessages, history: &History) {
        let mut prefix = request.start();
        self.end = Some(prefix);
        // Thinking in a history that was lowered again was left out.
        let Some(messages) = request.messages(history) else {
            return;
        };
        for message in messages {
            let next = prefix.followed_by(message);
            let is_new = self.accepted.insert(next);
            if is_new
                && is_answer(message)
                && let Some(answers) = self.awaiting.get_mut(&prefix)
            {
                *answers = answers.saturating_sub(1);
            }
            prefix = next;
        }
        *self.awaiting.entry(prefix).or_default() += 1;
        self.end = Some(prefix);
    }

    /// Compares a request with those that were sent.
    ///
    /// An answer has the prefix that produced it if an earlier request contains
    /// both, or if it can answer a request that none continues. After the first
    /// answer that does not, all thinking is lost, because later prefixes
    /// contain that answer.
    pub(crate) fn compare(&self, request: &SentMessages, lowered: &Lowered<'_>) -> Difference {
        let mut prefix = request.start();
        let mut is_continued = false;
        let mut is_foreign = self.replaced.is_some_and(|it| it.has_other_id);
        for message in lowered.messages() {
            let next = prefix.followed_by(message);
            let is_accepted = self.accepted.contains(&next);
            // The first message decides.
            is_foreign &= !is_accepted;
            if is_foreign {
                return Difference::Replaced;
            }
            let awaits = || self.awaiting.get(&prefix).is_some_and(|it| *it > 0);
            if has_thinking(message) && !is_accepted && !awaits() {
                return Difference::Edited(PrefixChange {
                    from: first_entry(message),
                    ..PrefixChange::from_start(PrefixReset::Edited)
                });
            }
            prefix = next;
            is_continued |= self.end == Some(prefix);
        }
        if is_continued { Difference::Continued } else { Difference::Replaced }
    }
}

fn has_thinking(message: &Encoded) -> bool {
    let mut blocks = message.as_message().into_iter().flat_map(|it| &it.content);
    blocks
        .any(|block| matches!(block, ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_)))
}

fn first_entry(message: &Encoded) -> ChangeStart {
    let mut blocks = message.blocks().iter();
    let entry = blocks.find_map(|block| match block.source() {
        Source::Entry { id, .. } => Some(ChangeStart::Entry(*id)),
        _ => None,
    });
    entry.unwrap_or(ChangeStart::Start)
}
