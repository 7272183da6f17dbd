use aside_messages::wire::{Message, Placement, Role, append_reminders};

use serde::{Serialize, Serializer};

use crate::due::Due;

/// Messages with reminders. Only the changed message is a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected<'a> {
    /// The messages before the changed one.
    pub before: &'a [Message],
    /// The last user message with the reminders. `None` when nothing was due or
    /// there is no user message: then nothing is delivered, and there is
    /// nothing to commit.
    pub changed: Option<Message>,
    /// The messages after the changed one.
    pub after: &'a [Message],
    /// Where the first reminder is: the first block that the next request
    /// lacks.
    pub placed: Option<Placement>,
}

/// Appends the ephemeral reminders to a copy of the last user message, in the
/// order given. The cost does not depend on the number of messages.
///
/// Use it for models that do not bind their thinking to the prefix
/// (`ModelFacts::bound_to_prefix` in `aside-models`), such as Claude 4.5 and
/// older: the next request has the last message without the reminders. For
/// newer ones store what [`append`](crate::append) returns.
///
/// A reminder without content is not sent. A persistent one is not injected,
/// but becomes an entry in the conversation: see [`entries`](crate::entries).
#[must_use]
pub fn inject<'a>(messages: &'a [Message], due: &[Due]) -> Injected<'a> {
    let unchanged = Injected { before: messages, changed: None, after: &[], placed: None };
    let is_user = |message: &Message| message.role == Role::User;
    let ephemeral = due.iter().filter(|due| due.is_ephemeral());
    let texts: Vec<&str> = ephemeral.map(|due| due.content.as_str()).collect();
    if texts.is_empty() {
        return unchanged;
    }
    let Some(last) = messages.iter().rposition(is_user) else {
        return unchanged;
    };
    let mut changed = messages[last].clone();
    let placements = append_reminders(&mut changed, &texts);
    Injected {
        before: &messages[..last],
        changed: Some(changed),
        after: &messages[last + 1..],
        placed: placements.into_iter().next(),
    }
}

impl<'a> Injected<'a> {
    /// Iterates over all messages in order.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        self.before.iter().chain(&self.changed).chain(self.after)
    }

    /// Copies all messages.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }
}

/// Serializes as the list of messages to send.
impl Serialize for Injected<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

/// Iterates over all messages in order.
impl<'i> IntoIterator for &'i Injected<'_> {
    type Item = &'i Message;
    type IntoIter = std::iter::Chain<
        std::iter::Chain<std::slice::Iter<'i, Message>, std::option::Iter<'i, Message>>,
        std::slice::Iter<'i, Message>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.before.iter().chain(self.changed.iter()).chain(self.after)
    }
}
