//! The context that a caller without a session stores between two calls.

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
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CallerContext {
    r#type: String,
    context: SessionContext,
    #[serde(default)]
    pub(super) reminders: Snapshot,
    /// The entries that earlier calls appended to the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    appended: Vec<Appended>,
    /// The entries that have no form on the wire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Change>,
    /// The last call, which may be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastCall>,
}

/// A call that its caller may repeat, if the request failed.
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

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let context: Self = json::read(text).map_err(|error| anyhow!("{error}"))?;
        if context.r#type != KIND {
            return Err(anyhow!("not a context of aside render"));
        }
        Ok(context)
    }

    /// Replaces the file. A process that is killed leaves the old file or the
    /// new one.
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
    pub(super) fn repeat(&mut self, messages: usize) {
        if let Some(last) = &self.last
            && messages <= last.messages
        {
            self.reminders = last.reminders.clone();
        }
    }

    /// Resumes the session after `answers` answers of the model. First entries
    /// that the conversation lacks are appended to it.
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

    /// Records the entries of a call, and the counters after it.
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
