//! Which files the model knows, and what a mention of them sends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use aside_attachments::{Attachment, File, FileContent, LineRange, TextFile};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_prompt_sections::OsKind;
use aside_reminder::Manager;
use aside_session::{
    FileIdentity, FileRead, Files, Git, MentionError, Mentioned, Note, ReadExtent, ResumeState,
    Session, SessionConfig,
};
use uuid::Uuid;

use crate::support::run;

/// Files with a text; `None` for one that is no text.
#[derive(Debug, Default)]
struct Disk(Mutex<BTreeMap<PathBuf, Option<String>>>);

impl Disk {
    fn write(&self, path: &Path, text: Option<&str>) {
        self.0.lock().unwrap().insert(path.to_owned(), text.map(str::to_owned));
    }

    fn read(&self, path: &Path) -> Option<FileRead> {
        let text = self.0.lock().unwrap().get(path)?.clone();
        Some(FileRead {
            identity: FileIdentity::Path(path.to_owned()),
            path: path.to_owned(),
            modified: None,
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
            let content = read.text.as_deref().unwrap_or("an image").to_owned();
            let content = FileContent::Text(TextFile { content, start_line: 1, total_lines: 1 });
            let attachment = Attachment::File(File { path: path.into(), content });
            Mentioned { attachment, read: Some(read) }
        }))
    }

    fn changed(&self, then: &FileRead) -> Option<FileRead> {
        self.read(&then.path).filter(|now| now.text != then.text)
    }
}

/// A session, its conversation and what it stores.
struct Stage {
    directory: tempfile::TempDir,
    disk: Arc<Disk>,
    session: Session,
    conversation: Conversation,
    notes: Vec<Note>,
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
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let session = run(Session::open(config(directory.path())));
        let conversation = session.begin(Uuid::nil());
        Self { directory, disk: Arc::default(), session, conversation, notes: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.disk.write(&self.path(name), Some(text));
    }

    /// Appends a prompt that mentions these files.
    fn mention(&mut self, names: &[&str]) {
        let paths = names.iter().map(|name| format!("@{}", self.path(name).display()));
        let prompt = format!("See {}", paths.collect::<Vec<_>>().join(" "));
        self.conversation.push(EntryDraft::human(prompt.as_str()));
        let (entries, faults) = run(self.session.resolve_mentions(&prompt, self.disk.clone()));
        assert_eq!(faults, []);
        for entry in entries {
            self.conversation.push(entry);
        }
    }

    /// Sends the next request, and returns it.
    fn send(&mut self) -> String {
        run(self.session.detect_external_edits(self.disk.clone()));
        self.notes.extend(self.session.take_notes(&self.conversation));
        let mut prepared = self.session.prepare(&self.conversation).unwrap();
        prepared.commit(&mut self.conversation);
        self.notes.extend(self.session.take_notes(&self.conversation));
        String::from_utf8(prepared.body.to_vec()).unwrap()
    }

    fn answer(&mut self) {
        let model = Origin::Model { provider: "first-party".into(), name: "m".into() };
        let answer = EntryDraft::message(Role::Assistant, model, vec![Part::text("Done.")]);
        self.conversation.push(answer);
        self.notes.extend(self.session.take_notes(&self.conversation));
    }

    fn resume(&mut self) {
        let (notes, counters) = (self.notes.clone(), Manager::new().snapshot());
        let (turn, time) = (self.session.turn(), self.session.time().clone());
        let past = ResumeState::of(notes, &self.conversation, turn, time, counters).unwrap();
        let config = config(self.directory.path());
        self.session = Session::resume(config, past, &mut self.conversation);
    }

    fn extent(&self, name: &str) -> Option<ReadExtent> {
        let read = self.disk.read(&self.path(name)).unwrap();
        self.session.reads().find(&read).map(|it| it.read.extent)
    }
}

fn lines(word: &str) -> String {
    (0..300).map(|line| format!("{word} {line} of the text\n")).collect()
}

#[test]
fn a_change_that_is_not_shown_is_not_known() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        stage.write("long", &lines("old"));
        stage.write("short", "old\n");
        stage.write("binary", "old\n");
        stage.mention(&["long", "short", "binary"]);
        stage.send();
        stage.answer();
        stage.write("long", &lines("new"));
        stage.write("short", "new\n");
        stage.disk.write(&stage.path("binary"), None);
        stage.conversation.push(EntryDraft::human("Go on."));
        let body = stage.send();
        assert!(body.contains("old 5 of") && !body.contains("new 299 of"), "{body}");
        if is_resumed {
            stage.resume();
            stage.session.take_notes(&stage.conversation);
        }
        let extents = ["long", "short", "binary"].map(|name| stage.extent(name).unwrap());
        assert_eq!(extents, [ReadExtent::Stale, ReadExtent::Whole, ReadExtent::Stale]);
        stage.answer();
        // A later change is told, and shows no more than itself.
        stage.write("long", &lines("new").replace("new 7 ", "newer 7 "));
        stage.conversation.push(EntryDraft::human("Go on."));
        assert!(stage.send().contains("newer 7 of"));
        assert_eq!(stage.extent("long"), Some(ReadExtent::Stale));
        stage.answer();
        stage.mention(&["long", "short", "binary"]);
        let body = stage.send();
        assert!(body.contains("new 299 of") && body.contains("an image"), "{body}");
        assert_eq!(stage.extent("long"), Some(ReadExtent::Whole));
        assert_eq!(body.matches("Result of calling the Read tool").count(), 5, "{body}");
    }
}

#[test]
fn a_compaction_sends_a_changed_file_as_it_is() {
    let mut stage = Stage::new();
    stage.write("long", &lines("old"));
    stage.mention(&["long"]);
    stage.send();
    stage.answer();
    stage.write("long", &lines("new"));
    stage.conversation.push(EntryDraft::human("Go on."));
    stage.send();
    stage.answer();
    run(stage.session.compact(&mut stage.conversation, "A summary."));
    stage.conversation.push(EntryDraft::human("Go on."));
    let body = stage.send();
    assert!(body.contains("new 299 of") && !body.contains("old 5 of"), "{body}");
    assert_eq!(stage.extent("long"), Some(ReadExtent::Whole));
}
