//! Finding the TodoWrite list in a conversation.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_messages::conversation::{Boundary, Entry, EntryKind, Part, ToolCall, Visibility};
use aside_messages::wire::Role;
use serde::Deserialize;

use crate::cadence_class::TaskList;
use crate::tasks::{TaskProgress, Todo};

/// Returns the list that the model last wrote with TodoWrite; `None` if it
/// wrote none, or one in another form.
///
/// Only successful calls count. The list survives a compaction, since the work
/// continues, but not a clear. Linear in the number of entries.
///
/// ```
/// use aside_attachments::cadence::written_todos;
/// use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
/// use aside_messages::wire::Role;
///
/// let input = r#"{"todos":[{"content":"Write tests","status":"pending"}]}"#;
/// let call = Part::tool_use("toolu_1", "TodoWrite", input);
/// let model = Origin::Model { provider: "p".into(), name: "m".into() };
/// let result = Part::tool_result("toolu_1", "ok");
/// let mut conversation = Conversation::new(uuid::Uuid::nil());
/// conversation.push(EntryDraft::message(Role::Assistant, model, vec![call]));
/// conversation.push(EntryDraft::message(Role::User, Origin::Human, vec![result]));
///
/// let todos = written_todos(conversation.entries()).unwrap();
/// assert_eq!(todos[0].content, "Write tests");
/// ```
#[must_use]
pub fn written_todos(entries: &[Entry]) -> Option<Vec<Todo>> {
    let mut written = WrittenTodos::default();
    for entry in entries {
        written.apply(entry);
    }
    written.list
}

/// A fold over entries that knows the last list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenTodos {
    list: Option<Vec<Todo>>,
    /// The calls in the last response that have no result yet: input by id.
    pending: BTreeMap<Arc<str>, Arc<str>>,
    /// True if the next assistant entry belongs to the last response.
    in_response: bool,
}

/// Unknown keys are ignored, because harnesses extend the tool.
#[derive(Deserialize)]
struct Input {
    todos: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    content: String,
    status: TaskProgress,
}

impl WrittenTodos {
    pub(super) fn list(&self) -> Option<&[Todo]> {
        self.list.as_deref()
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Message { .. } if entry.visibility == Visibility::DisplayOnly => {}
            EntryKind::Message { role } => match role {
                Role::Assistant => self.apply_response(&entry.parts),
                Role::User => self.apply_results(&entry.parts),
                _ => {}
            },
            EntryKind::Boundary(Boundary::Clear) => *self = Self::default(),
            _ => {}
        }
    }

    fn apply_response(&mut self, parts: &[Part]) {
        if !self.in_response {
            self.pending.clear();
        }
        self.in_response = true;
        for part in parts {
            if let Part::ToolUse(ToolCall { id, name, input, .. }) = part
                && TaskList::Todos.tools().contains(&&**name)
            {
                let input = || input.0.clone();
                self.pending.entry(id.clone()).or_insert_with(input);
            }
        }
    }

    fn apply_results(&mut self, parts: &[Part]) {
        self.in_response = false;
        for part in parts {
            let Part::ToolResult(result) = part else {
                continue;
            };
            let input = self.pending.remove(&result.tool_use_id);
            if let Some(input) = input
                && result.is_error != Some(true)
            {
                self.list = read(&input);
            }
        }
    }
}

fn read(input: &str) -> Option<Vec<Todo>> {
    let input: Input = serde_json::from_str(input).ok()?;
    let todos =
        input.todos.into_iter().map(|item| Todo { content: item.content, status: item.status });
    Some(todos.collect())
}
