//! One file per format.
//!
//! Formats are read leniently: agents and proxies change their logs between
//! versions, and a log without one fact is still useful for the others. Only an
//! entry without a request is an error.
//!
//! A log in lines goes through [`Lines`], one line at a time; a log that is one
//! JSON or YAML value goes through [`document`]. A format is a function from a
//! parsed entry to an [`Exchange`]; only transcripts keep state between lines.

mod address;
mod bodies;
mod cassette;
mod encoded;
mod har;
mod litellm;
mod otel;
mod plain;
mod proxy;
pub(crate) mod raw_bodies;
mod transcript;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{LogError, LogErrorKind};
use crate::exchange::Exchange;
use crate::guess::Format;

/// What is wrong with an entry: kind and detail. The caller adds the line.
pub(crate) type Fault = (LogErrorKind, String);

/// Reads JSON Lines in one format.
#[derive(Debug)]
pub(crate) struct Lines {
    format: Format,
    /// Responses whose lines are not complete; empty for every other format.
    transcript: transcript::Transcript,
}

impl Lines {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, transcript: transcript::Transcript::default() }
    }

    /// Reads a line, which may hold several entries, or none.
    ///
    /// `line` has no white space around it, and `number` (from 1) is for
    /// exchanges that the format has not numbered. HAR and cassettes have no
    /// lines and give no exchange here.
    pub(crate) fn read(&mut self, line: &Bytes, number: usize) -> Result<Vec<Exchange>, Fault> {
        let mut all = match self.format {
            Format::Plain => vec![plain::read(line)?],
            Format::Bodies => vec![bodies::read(line)?],
            Format::Transcript => self.transcript.read(line, number)?,
            format => {
                let value: Value = serde_json::from_slice(line).map_err(not_json)?;
                match format {
                    Format::Proxy => vec![proxy::read(line, &value)?],
                    Format::OpenTelemetry => otel::read(&value)?,
                    Format::LiteLlm => litellm::read(&value)?,
                    Format::RawBodies => {
                        let detail = "bodies of a directory are in files of their own";
                        return Err((LogErrorKind::NotAnEntry, detail.to_owned()));
                    }
                    _ => Vec::new(),
                }
            }
        };
        for exchange in &mut all {
            if exchange.line == 0 {
                exchange.line = number;
            }
        }
        Ok(all)
    }

    /// Returns the exchanges that are complete only when the log has ended.
    pub(crate) fn finish(&mut self) -> Vec<Exchange> {
        self.transcript.finish()
    }
}

/// Reads a log that is one document.
///
/// `is_yaml` selects the cassette reader; otherwise the text is JSON, and the
/// format is detected unless given. Line formats accept a list of entries, or
/// one entry over several lines: entry numbers then replace line numbers. An
/// entry in a list that cannot be read is an error between the others.
pub(crate) fn document(
    text: &Bytes,
    format: Option<Format>,
    is_yaml: bool,
) -> Result<Vec<Result<Exchange, LogError>>, Fault> {
    let whole = |all: Vec<Exchange>| all.into_iter().map(Ok).collect();
    if is_yaml {
        return cassette::read(text).map(whole);
    }
    let value: Value = serde_json::from_slice(text).map_err(not_json)?;
    match format.or_else(|| Format::of_value(&value)).unwrap_or(Format::Bodies) {
        Format::Har => har::read(&value).map(whole),
        Format::OpenTelemetry => otel::read(&value).map(whole),
        Format::Bodies => bodies::document(text).map(whole),
        Format::Cassette => cassette::read(text).map(whole),
        format => {
            // A list of entries, or one entry over several lines.
            let mut lines = Lines::new(format);
            let entries: Vec<&RawValue> = match value {
                Value::Array(_) => serde_json::from_slice(text).map_err(not_json)?,
                _ => vec![serde_json::from_slice(text).map_err(not_json)?],
            };
            let mut all = Vec::new();
            for (index, entry) in entries.iter().enumerate() {
                let number = index + 1;
                match lines.read(&text.slice_ref(entry.get().as_bytes()), number) {
                    Ok(exchanges) => all.extend(exchanges.into_iter().map(Ok)),
                    Err((kind, detail)) => all.push(Err(LogError::new(kind, number, detail))),
                }
            }
            all.extend(lines.finish().into_iter().map(Ok));
            Ok(all)
        }
    }
}

/// Uses the parser's message.
pub(crate) fn not_json(error: serde_json::Error) -> Fault {
    (LogErrorKind::NotJson, error.to_string())
}

/// An entry lacks a part, such as `request.body`.
pub(crate) fn no_entry(missing: &str) -> Fault {
    (LogErrorKind::NotAnEntry, format!("no {missing}"))
}
