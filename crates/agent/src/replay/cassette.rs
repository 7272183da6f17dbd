//! Parsing the file of a recording. Its form is documented at [`Replay`](super::Replay).

use aside_messages::wire::{ContentBlock, Message};
use aside_providers::{ErrorBody, ReportedUsage, StopReason};
use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::cassette_error::CassetteError;
use super::expectation::Expectation;
use crate::client_error::ClientError;

/// The version of the form that is read.
const VERSION: u64 = 1;

/// A cassette that was parsed.
#[derive(Debug)]
pub(super) struct Cassette {
    /// The name of the file, for errors.
    pub(super) name: String,
    /// The responses, in the order of the requests.
    pub(super) answers: Vec<Recorded>,
    /// True if the last response is repeated for every further request.
    pub(super) repeat: bool,
}

/// The response to one request.
#[derive(Debug)]
pub(super) struct Recorded {
    /// The conditions on the request; without them, any request is answered.
    pub(super) expect: Option<Expectation>,
    /// The error that replaces a response.
    pub(super) error: Option<ClientError>,
    /// The content blocks; empty with an error.
    pub(super) content: Vec<ContentBlock>,
    /// As recorded, or `tool_use` if there is a call and `end_turn` otherwise.
    pub(super) stop_reason: StopReason,
    /// The tokens; those that the file does not have are 0.
    pub(super) usage: ReportedUsage,
    /// True if the stream ends before the last block does.
    pub(super) breaks_off: bool,
}

/// The file.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    answers: Vec<&'a RawValue>,
    #[serde(default)]
    repeat: bool,
}

/// The version alone, which is read before the rest.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// A response in the file.
#[derive(Deserialize)]
struct Answer<'a> {
    expect: Option<Expectation>,
    error: Option<Failure>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    stop_reason: Option<String>,
    usage: Option<Cost>,
    #[serde(default)]
    breaks_off: bool,
}

/// An error of the API, with the status of its response.
#[derive(Deserialize)]
struct Failure {
    status: u16,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

/// The tokens of a response, in the form of the Messages API.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Cost {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl Cassette {
    /// Parses the text of a file; `name` is that of the file, for errors.
    ///
    /// # Errors
    ///
    /// The text is not JSON, has another version or an invalid response. The
    /// error names the line in the file.
    pub(super) fn parse(name: String, json: &str) -> Result<Self, CassetteError> {
        // Some editors write a byte order mark at the start of a text.
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        let text = Text { name: &name, json };
        // The version is read first, since a later one may have another form.
        let Version { version } = text.read(json, "")?;
        if version != VERSION {
            let detail = format!("unsupported version {version}, expected {VERSION}");
            return Err(text.fault(json, detail));
        }
        let file: File<'_> = text.read(json, "")?;
        let answers = file
            .answers
            .into_iter()
            .enumerate()
            .map(|(index, answer)| text.answer(index, answer.get()));
        Ok(Self {
            answers: answers.collect::<Result<_, _>>()?,
            repeat: file.repeat,
            name,
        })
    }
}

/// The text of the file, for the lines of errors.
#[derive(Clone, Copy)]
struct Text<'a> {
    name: &'a str,
    json: &'a str,
}

impl<'a> Text<'a> {
    /// Reads the response at an index. It has either content or an error.
    fn answer(self, index: usize, json: &'a str) -> Result<Recorded, CassetteError> {
        let answer: Answer<'a> = self.read(json, &format!("answers[{index}]"))?;
        let content = match (&answer.error, answer.content) {
            (None, Some(content)) => self.content(content.get())?,
            (Some(_), None) => Vec::new(),
            (None, None) => return Err(self.fault(json, "an answer has content or an error")),
            (Some(_), Some(_)) => {
                return Err(self.fault(json, "an answer with an error has no content"));
            }
        };
        Ok(Recorded {
            stop_reason: answer
                .stop_reason
                .map_or_else(|| stop_reason(&content), StopReason::from),
            content,
            expect: answer.expect,
            error: answer.error.map(Failure::into_error),
            usage: answer.usage.unwrap_or_default().into_usage(),
            breaks_off: answer.breaks_off,
        })
    }

    /// Parses the content with the reader of the wire format.
    fn content(self, json: &'a str) -> Result<Vec<ContentBlock>, CassetteError> {
        let message = format!("{{\"role\":\"assistant\",\"content\":{json}}}");
        match Message::parse(message.as_bytes()) {
            Ok(message) => Ok(message.value.content),
            Err(error) => {
                let (path, detail) = (error.path(), error.detail());
                Err(self.fault(json, format_args!("{path}: {detail}")))
            }
        }
    }

    /// Reads a part of the text, which has this path.
    fn read<T: Deserialize<'a>>(self, json: &'a str, at: &str) -> Result<T, CassetteError> {
        json::read(json).map_err(|error| {
            let line = self.line(json) + error.line().saturating_sub(1);
            let path = match (at, error.path()) {
                ("", path) | (path, "") => path.to_owned(),
                (at, path) => format!("{at}.{path}"),
            };
            let colon = if path.is_empty() { "" } else { ": " };
            let detail = format!("{path}{colon}{}", error.detail());
            CassetteError::new(self.name, line, detail)
        })
    }

    /// Returns the error of a part of the text, with the line on which the part
    /// begins.
    fn fault(self, json: &str, detail: impl std::fmt::Display) -> CassetteError {
        CassetteError::new(self.name, self.line(json), detail)
    }

    /// Returns the line on which a part of the text begins.
    fn line(self, part: &str) -> usize {
        let offset = part.as_ptr().addr().wrapping_sub(self.json.as_ptr().addr());
        let before = self.json.as_bytes().get(..offset).unwrap_or_default();
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }
}

/// Returns the reason of a response that does not record one.
fn stop_reason(content: &[ContentBlock]) -> StopReason {
    let is_call = |block: &ContentBlock| matches!(block, ContentBlock::ToolUse(_));
    if content.iter().any(is_call) {
        StopReason::ToolUse
    } else {
        StopReason::EndTurn
    }
}

impl Failure {
    fn into_error(self) -> ClientError {
        let body = ErrorBody {
            kind: self.kind,
            message: self.message,
            request_id: None,
        };
        ClientError::of_response(self.status, &body)
    }
}

impl Cost {
    fn into_usage(self) -> ReportedUsage {
        let (read, written) = (
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
        );
        let input = aside_models::Usage::from_input(read, written, 0, self.input_tokens);
        ReportedUsage::from(aside_models::Usage {
            output: self.output_tokens,
            ..input
        })
    }
}
