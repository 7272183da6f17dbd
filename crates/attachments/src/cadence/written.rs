//! The list that the model wrote last.

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_messages::conversation::{Boundary, Entry, EntryKind, Part, ToolCall, Visibility};
use aside_messages::wire::Role;
use serde::Deserialize;

use crate::tasks::{Progress, Todo};

/// The tool that writes the list of todos.
pub(super) const TODO_TOOL: &str = "TodoWrite";

/// The list that the model wrote last with TodoWrite, as far as that
/// succeeded. A compaction leaves it as it is: the work goes on. After a clear
/// there is none. `None` where no list was written, or one of another form.
///
/// The work is in proportion to the entries.
#[must_use]
pub fn written_todos(entries: &[Entry]) -> Option<Vec<Todo>> {
    let mut written = Written::default();
    for entry in entries {
        written.take_up(entry);
    }
    written.list
}

/// A fold over entries that knows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    list: Option<Vec<Todo>>,
    /// The inputs of calls of the last answer that have no result yet, by id.
    calls: BTreeMap<Arc<str>, Arc<str>>,
    /// Whether the last answer may have more parts.
    in_answer: bool,
}

/// What a call holds. Others that bear the tool's name may write more.
#[derive(Deserialize)]
struct Input {
    todos: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    content: String,
    status: Progress,
}

impl Written {
    pub(super) fn list(&self) -> Option<&[Todo]> {
        self.list.as_deref()
    }

    pub(super) fn take_up(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Message { .. } if entry.visibility == Visibility::DisplayOnly => {}
            EntryKind::Message { role } => match role {
                Role::Assistant => self.answer(&entry.parts),
                Role::User => self.results(&entry.parts),
                _ => {}
            },
            EntryKind::Boundary(Boundary::Clear) => *self = Self::default(),
            _ => {}
        }
    }

    fn answer(&mut self, parts: &[Part]) {
        if !self.in_answer {
            self.calls.clear();
        }
        self.in_answer = true;
        for part in parts {
            if let Part::ToolUse(ToolCall {
                id, name, input, ..
            }) = part
                && **name == *TODO_TOOL
            {
                let input = || input.0.clone();
                self.calls.entry(id.clone()).or_insert_with(input);
            }
        }
    }

    fn results(&mut self, parts: &[Part]) {
        self.in_answer = false;
        for part in parts {
            let Part::ToolResult(result) = part else {
                continue;
            };
            let input = self.calls.remove(&result.tool_use_id);
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
    let todos = input.todos.into_iter().map(|item| Todo {
        content: item.content,
        status: item.status,
    });
    Some(todos.collect())
}
