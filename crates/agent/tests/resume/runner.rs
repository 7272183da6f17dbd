//! Plays a script, and writes down what has to be.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aside_agent::{
    FileIdentity, FileRead, Files, Git, HookOutput, McpServer, McpTool, Mentioned, Note, Past,
    Plan, ReadExtent, Session, SessionConfig, SessionState, SessionTime, SessionTool, ToolOrigin,
};
use aside_attachments::{
    HookAdditionalContext, InvokedSkill, LineRange, OpenedFile, Skill, TaskState, TaskStatus,
};
use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{RawJson, Role, Tool};
use aside_prompt_sections::{Lifetime, Platform, Section, SessionDate, uncached_section};
use aside_reminder::{Delivery, Manager, Reminder, Schedule};
use aside_transcript::{BodyHash, Record, Sent, Transcript};
use serde::Serialize;
use uuid::Uuid;

use crate::step::{State, Step};

pub(crate) struct Runner {
    dir: PathBuf,
    session: Session,
    conversation: Conversation,
    transcript: Transcript,
    written: usize,
    now: Now,
    /// Of every request that was asked for, or why there was none.
    pub(crate) requests: Vec<String>,
}

/// What the harness knows itself.
#[derive(Clone)]
struct Now {
    layout: Layout,
    state: SessionState,
    date: Option<SessionDate>,
    elapsed: Duration,
}

/// Files as they are on disk.
#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn mentioned(&self, _: &str, _: Option<LineRange>) -> Option<Mentioned> {
        None
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
        extent: ReadExtent::Whole,
        text: Some(text.into()),
    })
}

/// Makes the tree anew.
pub(crate) fn make_tree(dir: &Path) {
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir.join("web/deep")).unwrap();
    std::fs::create_dir_all(dir.join(".claude/rules")).unwrap();
    let files = [
        ("CLAUDE.md", "Use tabs."),
        ("web/CLAUDE.md", "Use two spaces."),
        (
            ".claude/rules/rust.md",
            "---\npaths: '**/*.rs'\n---\nNo unwrap.",
        ),
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
    let mut config = SessionConfig::new(dir.to_owned(), Platform::Linux, loader, date);
    config.layout = now.layout;
    config.git = Git::Skip;
    config.lower.tag_ids = true;
    config.state = now.state.clone();
    config.time = now.time();
    let todo = Tool::new(
        "TodoWrite",
        "",
        RawJson::parse(r#"{"type":"object"}"#).unwrap(),
    );
    config.tools = vec![SessionTool {
        origin: ToolOrigin::Builtin,
        tool: todo,
    }];
    config.sections = vec![
        in_file(dir, "cluster", Lifetime::Project),
        in_file(dir, "deployment", Lifetime::Session),
    ];
    let reminders = Manager::new();
    let persistent = |id: &str, schedule| Reminder {
        delivery: Delivery::Persistent,
        ..Reminder::new(id, "{{turn}} {{now}} {{date}}", schedule)
    };
    reminders.register(persistent("once", Schedule::ONESHOT));
    reminders.register(persistent("turn", Schedule::every_turns(3)));
    reminders.register(persistent(
        "timer",
        Schedule::every(Duration::from_secs(300)),
    ));
    let thrice = Schedule {
        max_fires: 3,
        ..Schedule::ALWAYS
    };
    reminders.register(Reminder::new("ephemeral", "{{turn}}", thrice));
    config.reminders = Arc::new(reminders);
    config
}

/// A section whose text is that of a file, as long as it is there. One that is
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
        }
    }
}

impl Runner {
    pub(crate) async fn open(dir: &Path, layout: Layout) -> Self {
        let now = Now {
            layout,
            state: SessionState::default(),
            date: None,
            elapsed: Duration::ZERO,
        };
        let session = Session::open(config(dir, &now)).await;
        let conversation = session.begin(Uuid::nil());
        let path = dir.join("transcript.jsonl");
        let mut runner = Self {
            dir: dir.to_owned(),
            session,
            conversation,
            transcript: Transcript::create(&path).unwrap(),
            written: 0,
            now,
            requests: Vec::new(),
        };
        runner.write();
        runner
    }

    /// The process ends, and another one takes the session up.
    pub(crate) fn resume(self) -> Self {
        let Self {
            dir, now, requests, ..
        } = self;
        drop((self.session, self.conversation, self.transcript));
        let (transcript, contents) = Transcript::open(&dir.join("transcript.jsonl")).unwrap();
        let mut conversation = contents.conversation(Uuid::nil()).unwrap();
        let mut sent = None;
        let mut notes = Vec::new();
        for record in &contents.records {
            match record {
                Record::Opened(json) => {
                    notes.push(Note::Opened(serde_json::from_str(json.get()).unwrap()));
                }
                Record::Read(json) => {
                    notes.push(Note::Read(serde_json::from_str(json.get()).unwrap()));
                }
                Record::Sent(it) => sent = Some(it.clone()),
                _ => {}
            }
        }
        let requests_sent = sent.as_ref().map_or(0, |sent| sent.turn + 1);
        let reminders = sent.as_ref().map(|it| it.reminders.get().to_owned());
        let reminders = serde_json::from_str(reminders.as_deref().unwrap_or(r#"{"reminders":[]}"#));
        let past = Past::of(
            notes,
            &conversation,
            requests_sent,
            Duration::from_millis(sent.map_or(0, |sent| sent.elapsed_ms)),
            reminders.unwrap(),
        );
        let session = Session::resume(config(&dir, &now), past.unwrap(), &mut conversation);
        let written = contents.records.iter();
        let written = written.filter(|it| matches!(it, Record::Entry(_))).count();
        let mut runner = Self {
            dir,
            session,
            conversation,
            transcript,
            written,
            now,
            requests,
        };
        runner.write();
        runner
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
                let _ = self.session.look_for_edits(Arc::new(Disk)).await;
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
        let model = Origin::Model {
            provider: "p".into(),
            name: "m".into(),
        };
        let answer = EntryDraft::message(Role::Assistant, model, parts);
        self.conversation.push(answer);
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
        drop(prepared);
        self.write();
        let sent = Sent {
            turn,
            elapsed_ms: self.session.elapsed().as_millis() as u64,
            reminders: raw(&self.session.reminder_counters()),
            body: BodyHash::of(&body),
        };
        self.transcript.append(&Record::Sent(sent)).unwrap();
        self.requests.push(String::from_utf8(body).unwrap());
    }

    /// Writes down what is new.
    fn write(&mut self) {
        for note in self.session.take_notes(&self.conversation) {
            let record = match note {
                Note::Opened(opened) => Record::Opened(raw(&opened)),
                Note::Read(read) => Record::Read(raw(&read)),
            };
            self.transcript.append(&record).unwrap();
        }
        for entry in &self.conversation.entries()[self.written..] {
            let record = Record::Entry(entry.clone().into());
            self.transcript.append(&record).unwrap();
        }
        self.written = self.conversation.entries().len();
    }
}

fn raw(value: &impl Serialize) -> RawJson {
    RawJson::parse(&serde_json::to_string(value).unwrap()).unwrap()
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
        State::Planning => SessionState {
            plan: plan(true),
            auto_mode: Some(false),
            ..SessionState::default()
        },
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
            opened_file: Some(OpenedFile {
                path: "/a.txt".into(),
            }),
            background_tasks: vec![TaskStatus {
                id: "t1".into(),
                description: "build".into(),
                status: TaskState::Running {
                    task_type: "shell".into(),
                    progress: None,
                },
            }],
            ..SessionState::default()
        },
    }
}
