//! Scripts as the server's responses.
//!
//! The server signs `thinking` blocks. A `tool_use` block without `input` gets an input that its
//! tool's schema accepts.

use aside_messages::wire::{ContentBlock, Request};
use aside_models::{TokenEstimate, estimate, find, prefix_within};
use aside_providers::script::{Expectation, Reply, ScriptedAnswer, ScriptedBlock};
use serde_json::Value;

use super::input;
use crate::strict::{Draft, DraftBlock};
use crate::wires::ValueForm;

/// Returns the response of a server without a script, cut at the request's limit: a call if the
/// request forces one, a value if it has a schema or has to be JSON, else a neutral text.
pub(super) fn fixed(body: &[u8], form: ValueForm) -> Draft {
    let Ok(request) = Request::parse(body).map(|it| it.value) else {
        return Draft::polite();
    };
    if let Some(choice) = request.tool_choice
        && matches!(&*choice.kind, "any" | "tool")
        && let name = choice.name.or_else(|| input::next_tool(body))
        && let Ok((name, input)) = input::call(body, name.as_deref())
        && let Ok(call) = Draft::new().tool_use(&name, &input)
    {
        return call;
    }
    let text = match (input::formatted(body), form) {
        (Some(Value::String(text)), ValueForm::Bare) => Some(text),
        (Some(value), _) => Some(value.to_string()),
        (None, ValueForm::AnyJson) => Some("{}".to_owned()),
        (None, _) => None,
    };
    let draft = text.map_or_else(Draft::polite, |text| Draft::new().text(text));
    let family = find(&request.model).facts.estimated_tokenizer();
    let limit = TokenEstimate::of_tokens(request.max_tokens.unwrap_or_default());
    let tokens = draft.blocks.iter().map(|block| match block {
        DraftBlock::Text(text) | DraftBlock::Thinking(text) => estimate(text, family),
        _ => TokenEstimate::ZERO,
    });
    let is_within = limit == TokenEstimate::ZERO || tokens.sum::<TokenEstimate>() <= limit;
    match draft.blocks.last() {
        Some(DraftBlock::Text(text)) if !is_within => {
            let text = prefix_within(text, family, limit);
            Draft::new().text(text).stop_reason("max_tokens")
        }
        _ => draft,
    }
}

/// Checks a request's body. Returns what is wrong if it is no request.
pub(super) fn check(expectation: &Expectation, body: &[u8]) -> Result<(), String> {
    let request = Request::parse(body);
    let request = request.map_err(|error| format!("the body is no request: {error}"))?;
    expectation.check(&request.value)
}

/// Returns an answer's content as a draft for a request.
///
/// Fails if a tool call without input names a tool that the request does not have.
pub(super) fn draft(answer: &ScriptedAnswer, body: &[u8]) -> Result<Draft, String> {
    let mut draft = Draft { latency: answer.delay, ..Draft::new() };
    let Reply::Content(blocks) = &answer.reply else {
        return Ok(draft);
    };
    for block in blocks {
        draft = match block {
            ScriptedBlock::Thinking(text) => draft.thinking(text),
            ScriptedBlock::RedactedThinking => draft.redacted_thinking(),
            ScriptedBlock::Block(ContentBlock::Text(block)) => match &block.citations {
                Some(citations) => {
                    draft.cited(&block.text, citations.get()).map_err(|error| error.to_string())?
                }
                None => draft.text(&*block.text),
            },
            ScriptedBlock::Block(ContentBlock::Thinking(block)) => draft.thinking(&*block.thinking),
            ScriptedBlock::Block(ContentBlock::RedactedThinking(_)) => draft.redacted_thinking(),
            ScriptedBlock::Block(ContentBlock::ToolUse(call)) => draft
                .tool_use_with_id(&call.id, &call.name, call.input.get())
                .map_err(|error| error.to_string())?,
            ScriptedBlock::Block(block) => {
                let json = serde_json::to_string(block).map_err(|error| error.to_string())?;
                draft.block(&json).map_err(|error| error.to_string())?
            }
            ScriptedBlock::ToolUse { id, name, input, purpose } => {
                let (name, input) = match (name, input, purpose) {
                    (Some(name), Some(input), _) => {
                        (input::named(body, name), input.get().to_owned())
                    }
                    (None, _, Some(purpose)) => input::call_for(body, purpose)?,
                    (name, ..) => input::call(body, name.as_deref())?,
                };
                match id {
                    Some(id) => draft.tool_use_with_id(id, &name, &input),
                    None => draft.tool_use(&name, &input),
                }
                .map_err(|error| error.to_string())?
            }
        };
    }
    Ok(match &answer.stop_reason {
        Some(reason) => draft.stop_reason(reason),
        None => draft,
    })
}
