//! A session's state that its caller stores between two calls.
//!
//! It holds what a session knows and a history does not show: system prompt, instruction files and
//! git status as first gathered, reminder counters, and appended entries. With it, each call
//! continues the previous call's bytes; without it, every call is a new session.

use std::time::Duration;

use aside_messages::conversation::Conversation;
use aside_reminder::Snapshot;
use aside_user_files::json;
use serde::{Deserialize, Serialize};

use super::CallerError;
use super::appended::{Appended, Change, Recorded};
use crate::config::SessionConfig;
use crate::prepared::Prepared;
use crate::resume_state::{Note, ResumeState};
use crate::session::Session;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;

/// A state's `type`.
const STATE: &str = "caller_context";

/// The `type` of a line with reminder counters.
const COUNTERS: &str = "caller_counters";

/// How both begin: `type` is their first key.
const LINE_START: &str = r#"{"type":"caller_"#;

/// The reminder counters after a request, which replace the state's.
#[derive(Serialize, Deserialize)]
struct Counters {
    r#type: String,
    /// How many more lines the same write has. Earlier versions wrote the counters last.
    #[serde(default)]
    lines: usize,
    reminders: Snapshot,
}

/// A session's state that is not in the messages.
///
/// ```json
/// {"type": "caller_context", "context": {"sections": [], "date": "2026-11-22"},
///  "began_ms": 1769848201200,
///  "reminders": {"reminders": []},
///  "appended": [{"role": "\"user\"", "hashes": ["16649b492166454c"], "entry": {}}],
///  "last": {"messages": 0, "reminders": {"reminders": []}}}
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub struct CallerState {
    /// Always `caller_context`.
    r#type: String,
    /// The session's prompt, files, tools and delivery, as in a transcript.
    context: SessionContext,
    /// When the conversation's first request was made, in milliseconds since the Unix epoch, if
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began_ms: Option<u64>,
    /// The reminder counters after the last call.
    #[serde(default)]
    pub(super) reminders: Snapshot,
    /// The entries that earlier calls appended to the messages, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    appended: Vec<Appended>,
    /// Earlier calls' entries that have no form on the wire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<Change>,
    /// The last call, which may be repeated; absent without `--json`, where calls change no
    /// counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastCall>,
}

/// A call that its caller may repeat with the same messages if the request failed.
#[derive(Debug, Serialize, Deserialize)]
struct LastCall {
    /// How many messages the caller had.
    messages: usize,
    /// The counters before the call.
    reminders: Snapshot,
}

impl CallerState {
    /// Creates a new session's state, after its first request.
    pub(super) fn new(session: &Session) -> Self {
        // A history that already has responses does not show when their requests were made.
        let is_first = session.turn() == 1;
        let began = session.time().since_epoch.filter(|_| is_first);
        Self {
            r#type: STATE.to_owned(),
            context: session.context().clone(),
            began_ms: began.and_then(|it| u64::try_from(it.as_millis()).ok()),
            reminders: Snapshot::default(),
            appended: Vec::new(),
            changes: Vec::new(),
            last: None,
        }
    }

    /// Reads a state. Its `type` is checked, so that no other JSON file is replaced.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not a state. The error has line and column.
    pub fn parse(text: &str) -> Result<Self, CallerError> {
        let state: Self = json::read(text).map_err(CallerError::new)?;
        if state.r#type != STATE {
            return Err(CallerError::new("not a context of aside render"));
        }
        Ok(state)
    }

    /// Reads the last state and the last counters from JSON lines, which have a `type`; `None` if
    /// no line is a state. Other lines are passed over.
    ///
    /// # Errors
    ///
    /// The same as for [`CallerState::parse`].
    pub fn parse_lines<'a>(
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<Option<Self>, CallerError> {
        let (mut state, mut counters) = (None, None);
        for line in lines {
            match line_type(line) {
                Some(STATE) => state = Some(line),
                Some(COUNTERS) => counters = Some(line),
                _ => {}
            }
        }
        let mut state = state.map(Self::parse).transpose()?;
        if let (Some(state), Some(counters)) = (&mut state, counters) {
            let counters: Counters = json::read(counters).map_err(CallerError::new)?;
            state.reminders = counters.reminders;
        }
        Ok(state)
    }

    /// Returns true for a line that [`CallerState::parse_lines`] reads, in any JSON form.
    #[must_use]
    pub fn is_line(line: &str) -> bool {
        matches!(line_type(line), Some(STATE | COUNTERS))
    }

    /// Returns the state as one line of JSON, without a line end.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(self).expect("a state has no value that JSON cannot have")
    }

    /// Returns the line with these counters, to go before `lines` others in the same write; `None`
    /// if the counters are the state's and at most one line follows.
    pub(super) fn counters_line(&self, reminders: Snapshot, lines: usize) -> Option<String> {
        let is_needed = self.reminders != reminders || lines > 1;
        let line = Counters { r#type: COUNTERS.to_owned(), lines, reminders };
        is_needed.then(|| serde_json::to_string(&line).expect("counters are numbers"))
    }

    /// Returns true if a text may be the beginning of a line that only calls write.
    #[must_use]
    pub fn may_begin_line(text: &str) -> bool {
        text.starts_with(LINE_START) || LINE_START.starts_with(text)
    }

    /// Returns where a call's last write begins, if some of its lines are missing at the end of the
    /// text: the process was killed while it wrote. The call is repeated, so what it wrote does not
    /// count.
    #[must_use]
    pub fn cut_write(text: &str) -> Option<usize> {
        let (mut offset, mut write) = (0, None);
        for line in text.split_inclusive('\n') {
            if line_type(line) == Some(COUNTERS) {
                let counters = json::read::<Counters>(line).ok();
                write = counters.map(|counters| (offset, counters.lines));
            } else if let Some((_, missing)) = &mut write {
                *missing = missing.saturating_sub(1);
            }
            offset += line.len();
        }
        write.filter(|(_, missing)| *missing > 0).map(|(start, _)| start)
    }

    /// Returns what earlier calls added.
    pub(super) fn recorded(&self) -> Result<Recorded, CallerError> {
        Recorded::new(&self.appended, &self.changes)
    }

    /// Sets the counters back if this call repeats the last one.
    ///
    /// A call with no more messages than the last one repeats it: then its reminders fire again, as
    /// they would have.
    pub(super) fn repeat(&mut self, messages: Option<usize>) {
        if let Some(last) = &self.last
            && messages.is_some_and(|messages| messages <= last.messages)
        {
            self.reminders = last.reminders.clone();
        }
    }

    /// Resumes the session after `answers` responses from the model. First entries that the
    /// conversation lacks are appended to it. Nothing is gathered again.
    pub(super) fn resume(
        &self,
        config: SessionConfig,
        answers: u64,
        conversation: &mut Conversation,
    ) -> Session {
        // Later requests' lifetimes do not depend on it.
        let sent = self.began_ms.filter(|_| answers == 1);
        let time =
            SessionTime { since_epoch: sent.map(Duration::from_millis), ..SessionTime::default() };
        let state = ResumeState {
            context: self.context.clone(),
            reads: Vec::new(),
            started: Vec::new(),
            requests: answers,
            time,
            reminders: self.reminders.clone(),
        };
        Session::resume(config, state, conversation)
    }

    /// Takes over the session's context after a request. Returns true if it has changed.
    ///
    /// The form of delivery is always recorded, but counts as a change only if it is another one.
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
        // The next call compares its form of delivery with this one's.
        self.context.delivery = Some(prepared.delivery.clone());
        self.context != before
    }

    /// Records a call's entries, and the counters after it; those before it are kept in case it is
    /// repeated.
    pub(super) fn record(&mut self, appended: Vec<Appended>, messages: usize, counters: Snapshot) {
        self.appended.extend(appended);
        self.last = Some(LastCall {
            messages,
            reminders: std::mem::replace(&mut self.reminders, counters),
        });
    }
}

/// Returns a line's `type`, which an entry does not have. Only lines that may have one of these are
/// parsed: an entry can be long.
fn line_type(line: &str) -> Option<&'static str> {
    #[derive(Deserialize)]
    struct Typed {
        r#type: String,
    }
    let types = [STATE, COUNTERS];
    if !types.iter().any(|it| line.contains(it)) {
        return None;
    }
    let typed: Typed = serde_json::from_str(line).ok()?;
    types.into_iter().find(|it| *it == typed.r#type)
}
