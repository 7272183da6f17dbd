use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::conversation::{Entry, Part};

/// The ids of the calls of a conversation. Some servers give every answer's
/// calls the same ones, and a call with an id of another would be lost.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: HashSet<Arc<str>>,
    /// How many entries were looked at.
    seen: usize,
}

impl CallIds {
    /// Takes up what is new in the conversation.
    pub(crate) fn follow(&mut self, entries: &[Entry]) {
        let new = entries.get(self.seen..).unwrap_or_default();
        for part in new.iter().flat_map(|entry| &entry.parts) {
            if let Part::ToolUse(call) = part {
                self.taken.insert(call.id.clone());
            }
        }
        self.seen = entries.len();
    }

    /// Gives every call an id of its own, where it has not got one.
    pub(crate) fn make_unique(&mut self, parts: &mut [Part]) {
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

    fn unused(&self, base: &str) -> Arc<str> {
        // The number of ids is a good guess: rarely is another one needed.
        let numbers = self.taken.len() + 1..;
        let ids = numbers.map(|number| format!("{base}-{number}"));
        let free = ids.into_iter().find(|id| !self.taken.contains(id.as_str()));
        free.expect("there are more numbers than ids").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let mut ids = CallIds::default();
        for expected in [["0", "0-2", "call-3"], ["0-4", "0-5", "call-6"]] {
            let mut parts = ["0", "0", ""].map(|id| Part::tool_use(id, "T", "{}"));
            ids.make_unique(&mut parts);
            let found = parts.map(|part| match part {
                Part::ToolUse(call) => call.id.to_string(),
                _ => String::new(),
            });
            assert_eq!(found, expected);
        }
    }
}
