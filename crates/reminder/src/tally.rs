//! The counters over a conversation that conditions and schedules need.
//!
//! ```text
//! user: fix it             messages 1
//! model: Edit(a)           messages 2, calls [Edit(a)], repeated once
//! result                   messages 3
//! model: Edit(a)           messages 4, calls [Edit(a)], repeated twice
//! ```

use std::time::Duration;

use aside_messages::conversation::{
    Boundary, Conversation, Cursor, Entry, EntryKind, Part, Visibility,
};
use aside_messages::wire::Role;

use crate::state::{ConversationState, RecentCall, RepeatedCall};

/// What reminders need to know about a conversation, folded entry by entry: a
/// turn's work depends on the new entries, not on the length of the
/// conversation.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How far the conversation was counted.
    cursor: Cursor,
    counts: Counts,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    /// Consecutive entries in one role are one message, whether they are
    /// snipped or not.
    messages: u64,
    last: Option<Role>,
    /// Whether the next entry in its role belongs to that message.
    open: bool,
    /// The calls in the model's last message.
    calls: Vec<RecentCall>,
    /// The last call, and how many times it was made in a row.
    row: Option<(RecentCall, u64)>,
}

impl Tally {
    /// Counts new entries in the conversation. If it does not continue the one
    /// from the last call, all entries are counted again.
    pub fn follow(&mut self, conversation: &Conversation) {
        for entry in self.cursor.follow(conversation, || self.counts = Counts::default()) {
            self.counts.push(entry);
        }
    }

    /// Returns the conversation's state, at this turn and this time on the
    /// session's own clock.
    #[must_use]
    pub fn state(&self, turn: u64, elapsed: Duration) -> ConversationState<'_> {
        // A response without a call ends the repetition.
        let counts = &self.counts;
        let row = counts.row.as_ref().filter(|_| !counts.calls.is_empty());
        ConversationState {
            turn,
            message_count: counts.messages,
            last_tool_calls: &counts.calls,
            repeated: row.map(|(call, times)| RepeatedCall { tool: &call.name, times: *times }),
            elapsed,
            messages: None,
        }
    }

    /// Returns true if the last message is the user's. Otherwise there is no
    /// request to add a reminder to.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.counts.last == Some(Role::User)
    }
}

impl Counts {
    fn push(&mut self, entry: &Entry) {
        match &entry.kind {
            // A system message needs no response and is none.
            EntryKind::Message { role: Role::System } => {}
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

    /// Counts a message, or another entry that continues the last one.
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
                    self.call(RecentCall::new(call.name.clone(), call.input.0.clone()));
                }
            }
        }
    }

    /// A call with the same name and the same input repeats the last one.
    fn call(&mut self, call: RecentCall) {
        let times = match self.row.take() {
            Some((last, times)) if last == call => times + 1,
            _ => 1,
        };
        self.row = Some((call.clone(), times));
        self.calls.push(call);
    }
}
