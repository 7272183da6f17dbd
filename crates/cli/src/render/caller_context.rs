//! The context that a caller without a session stores between two calls: the file of
//! `--context`.
//!
//! It holds what a session knows and messages do not show: the system prompt, instruction
//! files and git status as first gathered, the counters of reminders, and the entries
//! that were appended. With it, each call continues the bytes of the one before; without
//! it, every call is a new session.
//!
//! The file is JSON of one line, readable by its user only, and is replaced atomically.
//! `kept_conversation` has the same value as a line of its file.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use aside_messages::conversation::Conversation;
use aside_reminder::Snapshot;
use aside_session::{Note, Prepared, ResumeState, Session, SessionConfig, SessionContext};
use aside_user_files::json;
use serde::{Deserialize, Serialize};

use super::appended::{Appended, Change, NewEntries, Recorded};
use crate::Failure;
use crate::input;
use crate::interrupt;

/// The longest context that is read, in bytes.
const MAX_BYTES: u64 = 64 * input::MIB;

/// The `type` of a context, which distinguishes it from other files.
pub(super) const KIND: &str = "caller_context";

/// The state of a session that is not in the messages.
///
/// ```json
/// {"type": "caller_context", "context": {"sections": [], "date": "2026-11-22"},
///  "reminders": {"reminders": []},
///  "appended": [{"role": "\"user\"", "hashes": ["16649b492166454c"], "entry": {}}],
///  "last": {"messages": 0, "reminders": {"reminders": []}}}
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CallerContext {
    /// Always `caller_context`.
    r#type: String,
    /// The prompt, files, tools and delivery of the session, as a transcript has them.
    context: SessionContext,
    /// The counters of the reminders after the last call.
    #[serde(default)]
    pub(super) reminders: Snapshot,
    /// The entries that earlier calls appended to the messages, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    appended: Vec<Appended>,
    /// The entries of earlier calls that have no form on the wire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Change>,
    /// The last call, which may be repeated; absent without `--json`, where calls change
    /// no counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastCall>,
}

/// A call that its caller may repeat if the request failed, with the same messages.
#[derive(Debug, Serialize, Deserialize)]
struct LastCall {
    /// The number of messages of the caller.
    messages: usize,
    /// The counters before the call.
    reminders: Snapshot,
}

impl CallerContext {
    /// Creates the context of a new session.
    pub(super) fn new(session: &Session) -> Self {
        Self {
            r#type: KIND.to_owned(),
            context: session.context().clone(),
            reminders: Snapshot::default(),
            appended: Vec::new(),
            changes: Vec::new(),
            last: None,
        }
    }

    /// Reads a context; `None` if there is no such file.
    ///
    /// Any other failure to find the file is an error of its reading, so that a context
    /// is never replaced by mistake.
    pub(super) fn read(file: &Path) -> anyhow::Result<Option<Self>> {
        if file == Path::new("-") {
            return Err(anyhow!("--context needs a file: - is stdin"));
        }
        match fs::symlink_metadata(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let text = input::text(file, MAX_BYTES)?;
        let failed = || format!("failed to read {}", file.display());
        Self::parse(&text).map(Some).with_context(failed)
    }

    /// Reads the text of a context. The `type` is checked first of all, so that another
    /// JSON file is not replaced.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let context: Self = json::read(text).map_err(|error| anyhow!("{error}"))?;
        if context.r#type != KIND {
            return Err(anyhow!("not a context of aside render"));
        }
        Ok(context)
    }

    /// Replaces the file: a new one is written next to it, synchronized and renamed. A
    /// process that is killed leaves the old file or the new one.
    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let failed = || format!("failed to write {}", file.display());
        let mut new = file.as_os_str().to_owned();
        new.push(format!(".{}.new", std::process::id()));
        let new = Path::new(&new);
        let text = serde_json::to_string(self)? + "\n";
        let write = || -> std::io::Result<()> {
            let mut file_of_call = private(new)?;
            file_of_call.write_all(text.as_bytes())?;
            file_of_call.sync_data()?;
            fs::rename(new, file)
        };
        let written = write();
        if written.is_err() {
            let _ = fs::remove_file(new);
        }
        written.with_context(failed)
    }

    /// Returns the additions of earlier calls.
    pub(super) fn recorded(&self) -> anyhow::Result<Recorded> {
        Recorded::new(&self.appended, &self.changes)
    }

    /// Sets the counters back if this call repeats the last one.
    ///
    /// A call is a repetition if it has no more messages than the last one: then its
    /// reminders fire again, as they would have.
    pub(super) fn repeat(&mut self, messages: usize) {
        if let Some(last) = &self.last
            && messages <= last.messages
        {
            self.reminders = last.reminders.clone();
        }
    }

    /// Resumes the session after `answers` responses of the model. First entries that the
    /// conversation lacks are appended to it. Nothing is gathered again.
    pub(super) fn resume(
        &self,
        config: SessionConfig,
        answers: u64,
        conversation: &mut Conversation,
    ) -> Session {
        let state = ResumeState {
            context: self.context.clone(),
            reads: Vec::new(),
            requests: answers,
            elapsed: Duration::ZERO,
            reminders: self.reminders.clone(),
        };
        Session::resume(config, state, conversation)
    }

    /// Takes over the context of the session after a request. Returns true if
    /// it has changed.
    ///
    /// The form of delivery is recorded in every case, and counts as a change only if it
    /// is another one.
    pub(super) fn follow(
        &mut self,
        session: &mut Session,
        prepared: &Prepared,
        conversation: &Conversation,
    ) -> bool {
        let before = self.context.clone();
        for note in session.take_notes(conversation) {
            if let Note::Context(now) = note {
                self.context = *now;
            }
        }
        // The next call compares its form of delivery with that of this one.
        self.context.delivery = Some(prepared.delivery.clone());
        self.context != before
    }

    /// Records the entries of a call, and the counters after it; those before it are kept
    /// for a repetition.
    pub(super) fn record(&mut self, new: &mut NewEntries, messages: usize, counters: Snapshot) {
        self.appended.append(&mut new.appended);
        self.record_changes(new);
        self.last = Some(LastCall {
            messages,
            reminders: std::mem::replace(&mut self.reminders, counters),
        });
    }

    /// Records the entries without a form on the wire.
    pub(super) fn record_changes(&mut self, new: &mut NewEntries) {
        self.changes.append(&mut new.changes);
    }
}

/// Opens a session that gathers its context now.
///
/// This may run git and reads files; a signal that ends the program ends git first.
pub(super) fn open(config: SessionConfig) -> Result<Session, Failure> {
    interrupt::block_on(Session::open(config))
}

/// Creates a file that only the user can read.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
