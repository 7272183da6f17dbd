//! Reading a session back: its conversation, its context, and its reminder
//! counters.
//!
//! The conversation has all entries. The counters come from the last request
//! with a response: a request without one is sent again, so it does not count,
//! except for the reminders that it already appended as entries.
//!
//! ```text
//! context
//! entry   user "Hi"
//! sent    turn 0        ← its counters are used
//! entry   assistant
//! entry   user "Go on"
//! sent    turn 1        ← no response: the next request has turn 1 again
//! ```

use std::collections::HashMap;

use aside_messages::conversation::{Conversation, Entry, EntryId, EntryKind, Origin, Part};
use aside_messages::wire::RawJson;
use aside_models::Usage;
use aside_reminder::Snapshot;
use aside_session::{ContextSize, Note, ResumeState, SessionTime};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::contents::Contents;
use crate::record::{Record, Sent};

/// A session read back from its transcript.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResumedSession {
    /// To pass to [`Session::resume`](aside_session::Session::resume).
    pub state: ResumeState,
    /// The conversation up to the last written entry.
    pub conversation: Conversation,
    /// The context's size, as the provider counted it for the last response.
    pub size: ContextSize,
}

/// Why a transcript does not describe a session.
#[derive(Debug, thiserror::Error)]
#[error("{}{detail}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct ResumeError {
    kind: ResumeErrorKind,
    /// 1-based; `None` when no single line is concerned.
    line: Option<usize>,
    detail: String,
}

/// The kinds of [`ResumeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResumeErrorKind {
    /// Two entries share an id.
    DuplicateEntry,
    /// Entries are not in the order in which they were appended, or some are
    /// missing in between.
    EntryOrder,
    /// The value in a `context`, `read`, `started` or `sent` line is malformed.
    Record,
    /// There are lines, but no `context`.
    ///
    /// To append a new session to such a file would mix two sessions.
    NoContext,
}

/// Reads a session back from its transcript. `id` is the id to give the
/// conversation.
///
/// Returns `None` if the process ended before it wrote anything.
///
/// # Errors
///
/// A line is malformed, or entries are duplicated or out of order. The error
/// names the line.
pub fn resume(contents: &Contents, id: Uuid) -> Result<Option<ResumedSession>, ResumeError> {
    check_order(contents, id)?;
    // Duplicates were already refused with their lines.
    let conversation = contents.conversation(id).map_err(|entry| {
        let detail = format!("two entries have the id {entry}");
        ResumeError::new(ResumeErrorKind::DuplicateEntry, None, detail)
    })?;
    let notes = notes(contents)?;
    let requests = Requests::of(&contents.records);
    let reminders = requests.reminders()?;
    let (sent, time) = match requests.answered {
        Some((_, sent)) => (sent.turn + 1, sent.time()),
        None => (0, SessionTime::default()),
    };
    let state = ResumeState::of(notes, &conversation, sent, time, reminders);
    if state.is_none() && !contents.records.is_empty() {
        // A new session would be appended to another one's lines.
        let detail = "no line of the type \"context\": the session's context is missing";
        return Err(ResumeError::new(ResumeErrorKind::NoContext, None, detail));
    }
    let size = requests.size;
    Ok(state.map(|state| ResumedSession { state, conversation, size }))
}

/// The longest gap between entries to detect.
///
/// A longer one is accepted, to avoid computing the ids of later positions.
const MAX_GAP: usize = 4_096;

/// Checks that no entry appears twice, out of order, or after a gap. An entry's
/// id follows from its position, so swapped and removed lines are detected.
/// Notes carry their own position.
fn check_order(contents: &Contents, id: Uuid) -> Result<(), ResumeError> {
    let positions = Conversation::new(id);
    let mut lines: HashMap<EntryId, usize> = HashMap::new();
    let mut expected: HashMap<EntryId, usize> = HashMap::new();
    for (index, (line, entry)) in contents.entries().enumerate() {
        if let Some(first) = lines.insert(entry.id, line) {
            let detail = format!("the entry {} is also in line {first}", entry.id);
            return Err(ResumeError::new(ResumeErrorKind::DuplicateEntry, line, detail));
        }
        expected.insert(positions.entry_id(index), index);
    }
    let count = expected.len();
    // Search only when an entry has no place among the others.
    if lines.keys().any(|id| !expected.contains_key(id)) {
        let later = count..count + MAX_GAP;
        expected.extend(later.map(|position| (positions.entry_id(position), position)));
    }
    for (index, (line, entry)) in contents.entries().enumerate() {
        if let Some(&position) = expected.get(&entry.id)
            && position != index
        {
            let place = match contents.entries().nth(position) {
                Some((other, _)) => format!(", in line {other}"),
                None => ": entries before it are missing".to_owned(),
            };
            let detail = format!(
                "the entry {} belongs at position {position} of the conversation{place}",
                entry.id
            );
            return Err(ResumeError::new(ResumeErrorKind::EntryOrder, line, detail));
        }
    }
    Ok(())
}

/// Returns the notes in the order in which they were written, wherever they are
/// in the file. Those of earlier versions have no number and are the first ones.
fn notes(contents: &Contents) -> Result<Vec<Note>, ResumeError> {
    let mut lines: Vec<_> = contents.records.iter().zip(1..).collect();
    lines.sort_by_key(|(_, line)| contents.numbers.get(line - 1));
    let notes = lines.into_iter().filter_map(|(record, line)| {
        let note = match record {
            Record::Context(raw) => {
                parse(raw, line).map(|context| Note::Context(Box::new(context)))
            }
            Record::Read(raw) => parse(raw, line).map(Note::Read),
            Record::Started(raw) => parse(raw, line).map(Note::Started),
            _ => return None,
        };
        Some(note)
    });
    notes.collect()
}

/// The error names the line.
fn parse<T: DeserializeOwned>(raw: &RawJson, line: usize) -> Result<T, ResumeError> {
    serde_json::from_str(raw.get())
        .map_err(|error| ResumeError::new(ResumeErrorKind::Record, line, error))
}

type SentLine<'a> = (usize, &'a Sent);

#[derive(Default)]
struct Requests<'a> {
    answered: Option<SentLine<'a>>,
    /// A later request, which is sent again and so does not count.
    open: Option<SentLine<'a>>,
    /// Reminders that fired and that the open request appended to the
    /// conversation.
    fired: Vec<&'a str>,
    size: ContextSize,
}

impl<'a> Requests<'a> {
    /// Linear in the number of records.
    fn of(records: &'a [Record]) -> Self {
        let mut requests = Self::default();
        let mut usage = Usage::default();
        for (record, line) in records.iter().zip(1..) {
            match record {
                Record::Sent(sent) => {
                    requests.open = Some((line, sent));
                    requests.fired.clear();
                }
                Record::Usage(recorded) => usage = *recorded,
                _ => {}
            }
            for entry in record.entries() {
                if is_answer(entry) {
                    let sent = requests.open.take();
                    let bytes = sent.and_then(|(_, sent)| sent.bytes);
                    // With server tools it sums up several samplings.
                    if let Some(bytes) = bytes.filter(|_| !has_server_tool(entry)) {
                        requests.size.set_counted(bytes, usage.total(), usage.output);
                    }
                    usage = Usage::default();
                    requests.answered = sent.or(requests.answered);
                } else if entry.is_boundary() {
                    requests.size.reset();
                } else if let Origin::Reminder { id } = &entry.origin {
                    requests.fired.push(id);
                }
            }
        }
        requests
    }

    /// Returns the counters to continue with; the default if no request has a
    /// response.
    fn reminders(&self) -> Result<Snapshot, ResumeError> {
        let counters = |sent: Option<SentLine<'_>>| match sent {
            Some((line, sent)) => parse(&sent.reminders, line),
            None => Ok(Snapshot::default()),
        };
        let mut snapshot: Snapshot = counters(self.answered)?;
        let open = counters(self.open)?.reminders.into_iter();
        for counters in open.filter(|it| self.fired.contains(&it.id.as_str())) {
            snapshot.reminders.retain(|known| known.id != counters.id);
            snapshot.reminders.push(counters);
        }
        Ok(snapshot)
    }
}

/// An abort counts too: the session continues without a response.
fn is_answer(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Model { .. }) || entry.kind == EntryKind::Aborted
}

fn has_server_tool(entry: &Entry) -> bool {
    let mut blocks = entry.parts.iter().filter_map(Part::as_other);
    blocks.any(|block| block.server_call().or(block.server_result()).is_some())
}

impl ResumeError {
    fn new(kind: ResumeErrorKind, line: impl Into<Option<usize>>, detail: impl ToString) -> Self {
        Self { kind, line: line.into(), detail: detail.to_string() }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ResumeErrorKind {
        self.kind
    }

    /// Returns the 1-based line in the transcript, if one is concerned.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}
