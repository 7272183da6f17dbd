use std::collections::HashSet;
use std::sync::Arc;

use super::{Conversation, Cursor, Part};

/// The ids of a conversation's calls. Some servers reuse the same ids in every
/// response, and when two calls share an id, one would be lost.
#[derive(Debug, Default)]
pub struct CallIds {
    taken: HashSet<Arc<str>>,
    /// How far the conversation was read.
    cursor: Cursor,
}

impl CallIds {
    /// Collects the ids in the conversation's new entries. If it does not
    /// continue the one from the last call, the other ids are removed.
    pub fn follow(&mut self, conversation: &Conversation) {
        let entries = self.cursor.follow(conversation, || self.taken.clear());
        for part in entries.iter().flat_map(|entry| &entry.parts) {
            if let Part::ToolUse(call) = part {
                self.taken.insert(call.id.clone());
            }
        }
    }

    /// Gives every call a unique id.
    ///
    /// A used id gets a number: `call_1` becomes `call_1-8`. An empty one
    /// becomes `call-8`.
    pub fn make_unique(&mut self, parts: &mut [Part]) {
        for part in parts {
            let Part::ToolUse(call) = part else {
                continue;
            };
            if call.id.is_empty() || self.taken.contains(&call.id) {
                let base = if call.id.is_empty() { "call" } else { &call.id };
                call.id = self.unused(base);
            }
            self.taken.insert(call.id.clone());
        }
    }

    /// Returns an id with this start that no call has.
    fn unused(&self, base: &str) -> Arc<str> {
        // How many ids there are is rarely taken as a number, so a second
        // attempt is rare.
        let numbers = self.taken.len() + 1..;
        let ids = numbers.map(|number| format!("{base}-{number}"));
        let free = ids.into_iter().find(|id| !self.taken.contains(id.as_str()));
        free.expect("there are more numbers than ids").into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EntryDraft, Origin};
    use crate::wire::Role;
    use uuid::Uuid;

    use super::*;

    fn call(id: &str) -> EntryDraft {
        let parts = vec![Part::tool_use(id, "T", "{}")];
        EntryDraft::message(Role::Assistant, Origin::Human, parts)
    }

    /// Returns the new ids for calls with these ids.
    fn unique<const N: usize>(ids: &mut CallIds, calls: [&str; N]) -> [String; N] {
        let mut parts = calls.map(|id| Part::tool_use(id, "T", "{}"));
        ids.make_unique(&mut parts);
        parts.map(|part| match part {
            Part::ToolUse(call) => call.id.to_string(),
            _ => String::new(),
        })
    }

    #[test]
    fn a_fork_at_the_same_position_and_id_is_noticed() {
        let mut before = Conversation::new(Uuid::nil());
        before.push(EntryDraft::human("a"));
        let kept = before.entries().to_vec();
        before.push(call("one"));
        let mut ids = CallIds::default();
        ids.follow(&before);
        // A rewind to the first entry: the other branch has an entry with the
        // same id.
        let mut fork = Conversation::from_entries(Uuid::nil(), kept).expect("one entry");
        fork.push(call("two"));
        assert_eq!(fork.entries()[1].id, before.entries()[1].id);
        ids.follow(&fork);
        assert_eq!(unique(&mut ids, ["one", "two"]), ["one", "two-3"]);
    }

    #[test]
    fn every_call_has_a_unique_id() {
        let mut ids = CallIds::default();
        for expected in [["0", "0-2", "call-3"], ["0-4", "0-5", "call-6"]] {
            assert_eq!(unique(&mut ids, ["0", "0", ""]), expected);
        }
    }
}
