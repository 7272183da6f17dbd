//! An example for every kind of attachment, with its name in the README's
//! table.

mod files;

use aside_attachments::{
    AgentListing, AgentMention, AgentsDelta, AsyncHookResponse, Attachment, AutoMode, AutoModeExit,
    BudgetUsd, CompactionReminder, ContextEfficiency, ContextSection, CriticalSystemReminder,
    DateChange, Detail, DiagnosticSeverity, Diagnostics, EditedFile, FileDiagnostics,
    HookAdditionalContext, HookStoppedContinuation, InvokedSkill, InvokedSkills, LineDiagnostic,
    McpInstructionsDelta, McpServerInstructions, NestedMemory, OpenedFile, OutputStyle,
    PlanFileReference, PlanMode, PlanModeExit, PlanModeReentry, QueuedCommand, QueuedOrigin,
    RelevantMemories, RelevantMemory, SectionsDelta, SelectedLines, Skill, SkillDiscovery,
    SkillListing, Task, TaskEnd, TaskProgress, TaskReminder, TaskState, TaskStatus, TeamContext,
    TeamMember, Todo, TodoReminder, TokenUsage, ToolsDelta,
};

use files::{files, png};
pub(crate) use files::{pdf, text};

pub(crate) fn examples() -> Vec<(&'static str, Attachment)> {
    [
        files(),
        memories_and_editor(),
        lists_and_skills(),
        modes(),
        messages_and_tasks(),
        limits_and_time(),
        hooks_and_team(),
    ]
    .concat()
}

fn memories_and_editor() -> Vec<(&'static str, Attachment)> {
    let memory = |path: &str, age_days| RelevantMemory {
        path: path.into(),
        content: "The build needs Rust 1.95.".into(),
        age_days,
    };
    vec![
        (
            "nested_memory",
            Attachment::NestedMemory(NestedMemory {
                path: "/shop/web/CLAUDE.md".into(),
                content: "Use tabs.".into(),
                before: None,
                is_unused: false,
            }),
        ),
        (
            "relevant_memories",
            Attachment::RelevantMemories(RelevantMemories {
                memories: vec![memory("/notes/build.md", 1), memory("/notes/rust.md", 40)],
            }),
        ),
        (
            "selected_lines_in_ide",
            Attachment::SelectedLinesInIde(SelectedLines {
                path: "src/main.rs".into(),
                first_line: 3,
                last_line: 4,
                content: "run();\nstop();".into(),
            }),
        ),
        (
            "opened_file_in_ide",
            Attachment::OpenedFileInIde(OpenedFile { path: "src/main.rs".into() }),
        ),
        (
            "edited_text_file",
            Attachment::EditedTextFile(EditedFile {
                path: "src/main.rs".into(),
                diff: "@@ -1,3 +1,3 @@\n fn main() {\n-    run();\n+    run()?;\n }\n".into(),
            }),
        ),
        ("diagnostics", diagnostics()),
    ]
}

fn lists_and_skills() -> Vec<(&'static str, Attachment)> {
    let skills = || {
        vec![Skill {
            name: "release".into(),
            description: "Makes a release of the crate.".into(),
            path: None,
        }]
    };
    vec![
        ("todo_reminder", Attachment::TodoReminder(TodoReminder { todos: todos() })),
        ("todo_reminder, empty", Attachment::TodoReminder(TodoReminder { todos: vec![] })),
        ("task_reminder", Attachment::TaskReminder(TaskReminder { tasks: tasks() })),
        ("task_reminder, empty", Attachment::TaskReminder(TaskReminder { tasks: vec![] })),
        ("skill_listing", Attachment::SkillListing(SkillListing::new(skills()))),
        (
            "invoked_skills",
            Attachment::InvokedSkills(InvokedSkills {
                skills: vec![InvokedSkill {
                    name: "release".into(),
                    path: "/skills/release/SKILL.md".into(),
                    content: "1. Run the tests.\n2. Tag.".into(),
                }],
            }),
        ),
        ("skill_discovery", Attachment::SkillDiscovery(SkillDiscovery { skills: skills() })),
        ("output_style", Attachment::OutputStyle(OutputStyle { name: "Explanatory".into() })),
    ]
}

fn modes() -> Vec<(&'static str, Attachment)> {
    let plan_file = "/plans/shop.md".to_owned();
    let plan = |detail, exists| {
        Attachment::PlanMode(PlanMode { detail, plan_file: Some(plan_file.clone()), exists })
    };
    let plan_without_file =
        |detail| Attachment::PlanMode(PlanMode { detail, plan_file: None, exists: false });
    vec![
        ("plan_mode: full", plan(Detail::Full, false)),
        ("plan_mode: sparse", plan(Detail::Sparse, true)),
        ("plan_mode: full, no file", plan_without_file(Detail::Full)),
        ("plan_mode: sparse, no file", plan_without_file(Detail::Sparse)),
        (
            "plan_mode_reentry",
            Attachment::PlanModeReentry(PlanModeReentry { plan_file: plan_file.clone() }),
        ),
        (
            "plan_mode_exit",
            Attachment::PlanModeExit(PlanModeExit { plan_file: Some(plan_file.clone()) }),
        ),
        ("plan_mode_exit, no file", Attachment::PlanModeExit(PlanModeExit { plan_file: None })),
        (
            "plan_file_reference",
            Attachment::PlanFileReference(PlanFileReference {
                path: plan_file,
                content: "1. Split the parser.".into(),
            }),
        ),
        ("auto_mode: full", Attachment::AutoMode(AutoMode { detail: Detail::Full })),
        ("auto_mode: sparse", Attachment::AutoMode(AutoMode { detail: Detail::Sparse })),
        ("auto_mode_exit", Attachment::AutoModeExit(AutoModeExit {})),
        (
            "critical_system_reminder",
            Attachment::CriticalSystemReminder(CriticalSystemReminder::from_outside(
                "The disk is full.",
            )),
        ),
    ]
}

fn messages_and_tasks() -> Vec<(&'static str, Attachment)> {
    let queued = |text: &str, origin| Attachment::QueuedCommand(QueuedCommand::new(text, origin));
    let channel = QueuedOrigin::Channel { server: "chat".into() };
    let with_image = QueuedCommand {
        images: vec![png()],
        ..QueuedCommand::new("Like this", QueuedOrigin::Human)
    };
    let end = || TaskEnd {
        task_type: "agent".into(),
        delta: Some("Two tests fail.".into()),
        output_file: Some("/tmp/t1.output".into()),
    };
    let running =
        TaskState::Running { task_type: "agent".into(), progress: Some("Read 12 files.".into()) };
    vec![
        ("queued_command: human", queued("Skip the tests", QueuedOrigin::Human)),
        ("queued_command: human, with an image", Attachment::QueuedCommand(with_image)),
        (
            "queued_command: task_notification",
            queued("Lint is green", QueuedOrigin::TaskNotification),
        ),
        ("queued_command: coordinator", queued("Hurry", QueuedOrigin::Coordinator)),
        ("queued_command: channel", queued("Delete it all", channel)),
        (
            "agent_mention",
            Attachment::AgentMention(AgentMention { agent_type: "reviewer".into(), path: None }),
        ),
        ("task_status: stopped", task(TaskState::Stopped)),
        ("task_status: running", task(running)),
        ("task_status: completed", task(TaskState::Completed(end()))),
        ("task_status: failed", task(TaskState::Failed(end()))),
    ]
}

fn limits_and_time() -> Vec<(&'static str, Attachment)> {
    vec![
        ("context_efficiency", Attachment::ContextEfficiency(ContextEfficiency {})),
        ("compaction_reminder", Attachment::CompactionReminder(CompactionReminder {})),
        ("token_usage", Attachment::TokenUsage(TokenUsage { used: 50_000, total: 200_000 })),
        ("budget_usd", Attachment::BudgetUsd(BudgetUsd { used_cents: 1_205, total_cents: 2_000 })),
        ("date_change", Attachment::DateChange(DateChange { date: "2026-02-01".into() })),
    ]
}

fn hooks_and_team() -> Vec<(&'static str, Attachment)> {
    vec![
        (
            "hook_stopped_continuation",
            Attachment::HookStoppedContinuation(HookStoppedContinuation {
                hook: "PostToolUse".into(),
                message: "the build is broken".into(),
            }),
        ),
        (
            "hook_additional_context",
            Attachment::HookAdditionalContext(HookAdditionalContext {
                hook: "SessionStart".into(),
                texts: vec!["Ticket 17 is open.".into(), "So is 18.".into()],
            }),
        ),
        (
            "async_hook_response",
            Attachment::AsyncHookResponse(AsyncHookResponse {
                system_message: Some("The deployment is through.".into()),
                additional_context: Some("Version 1.2 is live.".into()),
            }),
        ),
        (
            "team_context",
            Attachment::TeamContext(TeamContext {
                team: "shop".into(),
                members: vec![TeamMember {
                    name: "tester".into(),
                    role: Some("runs the tests".into()),
                }],
                tasks: tasks(),
            }),
        ),
        (
            "tools_delta",
            Attachment::ToolsDelta(ToolsDelta {
                added: vec!["mcp__docs__search".into()],
                removed: vec!["mcp__mail__send".into()],
            }),
        ),
        (
            "agents_delta",
            Attachment::AgentsDelta(AgentsDelta {
                added: vec![AgentListing {
                    agent_type: "reviewer".into(),
                    description: "Reviews a diff.".into(),
                }],
                removed: vec!["tester".into()],
            }),
        ),
        (
            "mcp_instructions_delta",
            Attachment::McpInstructionsDelta(McpInstructionsDelta {
                added: vec![McpServerInstructions {
                    server: "docs".into(),
                    instructions: "Search before you fetch.".into(),
                }],
                removed: vec!["mail".into()],
            }),
        ),
        (
            "sections_delta",
            Attachment::SectionsDelta(SectionsDelta {
                changed: vec![ContextSection {
                    name: "deployment".into(),
                    text: "The staging cluster is down.\n".into(),
                }],
                removed: vec!["on_call".into()],
            }),
        ),
    ]
}

fn diagnostics() -> Attachment {
    let found =
        |line, severity, message: &str, source: Option<&str>, code: Option<&str>| LineDiagnostic {
            line,
            column: 5,
            severity,
            message: message.into(),
            source: source.map(Into::into),
            code: code.map(Into::into),
        };
    let main = vec![
        found(3, DiagnosticSeverity::Error, "mismatched types", Some("rustc"), Some("E0308")),
        found(9, DiagnosticSeverity::Warning, "unused\nvariable", Some("rustc"), None),
    ];
    let lib = vec![
        found(1, DiagnosticSeverity::Info, "consider a slice", None, Some("ptr_arg")),
        found(2, DiagnosticSeverity::Hint, "inlay", None, None),
    ];
    let file = |path: &str, diagnostics| FileDiagnostics { path: path.into(), diagnostics };
    Attachment::Diagnostics(Diagnostics {
        files: vec![file("src/main.rs", main), file("src/lib.rs", lib)],
    })
}

fn todos() -> Vec<Todo> {
    let todo = |content: &str, status| Todo { content: content.into(), status };
    vec![
        todo("Read the parser", TaskProgress::Completed),
        todo("Split it", TaskProgress::InProgress),
        todo("Write tests", TaskProgress::Pending),
    ]
}

fn tasks() -> Vec<Task> {
    vec![Task {
        id: "7".into(),
        subject: "Split the parser".into(),
        status: TaskProgress::InProgress,
    }]
}

fn task(status: TaskState) -> Attachment {
    Attachment::TaskStatus(TaskStatus {
        id: "t1".into(),
        description: "Run the tests".into(),
        status,
    })
}
