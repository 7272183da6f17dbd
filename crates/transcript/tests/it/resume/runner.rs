//! Plays a script, and records its notes and entries.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aside_agent::{Journal, SentRequest};
use aside_attachments::{
    HookAdditionalContext, InvokedSkill, LineRange, OpenedFile, Skill, TaskState, TaskStatus,
};
use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{RawJson, Role, Tool};
use aside_prompt_sections::{Lifetime, OsKind, Section, SessionDate, uncached_section};
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule};
use aside_session::{
    FileIdentity, FileRead, Files, Git, HookOutput, McpServer, McpTool, MentionError, Mentioned,
    Plan, ReadExtent, Session, SessionConfig, SessionState, SessionTime, SessionTool, ToolOrigin,
};
use aside_transcript::{Contents, Owner, SessionFile, TranscriptErrorKind, resume};
use uuid::Uuid;

use crate::resume::step::{State, Step};

pub(crate) struct Runner {
    dir: PathBuf,
    session: Session,
    conversation: Conversation,
    log: SessionFile,
    written: usize,
    now: Now,
    is_open: bool,
    /// Every request that was prepared, or why it could not be.
    pub(crate) requests: Vec<String>,
}

#[derive(Clone)]
struct Now {
    layout: Layout,
    state: SessionState,
    date: Option<SessionDate>,
    elapsed: Duration,
}

#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn mentioned(&self, _: &str, _: Option<LineRange>) -> Result<Option<Mentioned>, MentionError> {
        Ok(None)
    }

    fn changed(&self, then: &FileRead) -> Option<FileRead> {
        let now = read(&then.path)?;
        (now.text != then.text).then_some(now)
    }
}

fn read(path: &Path) -> Option<FileRead> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(FileRead {
        path: path.to_owned(),
        identity: FileIdentity::Path(path.to_owned()),
        modified: None,
        stamp: None,
        extent: ReadExtent::Whole,
        text: Some(text.into()),
    })
}

/// Opens the transcript. While another test spawns a program, that program briefly holds this
/// test's files and their locks.
fn reopen(path: &Path) -> (SessionFile, Contents) {
    loop {
        match SessionFile::open(path, Owner::Session) {
            Err(error) if error.kind() == TranscriptErrorKind::Locked => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

pub(crate) fn make_tree(dir: &Path) {
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir.join("web/deep")).unwrap();
    std::fs::create_dir_all(dir.join(".claude/rules")).unwrap();
    let files = [
        ("CLAUDE.md", "Use tabs."),
        ("web/CLAUDE.md", "Use two spaces."),
        (".claude/rules/rust.md", "---\npaths: '**/*.rs'\n---\nNo unwrap."),
        ("a.txt", "one\n"),
        ("web/b.txt", "one\n"),
        ("web/deep/c.rs", "one\n"),
    ];
    for (path, text) in files {
        std::fs::write(dir.join(path), text).unwrap();
    }
}

fn config(dir: &Path, now: &Now) -> SessionConfig {
    let date = now.date.unwrap_or("2026-01-31".parse().unwrap());
    let loader = Loader::new(Dirs::default());
    let mut config = SessionConfig::new(dir.to_owned(), OsKind::Linux, loader, date);
    config.layout = now.layout;
    config.git = Git::Skip;
    config.lower.tag_ids = true;
    config.state = now.state.clone();
    config.time = now.time();
    let todo = Tool::new("TodoWrite", "", RawJson::parse(r#"{"type":"object"}"#).unwrap());
    config.tools = vec![SessionTool { origin: ToolOrigin::Builtin, tool: todo }];
    config.sections = vec![
        in_file(dir, "cluster", Lifetime::Project),
        in_file(dir, "deployment", Lifetime::Session),
    ];
    let reminders = Manager::new();
    let persistent = |id: &str, schedule| Reminder {
        delivery: ReminderDelivery::Persistent,
        ..Reminder::new(id, "{{turn}} {{now}} {{date}}", schedule)
    };
    reminders.register(persistent("once", Schedule::ONESHOT));
    reminders.register(persistent("turn", Schedule::every_turns(3)));
    reminders.register(persistent("timer", Schedule::every(Duration::from_secs(300))));
    let thrice = Schedule { max_fires: 3, ..Schedule::ALWAYS };
    reminders.register(Reminder::new("ephemeral", "{{turn}}", thrice));
    config.reminders = Arc::new(reminders);
    config
}

/// Creates a section that shows a file, as long as the file exists. A section
/// called `broken` cannot be computed.
fn in_file(dir: &Path, name: &'static str, lifetime: Lifetime) -> Section {
    let path = dir.join(name);
    let compute = move || {
        let text = std::fs::read_to_string(&path).ok();
        async move {
            match text {
                Some(text) if text == "broken" => Err("it is broken".into()),
                text => Ok(text),
            }
        }
    };
    uncached_section(name, lifetime, compute, "it changes midway")
}

impl Now {
    fn time(&self) -> SessionTime {
        SessionTime {
            now: Some(format!("{} min", self.elapsed.as_secs() / 60)),
            elapsed: self.elapsed,
            since_epoch: Some(self.elapsed),
        }
    }
}

impl Runner {
    pub(crate) async fn open(dir: &Path, layout: Layout) -> Self {
        let now =
            Now { layout, state: SessionState::default(), date: None, elapsed: Duration::ZERO };
        let session = Session::open(config(dir, &now)).await;
        let conversation = session.begin(Uuid::nil());
        let path = dir.join("transcript.jsonl");
        let mut runner = Self {
            dir: dir.to_owned(),
            session,
            conversation,
            log: SessionFile::create(&path).unwrap(),
            written: 0,
            now,
            is_open: false,
            requests: Vec::new(),
        };
        runner.write();
        runner
    }

    /// Ends the process, and resumes the session in another one.
    pub(crate) fn resume(self) -> Self {
        let Self { dir, now, requests, .. } = self;
        drop((self.session, self.conversation, self.log));
        let (transcript, contents) = reopen(&dir.join("transcript.jsonl"));
        let resumed = resume(&contents, Uuid::nil()).unwrap().unwrap();
        let mut conversation = resumed.conversation;
        let written = conversation.entries().len();
        let session = Session::resume(config(&dir, &now), resumed.state, &mut conversation);
        let mut runner = Self {
            dir,
            session,
            conversation,
            log: transcript,
            written,
            now,
            is_open: false,
            requests,
        };
        runner.write();
        runner
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Aborts the open request, as a loop does, unless `step` responds to it.
    pub(crate) fn settle_before(&mut self, step: Step) {
        if self.is_open && !matches!(step, Step::Answer | Step::Call) {
            self.conversation.push(EntryDraft::aborted());
            self.is_open = false;
            self.write();
        }
    }

    pub(crate) async fn play(&mut self, step: Step) {
        match step {
            Step::Say(text) => {
                self.conversation.push(EntryDraft::human(text));
            }
            Step::Answer => self.answer(vec![Part::text("done")]),
            Step::Call => {
                self.answer(vec![Part::tool_use("1", "TodoWrite", "{}")]);
                let result = vec![Part::tool_result("1", "ok")];
                let result = EntryDraft::message(Role::User, Origin::Human, result);
                self.conversation.push(result);
            }
            Step::Read(path) => {
                let reads: Vec<_> = read(&self.dir.join(path)).into_iter().collect();
                let _ = self.session.note_reads(&reads).await;
            }
            Step::Write(path, text) => std::fs::write(self.dir.join(path), text).unwrap(),
            Step::Look => {
                let _ = self.session.detect_external_edits(Arc::new(Disk)).await;
            }
            Step::State(state) => {
                self.now.state = self::state(state);
                let _ = self.session.set_state(self.now.state.clone());
            }
            Step::Date(date) => {
                let date = date.parse().unwrap();
                self.now.date = Some(date);
                self.session.set_date(date);
            }
            Step::Minutes(minutes) => {
                self.now.elapsed += Duration::from_secs(60 * minutes);
                self.session.set_time(self.now.time());
            }
            Step::Compact => {
                let summary = "They went on.";
                let _ = self.session.compact(&mut self.conversation, summary).await;
            }
            Step::Clear => {
                let _ = self.session.clear(&mut self.conversation).await;
            }
            Step::Send => self.send().await,
            Step::Drop => {
                let _ = self.session.refresh().await;
                drop(self.session.prepare(&self.conversation));
            }
        }
        self.write();
    }

    fn answer(&mut self, parts: Vec<Part>) {
        let model = Origin::Model { provider: "p".into(), name: "m".into() };
        let answer = EntryDraft::message(Role::Assistant, model, parts);
        self.conversation.push(answer);
        self.is_open = false;
    }

    async fn send(&mut self) {
        let _ = self.session.refresh().await;
        let turn = self.session.turn();
        let mut prepared = match self.session.prepare(&self.conversation) {
            Ok(prepared) => prepared,
            Err(error) => return self.requests.push(error.to_string()),
        };
        let body = prepared.body.to_vec();
        prepared.commit(&mut self.conversation);
        let counters = self.session.reminder_counters();
        let sent = SentRequest::new(turn, self.session.time(), &counters, &prepared.body);
        self.log.sent(&sent).unwrap();
        self.is_open = true;
        self.requests.push(String::from_utf8(body).unwrap());
    }

    fn write(&mut self) {
        for note in self.session.take_notes(&self.conversation) {
            self.log.note(&note).unwrap();
        }
        let new = &self.conversation.entries()[self.written..];
        self.log.entries(new).unwrap();
        self.written = self.conversation.entries().len();
    }
}

fn state(state: State) -> SessionState {
    let plan = |is_on| {
        Some(Plan {
            is_on,
            file: "/plan.md".into(),
            content: Some("First this, then that.".into()),
        })
    };
    match state {
        State::Nothing => SessionState::default(),
        State::Planning => {
            SessionState { plan: plan(true), auto_mode: Some(false), ..SessionState::default() }
        }
        State::PlanEnded => SessionState {
            plan: plan(false),
            auto_mode: Some(true),
            mcp_servers: Some(vec![]),
            ..SessionState::default()
        },
        State::Servers => SessionState {
            mcp_servers: Some(vec![McpServer {
                name: "docs".into(),
                instructions: Some("Search first.".into()),
                tools: vec![McpTool {
                    name: "mcp__docs__search".into(),
                    description: "Searches".into(),
                    input_schema: Some(RawJson::parse(r#"{ "type" : "object" }"#).unwrap()),
                    defer_loading: false,
                }],
                resources: vec![],
            }]),
            agents: Some(vec![]),
            ..SessionState::default()
        },
        State::Busy => SessionState {
            skills: vec![Skill {
                name: "release".into(),
                description: "Makes a release".into(),
                path: None,
            }],
            invoked_skills: vec![InvokedSkill {
                name: "release".into(),
                path: "/skills/release".into(),
                content: "Tag it.".into(),
            }],
            hooks: vec![HookOutput::AdditionalContext(HookAdditionalContext {
                hook: "lint".into(),
                texts: vec!["clean".into()],
            })],
            opened_file: Some(OpenedFile { path: "/a.txt".into() }),
            background_tasks: vec![TaskStatus {
                id: "t1".into(),
                description: "build".into(),
                status: TaskState::Running { task_type: "shell".into(), progress: None },
            }],
            ..SessionState::default()
        },
    }
}
