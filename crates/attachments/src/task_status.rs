use std::fmt::Write as _;

use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use crate::no_fields::no_fields;

/// A background task's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskStatus {
    /// The task's id.
    pub id: String,
    /// What the task does, in a few words.
    pub description: String,
    /// Its state.
    pub status: TaskState,
}

/// The state of a task in a [`TaskStatus`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum TaskState {
    /// The user stopped the task.
    #[serde(deserialize_with = "no_fields")]
    Stopped,
    /// The task is still running.
    Running {
        /// The task's type, such as `agent` or `shell`.
        task_type: String,
        /// Its progress, if known.
        #[serde(default)]
        progress: Option<String>,
    },
    /// The task has completed.
    Completed(TaskEnd),
    /// The task has failed.
    Failed(TaskEnd),
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskEnd {
    /// The task's type, such as `agent` or `shell`.
    pub task_type: String,
    /// The output since the last status.
    #[serde(default)]
    pub delta: Option<String>,
    /// The file with the whole output.
    #[serde(default)]
    pub output_file: Option<String>,
}

impl TaskStatus {
    pub(crate) fn into_draft(self) -> String {
        let task = format!("Task \"{}\" ({})", folded(&self.description), one_line(&self.id));
        match &self.status {
            TaskState::Stopped => format!("{task} was stopped by the user."),
            TaskState::Running { task_type, progress } => {
                running(&task, task_type, progress.as_deref())
            }
            TaskState::Completed(end) => end.text(&task, "completed"),
            TaskState::Failed(end) => end.text(&task, "failed"),
        }
    }
}

fn running(task: &str, task_type: &str, progress: Option<&str>) -> String {
    let task_type = one_line(task_type);
    let mut body = format!(
        "{task} of type {task_type} is still running. Do not start it again: you get a message \
         when it ends."
    );
    if let Some(progress) = progress.filter(|it| !it.trim().is_empty()) {
        body.push_str("\n\nIts progress so far:\n");
        body.push_str(progress);
    }
    body
}

impl TaskEnd {
    fn text(&self, task: &str, status: &str) -> String {
        let task_type = one_line(&self.task_type);
        let mut body = format!("{task} of type {task_type} ended with the status {status}.");
        if let Some(delta) = self.delta.as_deref().filter(|it| !it.trim().is_empty()) {
            // Writing to a string cannot fail.
            let _ = write!(body, "\n\nIts output since the last report:\n{delta}");
        }
        if let Some(file) = &self.output_file {
            let file = one_line(file);
            let _ = write!(body, "\n\nThe whole output is in {file}: read it with the Read tool.");
        }
        body
    }
}
