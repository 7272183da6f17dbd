//! The surroundings of the model: editor, tasks, team, limits.

use schemars::JsonSchema;

objects! {
    Selection {
        /// The path of the file.
        path: String,
        /// The number of the first line, 1-based.
        first_line: u32,
        /// The number of the last line.
        last_line: u32,
        /// The selected text.
        content: String,
    }
    OpenedFile {
        /// The path of the file.
        path: String,
    }
    Diagnostics {
        /// The files that have diagnostics.
        files: Vec<FileDiagnostics>,
    }
    FileDiagnostics {
        /// The path of the file.
        path: String,
        /// The diagnostics, in the order of the listing.
        diagnostics: Vec<LineDiagnostic>,
    }
    LineDiagnostic {
        /// The line, 1-based.
        line: u32,
        /// The column, 1-based.
        column: u32,
        /// Its severity.
        severity: Severity,
        /// The message.
        message: String,
        /// The program that reported it, such as `rustc`.
        source: Option<String>,
        /// Its code in that program, such as `E0308`.
        code: Option<String>,
    }
    BackgroundTask {
        /// Its id in the tools.
        id: String,
        /// Its description.
        description: String,
        /// Its state.
        status: TaskState,
    }
    Task {
        /// Its id in the tools.
        id: String,
        /// The task.
        subject: String,
        /// Its progress.
        status: Progress,
    }
    Todo {
        /// The task.
        content: String,
        /// Its progress.
        status: Progress,
    }
    OutputStyle {
        /// Its name.
        name: String,
    }
    Plan {
        /// Whether plan mode is on.
        is_on: bool,
        /// The file of the plan, the only one that may be written.
        file: String,
        /// The plan, if the file exists.
        content: Option<String>,
    }
    Memories {
        /// The notes, the most relevant first.
        memories: Vec<Memory>,
    }
    Memory {
        /// The path of the note.
        path: String,
        /// The added texts.
        content: String,
        /// The age of the note, in days.
        age_days: u32,
    }
    Team {
        /// The name of the team.
        team: String,
        /// The members of the team.
        members: Vec<Member>,
        /// The tasks of the team.
        #[schemars(default)]
        tasks: Vec<Task>,
    }
    Member {
        /// The address of the member.
        name: String,
        /// The role of the member.
        role: Option<String>,
    }
    CriticalReminder {
        /// The text for the model.
        content: String,
    }
    TokenUsage {
        /// The number of used tokens.
        used: u64,
        /// The total number of tokens.
        total: u64,
    }
    Budget {
        /// The spent money, in cents of a US dollar.
        used_cents: u64,
        /// The limit of spending, in cents of a US dollar.
        total_cents: u64,
    }
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Hook {
    /// The hook stopped the model.
    StoppedContinuation {
        /// Its name.
        hook: String,
        /// The reason.
        message: String,
    },
    /// The hook adds context.
    AdditionalContext {
        /// Its name.
        hook: String,
        /// The added texts.
        texts: Vec<String>,
    },
    /// The hook responded later.
    AsyncResponse {
        /// The message for the user and the model.
        system_message: Option<String>,
        /// The context for the model.
        additional_context: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum TaskState {
    /// The user stopped it.
    Stopped,
    /// The task is running.
    Running {
        /// The type of the task, such as `agent` or `shell`.
        task_type: String,
        /// The progress so far, if known.
        progress: Option<String>,
    },
    /// The task is completed.
    Completed {
        /// The type of the task, such as `agent` or `shell`.
        task_type: String,
        /// The output since the last report.
        delta: Option<String>,
        /// The file with the whole output.
        output_file: Option<String>,
    },
    /// The task failed.
    Failed {
        /// The type of the task, such as `agent` or `shell`.
        task_type: String,
        /// The output since the last report.
        delta: Option<String>,
        /// The file with the whole output.
        output_file: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum Progress {
    /// Not begun.
    Pending,
    /// Begun.
    #[schemars(rename = "in_progress")]
    Begun,
    /// Done.
    Completed,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

#[derive(Default, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub(super) struct SectionInputs {
    /// Whether somebody can answer the model while it works.
    attendance: Option<Attendance>,
    /// The names of tools that are switched off in this session.
    missing_tools: Vec<String>,
    /// Instructions for the model in use.
    model_override: Option<String>,
    /// The absolute path of the session's directory for temporary files.
    scratchpad: Option<String>,
    /// Set if the harness clears older tool results.
    function_result_clearing: Option<FunctionResultClearing>,
    /// Whether the model notes what it will need of a tool result.
    summarise_tool_results: bool,
    /// The number of output tokens that the task may use.
    token_budget: Option<u64>,
    /// Whether the user asked for brief answers.
    brief: bool,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Attendance {
    /// The user reads along and can be asked.
    Attended,
    /// Nobody answers before the work is done, as in CI.
    Unattended,
}

objects! {
    FunctionResultClearing {
        /// The number of latest results that always stay.
        kept: u32,
    }
}
