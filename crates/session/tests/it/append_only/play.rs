//! A session with arbitrary steps.

use std::sync::{Arc, Mutex};

use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::Trust;
use aside_messages::conversation::{Conversation, Entry, EntryDraft, EntryKind, Origin, Part};
use aside_messages::lower::ModelName;
use aside_messages::wire::{ContentBlock, Extra, Message, RawJson, Role, Thinking, Tool};
use aside_prompt_sections::{Lifetime, OsKind, Section, uncached_section};
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule, Snapshot};
use aside_session::{
    Git, Note, ResumeState, Session, SessionConfig, SessionState, SessionTool, ToolOrigin,
};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::append_only::law::Sent;
use crate::append_only::step::{Edit, Model, Step};
use crate::support::runtime;

/// How many images a request may have here.
const MEDIA_LIMIT: usize = 6;

pub(crate) struct Play {
    runtime: Runtime,
    directory: TempDir,
    pub(crate) session: Session,
    conversation: Conversation,
    layout: Layout,
    has_betas: bool,
    first_model: &'static str,
    has_reminders: bool,
    model: &'static str,
    tools: u8,
    modes: (bool, bool),
    day: u8,
    section: Arc<Mutex<u8>>,
    number: usize,
    has_restarted: bool,
    has_reset: bool,
}

impl Play {
    /// Opens a session with reminders of every trust and delivery.
    pub(crate) fn new(model: &'static str, layout: Layout, has_betas: bool) -> Self {
        Self::open(model, layout, has_betas, true)
    }

    /// Opens a session without reminders.
    pub(crate) fn without_reminders(model: &'static str, layout: Layout) -> Self {
        Self::open(model, layout, true, false)
    }

    fn open(model: &'static str, layout: Layout, has_betas: bool, has_reminders: bool) -> Self {
        let runtime = runtime();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("CLAUDE.md"), "Use tabs.").unwrap();
        let section = Arc::new(Mutex::new(0));
        let mut first = config(&directory, layout, has_betas, model, 1, &section);
        if !has_reminders {
            first.reminders = Arc::default();
        }
        let session = runtime.block_on(Session::open(first));
        let mut conversation = session.begin(Uuid::nil());
        conversation.push(EntryDraft::human("first"));
        Self {
            runtime,
            directory,
            session,
            conversation,
            layout,
            has_betas,
            first_model: model,
            has_reminders,
            model,
            tools: 1,
            modes: (false, false),
            day: 0,
            section,
            number: 0,
            has_restarted: false,
            has_reset: false,
        }
    }

    /// Returns the request, if the step sends one.
    pub(crate) fn step(&mut self, step: Step) -> Option<Sent> {
        match step {
            Step::Answered => {
                let sent = self.send(true)?;
                let text = Part::text(format!("Answer {}.", self.number));
                self.answer(sent.thinking.as_deref(), vec![text]);
                self.say();
                return Some(sent);
            }
            Step::Called => {
                let sent = self.send(true)?;
                self.call(sent.thinking.as_deref(), 0);
                return Some(sent);
            }
            Step::Saw(images) => {
                let sent = self.send(true)?;
                self.call(sent.thinking.as_deref(), images);
                return Some(sent);
            }
            Step::Aborted => {
                let sent = self.send(false)?;
                self.conversation.push(EntryDraft::aborted());
                self.say();
                return Some(sent);
            }
            Step::Dropped => {
                self.runtime.block_on(self.session.refresh());
                drop(self.session.prepare(&self.conversation).unwrap());
            }
            Step::Said => self.say(),
            Step::Tools(tools) => {
                self.tools = tools;
                self.session.set_tools(offered(tools));
            }
            Step::Modes(plan, auto) => {
                self.modes = (plan, auto);
                self.session.set_state(state(self.modes));
            }
            Step::Day(day) => {
                self.day = day;
                self.session.set_date(date(day));
            }
            Step::Section(text) => *self.section.lock().unwrap() = text,
            Step::Snipped => self.snip(),
            Step::Compacted => {
                let summary = self.session.compact(&mut self.conversation, "A summary.");
                self.runtime.block_on(summary);
                self.restarted();
            }
            Step::Cleared => {
                let cleared = self.session.clear(&mut self.conversation);
                self.runtime.block_on(cleared);
                self.restarted();
            }
            Step::Resumed(model) => self.resume(model),
            Step::NoBetas => {
                self.session.disable_betas();
                self.has_betas = false;
            }
            Step::Edited(edit, at) => {
                self.edit(edit, at);
                self.say();
                let sent = self.send(true)?;
                let text = Part::text(format!("Answer {}.", self.number));
                self.answer(sent.thinking.as_deref(), vec![text]);
                self.say();
                return Some(sent);
            }
        }
        None
    }

    fn restarted(&mut self) {
        self.has_restarted = true;
        self.say();
    }

    fn say(&mut self) {
        let text = format!("Question {}?", self.number);
        self.conversation.push(EntryDraft::human(text));
    }

    fn send(&mut self, is_answered: bool) -> Option<Sent> {
        self.runtime.block_on(self.session.refresh());
        let mut prepared = self.session.prepare(&self.conversation).ok()?;
        self.number += 1;
        self.has_reset |= prepared.reset.is_some();
        let sent = Sent {
            request: prepared.request(),
            has_reset: std::mem::take(&mut self.has_reset),
            thinking: is_answered.then(|| format!("Thought {}.", self.number)),
            is_bound: self.model != "claude-opus-5",
            has_restarted: std::mem::take(&mut self.has_restarted),
        };
        prepared.commit(&mut self.conversation);
        Some(sent)
    }

    fn answer(&mut self, thinking: Option<&str>, parts: Vec<Part>) {
        let thinking = thinking.map(|text| {
            Part::Thinking(Thinking {
                thinking: text.into(),
                signature: "s".into(),
                extra: Extra::default(),
            })
        });
        let model = Origin::Model { provider: "p".into(), name: self.model.to_owned() };
        let parts = thinking.into_iter().chain(parts).collect();
        self.conversation.push(EntryDraft::message(Role::Assistant, model, parts));
    }

    fn call(&mut self, thinking: Option<&str>, images: usize) {
        let id = format!("toolu_{}", self.number);
        self.answer(thinking, vec![Part::tool_use(id.clone(), "Read", "{}")]);
        let mut blocks = vec![ContentBlock::text(format!("Result {}.", self.number))];
        let message = r#"{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}"#;
        let image = Message::parse(message.as_bytes()).unwrap().value.content;
        blocks.extend(image.iter().cycle().take(images).cloned());
        let result = aside_messages::wire::ToolResult {
            content: aside_messages::wire::ResultContent::Blocks(blocks),
            ..aside_messages::wire::ToolResult::new(id, Vec::new())
        };
        let parts = vec![Part::ToolResult(result)];
        self.conversation.push(EntryDraft::message(Role::User, Origin::Human, parts));
    }

    fn snip(&mut self) {
        let is_text = |entry: &&Entry| {
            matches!(&entry.kind, EntryKind::Message { role } if *role == Role::Assistant)
                && entry.parts.iter().all(|part| !matches!(part, Part::ToolUse(_)))
        };
        let found = self.conversation.entries().iter().find(is_text);
        if let Some(id) = found.map(|entry| entry.id) {
            self.conversation.push(EntryDraft::snip(vec![id]));
        }
    }

    /// Replaces the conversation by an edited one.
    fn edit(&mut self, edit: Edit, at: usize) {
        let mut entries = self.conversation.entries().to_vec();
        let at = at % entries.len();
        match edit {
            Edit::Copy => {}
            Edit::Rewind => entries.truncate(at),
            Edit::Reword => {
                for part in &mut entries[at].parts {
                    if let Part::Text(_) = part {
                        *part = Part::text(format!("Edit {}.", self.number));
                    }
                }
            }
            Edit::Remove => {
                entries.remove(at);
            }
            Edit::Insert => {
                // Its id belongs to another conversation's entry.
                let mut other = Conversation::new(Uuid::from_u128(self.number as u128 + 1));
                let text = format!("Insertion {}.", self.number);
                let entry = other.push(EntryDraft::human(text)).clone();
                entries.insert(at, entry);
            }
        }
        // When entries are removed, the session does not lose their thinking.
        self.has_restarted |= matches!(edit, Edit::Rewind | Edit::Remove);
        self.conversation = Conversation::from_entries(Uuid::nil(), entries).unwrap();
    }

    fn resume(&mut self, model: Model) {
        self.model = match model {
            Model::Same => self.model,
            Model::Alias if self.first_model == "claude-sonnet-5-5" => "claude-sonnet-5-5",
            Model::Alias => self.first_model,
            Model::Other => "claude-opus-5-5",
            Model::Unbound => "claude-opus-5",
        };
        // Changes without a request are reported by the next process.
        let state = ResumeState::of(
            [Note::Context(Box::new(self.session.context().clone()))],
            &self.conversation,
            self.session.turn(),
            self.session.time().clone(),
            Snapshot::default(),
        );
        let config = config(
            &self.directory,
            self.layout,
            self.has_betas,
            self.model,
            self.tools,
            &self.section,
        );
        let mut config =
            SessionConfig { date: date(self.day), state: self::state(self.modes), ..config };
        if !self.has_reminders {
            config.reminders = Arc::default();
        }
        let conversation = &mut self.conversation;
        self.session = Session::resume(config, state.unwrap(), conversation);
        self.session.set_tools(offered(self.tools));
    }
}

fn date(day: u8) -> aside_session::SessionDate {
    format!("2026-02-0{}", day + 1).parse().unwrap()
}

fn state((plan, auto): (bool, bool)) -> SessionState {
    let json = format!(r#"{{"plan":{{"is_on":{plan},"file":"/p.md"}},"auto_mode":{auto}}}"#);
    serde_json::from_str(&json).unwrap()
}

fn offered(bits: u8) -> Vec<SessionTool> {
    let names = ["Read", "mcp__b", "mcp__a"];
    let tool = |(index, name): (usize, &&str)| {
        let origin = match index {
            0 => ToolOrigin::Builtin,
            _ => ToolOrigin::Mcp,
        };
        let is_other = index == 2 && bits & 8 != 0;
        let description = if is_other { "Does it well." } else { "Does it." };
        let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
        let tool = Tool::new(*name, description, schema);
        SessionTool { origin, tool }
    };
    let tools = names.iter().enumerate().filter(|(index, _)| bits & (1 << index) != 0);
    tools.map(tool).collect()
}

fn section(text: &Arc<Mutex<u8>>) -> Section {
    let text = text.clone();
    let compute = move || {
        let text = *text.lock().unwrap();
        async move { Ok((text > 0).then(|| format!("The cluster is {text}."))) }
    };
    uncached_section("cluster", Lifetime::Session, compute, "it changes midway")
}

fn config(
    directory: &TempDir,
    layout: Layout,
    has_betas: bool,
    model: &str,
    tools: u8,
    text: &Arc<Mutex<u8>>,
) -> SessionConfig {
    let memory = Loader::new(Dirs::default());
    let reminders = Manager::new();
    let turns = Schedule::every_turns;
    for (id, schedule, trust, delivery) in [
        ("own", Schedule::ALWAYS, Trust::Harness, ReminderDelivery::Ephemeral),
        ("file", turns(2), Trust::Outside, ReminderDelivery::Ephemeral),
        ("kept", turns(3), Trust::Harness, ReminderDelivery::Persistent),
        ("outside", turns(4), Trust::Outside, ReminderDelivery::Persistent),
    ] {
        reminders.register(Reminder {
            trust,
            delivery,
            ..Reminder::new(id, format!("Remember {id}."), schedule)
        });
    }
    let mut config = SessionConfig {
        git: Git::Skip,
        layout,
        model: model.to_owned(),
        tools: offered(tools),
        media_limit: Some(MEDIA_LIMIT),
        sections: vec![section(text)],
        reminders: Arc::new(reminders),
        ..SessionConfig::new(directory.path().to_owned(), OsKind::Linux, memory, date(0))
    };
    config.lower.model = Some(ModelName { provider: "p".into(), name: model.to_owned() });
    config.cache.global_scope.betas_disabled = !has_betas;
    config
}
