use std::sync::{Arc, Mutex, PoisonError};

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_attachments::cadence::written_todos;
use aside_attachments::{Progress, Todo};
use aside_messages::conversation::Conversation;
use aside_messages::wire::RawJson;
use serde::Deserialize;

use crate::input;
use crate::refusal::Refusal;

/// The most items of a list.
const MOST: usize = 200;
/// The longest item, in characters.
const LONGEST: usize = 1_000;

/// Keeps the model's list of what it is about to do.
///
/// Clones keep the same list.
#[derive(Clone, Debug, Default)]
pub struct TodoWrite {
    list: Arc<Mutex<Vec<Todo>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    todos: Vec<Todo>,
}

impl TodoWrite {
    /// One that goes on with a list.
    #[must_use]
    pub fn new(list: Vec<Todo>) -> Self {
        Self {
            list: Arc::new(Mutex::new(list)),
        }
    }

    /// One that goes on with the list that the model wrote last in a
    /// conversation, whatever was compacted since; `None` where there is none.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Option<Self> {
        written_todos(conversation.entries()).map(Self::new)
    }

    /// The list as it is.
    #[must_use]
    pub fn list(&self) -> Vec<Todo> {
        let list = self.list.lock();
        list.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write(&self, input: Input) -> Result<ToolOutput, Refusal> {
        check(&input.todos)?;
        let open = input.todos.iter();
        let open = open.filter(|todo| todo.status != Progress::Completed);
        let report = format!(
            "The list is kept: {} items, {} still to be done.",
            input.todos.len(),
            open.count()
        );
        let list = self.list.lock();
        *list.unwrap_or_else(PoisonError::into_inner) = input.todos;
        Ok(ToolOutput::text(report))
    }
}

fn check(todos: &[Todo]) -> Result<(), Refusal> {
    if todos.len() > MOST {
        return Err(Refusal::new("todos", format!("more than {MOST} items")));
    }
    for (index, todo) in todos.iter().enumerate() {
        let what = format!("todos[{index}].content");
        if todo.content.trim().is_empty() {
            return Err(Refusal::new(&what, "it says nothing"));
        }
        if todo.content.chars().nth(LONGEST).is_some() {
            return Err(Refusal::new(
                &what,
                format!("more than {LONGEST} characters"),
            ));
        }
    }
    Ok(())
}

impl Tool for TodoWrite {
    fn name(&self) -> &'static str {
        "TodoWrite"
    }

    fn description(&self) -> &'static str {
        include_str!("todo_write/description.md").trim_ascii_end()
    }

    fn input_schema(&self) -> RawJson {
        input::schema(include_str!("todo_write/schema.json"))
    }

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        let written = input::read(input).and_then(|input| self.write(input));
        Box::pin(std::future::ready(written.unwrap_or_else(Into::into)))
    }
}
