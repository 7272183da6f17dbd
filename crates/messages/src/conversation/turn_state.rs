use std::collections::HashSet;

use aside_body::turns::{self, Pairing, Repeats, Window};

use super::{Entry, EntryId, EntryKind, Origin, Part, ToolCall, Visibility};
use crate::wire::{Other, Role, is_paused};

/// A turn's state, which decides the next step. It follows from the entries
/// alone, so any process that reads them back can continue at any entry.
///
/// ```text
/// user: fix it                      Awaits
/// model: Read(a), Grep(b)           Calls [Read, Grep]
/// result of Grep                    Calls [Read]
/// result of Read                    Awaits
/// model: done                       Idle
/// ```
///
/// ```
/// use aside_messages::conversation::{Conversation, EntryDraft, TurnState};
///
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// conversation.push(EntryDraft::human("Find the bug."));
/// let state = TurnState::from_entries(conversation.entries());
/// assert_eq!(state, TurnState::Awaits);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum TurnState {
    /// No message waits for a response.
    Idle,
    /// A message waits for a response.
    Awaits,
    /// The model waits for these calls' results.
    Calls(Vec<ToolCall>),
    /// The response was paused during server tools and has to be continued.
    Paused,
}

impl TurnState {
    /// Computes the state. The cost is proportional to the last response and
    /// the entries after it.
    #[must_use]
    pub fn from_entries(entries: &[Entry]) -> Self {
        let end = End::of(entries);
        let calls = end.unanswered();
        if !calls.is_empty() {
            Self::Calls(calls)
        } else if end.awaits {
            Self::Awaits
        } else if is_paused(end.server_blocks()) {
            Self::Paused
        } else {
            Self::Idle
        }
    }
}

/// The last response and the entries after it.
#[derive(Default)]
struct End<'a> {
    /// The response's entries, last one first.
    answer: Vec<&'a Entry>,
    /// The results after it, by call id.
    results: Vec<&'a str>,
    /// True if a message waits for a response.
    awaits: bool,
}

impl<'a> End<'a> {
    /// Reads backwards to the user message before the last response, or to a
    /// boundary or an abort. Skips entries that the model does not see.
    fn of(entries: &'a [Entry]) -> Self {
        let mut end = Self::default();
        let mut snipped: HashSet<&EntryId> = HashSet::new();
        for entry in entries.iter().rev() {
            let role = match &entry.kind {
                // Earlier entries do not need a response.
                EntryKind::Boundary(_) | EntryKind::Aborted => break,
                EntryKind::Snip { ids } => {
                    snipped.extend(ids);
                    continue;
                }
                EntryKind::Message { role } => role,
                _ => continue,
            };
            if entry.visibility == Visibility::DisplayOnly || snipped.contains(&entry.id) {
                continue;
            }
            match role {
                Role::Assistant => end.answer.push(entry),
                Role::User if end.answer.is_empty() => end.take_up(entry),
                Role::User => break,
                _ => {}
            }
        }
        end
    }

    /// Adds a user entry after the response.
    fn take_up(&mut self, entry: &'a Entry) {
        self.awaits |= matches!(
            entry.origin,
            Origin::Human | Origin::TaskNotification | Origin::Coordinator | Origin::Channel { .. }
        );
        for part in &entry.parts {
            if let Part::ToolResult(result) = part {
                self.results.push(&result.tool_use_id);
                self.awaits = true;
            }
        }
    }

    fn answer_parts(&self) -> impl DoubleEndedIterator<Item = &'a Part> + Clone {
        let entries = self.answer.iter().rev();
        entries.flat_map(|entry| &entry.parts)
    }

    /// Returns the response's parts, with the block of a server tool if it is
    /// one.
    fn server_blocks(&self) -> impl DoubleEndedIterator<Item = Option<&'a Other>> + Clone {
        self.answer_parts().map(Part::as_other)
    }

    /// Returns the calls without a result in order, each id once.
    fn unanswered(&self) -> Vec<ToolCall> {
        let mut pairing: Pairing<&str, &ToolCall> = Pairing::new(Window::NextTurn, Repeats::Same);
        pairing.turn(turns::Role::Assistant);
        for part in self.answer_parts() {
            if let Part::ToolUse(call) = part {
                pairing.call(&call.id, call);
            }
        }
        pairing.turn(turns::Role::User);
        for id in &self.results {
            pairing.result(id).ok();
        }
        pairing.close().into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::conversation::{Boundary, Conversation, EntryDraft};
    use crate::layer::Layer;
    use crate::wire::{ContentBlock, RawJson};

    fn model(parts: Vec<Part>) -> EntryDraft {
        let origin = Origin::Model { provider: "p".into(), name: "m".into() };
        EntryDraft::message(Role::Assistant, origin, parts)
    }

    fn call(id: &str) -> Part {
        Part::tool_use(id, "T", "{}")
    }

    fn result(id: &str) -> EntryDraft {
        EntryDraft::message(Role::User, Origin::Human, vec![Part::tool_result(id, "r")])
    }

    fn server(json: &str) -> Part {
        let block = Other::new(RawJson::parse(json).unwrap()).unwrap();
        Part::from(ContentBlock::Other(block))
    }

    fn check(drafts: Vec<EntryDraft>, expected: &str) {
        let mut conversation = Conversation::new(Uuid::nil());
        for draft in drafts {
            conversation.push(draft);
        }
        let found = match TurnState::from_entries(conversation.entries()) {
            TurnState::Idle => "idle".to_owned(),
            TurnState::Awaits => "awaits".to_owned(),
            TurnState::Paused => "paused".to_owned(),
            TurnState::Calls(calls) => {
                let ids: Vec<_> = calls.iter().map(|call| &*call.id).collect();
                ids.join(" ")
            }
        };
        assert_eq!(found, expected, "{:?}", conversation.entries());
    }

    #[test]
    fn the_state_follows_from_the_entries() {
        let human = || EntryDraft::human("h");
        let replied = || model(vec![Part::text("s")]);
        let context = || EntryDraft::reminder(Origin::Context { layer: Layer::Project }, "c");
        let reminder = || EntryDraft::reminder(Origin::Reminder { id: "r".into() }, "r");
        check(vec![], "idle");
        check(vec![context()], "idle");
        check(vec![context(), human()], "awaits");
        check(vec![human(), reminder()], "awaits");
        check(vec![human(), EntryDraft::aborted()], "idle");
        check(vec![human(), EntryDraft::aborted(), human()], "awaits");
        check(vec![human(), replied()], "idle");
        check(vec![human(), replied(), reminder()], "idle");
        check(vec![human(), replied(), human()], "awaits");
        check(vec![human(), EntryDraft::boundary(Boundary::Clear)], "idle");
        let unseen = human().with_visibility(Visibility::DisplayOnly);
        check(vec![replied(), unseen], "idle");
    }

    #[test]
    fn calls_without_a_result_are_returned() {
        let two = || model(vec![call("1"), Part::text("t"), call("2")]);
        check(vec![two()], "1 2");
        check(vec![two(), result("2")], "1");
        check(vec![two(), result("2"), EntryDraft::human("h")], "1");
        check(vec![two(), result("1"), result("2")], "awaits");
        check(vec![two(), EntryDraft::aborted()], "idle");
        check(vec![model(vec![call("1"), call("1")])], "1");
        check(vec![model(vec![call("1")]), model(vec![call("2")])], "1 2");
        check(vec![two(), EntryDraft::human("h"), model(vec![])], "idle");
    }

    #[test]
    fn a_server_tool_without_a_result_pauses_the_turn() {
        let open = r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}"#;
        let closed = r#"{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}"#;
        check(vec![model(vec![server(open)])], "paused");
        check(vec![model(vec![server(open), server(closed)])], "paused");
        let rest = || model(vec![server(closed), Part::text("found")]);
        check(vec![model(vec![server(open)]), rest()], "idle");
        check(vec![model(vec![server(open)]), EntryDraft::human("h")], "awaits");
    }
}
