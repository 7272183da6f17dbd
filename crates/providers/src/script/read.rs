//! Reads scripts. Errors have the line in the file.

use std::time::Duration;

use aside_messages::wire::{ContentBlock, Message, RawJson};
use aside_models::Usage;
use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CallPurpose, Expectation, Reply, Script, ScriptError, ScriptedAnswer, ScriptedBlock};
use crate::ErrorBody;

/// The version to read.
const VERSION: u64 = 1;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    answers: Vec<&'a RawValue>,
    #[serde(default)]
    repeat: bool,
}

/// Read before the rest, which a later version may write differently.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Deserialize)]
struct Answer<'a> {
    when: Option<Expectation>,
    expect: Option<Expectation>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    error: Option<Failure>,
    stop_reason: Option<String>,
    usage: Option<Figures>,
    #[serde(default)]
    breaks_off: bool,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    event_delay_ms: u64,
    #[serde(default)]
    advance_ms: u64,
    times: Option<u64>,
}

#[derive(Deserialize)]
struct Failure {
    status: u16,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

/// A figure that is not a number is an error here, unlike in a response.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Figures {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

/// The keys in blocks that may be incomplete.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    reads: Option<String>,
    delegates: Option<String>,
}

pub(super) fn script(name: String, json: &str) -> Result<Script, ScriptError> {
    // Some editors write a byte order mark first.
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let text = Text { name: &name, json };
    let Version { version } = text.read(json, "")?;
    if version != VERSION {
        let detail = format!("unsupported version {version}, expected {VERSION}");
        return Err(text.fault(json, detail));
    }
    let file: File<'_> = text.read(json, "")?;
    let answers = file.answers.iter().enumerate();
    let answers = answers.map(|(index, answer)| text.answer(index, answer.get()));
    Ok(Script { answers: answers.collect::<Result<_, _>>()?, repeat: file.repeat, name })
}

/// The file's text, to find the lines for errors.
#[derive(Clone, Copy)]
struct Text<'a> {
    name: &'a str,
    json: &'a str,
}

impl<'a> Text<'a> {
    fn answer(self, index: usize, json: &'a str) -> Result<ScriptedAnswer, ScriptError> {
        let answer: Answer<'a> = self.read(json, &format!("answers[{index}]"))?;
        let reply = match (answer.content.map(RawValue::get), answer.error) {
            (Some(json), None) => {
                Reply::Content(content(json).map_err(|fault| self.fault(json, fault))?)
            }
            (None, Some(error)) => {
                let (kind, message) = (error.kind, error.message);
                let body = ErrorBody { kind, message, ..ErrorBody::default() };
                Reply::Error(error.status, body)
            }
            (None, None) => {
                return Err(self.fault(json, "an answer has content or an error".to_owned()));
            }
            (Some(_), Some(_)) => {
                let detail = "an answer with an error has no content";
                return Err(self.fault(json, detail.to_owned()));
            }
        };
        Ok(ScriptedAnswer {
            when: answer.when,
            expect: answer.expect,
            reply,
            stop_reason: answer.stop_reason,
            usage: answer.usage.unwrap_or_default().into_usage(),
            breaks_off: answer.breaks_off,
            delay: Duration::from_millis(answer.delay_ms),
            event_delay: Duration::from_millis(answer.event_delay_ms),
            advance: Duration::from_millis(answer.advance_ms),
            times: answer.times.unwrap_or(1),
        })
    }

    /// Reads a part of the text, at this path.
    fn read<T: Deserialize<'a>>(self, json: &'a str, at: &str) -> Result<T, ScriptError> {
        json::read(json).map_err(|error| {
            let path = match (at, error.path()) {
                ("", path) | (path, "") => path.to_owned(),
                (at, path) => format!("{at}.{path}"),
            };
            let colon = if path.is_empty() { "" } else { ": " };
            let mut fault = self.fault(json, format!("{path}{colon}{}", error.detail()));
            fault.line += error.line().saturating_sub(1);
            fault
        })
    }

    /// Returns an error about a part, with the line on which it begins.
    fn fault(self, part: &str, detail: String) -> ScriptError {
        let offset = part.as_ptr().addr().wrapping_sub(self.json.as_ptr().addr());
        let before = self.json.as_bytes().get(..offset).unwrap_or_default();
        ScriptError {
            name: self.name.to_owned(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            detail,
        }
    }
}

/// Reads message content: a text, or blocks, some of which may be incomplete.
pub(super) fn content(json: &str) -> Result<Vec<ScriptedBlock>, String> {
    let Ok(blocks) = serde_json::from_str::<Vec<&RawValue>>(json) else {
        let content = wire_blocks(json, "content")?;
        return Ok(content.into_iter().map(ScriptedBlock::Block).collect());
    };
    let mut read = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let json = block.get();
        match json::read::<Block<'_>>(json).ok().and_then(incomplete) {
            Some(block) => read.push(block),
            None => {
                let blocks = wire_blocks(&format!("[{json}]"), &format!("content[{index}]"))?;
                read.extend(blocks.into_iter().map(ScriptedBlock::Block));
            }
        }
    }
    Ok(read)
}

/// Returns the block if the player has to fill in a part.
fn incomplete(block: Block<'_>) -> Option<ScriptedBlock> {
    let purpose = block.reads.map(CallPurpose::Read);
    let purpose = purpose.or(block.delegates.map(CallPurpose::Delegate));
    match (block.kind.as_str(), block.id, block.name, block.input) {
        ("thinking", ..) if block.signature.is_none() => {
            block.thinking.map(ScriptedBlock::Thinking)
        }
        ("redacted_thinking", ..) if block.data.is_none() => Some(ScriptedBlock::RedactedThinking),
        ("tool_use", Some(_), Some(_), Some(_)) => None,
        ("tool_use", id, name, input) => Some(ScriptedBlock::ToolUse {
            id,
            name,
            input: input.and_then(|input| RawJson::parse(input.get()).ok()),
            purpose,
        }),
        _ => None,
    }
}

/// Parses content with the wire format's reader; `at` is its path, or its only block's path.
fn wire_blocks(json: &str, at: &str) -> Result<Vec<ContentBlock>, String> {
    let message = format!("{{\"role\":\"assistant\",\"content\":{json}}}");
    match Message::parse(message.as_bytes()) {
        Ok(message) => Ok(message.value.content),
        Err(error) => {
            let path = error.path();
            let path = match path.strip_prefix("content[0]").filter(|_| at != "content") {
                Some(rest) => format!("{at}{rest}"),
                None => path.to_owned(),
            };
            Err(format!("{path}: {}", error.detail()))
        }
    }
}

impl Figures {
    fn into_usage(self) -> Usage {
        let (read, written) = (self.cache_read_input_tokens, self.cache_creation_input_tokens);
        Usage {
            output: self.output_tokens,
            ..Usage::from_input(read, written, 0, self.input_tokens)
        }
    }
}
