//! The lists of what is to be done.

use aside_messages::conversation::EntryDraft;
use aside_messages::folded;
use serde::{Deserialize, Serialize};

use crate::draft::reminder;

/// The list of TodoWrite, brought back to mind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodoReminder {
    /// The list as it is.
    pub todos: Vec<Todo>,
}

/// An item of a [`TodoReminder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: Progress,
}

/// The list of TaskCreate and TaskUpdate, brought back to mind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReminder {
    /// The list as it is.
    pub tasks: Vec<Task>,
}

/// An item of a [`TaskReminder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What the tools call it.
    pub id: String,
    /// What is to be done.
    pub subject: String,
    /// How far it is.
    pub status: Progress,
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

impl TodoReminder {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let mut body = "The TodoWrite tool has not been used for a while. If the work has several \
                        steps, keep its list up to date: mark what is done, add what turned up, \
                        and take out what no longer counts. If a list would not help, go on \
                        without one."
            .to_owned();
        let lines = self.todos.iter().enumerate().map(|(index, todo)| {
            let number = (index + 1).to_string();
            line(&number, todo.status, &todo.content)
        });
        append_list(&mut body, "The list as it is:", lines.collect());
        reminder(kind, body)
    }
}

impl TaskReminder {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let mut body = "The task tools have not been used for a while. If the work has several \
                        steps, keep the tasks up to date: TaskCreate for what turned up, \
                        TaskUpdate when something is begun or done. If a list would not help, go \
                        on without one."
            .to_owned();
        let lines = self.tasks.iter().map(Task::line).collect();
        append_list(&mut body, "The tasks as they are:", lines);
        reminder(kind, body)
    }
}

impl Task {
    /// `7. [pending] Write the tests`
    pub(crate) fn line(&self) -> String {
        line(&folded(&self.id), self.status, &self.subject)
    }
}

fn line(number: &str, status: Progress, text: &str) -> String {
    format!("{number}. [{}] {}", status.name(), folded(text))
}

fn append_list(body: &mut String, heading: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        body.push_str(&format!("\n\n{heading}\n{}", lines.join("\n")));
    }
}

impl Progress {
    fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}
