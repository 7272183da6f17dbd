//! A session in which a scenario's events are played.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, bail};
use aside_messages::conversation::{Conversation, EntryDraft, EntryId};
use aside_prompt_sections::SessionDate;
use aside_session::{Diagnostic, Files, Note, ResumeState, Session, SessionState, SessionTime};
use aside_tools::Workspace;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::case::Case;
use crate::clock;
use crate::config::{config, tools};
use crate::event_entries;
use crate::format::ScenarioEvent;
use crate::sections::Texts;
use crate::world::World;

/// When the first written file is modified, in seconds since 1970; each later
/// file has a later time. The machine's clock may be too coarse to tell two
/// writes apart.
const FIRST_WRITE_SECONDS: u64 = 2_000_000_000;

/// The session with its conversation, and everything that events change. A
/// resumed session is configured from these values, not from those at its
/// start.
pub(crate) struct Stage<'a> {
    /// A resume reads its configuration again.
    case: &'a Case,
    /// Where events write.
    world: &'a World,
    /// The directories from which mentions and `read` events take files.
    workspace: Arc<Workspace>,
    /// The current session; a `resume` event replaces it.
    pub(crate) session: Session,
    pub(crate) conversation: Conversation,
    /// The entries that the scenario has word for word.
    pub(crate) written: HashSet<EntryId>,
    /// The contents of its reminders.
    pub(crate) reminders: Vec<String>,
    first_day: SessionDate,
    /// Set by the last `date` event.
    today: Option<SessionDate>,
    /// The time since the first day began, including all `wait` events.
    elapsed: Duration,
    /// When the last request was sent.
    pub(crate) sent: SessionTime,
    /// Set by the last `state` event, or by the scenario.
    state: SessionState,
    /// Changed by `sections` events.
    texts: Texts,
    /// For a resume.
    notes: Vec<Note>,
    /// How many files were written so far.
    writes: u64,
}

impl<'a> Stage<'a> {
    /// Opens the session, with an empty conversation whose id is nil in every
    /// run.
    ///
    /// # Errors
    /// The configuration cannot be made.
    pub(crate) async fn open(
        case: &'a Case,
        world: &'a World,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Self> {
        let texts = Texts::of(case.scenario.sections.as_deref().unwrap_or_default());
        let config = config(case, world, &texts, diagnostics)?;
        let workspace = Workspace::new(&config.cwd, &config.additional_directories);
        let (first_day, elapsed) = (config.date, config.time.elapsed);
        let state = config.state.clone();
        let reminders = config.reminders.list().into_iter();
        let reminders = reminders.map(|it| it.reminder.content).collect();
        let session = Session::open(config).await;
        diagnostics.extend_from_slice(session.diagnostics());
        Ok(Self {
            case,
            world,
            workspace: Arc::new(workspace),
            conversation: session.begin(Uuid::nil()),
            session,
            written: HashSet::new(),
            reminders,
            first_day,
            today: None,
            elapsed,
            sent: SessionTime::default(),
            state,
            texts,
            notes: Vec::new(),
            writes: 0,
        })
    }

    /// Plays an event and returns the session's diagnostics.
    ///
    /// # Errors
    /// An event has an invalid value, such as an unknown index in `snip`, or a
    /// file cannot be read or written.
    pub(crate) async fn play(&mut self, event: &ScenarioEvent) -> Result<Vec<Diagnostic>> {
        let entry = match event {
            ScenarioEvent::User(text) => EntryDraft::human(text.as_str()),
            ScenarioEvent::Assistant(parts) => event_entries::assistant(parts),
            ScenarioEvent::ToolResult(result) => event_entries::tool_result(result),
            ScenarioEvent::Queued(message) => event_entries::queued(message)?,
            ScenarioEvent::Reminder(body) => event_entries::reminder(body),
            ScenarioEvent::Snip(indices) => event_entries::snip(indices, &self.conversation)?,
            ScenarioEvent::Attachment(attachment) => {
                self.append(attachment.clone().into_entries());
                return Ok(Vec::new());
            }
            ScenarioEvent::Entries(lines) => {
                let entries = event_entries::on_disk(lines, &self.conversation)?;
                self.append(entries);
                return Ok(Vec::new());
            }
            event => return self.change(event).await,
        };
        self.append(vec![entry]);
        Ok(Vec::new())
    }

    fn append(&mut self, entries: Vec<EntryDraft>) {
        for entry in entries {
            self.written.insert(self.conversation.push(entry).id);
        }
    }

    /// Plays an event that concerns the session.
    async fn change(&mut self, event: &ScenarioEvent) -> Result<Vec<Diagnostic>> {
        match event {
            ScenarioEvent::Wait(duration) => {
                let wait = aside_reminder::parse_duration(duration);
                self.elapsed += wait.map_err(|error| anyhow!("wait: {error}"))?;
                let time = clock::time(self.first_day, self.elapsed);
                self.session.set_time(time);
            }
            ScenarioEvent::Date(today) => {
                self.today = Some(*today);
                self.session.set_date(*today);
            }
            ScenarioEvent::Sections(texts) => self.texts.change(texts)?,
            ScenarioEvent::Tools(specs) => return Ok(self.session.set_tools(tools(specs)?)),
            ScenarioEvent::State(state) => {
                self.state = aside_user_files::json::read(state).context("state")?;
                return Ok(self.session.set_state(self.state.clone()));
            }
            ScenarioEvent::Prompt(prompt) => return Ok(self.prompt(prompt).await),
            ScenarioEvent::Read(path) => return self.read(path).await,
            ScenarioEvent::Write(files) => return self.write(files).await,
            ScenarioEvent::Compact(summary) => {
                let summary = summary.as_str();
                return Ok(self.session.compact(&mut self.conversation, summary).await);
            }
            ScenarioEvent::Clear(_) => return Ok(self.session.clear(&mut self.conversation).await),
            ScenarioEvent::Resume(_) => return self.resume(),
            _ => {}
        }
        Ok(Vec::new())
    }

    /// Adds a user message, and attachments for the files that it mentions.
    async fn prompt(&mut self, prompt: &str) -> Vec<Diagnostic> {
        self.conversation.push(EntryDraft::human(prompt));
        let files = self.workspace.clone();
        let (entries, faults) = self.session.resolve_mentions(prompt, files).await;
        for entry in entries {
            self.conversation.push(entry);
        }
        faults
    }

    /// Notes a file as read, as after a tool call. The file has to exist and be
    /// displayable.
    async fn read(&mut self, path: &str) -> Result<Vec<Diagnostic>> {
        let found = self.workspace.mentioned(path, None).context("read")?;
        let Some(read) = found.and_then(|found| found.read) else {
            bail!(
                "read: expected a text file relative to `cwd`, such as `read: src/main.rs`, found \
                 {path:?}"
            );
        };
        Ok(self.session.note_reads(&[read]).await)
    }

    /// Writes files, and lets the session detect that they changed. Each gets a
    /// different modification time.
    async fn write(&mut self, files: &BTreeMap<String, String>) -> Result<Vec<Diagnostic>> {
        for (path, text) in files {
            let path = self.world.write(path, text).context("write")?;
            self.writes += 1;
            let at =
                SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST_WRITE_SECONDS + self.writes);
            let file = File::options().write(true).open(&path);
            file.and_then(|file| file.set_modified(at))
                .with_context(|| format!("failed to write {}", path.display()))?;
        }
        let files = self.workspace.clone();
        Ok(self.session.detect_external_edits(files).await)
    }

    /// Resumes the session from its stored notes.
    ///
    /// Conversation and notes are written as JSON and read back, so a value
    /// that does not survive storage changes the next request.
    ///
    /// # Errors
    /// The session has stored nothing.
    fn resume(&mut self) -> Result<Vec<Diagnostic>> {
        self.notes.extend(self.session.take_notes(&self.conversation));
        let notes = self.notes.iter().map(written_and_read).collect::<Result<Vec<_>>>()?;
        let lines = self.conversation.to_json_lines();
        let read = Conversation::from_json_lines(self.conversation.id(), &lines);
        self.conversation = read.context("resume")?.value;
        let past = ResumeState::of(
            notes,
            &self.conversation,
            self.session.turn(),
            self.sent.clone(),
            self.session.reminder_counters(),
        )
        .ok_or_else(|| anyhow!("resume: nothing was written down"))?;
        // Its diagnostics were reported when the session opened.
        let mut config = config(self.case, self.world, &self.texts, &mut Vec::new())?;
        config.date = self.today.unwrap_or(self.first_day);
        config.time = clock::time(self.first_day, self.elapsed);
        config.state = self.state.clone();
        self.session = Session::resume(config, past, &mut self.conversation);
        Ok(Vec::new())
    }
}

fn written_and_read(note: &Note) -> Result<Note> {
    Ok(match note {
        Note::Context(context) => Note::Context(again(context)?),
        Note::Read(read) => Note::Read(again(read)?),
        Note::Started(started) => Note::Started(again(started)?),
    })
}

fn again<T: Serialize + DeserializeOwned>(value: &T) -> Result<T> {
    Ok(serde_json::from_slice(&serde_json::to_vec(value)?)?)
}
