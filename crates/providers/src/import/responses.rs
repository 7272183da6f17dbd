//! Bodies of OpenAI's Responses (`POST /responses`).
//!
//! ```json
//! {"model": "gpt-6-sol", "instructions": "Be brief.", "input": [
//!   {"type": "message", "role": "user", "content": "List the files."},
//!   {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA…"},
//!   {"type": "function_call", "call_id": "call_1", "name": "ls", "arguments": "{}"},
//!   {"type": "function_call_output", "call_id": "call_1", "output": "a.txt"}]}
//! ```
//!
//! Only what is in the body can be read: a request that continues an earlier one on the server
//! (`previous_response_id`, `conversation`) is imported without it, and that is reported.

mod items;
mod parts;

use aside_json::Value;
use aside_messages::wire::{ContentBlock, RawJson, Request, Role};

use super::allowed_tools::read_choice;
use super::answer_format;
use super::object::Object;
use super::parameters::{common, displayed, output_config, thinking_config, typed_tools};
use super::{Read, Result};

use self::items::Items;

/// Reads a request.
///
/// Tools come from `tools` and from `additional_tools` items; one that is in both is that of
/// `tools`. Hosted tools, such as `web_search`, are reported.
///
/// # Errors
/// The path of a member that has another type than OpenAI documents.
pub(super) fn request(body: &mut Object<'_>) -> Result<Read> {
    let model = body.string("model")?.unwrap_or_default();
    let mut items = Items::of_model(&model);
    if let Some(text) = body.string("instructions")? {
        items
            .conversation
            .add_system(vec![(ContentBlock::text(text), String::new())], "instructions");
    }
    if let Some(input) = body.take("input") {
        read_input(body, input, &mut items)?;
    }
    let mut read = Read::default();
    items.conversation.finish(body, &mut read);
    read.request.model = model;
    read.request.max_tokens = body.value("max_output_tokens", "a number")?;
    for mut function in body.objects("tools")? {
        for (tool, path) in typed_tools(&mut function)? {
            read.add_tool(tool, &path);
        }
    }
    for (tool, path) in items.added {
        if read.request.tools.iter().all(|it| it.name != tool.name) {
            read.add_tool(tool, &path);
        }
    }
    body.read_into(&[("max_output_tokens", "max_tokens")]);
    read_choice(body, &mut read)?;
    let effort = reasoning(body, &mut read.request)?;
    let (verbosity, schema) = text(body)?;
    storage(body)?;
    read.session_id = common(body, &mut read.request)?;
    output_config(&mut read.request, effort, verbosity, schema);
    Ok(read)
}

/// Reads the input: a text of the user, or items.
///
/// `"input": "Hi"` is one message of the user.
fn read_input<'t>(body: &Object<'t>, input: Value<'t>, items: &mut Items) -> Result<()> {
    if let Some(text) = input.text() {
        let text = ContentBlock::text(text);
        items.conversation.add(Role::User, [text], "input");
        return Ok(());
    }
    for item in body.list(input, "input", "items")? {
        let mut item = item?;
        items.read(&mut item)?;
        item.report();
    }
    Ok(())
}

/// Returns the effort. A summary of the reasoning is requested by adaptive
/// thinking, which many models omit from the answer by default.
///
/// ```text
/// {"effort":"high","summary":"auto"}   effort high, thinking adaptive and summarized
/// {"effort":"high"}                    effort high, thinking as the model has it
/// ```
fn reasoning(body: &mut Object<'_>, request: &mut Request) -> Result<Option<String>> {
    let Some(mut reasoning) = body.object("reasoning")? else {
        return Ok(None);
    };
    let effort = reasoning.string("effort")?;
    if let Some(summary) = reasoning.string("summary")? {
        request.thinking = Some(displayed(thinking_config("adaptive"), "summarized"));
        if summary != "auto" {
            let what = "replaced by auto: the Messages API has one kind of summary";
            reasoning.lost(reasoning.path("summary"), what);
        }
    }
    // The effort `none` disables thinking, and a summary enables it.
    let thinking = if effort.as_deref() == Some("none") { "effort" } else { "summary" };
    reasoning.read_into(&[("effort", "output_config.effort"), (thinking, "thinking")]);
    reasoning.report();
    Ok(effort)
}

/// Returns the verbosity, and the schema of the answer.
///
/// ```json
/// {"verbosity": "low", "format": {"type": "json_schema", "name": "n", "schema": {}}}
/// ```
fn text(body: &mut Object<'_>) -> Result<(Option<String>, Option<RawJson>)> {
    let Some(mut text) = body.object("text")? else {
        return Ok((None, None));
    };
    let verbosity = text.string("verbosity")?;
    let schema = answer_format::schema(text.object("format")?)?;
    text.read_into(&[("verbosity", "output_config.verbosity"), ("format", "output_config.format")]);
    text.report();
    Ok((verbosity, schema))
}

/// Reads the keys about the server's storage. Every request is stateless when
/// it is written again, and encrypted reasoning is always included.
///
/// So `"store":false` is dropped without a report, and so is `include` if it has nothing else.
fn storage(body: &mut Object<'_>) -> Result<()> {
    if body.take("store").is_some_and(Value::is_true) {
        body.lost("store", "left out: the response is not stored");
    }
    let included: Option<Vec<String>> = body.value("include", "strings")?;
    let is_other = |it: &String| it != "reasoning.encrypted_content";
    if included.is_some_and(|all| all.iter().any(is_other)) {
        let what = "left out, but for reasoning.encrypted_content";
        body.lost("include", what);
    }
    Ok(())
}
