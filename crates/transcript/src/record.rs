use std::fmt;

use aside_messages::wire::RawJson;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// What a session found when it opened: the first line.
    Opened(RawJson),
    /// An entry of the conversation.
    Entry(RawJson),
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
    /// Reads one line.
    pub(crate) fn parse(line: &[u8]) -> serde_json::Result<Self> {
        let ReadLine { kind, value } = serde_json::from_slice(line)?;
        Ok(match kind.as_str() {
            "opened" => Self::Opened(value),
            "entry" => Self::Entry(value),
            "sent" => Self::Sent(serde_json::from_str(value.get())?),
            _ => Self::Other { kind, value },
        })
    }

    /// The line, its end included.
    pub(crate) fn line(&self) -> Vec<u8> {
        let line = match self {
            Self::Opened(value) => encode("opened", value),
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

fn encode(kind: &str, value: impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Line { kind, value })
}
