//! Transcript records and their JSON: one object per line.
//!
//! ```json
//! {"type":"entry","value":{"id":"…","kind":"message","role":"user",…}}
//! {"type":"sent","value":{"turn":0,"elapsed_ms":1200,"unix_ms":1769848201200,"reminders":{…},"body":"1f0c…","bytes":40961}}
//! ```

use std::fmt;
use std::time::Duration;

use aside_messages::conversation::{Conversation, Entry};
use aside_messages::encode::BodyHash;
use aside_messages::json;
use aside_messages::wire::{Parsed, RawJson, ReadRepair};
use aside_models::Usage;
use aside_models::usage::Messages;
use aside_session::SessionTime;
use aside_session::caller::CallEnd;
use memchr::memchr2_iter;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use crate::owner::Owner;

/// One line in a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// The session's context (`aside_session::SessionContext`): the first line.
    /// A later one replaces it.
    Context(RawJson),
    /// A file that the model has seen (`aside_session::ReadNote`).
    Read(RawJson),
    /// Calls that may change something are about to run (`aside_session::StartedNote`).
    Started(RawJson),
    /// One entry in the conversation.
    Entry(Box<Entry>),
    /// Entries appended together: a prompt and the items that it mentions.
    Entries(Vec<Entry>),
    /// A request whose response has a 2xx status.
    Sent(Sent),
    /// How many tokens a request and its response took, as counted by the
    /// provider.
    ///
    /// ```json
    /// {"input_tokens":12,"cache_creation_input_tokens":800,
    ///  "cache_read_input_tokens":40000,"output_tokens":310}
    /// ```
    ///
    /// Written tokens are not split by lifetime: they are read as written for 5
    /// minutes.
    Usage(Usage),
    /// How the API edited the context of a request, as reported in its
    /// response.
    ContextEdits(RawJson),
    /// A line of a caller's state
    /// ([`CallerState::parse_lines`](aside_session::caller::CallerState::parse_lines)), only in a
    /// [caller's](crate::Owner::Caller) file.
    Caller(RawJson),
    /// A record of unknown type, kept as is.
    Other {
        /// The line's `type`.
        kind: String,
        /// The line's `value`, unchanged.
        value: RawJson,
    },
}

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// How many requests were sent before it.
    pub turn: u64,
    /// The session's age, in milliseconds.
    pub elapsed_ms: u64,
    /// The milliseconds since the Unix epoch, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix_ms: Option<u64>,
    /// All reminder counters (`aside_reminder::Snapshot`).
    pub reminders: RawJson,
    /// A hash of the body.
    pub body: RecordedHash,
    /// The body's length; `None` in transcripts of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl Sent {
    /// Returns the time when it was sent.
    pub(crate) fn time(&self) -> SessionTime {
        SessionTime {
            now: None,
            elapsed: Duration::from_millis(self.elapsed_ms),
            since_epoch: self.unix_ms.map(Duration::from_millis),
        }
    }
}

/// A recorded hash of a body, to compare runs; it is not cryptographic. Hashes
/// by earlier versions never equal one by this version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordedHash(String);

#[derive(Serialize)]
struct Line<'a, T: ?Sized> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    value: &'a T,
}

/// Written in the form of the Messages API.
struct Figures<'a>(&'a Usage);

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let it = self.0;
        let figures = [it.uncached, it.written(), it.read, it.output];
        serializer.collect_map(Messages::FIGURES.iter().zip(figures))
    }
}

/// Other keys are ignored.
#[derive(Deserialize)]
struct ReadLine {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    number: Option<AsWritten>,
    value: AsWritten,
}

/// Not repaired yet, so that repairs in an entry are reported.
#[derive(Deserialize)]
struct AsWritten(#[serde(deserialize_with = "RawJson::as_written")] RawJson);

impl From<BodyHash> for RecordedHash {
    fn from(hash: BodyHash) -> Self {
        Self(hash.to_string())
    }
}

impl fmt::Display for RecordedHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Record {
    /// Returns the entries in this record: none, one or several.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Entry(entry) => std::slice::from_ref(entry),
            Self::Entries(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the lines to append to a caller's file after a call, in order.
    ///
    /// # Errors
    ///
    /// A line is not JSON.
    pub fn from_call(end: CallEnd) -> serde_json::Result<Vec<Self>> {
        let state = end.state.map(|state| state.to_json_line());
        let lines = end.counters.into_iter().chain(state);
        let lines = lines.map(|line| RawJson::parse(&line).map(Self::Caller));
        let entries = end.entries.into_iter();
        lines.chain(entries.map(|entry| Ok(Self::Entry(Box::new(entry))))).collect()
    }

    /// Reads one line, with the number of a note; 0 if it has none. The error
    /// describes the fault.
    pub(crate) fn parse(line: &[u8]) -> Result<(Parsed<Self>, u64), String> {
        // serde would read an array as the values of the keys.
        if line.first() == Some(&b'[') {
            return Err("not an object".to_owned());
        }
        let ReadLine { kind, number, value: AsWritten(value) } = from_json(line)?;
        let mut diagnostics = Vec::new();
        let number = match (kind.as_str(), number) {
            ("context" | "read" | "started", Some(AsWritten(it))) => {
                from_json(it.get().as_bytes())?
            }
            _ => 0,
        };
        let value = match kind.as_str() {
            "context" => Self::Context(value.repaired()),
            "read" => Self::Read(value.repaired()),
            "started" => Self::Started(value.repaired()),
            "entry" => Self::Entry(Box::new(entry(&value, &mut diagnostics)?)),
            "entries" => Self::Entries(entries(&value, &mut diagnostics)?),
            "sent" => Self::Sent(from_json(value.get().as_bytes())?),
            "usage" => {
                let figures: Messages = from_json(value.get().as_bytes())?;
                Self::Usage((&figures).into())
            }
            "context_edits" => Self::ContextEdits(value.repaired()),
            _ => Self::Other { kind, value: value.repaired() },
        };
        Ok((Parsed { value, diagnostics }, number))
    }

    /// Returns the line with its newline.
    ///
    /// White space between values may differ from the JSON that was read;
    /// strings do not.
    pub(crate) fn line(&self, owner: Owner) -> Vec<u8> {
        match self {
            Self::Caller(value) => Ok(finish(value.get().into())),
            Self::Context(value) => line("context", value),
            Self::Read(value) => line("read", value),
            Self::Started(value) => line("started", value),
            Self::Entry(value) => entry_line(value, owner),
            Self::Entries(values) => line("entries", values),
            Self::Sent(sent) => line("sent", sent),
            Self::Usage(usage) => line("usage", &Figures(usage)),
            Self::ContextEdits(edits) => line("context_edits", edits),
            Self::Other { kind, value } => line(kind, value),
        }
        .expect("strings and numbers are JSON")
    }
}

fn from_json<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

/// Every entry in a transcript must have its id: it is never derived from the
/// position.
#[derive(Deserialize)]
struct Identified {
    #[serde(rename = "id")]
    _id: IgnoredAny,
}

fn entries(json: &RawJson, diagnostics: &mut Vec<ReadRepair>) -> Result<Vec<Entry>, String> {
    let values: Vec<AsWritten> = from_json(json.get().as_bytes())?;
    let entries = values.iter().map(|AsWritten(value)| entry(value, diagnostics));
    entries.collect()
}

/// Lone surrogates in texts become U+FFFD and are added to `diagnostics`.
fn entry(json: &RawJson, diagnostics: &mut Vec<ReadRepair>) -> Result<Entry, String> {
    let _: Identified = from_json(json.get().as_bytes())?;
    let nowhere = Conversation::new(Uuid::nil());
    let parsed = Entry::parse_line(json.get(), &nowhere).map_err(|error| error.to_string())?;
    diagnostics.extend(parsed.diagnostics);
    Ok(parsed.value)
}

/// Returns the line of an entry. In a caller's file, it stands alone.
pub(crate) fn entry_line(entry: &Entry, owner: Owner) -> serde_json::Result<Vec<u8>> {
    match owner {
        Owner::Caller => Ok(finish(entry.to_json_line().into())),
        Owner::Session => line("entry", entry),
    }
}

/// Returns the line of a record that is not in memory as one.
///
/// # Errors
/// The value does not serialize.
pub(crate) fn line<T: Serialize + ?Sized>(kind: &str, value: &T) -> serde_json::Result<Vec<u8>> {
    json::to_vec(&Line { kind, number: None, value }).map(finish)
}

/// Returns the line of a note. Its number says which notes are earlier.
///
/// # Errors
/// The value does not serialize.
pub(crate) fn note_line<T: Serialize>(
    kind: &str,
    number: u64,
    value: &T,
) -> serde_json::Result<Vec<u8>> {
    json::to_vec(&Line { kind, number: Some(number), value }).map(finish)
}

/// In JSON, line breaks occur between values only.
fn finish(mut line: Vec<u8>) -> Vec<u8> {
    let breaks: Vec<usize> = memchr2_iter(b'\n', b'\r', &line).collect();
    for at in breaks {
        line[at] = b' ';
    }
    line.push(b'\n');
    line
}
