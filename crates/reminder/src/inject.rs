use aside_messages::wire::{Message, Placement, Role, append_reminders};

use crate::due::Due;

/// Messages with reminders in them: a copy in which only the message that
/// changed was copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected<'a> {
    /// What stands before the changed message.
    pub before: &'a [Message],
    /// The last user message, with the reminders. `None` where nothing was
    /// due or there is no user message: nothing was delivered then, and
    /// nothing is to be committed.
    pub changed: Option<Message>,
    /// What stands behind it.
    pub after: &'a [Message],
    /// Where the first reminder went: the first block that will not be there
    /// again.
    pub placed: Option<Placement>,
}

/// Appends what is due to the last user message, in the order given. The
/// messages themselves are not changed, and the cost does not depend on how
/// many there are.
///
/// A reminder without content is not sent. A persistent one is not injected:
/// it belongs at the end of the conversation, see [`entries`](crate::entries).
#[must_use]
pub fn inject<'a>(messages: &'a [Message], due: &[Due]) -> Injected<'a> {
    let unchanged = Injected {
        before: messages,
        changed: None,
        after: &[],
        placed: None,
    };
    let is_users = |message: &Message| message.role == Role::User;
    let told = due.iter().filter(|due| due.is_told_once());
    let told: Vec<&str> = told.map(|due| due.content.as_str()).collect();
    if told.is_empty() {
        return unchanged;
    }
    let Some(last) = messages.iter().rposition(is_users) else {
        return unchanged;
    };
    let mut changed = messages[last].clone();
    let placements = append_reminders(&mut changed, &told);
    Injected {
        before: &messages[..last],
        changed: Some(changed),
        after: &messages[last + 1..],
        placed: placements.into_iter().next(),
    }
}

impl<'a> Injected<'a> {
    /// The messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        self.before.iter().chain(&self.changed).chain(self.after)
    }

    /// The messages, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }
}

/// The messages, in order.
impl<'i> IntoIterator for &'i Injected<'_> {
    type Item = &'i Message;
    type IntoIter = std::iter::Chain<
        std::iter::Chain<std::slice::Iter<'i, Message>, std::option::Iter<'i, Message>>,
        std::slice::Iter<'i, Message>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.before
            .iter()
            .chain(self.changed.iter())
            .chain(self.after)
    }
}
