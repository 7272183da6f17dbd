//! The tool `TodoWrite`. The list lives in the tool and in the conversation: a
//! resumed session takes the last list that the model wrote.

use std::sync::{Arc, Mutex, PoisonError};

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_attachments::cadence::written_todos;
use aside_attachments::{TaskProgress, Todo};
use aside_messages::conversation::Conversation;
use aside_messages::wire::RawJson;
use serde::Deserialize;

use crate::definitions::TODO_WRITE;
use crate::implementations::described::described_by;
use crate::implementations::input;
use crate::refusal::Refusal;

const MAX_ITEMS: usize = 200;
const MAX_ITEM_CHARS: usize = 1_000;

/// Keeps the model's to-do list. Clones share one list.
///
/// Input: `todos`, which replaces the list: at most 200 items, each with a
/// `content` (1 to 1,000 characters) and a `status` (`pending`, `in_progress`
/// or `completed`). To end the list, send an empty one.
///
/// ```
/// use aside_agent::Tool;
/// use aside_messages::wire::RawJson;
/// use aside_tools::{TaskProgress, TodoWrite};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool = TodoWrite::default();
/// let input = r#"{"todos":[{"content":"Write the test","status":"in_progress"}]}"#;
/// let output = tool.call(&RawJson::parse(input)?).await;
/// assert!(!output.is_error);
/// assert_eq!(tool.list()[0].status, TaskProgress::InProgress);
/// # Ok(())
/// # }
/// ```
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
    /// Creates the tool with an existing list.
    #[must_use]
    pub fn new(list: Vec<Todo>) -> Self {
        Self { list: Arc::new(Mutex::new(list)) }
    }

    /// Creates the tool with the last list in a conversation, even if it was
    /// compacted since; `None` if there is no list.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Option<Self> {
        written_todos(conversation.entries()).map(Self::new)
    }

    /// Returns the current list.
    #[must_use]
    pub fn list(&self) -> Vec<Todo> {
        let list = self.list.lock();
        list.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write(&self, input: Input) -> Result<ToolOutput, Refusal> {
        check(&input.todos)?;
        let open = input.todos.iter().filter(|todo| todo.status != TaskProgress::Completed);
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

/// Checks a list; the refusal has the item's index.
fn check(todos: &[Todo]) -> Result<(), Refusal> {
    if todos.len() > MAX_ITEMS {
        return Err(Refusal::new("todos", format!("more than {MAX_ITEMS} items")));
    }
    for (index, todo) in todos.iter().enumerate() {
        let what = format!("todos[{index}].content");
        if todo.content.trim().is_empty() {
            return Err(Refusal::new(&what, "it says nothing"));
        }
        if todo.content.chars().nth(MAX_ITEM_CHARS).is_some() {
            return Err(Refusal::new(&what, format!("more than {MAX_ITEM_CHARS} characters")));
        }
    }
    Ok(())
}

impl Tool for TodoWrite {
    described_by!(TODO_WRITE);

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        let written = input::read(input).and_then(|input| self.write(input));
        Box::pin(std::future::ready(written.unwrap_or_else(Into::into)))
    }
}
