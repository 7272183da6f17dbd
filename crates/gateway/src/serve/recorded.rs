//! The proxy's records as scripts.
//!
//! You can replay a recorded session for an agent whose requests differ from the recorded ones,
//! since responses are matched only by their order.

use aside_providers::script::{Script, ScriptError, ScriptedAnswer, ScriptedBlock};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    response: Option<Response<'a>>,
    complete: Option<bool>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
    stop_reason: Option<String>,
}

/// Reads a script, or a proxy record's answers in order. Errors call the file `name`.
///
/// # Errors
/// Why the file is neither.
pub fn replay(name: &str, text: &str) -> Result<Script, ScriptError> {
    #[derive(Deserialize)]
    struct Recorded {
        #[serde(rename = "body")]
        _body: serde::de::IgnoredAny,
    }
    let first = text.lines().find(|line| !line.trim().is_empty());
    let is_record = first.is_some_and(|it| serde_json::from_str::<Recorded>(it).is_ok());
    if !is_record {
        return Script::parse(name, text);
    }
    let answers = text.lines().filter_map(|line| {
        let line: Line<'_> = serde_json::from_str(line).ok()?;
        let Response { content, stop_reason } = line.response?;
        let content = ScriptedBlock::parse_list(content.get()).unwrap_or_default();
        let mut answer = ScriptedAnswer::from_content(content);
        answer.stop_reason = stop_reason;
        answer.breaks_off = line.complete == Some(false);
        Some(answer)
    });
    Ok(Script::from_answers(answers.collect()))
}
