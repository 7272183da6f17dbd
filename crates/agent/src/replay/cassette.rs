use aside_messages::wire::{ContentBlock, Message};
use aside_providers::{ErrorBody, StopReason, Usage};
use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::cassette_error::CassetteError;
use super::expectation::Expectation;
use crate::client_error::ClientError;

const VERSION: u64 = 1;

/// A cassette that was parsed.
#[derive(Debug)]
pub(super) struct Cassette {
    pub(super) name: String,
    pub(super) answers: Vec<Recorded>,
    pub(super) repeat: bool,
}

/// The response to one request.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) expect: Option<Expectation>,
    pub(super) error: Option<ClientError>,
    pub(super) content: Vec<ContentBlock>,
    pub(super) stop_reason: StopReason,
    pub(super) usage: Usage,
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

#[derive(Deserialize)]
struct Failure {
    status: u16,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cost {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl Cassette {
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
    fn into_usage(self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            cache_creation_input_tokens: self.cache_creation_input_tokens,
            cache_read_input_tokens: self.cache_read_input_tokens,
            output_tokens: self.output_tokens,
            ..Usage::default()
        }
    }
}
