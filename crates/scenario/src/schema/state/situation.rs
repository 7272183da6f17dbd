//! How things stand around the model.

use schemars::JsonSchema;

objects! {
    Selection {
        /// The file.
        path: String,
        /// The number of the first line, from 1.
        first_line: u32,
        /// The number of the last line.
        last_line: u32,
        /// What is selected.
        content: String,
    }
    OpenedFile {
        /// The file.
        path: String,
    }
    Diagnostics {
        /// The files that have diagnostics.
        files: Vec<FileDiagnostics>,
    }
    FileDiagnostics {
        /// The file.
        path: String,
        /// What was found, in the order in which it is to be listed.
        diagnostics: Vec<LineDiagnostic>,
    }
    LineDiagnostic {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// How bad it is.
        severity: Severity,
        /// What is wrong.
        message: String,
        /// Who found it, such as `rustc`.
        source: Option<String>,
        /// Its code there, such as `E0308`.
        code: Option<String>,
    }
    BackgroundTask {
        /// What the tools call it.
        id: String,
        /// What it is about.
        description: String,
        /// How it stands.
        status: TaskState,
    }
    Task {
        /// What the tools call it.
        id: String,
        /// What is to be done.
        subject: String,
        /// How far it is.
        status: Progress,
    }
    Todo {
        /// What is to be done.
        content: String,
        /// How far it is.
        status: Progress,
    }
    OutputStyle {
        /// Its name.
        name: String,
    }
    Plan {
        /// Whether it is on.
        is_on: bool,
        /// The file for the plan, the one that may be written.
        file: String,
        /// The plan, where the file is there.
        content: Option<String>,
    }
    Memories {
        /// The most relevant first.
        memories: Vec<Memory>,
    }
    Memory {
        /// Where it is kept.
        path: String,
        /// What it says.
        content: String,
        /// How many days ago it was written.
        age_days: u32,
    }
    Team {
        /// The name of the team.
        team: String,
        /// Who belongs to it.
        members: Vec<Member>,
        /// What the team has to do.
        #[schemars(default)]
        tasks: Vec<Task>,
    }
    Member {
        /// How to address it.
        name: String,
        /// What it is there for.
        role: Option<String>,
    }
    CriticalReminder {
        /// What the model reads.
        content: String,
    }
    TokenUsage {
        /// Tokens that are used.
        used: u64,
        /// Tokens that there are.
        total: u64,
    }
    Budget {
        /// What is spent, in cents of a US dollar.
        used_cents: u64,
        /// What may be spent, in cents of a US dollar.
        total_cents: u64,
    }
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Hook {
    /// It stopped the model.
    StoppedContinuation {
        /// Its name.
        hook: String,
        /// Why.
        message: String,
    },
    /// It has something to add.
    AdditionalContext {
        /// Its name.
        hook: String,
        /// What it says.
        texts: Vec<String>,
    },
    /// It answered later.
    AsyncResponse {
        /// What it says to everybody.
        system_message: Option<String>,
        /// What it says to the model.
        additional_context: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum TaskState {
    /// The user stopped it.
    Stopped,
    /// It goes on.
    Running {
        /// What it is, such as `agent` or `shell`.
        task_type: String,
        /// What it has done so far, where that is known.
        progress: Option<String>,
    },
    /// It is done.
    Completed {
        /// What it is, such as `agent` or `shell`.
        task_type: String,
        /// What it put out since it was last told of.
        delta: Option<String>,
        /// The file with all that it put out.
        output_file: Option<String>,
    },
    /// It gave up.
    Failed {
        /// What it is, such as `agent` or `shell`.
        task_type: String,
        /// What it put out since it was last told of.
        delta: Option<String>,
        /// The file with all that it put out.
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
