//! `--conversation FILE --append`: a conversation that is stored for its caller.
//!
//! The file is JSON Lines. Most lines are entries; lines with a `type` have the state of
//! the session, of which the last one of each type counts:
//!
//! ```text
//! {"type":"caller_context","context":…}       the context, written again whenever it changes
//! {"kind":"message","role":"user",…}          entries, of the caller or of a call
//! {"type":"caller_counters","reminders":…}    the counters of reminders after a request
//! ```
//!
//! A call appends lines and changes none. The file is locked from the reading to the end
//! of the writing, so that two calls cannot interleave, and an incomplete last line of a
//! killed process is removed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_diagnostic::{Diagnostic, Location};
use aside_messages::conversation::{Conversation, Entry};
use aside_reminder::Snapshot;
use aside_user_files::json;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::caller_context::{CallerContext, KIND};
use crate::input::MAX_CONVERSATION_BYTES;
use crate::{kinds, output};

/// The `type` of a line with the counters of reminders.
const COUNTERS: &str = "caller_counters";

/// The counters of the reminders after a request.
#[derive(Debug, Serialize, Deserialize)]
struct Counters {
    /// Always `caller_counters`.
    r#type: String,
    /// The counters, which replace those of the context.
    reminders: Snapshot,
}

/// The lines of a file by their type.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The last context with the last counters; `None` in a file without a context.
    pub(super) context: Option<CallerContext>,
    /// The lines of the entries. All other lines are empty, so that an entry has the
    /// number of its line in the file.
    pub(super) entries: String,
}

/// A conversation in a file, which is locked until this is dropped.
pub(super) struct KeptConversation {
    /// The open file, which holds the lock.
    file: File,
    /// The context of the last call; `None` in a new file and in one that the caller
    /// wrote.
    pub(super) context: Option<CallerContext>,
    /// The entries of the file.
    pub(super) conversation: Conversation,
    /// The length of the complete lines of the file, in bytes.
    length: u64,
}

impl KeptConversation {
    /// Opens the file, or creates it, and waits until no other process has it.
    ///
    /// A new file can be read by its user only.
    ///
    /// # Errors
    /// Fails for stdin, for anything that is not a regular file, for more than 512 MiB,
    /// and for an entry that cannot be read.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Err(anyhow!("--append needs a file: - is stdin"));
        }
        let failed = || format!("failed to open {}", path.display());
        if path.exists() && !path.is_file() {
            return Err(anyhow!("not a file")).with_context(failed);
        }
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).with_context(failed)?;
        file.lock().with_context(failed)?;
        let mut text = String::new();
        let mut limited = (&mut file).take(MAX_CONVERSATION_BYTES + 1);
        let length = limited.read_to_string(&mut text).with_context(failed)? as u64;
        if length > MAX_CONVERSATION_BYTES {
            return Err(anyhow!("more than {MAX_CONVERSATION_BYTES} bytes")).with_context(failed);
        }
        remove_incomplete_line(&mut text, path);
        let Lines { context, entries } = Lines::read(&text).with_context(failed)?;
        let parsed = Conversation::from_json_lines(Uuid::nil(), &entries).with_context(failed)?;
        for fault in &parsed.diagnostics {
            output::report(&Diagnostic::from(fault).at(path));
        }
        Ok(Self {
            file,
            context,
            length: text.len() as u64,
            conversation: parsed.value,
        })
    }

    /// Appends the context if it has changed, new entries, and the counters of the
    /// reminders if they have changed.
    ///
    /// All of it is one write, followed by a synchronization of the data. A line end that
    /// the last line of the caller lacks is written first. The lock ends with this call.
    pub(super) fn append(
        mut self,
        is_context_changed: bool,
        reminders: Snapshot,
        new: &[Entry],
    ) -> anyhow::Result<()> {
        let mut lines = String::new();
        if self.length > 0 && !self.ends_with_newline()? {
            lines.push('\n');
        }
        if let Some(context) = self.context.as_ref().filter(|_| is_context_changed) {
            lines += &serde_json::to_string(context)?;
            lines.push('\n');
        }
        for entry in new {
            lines += &entry.to_json_line();
            lines.push('\n');
        }
        let before = self.context.as_ref().map(|it| &it.reminders);
        if before != Some(&reminders) {
            let counters = Counters {
                r#type: COUNTERS.to_owned(),
                reminders,
            };
            lines += &serde_json::to_string(&counters)?;
            lines.push('\n');
        }
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(lines.as_bytes())?;
        self.file.sync_data()?;
        Ok(())
    }

    /// Returns true if the last complete line has its line end.
    fn ends_with_newline(&mut self) -> std::io::Result<bool> {
        let mut last = [0];
        self.file.seek(SeekFrom::Start(self.length - 1))?;
        self.file.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }
}

/// Removes a last line that a process which was killed left incomplete.
///
/// A last line is incomplete if it has no line end and is not JSON. The text is cut here,
/// and the file when the next lines are written.
fn remove_incomplete_line(text: &mut String, path: &Path) {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let last = &text[start..];
    let is_complete = serde_json::from_str::<serde::de::IgnoredAny>(last).is_ok();
    if last.trim().is_empty() || is_complete {
        return;
    }
    let message = format!("an incomplete line of {} bytes is removed", last.len());
    let line = text[..start].lines().count() + 1;
    let place = Location::new(path).line(line);
    output::report(&kinds::TORN_LINE.diagnostic(message).at(place));
    text.truncate(start);
}

impl Lines {
    /// Splits the lines of a conversation: the last context, with the last
    /// counters, and the entries.
    ///
    /// Linear in the length of the text; entries are not parsed.
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let (mut context, mut counters) = (None, None);
        let mut entries = String::new();
        for line in text.lines() {
            match kind(line) {
                Some(kind) if kind == KIND => context = Some(line),
                Some(kind) if kind == COUNTERS => counters = Some(line),
                _ => entries.push_str(line),
            }
            entries.push('\n');
        }
        let mut context = context.map(CallerContext::parse).transpose()?;
        if let (Some(context), Some(counters)) = (&mut context, counters) {
            let counters: Counters = json::read(counters).map_err(|error| anyhow!("{error}"))?;
            context.reminders = counters.reminders;
        }
        Ok(Self { context, entries })
    }
}

/// Returns the `type` of a line, which an entry does not have.
///
/// It has to be the first key, as it is in the lines that are written here.
fn kind(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(r#"{"type":""#)?;
    Some(rest.split_once('"')?.0)
}
