//! A session with files on a disk of its own, step by step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aside_attachments::{Attachment, File, FileContent, ImageFile, LineRange, Media, TextFile};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, EntryId, Origin, Part};
use aside_messages::wire::{ContentBlock, Role, ToolResult};
use aside_prompt_sections::OsKind;
use aside_reminder::Manager;
use aside_session::{
    FileIdentity, FileRead, Files, Git, MentionError, Mentioned, Note, ReadExtent, ResumeState,
    Session, SessionConfig, SummaryRange,
};
use uuid::Uuid;

use crate::support::run;

/// Files with a text; `None` for one that is no text.
#[derive(Debug, Default)]
pub(super) struct Disk(Mutex<BTreeMap<PathBuf, Option<String>>>);

impl Disk {
    pub(super) fn write(&self, path: &Path, text: Option<&str>) {
        self.0.lock().unwrap().insert(path.to_owned(), text.map(str::to_owned));
    }

    pub(super) fn remove(&self, path: &Path) {
        self.0.lock().unwrap().remove(path);
    }

    pub(super) fn read(&self, path: &Path) -> Option<FileRead> {
        let text = self.0.lock().unwrap().get(path)?.clone();
        Some(FileRead {
            identity: FileIdentity::Path(path.to_owned()),
            path: path.to_owned(),
            modified: Some(Duration::ZERO),
            stamp: None,
            extent: ReadExtent::Whole,
            text: text.map(Into::into),
        })
    }
}

impl Files for Disk {
    fn mentioned(
        &self,
        path: &str,
        _: Option<LineRange>,
    ) -> Result<Option<Mentioned>, MentionError> {
        let read = self.read(Path::new(path));
        Ok(read.map(|read| {
            let content = match read.text.as_deref() {
                Some(text) => {
                    let content = text.to_owned();
                    FileContent::Text(TextFile { content, start_line: 1, total_lines: 1 })
                }
                None => {
                    let (media_type, data) = ("image/png".to_owned(), "iVBORw0KGgo=".into());
                    FileContent::Image(ImageFile { image: Media::Base64 { media_type, data } })
                }
            };
            let attachment = Attachment::File(File { path: path.into(), content });
            Mentioned { attachment, read: Some(read) }
        }))
    }

    fn changed(&self, then: &FileRead) -> Option<FileRead> {
        self.read(&then.path).filter(|now| now.text != then.text)
    }

    fn is_removed(&self, then: &FileRead) -> bool {
        self.read(&then.path).is_none()
    }
}

/// A session, its conversation and what it stores.
pub(super) struct Stage {
    pub(super) directory: tempfile::TempDir,
    pub(super) disk: Arc<Disk>,
    pub(super) session: Session,
    pub(super) conversation: Conversation,
    pub(super) notes: Vec<Note>,
}

fn config(cwd: &Path) -> SessionConfig {
    let date = "2026-01-31".parse().unwrap();
    let memory = Loader::new(Dirs::default());
    SessionConfig {
        git: Git::Skip,
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let session = run(Session::open(config(directory.path())));
        let conversation = session.begin(Uuid::nil());
        Self { directory, disk: Arc::default(), session, conversation, notes: Vec::new() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        self.disk.write(&self.path(name), Some(text));
    }

    /// Appends a prompt that mentions these files, and returns the entries for them.
    pub(super) fn mention(&mut self, names: &[&str]) -> Vec<EntryDraft> {
        let paths = names.iter().map(|name| format!("@{}", self.path(name).display()));
        let prompt = format!("See {}", paths.collect::<Vec<_>>().join(" "));
        self.conversation.push(EntryDraft::human(prompt.as_str()));
        let (entries, faults) = run(self.session.resolve_mentions(&prompt, self.disk.clone()));
        assert_eq!(faults, []);
        for entry in &entries {
            self.conversation.push(entry.clone());
        }
        entries
    }

    /// Appends a response that reads files, and their results. Returns the response's id.
    pub(super) fn read(&mut self, names: &[&str]) -> EntryId {
        self.call("Read", names, ReadExtent::Whole)
    }

    pub(super) fn call(&mut self, tool: &str, names: &[&str], extent: ReadExtent) -> EntryId {
        let id = |name| format!("{tool}_{name}");
        let calls = names.iter().map(|name| Part::tool_use(id(name), tool, "{}"));
        let model = Origin::Model { provider: "first-party".into(), name: "m".into() };
        let answer = EntryDraft::message(Role::Assistant, model, calls.collect());
        let answer = self.conversation.push(answer).id;
        for name in names {
            let read = self.disk.read(&self.path(name)).unwrap();
            let text = read.text.as_deref().unwrap_or_default().to_owned();
            run(self.session.note_reads(&[FileRead { extent, ..read }]));
            let result = ToolResult::new(id(name), vec![ContentBlock::text(text)]);
            let result = vec![Part::ToolResult(result)];
            self.conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
        }
        answer
    }

    /// Sends the next request, and returns it.
    pub(super) fn send(&mut self) -> String {
        run(self.session.detect_external_edits(self.disk.clone()));
        self.notes.extend(self.session.take_notes(&self.conversation));
        let mut prepared = self.session.prepare(&self.conversation).unwrap();
        prepared.commit(&mut self.conversation);
        self.notes.extend(self.session.take_notes(&self.conversation));
        String::from_utf8(prepared.body.to_vec()).unwrap()
    }

    pub(super) fn answer(&mut self) {
        let model = Origin::Model { provider: "first-party".into(), name: "m".into() };
        let answer = EntryDraft::message(Role::Assistant, model, vec![Part::text("Done.")]);
        self.conversation.push(answer);
        self.notes.extend(self.session.take_notes(&self.conversation));
    }

    /// Replaces the conversation before its last prompt, or with `max_bytes` before its last results,
    /// which are cut to this length.
    pub(super) fn compact(&mut self, max_bytes: Option<usize>) {
        let mut range = SummaryRange::of(&self.conversation, "Go on.").unwrap();
        if let Some(max_bytes) = max_bytes {
            assert!(range.without_last_round(&self.conversation, max_bytes));
        }
        let boundary = Boundary::Compact { summary: "A summary.".into() };
        let compacted = self.session.compact_to(&mut self.conversation, boundary, range);
        assert_eq!(run(compacted), []);
    }

    pub(super) fn resume(&mut self) {
        let (notes, counters) = (self.notes.clone(), Manager::new().snapshot());
        let (turn, time) = (self.session.turn(), self.session.time().clone());
        let past = ResumeState::of(notes, &self.conversation, turn, time, counters).unwrap();
        let config = config(self.directory.path());
        self.session = Session::resume(config, past, &mut self.conversation);
    }

    pub(super) fn extent(&self, name: &str) -> Option<ReadExtent> {
        let read = self.disk.read(&self.path(name)).unwrap();
        self.session.reads().find(&read).map(|it| it.read.extent)
    }
}
