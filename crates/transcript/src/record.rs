use std::fmt;

use aside_messages::Diagnostic;
use aside_messages::conversation::{Conversation, Entry};
use aside_messages::wire::{Parsed, RawJson};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// What a session found when it opened: the first line. A later one takes
    /// its place, where the session found something else since.
    Opened(RawJson),
    /// The model has seen a file.
    Read(RawJson),
    /// An entry of the conversation.
    Entry(Box<Entry>),
    /// A request went out.
    Sent(Sent),
    /// What a later version wrote, kept as it is.
    Other {
        /// What it calls it.
        kind: String,
        /// What it wrote.
        value: RawJson,
    },
}

/// What there is to remember of a request that went out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// How many requests went out before it.
    pub turn: u64,
    /// Since the session began, in milliseconds.
    pub elapsed_ms: u64,
    /// How often each reminder has fired.
    pub reminders: RawJson,
    /// Of the bytes of the body.
    pub body: BodyHash,
}

/// Tells the bytes of one request from those of another. It keeps nobody from
/// making two that it takes for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyHash(Uuid);

/// A line as it is written.
#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    value: T,
}

/// A line as it is read. What else stands in it is left alone.
#[derive(Deserialize)]
struct ReadLine {
    #[serde(rename = "type")]
    kind: String,
    value: RawJson,
}

impl BodyHash {
    /// Of the bytes of a body.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        Self(Uuid::new_v5(&Uuid::nil(), body))
    }
}

impl fmt::Display for BodyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Record {
    /// Reads one line. The error says what is wrong with it.
    pub(crate) fn parse(line: &[u8]) -> Result<Parsed<Self>, String> {
        // Of an array, the values would be taken for those of the keys.
        if line.first() == Some(&b'[') {
            return Err("not an object".to_owned());
        }
        let ReadLine { kind, value } = from_json(line)?;
        let mut diagnostics = Vec::new();
        let value = match kind.as_str() {
            "opened" => Self::Opened(value),
            "read" => Self::Read(value),
            "entry" => Self::Entry(entry(&value, &mut diagnostics)?),
            "sent" => Self::Sent(from_json(value.get().as_bytes())?),
            _ => Self::Other { kind, value },
        };
        Ok(Parsed { value, diagnostics })
    }

    /// The line, its end included.
    pub(crate) fn line(&self) -> Vec<u8> {
        let line = match self {
            Self::Opened(value) => encode("opened", value),
            Self::Read(value) => encode("read", value),
            Self::Entry(value) => encode("entry", value),
            Self::Sent(sent) => encode("sent", sent),
            Self::Other { kind, value } => encode(kind, value),
        };
        let mut line = line.expect("strings and numbers are JSON");
        for byte in &mut line {
            // In JSON, these stand between values only.
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        line.push(b'\n');
        line
    }
}

fn from_json<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

/// What every entry of a transcript has: its id is not made up from where it
/// stands.
#[derive(Deserialize)]
struct Identified {
    #[serde(rename = "id")]
    _id: IgnoredAny,
}

fn entry(json: &RawJson, diagnostics: &mut Vec<Diagnostic>) -> Result<Box<Entry>, String> {
    let _: Identified = from_json(json.get().as_bytes())?;
    let nowhere = Conversation::new(Uuid::nil());
    let parsed = Entry::parse_line(json.get(), &nowhere).map_err(|error| error.to_string())?;
    diagnostics.extend(parsed.diagnostics);
    Ok(Box::new(parsed.value))
}

fn encode(kind: &str, value: impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Line { kind, value })
}
