use std::time::Duration;

use aside_messages::conversation::{
    Boundary, Conversation, Entry, EntryId, EntryKind, Part, Visibility,
};
use aside_messages::wire::Role;

use crate::state::{Call, ConversationState, Repeated};

/// What the entries of a conversation say to reminders, kept up entry by
/// entry: the work of a turn depends on what is new, not on what was.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The last entry that was taken up, and how many there were with it.
    position: Option<(usize, EntryId)>,
    /// Entries of one role in a row are one message, whether they are snipped
    /// or not.
    messages: u64,
    /// Who spoke last.
    last: Option<Role>,
    /// Whether that message may still grow.
    open: bool,
    /// The calls in the last message of the model.
    calls: Vec<Call>,
    /// The last call, and how often it was made in a row.
    row: Option<(Call, u64)>,
}

impl Tally {
    /// Takes up what is new in the conversation; all of it, where it is
    /// another one than before.
    pub fn follow(&mut self, conversation: &Conversation) {
        let entries = conversation.entries();
        let goes_on = self
            .position
            .is_none_or(|(seen, id)| entries.get(seen - 1).is_some_and(|entry| entry.id == id));
        if !goes_on {
            *self = Self::default();
        }
        let seen = self.position.map_or(0, |(seen, _)| seen);
        entries[seen..].iter().for_each(|entry| self.take_up(entry));
        self.position = entries.last().map(|last| (entries.len(), last.id));
    }

    /// The state of the conversation, at this turn and this time of the
    /// session's own clock.
    #[must_use]
    pub fn state(&self, turn: u64, elapsed: Duration) -> ConversationState<'_> {
        // An answer without a call ends the row.
        let row = self.row.as_ref().filter(|_| !self.calls.is_empty());
        ConversationState {
            turn,
            message_count: self.messages,
            last_tool_calls: &self.calls,
            repeated: row.map(|(call, times)| Repeated {
                tool: &call.name,
                times: *times,
            }),
            elapsed,
            messages: None,
        }
    }

    /// Whether the last word is the user's. Where it is not, there is nothing
    /// to send, and no reminder makes it something.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.last == Some(Role::User)
    }

    fn take_up(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Message { role } if entry.visibility != Visibility::DisplayOnly => {
                self.message(role, &entry.parts);
            }
            EntryKind::Boundary(boundary) => {
                *self = Self::default();
                // The summary is the user's first message.
                if let Boundary::Compact { .. } = boundary {
                    self.message(&Role::User, &[]);
                }
            }
            EntryKind::Aborted => self.open = false,
            _ => {}
        }
    }

    fn message(&mut self, role: &Role, parts: &[Part]) {
        if !self.open || self.last.as_ref() != Some(role) {
            self.messages += 1;
            self.last = Some(role.clone());
            self.open = true;
            if *role == Role::Assistant {
                self.row = self.row.take().filter(|_| !self.calls.is_empty());
                self.calls.clear();
            }
        }
        if *role == Role::Assistant {
            for part in parts {
                if let Part::ToolUse(call) = part {
                    self.call(Call::new(call.name.clone(), call.input.0.clone()));
                }
            }
        }
    }

    fn call(&mut self, call: Call) {
        let times = match self.row.take() {
            Some((last, times)) if last == call => times + 1,
            _ => 1,
        };
        self.row = Some((call.clone(), times));
        self.calls.push(call);
    }
}
