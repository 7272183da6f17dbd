//! Task lists that the model keeps with tools.

use aside_messages::folded;
use serde::{Deserialize, Serialize};

use crate::trust::Trust;

/// Reminds of the TodoWrite tool and its list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodoReminder {
    /// The list; may be empty.
    pub todos: Vec<Todo>,
}

/// An item in a [`TodoReminder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What the item is about.
    pub content: String,
    /// Its progress.
    pub status: TaskProgress,
}

/// Reminds of the TaskCreate and TaskUpdate tools and their list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReminder {
    /// The list; may be empty.
    pub tasks: Vec<Task>,
}

/// A task in a [`TaskReminder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its id for the tools.
    pub id: String,
    /// What the task is about.
    pub subject: String,
    /// Its progress.
    pub status: TaskProgress,
}

aside_text::names! {
    /// How far a list item has come.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum TaskProgress {
        /// Not started.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

impl TodoReminder {
    /// The model wrote the items.
    pub(crate) fn trust(&self) -> Trust {
        trust_of_list(&self.todos)
    }

    pub(crate) fn into_draft(self) -> String {
        let mut body = "The TodoWrite tool has not been used for a while. If the work has several \
                        steps, keep its list up to date: mark what is done, add new steps, and \
                        remove those that no longer apply. If a list would not help, continue \
                        without one."
            .to_owned();
        let lines = self.todos.iter().enumerate().map(|(index, todo)| {
            let number = (index + 1).to_string();
            line(&number, todo.status, &todo.content)
        });
        append_list(&mut body, "The current list:", lines.collect());
        body
    }
}

impl TaskReminder {
    /// The model wrote the tasks.
    pub(crate) fn trust(&self) -> Trust {
        trust_of_list(&self.tasks)
    }

    pub(crate) fn into_draft(self) -> String {
        let mut body = "The task tools have not been used for a while. If the work has several \
                        steps, keep the tasks up to date: use TaskCreate for new steps, and \
                        TaskUpdate when a step is started or done. If a list would not help, \
                        continue without one."
            .to_owned();
        let lines = self.tasks.iter().map(Task::line).collect();
        append_list(&mut body, "The current tasks:", lines);
        body
    }
}

impl Task {
    /// Such as `7. [pending] Write the tests`.
    pub(crate) fn line(&self) -> String {
        line(&folded(&self.id), self.status, &self.subject)
    }
}

fn trust_of_list<T>(items: &[T]) -> Trust {
    if items.is_empty() { Trust::Harness } else { Trust::Outside }
}

fn line(number: &str, status: TaskProgress, text: &str) -> String {
    format!("{number}. [{}] {}", status.as_str(), folded(text))
}

/// Appends a list below its heading; nothing if it is empty.
fn append_list(body: &mut String, heading: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        body.push_str(&format!("\n\n{heading}\n{}", lines.join("\n")));
    }
}
