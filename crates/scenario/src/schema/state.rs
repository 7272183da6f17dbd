//! The form of a session's state. `tests/state_schema.rs` holds it and the
//! reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::Value;

/// How things stand that Aside does not find out itself. Everything may be
/// left out; of what is left out nothing is told, not even that it ended.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "The state of a session")]
pub(super) struct State {
    /// The skills that can be used, in the order in which they are listed.
    #[schemars(default)]
    skills: Vec<Skill>,
    /// Skills that were used, the last one first; told after a compaction.
    #[schemars(default)]
    invoked_skills: Vec<InvokedSkill>,
    /// Skills that would fit what is being done.
    fitting_skills: Option<FittingSkills>,
    /// The agents that can be started.
    agents: Option<Vec<Agent>>,
    /// The MCP servers that are connected.
    mcp_servers: Option<Vec<McpServer>>,
    /// What hooks said.
    #[schemars(default)]
    hooks: Vec<Hook>,
    /// What the user selected in the editor.
    selection: Option<Selection>,
    /// The file that the user opened in the editor.
    opened_file: Option<OpenedFile>,
    /// What language servers found.
    diagnostics: Option<Diagnostics>,
    /// The tasks in the background.
    #[schemars(default)]
    background_tasks: Vec<BackgroundTask>,
    /// The list of TaskCreate and TaskUpdate.
    #[schemars(default)]
    tasks: Vec<Task>,
    /// The list of TodoWrite.
    #[schemars(default)]
    todos: Vec<Todo>,
    /// The output style that is active.
    output_style: Option<OutputStyle>,
    /// Plan mode.
    plan: Option<Plan>,
    /// Whether auto mode is on.
    auto_mode: Option<bool>,
    /// Whether the conversation is compacted before the context is full.
    #[schemars(default)]
    automatic_compaction: bool,
    /// How many tokens the model's context holds.
    context_window: Option<u64>,
    /// Notes from before that fit the task.
    relevant_memories: Option<Memories>,
    /// Whom the model works with.
    team: Option<Team>,
    /// What must not be missed.
    critical_reminder: Option<CriticalReminder>,
    /// How much of the context is used.
    token_usage: Option<TokenUsage>,
    /// How much money is spent.
    budget: Option<Budget>,
}

/// Defines objects that refuse keys which they do not know.
macro_rules! objects {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            #[derive(JsonSchema)]
            #[schemars(deny_unknown_fields)]
            struct $name { $($(#[$meta])* $field: $type,)* }
        )*
    };
}

objects! {
    Skill { name: String, description: String, }
    InvokedSkill { name: String, path: String, content: String, }
    FittingSkills { skills: Vec<Skill>, }
    Agent { agent_type: String, description: String, }
    McpServer {
        name: String,
        /// How its tools are to be used.
        instructions: Option<String>,
        #[schemars(default)]
        tools: Vec<McpTool>,
        /// Those that a prompt can mention, `@server:uri`.
        #[schemars(default)]
        resources: Vec<Resource>,
    }
    McpTool {
        /// By which the model calls it, such as `mcp__docs__search`.
        name: String,
        #[schemars(default)]
        description: String,
        /// The JSON Schema of its input; any object, if left out.
        input_schema: Option<Value>,
        /// Whether the model sees it only after a search for it.
        #[schemars(default)]
        defer_loading: bool,
    }
    Resource {
        uri: String,
        name: String,
        #[schemars(default)]
        contents: Vec<Content>,
    }
    Selection { path: String, first_line: u32, last_line: u32, content: String, }
    OpenedFile { path: String, }
    Diagnostics { files: Vec<FileDiagnostics>, }
    FileDiagnostics { path: String, diagnostics: Vec<LineDiagnostic>, }
    LineDiagnostic {
        line: u32,
        column: u32,
        severity: Severity,
        message: String,
        source: Option<String>,
        code: Option<String>,
    }
    BackgroundTask { id: String, description: String, status: TaskState, }
    Task { id: String, subject: String, status: Progress, }
    Todo { content: String, status: Progress, }
    OutputStyle { name: String, }
    Plan {
        is_on: bool,
        file: String,
        /// The plan, where the file is there.
        content: Option<String>,
    }
    Memories { memories: Vec<Memory>, }
    Memory { path: String, content: String, age_days: u32, }
    Team {
        team: String,
        members: Vec<Member>,
        #[schemars(default)]
        tasks: Vec<Task>,
    }
    Member { name: String, role: Option<String>, }
    CriticalReminder { content: String, }
    TokenUsage { used: u64, total: u64, }
    Budget { used_cents: u64, total_cents: u64, }
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Hook {
    /// It stopped the model.
    StoppedContinuation { hook: String, message: String },
    /// It has something to add.
    AdditionalContext { hook: String, texts: Vec<String> },
    /// It answered later.
    AsyncResponse {
        system_message: Option<String>,
        additional_context: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Content {
    /// Text.
    Text { text: String },
    /// Something else, for which a placeholder is sent.
    Blob {
        media_type: Option<String>,
        bytes: u64,
    },
}

#[derive(JsonSchema)]
#[schemars(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
enum TaskState {
    /// The user stopped it.
    Stopped,
    /// It goes on.
    Running {
        task_type: String,
        progress: Option<String>,
    },
    /// It is done.
    Completed {
        task_type: String,
        delta: Option<String>,
        output_file: Option<String>,
    },
    /// It gave up.
    Failed {
        task_type: String,
        delta: Option<String>,
        output_file: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Progress {
    Pending,
    #[schemars(rename = "in_progress")]
    Begun,
    Completed,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}
