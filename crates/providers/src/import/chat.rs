//! Reads bodies for OpenAI's Chat Completions (`POST /chat/completions`).
//!
//! ```json
//! {"model": "gpt-5.5", "messages": [
//!   {"role": "system", "content": "Be brief."},
//!   {"role": "user", "content": "List the files."},
//!   {"role": "assistant", "content": null, "tool_calls": [
//!     {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
//!   {"role": "tool", "tool_call_id": "call_1", "content": "a.txt"}]}
//! ```
//!
//! The call and its output become `tool_use` and `tool_result`; system text before the first
//! message becomes the system prompt.

mod content;

use std::borrow::Cow;

use aside_json::{Kind, Value};
use aside_messages::wire::{ContentBlock, RawJson, ResultContent, Role};

use super::allowed_tools::read_choice;
use super::answer_format;
use super::conversation::{CallKey, Conversation, input, refusal, text_input, thinking};
use super::object::Object;
use super::parameters::{AS_FUNCTION, common, custom_tool, output_config, tool, tool_choice};
use super::{ImportError, Read, Result};

use self::content::blocks;

/// Reads a request.
///
/// `max_completion_tokens` overrides the older `max_tokens`. Tools that are neither functions nor
/// custom tools are reported. `functions` and `function_call` are the older form of `tools` and
/// `tool_choice`; their calls have no ids.
///
/// # Errors
/// The path to a member that has another type than OpenAI documents.
pub(super) fn request(body: &mut Object<'_>) -> Result<Read> {
    let mut conversation = Conversation::default();
    for mut message in body.objects("messages")? {
        read_message(&mut message, &mut conversation)?;
        message.report();
    }
    let mut read = Read::default();
    conversation.finish(body, &mut read);
    read.request.model = body.string("model")?.unwrap_or_default();
    for key in ["max_tokens", "max_completion_tokens"] {
        if let limit @ Some(_) = body.value(key, "a number")? {
            if read.request.max_tokens.is_some_and(|it| Some(it) != limit) {
                body.lost("max_tokens", "left out: max_completion_tokens is the limit");
            }
            read.request.max_tokens = limit;
        }
    }
    for mut item in body.objects("tools")? {
        let mut inner = if let Some(mut function) = item.object("function")? {
            read.add_tool(tool(&mut function, "parameters")?, function.place());
            function
        } else if let Some(mut custom) = item.object("custom")? {
            read.add_tool(custom_tool(&mut custom)?, custom.place());
            custom
        } else {
            item.lose();
            continue;
        };
        inner.report();
    }
    for mut function in body.objects("functions")? {
        read.add_tool(tool(&mut function, "parameters")?, function.place());
        function.report();
    }
    if let Some(stop) = body.take("stop") {
        read.request.stop_sequences = stop_sequences(stop)?;
    }
    read_choice(body, &mut read)?;
    if let Some(choice) = body.take("function_call") {
        read.request.tool_choice = Some(tool_choice(body, "function_call", choice)?);
    }
    // The Messages API always sends the usage.
    body.take("stream_options");
    let effort = body.string("reasoning_effort")?;
    let verbosity = body.string("verbosity")?;
    let schema = answer_format::schema(body.object("response_format")?)?;
    body.read_into(&[
        ("max_completion_tokens", "max_tokens"),
        ("stop", "stop_sequences"),
        ("reasoning_effort", "output_config.effort"),
        ("reasoning_effort", "thinking"),
        ("verbosity", "output_config.verbosity"),
        ("response_format", "output_config.format"),
    ]);
    read.session_id = common(body, &mut read.request)?;
    output_config(&mut read.request, effort, verbosity, schema);
    Ok(read)
}

/// Reads one stop sequence, or several.
///
/// `"END"` and `["END"]` mean the same.
fn stop_sequences(stop: Value<'_>) -> Result<Vec<String>> {
    let own = |text: Cow<'_, str>| text.into_owned();
    let one = (stop.kind() != Kind::Array).then_some(stop);
    let all = one.into_iter().chain(stop.items());
    let all: Option<_> = all.map(|it| it.text().map(own)).collect();
    all.ok_or_else(|| ImportError::shape("stop", "strings"))
}

/// Reads a message into the conversation, by its role. When OpenAI does not document the role, the
/// whole message is reported: its text is not the user's, and may not become so.
fn read_message(message: &mut Object<'_>, conversation: &mut Conversation) -> Result<()> {
    let role = message.required("role")?;
    match role.as_str() {
        "system" | "developer" => conversation.add_system(blocks(message)?, message.place()),
        "user" => {
            conversation.add_parts(&Role::User, blocks(message)?);
            conversation.keep_place(Role::User, message.place());
        }
        "assistant" => {
            assistant(message, conversation)?;
            conversation.keep_place(Role::Assistant, message.place());
        }
        "tool" | "function" => result(message, &role, conversation)?,
        // It is not the user's text.
        _ => {
            message.lose_whole();
        }
    }
    Ok(())
}

/// Reads an assistant message: `reasoning_content` from compatible servers, text, a refusal and
/// calls, in this order.
///
/// Reasoning has no signature here, so it becomes thinking without one.
///
/// # Errors
/// When a call has no id or no name.
fn assistant(message: &mut Object<'_>, conversation: &mut Conversation) -> Result<()> {
    let content = blocks(message)?;
    if let Some(thought) = message.string("reasoning_content")?
        && !thought.is_empty()
    {
        let thought = thinking(&thought, String::new());
        conversation.add(Role::Assistant, [thought], &message.path("reasoning_content"));
    }
    conversation.add_parts(&Role::Assistant, content);
    if message.text("refusal").is_some() {
        let refusal = refusal(message)?;
        conversation.add(Role::Assistant, [refusal], &message.path("refusal"));
    }
    if let Some(mut function) = message.object("function_call")? {
        let (name, input) = call(&mut function)?;
        conversation.call(CallKey::Name(name.clone()), &name, input, function.place());
        function.report();
    }
    for mut call in message.objects("tool_calls")? {
        let id = call.required("id")?;
        let (mut inner, name, input) = if let Some(mut function) = call.object("function")? {
            let (name, input) = self::call(&mut function)?;
            (function, name, input)
        } else if let Some(mut custom) = call.object("custom")? {
            custom.lost(custom.place(), AS_FUNCTION);
            let name = custom.required("name")?;
            let input = text_input(&custom.required("input")?);
            (custom, name, input)
        } else {
            call.lose();
            continue;
        };
        conversation.call(CallKey::Id(id), &name, input, call.place());
        inner.report();
        call.report();
    }
    Ok(())
}

/// Reads the name and the arguments of a call.
fn call(function: &mut Object<'_>) -> Result<(String, RawJson)> {
    let name = function.required("name")?;
    let arguments = function.string("arguments")?.unwrap_or_default();
    Ok((name, input(function, &arguments)))
}

/// Reads a call's output (role `tool`; in the older form, `function`). A single text becomes a
/// plain string, as in most Messages API results.
fn result(message: &mut Object<'_>, role: &str, conversation: &mut Conversation) -> Result<()> {
    let content = blocks(message)?;
    let key = if role == "function" {
        CallKey::Name(message.required("name")?)
    } else {
        // The call has the name already.
        message.take("name");
        CallKey::Id(message.required("tool_call_id")?)
    };
    let path = message.path("content");
    if let [(ContentBlock::Text(text), _)] = &content[..]
        && text.cache_control.is_none()
    {
        conversation.result(&key, ResultContent::Text(text.text.clone()), None, path);
    } else {
        conversation.parts_result(&key, content, None, path);
    }
    Ok(())
}
