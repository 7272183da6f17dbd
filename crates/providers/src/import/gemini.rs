//! Bodies of Gemini's `generateContent` (`POST /models/{model}:generateContent`).
//!
//! ```json
//! {"systemInstruction": {"parts": [{"text": "Be brief."}]},
//!  "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
//!  "tools": [{"functionDeclarations": [
//!    {"name": "now", "parametersJsonSchema": {"type": "object"}}]}],
//!  "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
//!  "generationConfig": {"maxOutputTokens": 64}}
//! ```
//!
//! Keys are accepted in camel case and in snake case. The model is in the path of such a request,
//! so a body seldom names it.

mod contents;
mod generation;
mod part;
mod schema;

use aside_messages::wire::{ContentBlock, Tool, ToolChoice};

use super::allowed_tools::restrict;
use super::object::Object;
use super::parameters::{named_tool, word_choice};
use super::{Read, Result};
use crate::sources::ToolSource;

use self::contents::Contents;
use self::generation::generation;
use self::schema::json_schema;

/// Reads a request.
///
/// The wire has no id of a session, and whether the response is streamed is in the path: neither is
/// set.
///
/// # Errors
/// The path of a member that has another type than Google documents, or of a part of
/// `systemInstruction` without text.
pub(super) fn request(body: &mut Object<'_>) -> Result<Read> {
    let mut contents = Contents::default();
    if let Some(mut system) = body.object("systemInstruction")? {
        for mut part in system.objects("parts")? {
            let text = part.required("text")?;
            let text = ContentBlock::text(text);
            contents.conversation.system.push((text, part.place().to_owned()));
            part.report();
        }
    }
    for content in body.objects("contents")? {
        contents.read(content)?;
    }
    let mut read = Read::default();
    contents.conversation.finish(body, &mut read);
    read.request.model = body.string("model")?.unwrap_or_default();
    for mut tools in body.objects("tools")? {
        for mut function in tools.objects("functionDeclarations")? {
            let (tool, schema) = tool(&mut function)?;
            read.request.tools.push(tool);
            read.tools.push(ToolSource { path: function.place().to_owned(), schema });
            function.report();
        }
        tools.report();
    }
    if let Some(mut config) = body.object("toolConfig")? {
        if let Some(mut calling) = config.object("functionCallingConfig")? {
            tool_choice(&mut calling, &mut read)?;
            calling.read_into(&[("mode", "tool_choice")]);
            calling.report();
        }
        config.report();
    }
    if let Some(mut config) = body.object("generationConfig")? {
        generation(&mut config, &mut read.request)?;
        config.report();
    }
    Ok(read)
}

/// Reads a function declaration, and returns its schema's path. The schema is JSON Schema in
/// `parametersJsonSchema`, or Google's own form in `parameters`. A function without parameters gets
/// the schema of an object without members.
fn tool(function: &mut Object<'_>) -> Result<(Tool, String)> {
    let (key, schema) = match function.json("parametersJsonSchema") {
        Some(schema) => ("parametersJsonSchema", Some(schema)),
        None => ("parameters", function.json("parameters").map(|it| json_schema(&it))),
    };
    Ok((named_tool(function, schema)?, function.path(key)))
}

/// Reads `functionCallingConfig`.
///
/// ```text
/// {"mode":"NONE"}                                    {"type":"none"}
/// {"mode":"ANY"}                                     {"type":"any"}
/// {"mode":"ANY","allowedFunctionNames":["f"]}        {"type":"tool","name":"f"}
/// {"mode":"ANY","allowedFunctionNames":["f","g"]}    {"type":"any"}, the other tools are removed
/// {"mode":"VALIDATED"}                               {"type":"auto"}, reported
/// ```
fn tool_choice(config: &mut Object<'_>, read: &mut Read) -> Result<()> {
    let mode = config.string("mode")?.unwrap_or_default();
    let names: Option<Vec<String>> = config.value("allowedFunctionNames", "strings")?;
    let names = names.unwrap_or_default();
    let (kind, name) = match (mode.as_str(), &names[..]) {
        ("NONE", _) => ("none", None),
        ("ANY", [only]) => ("tool", Some(only.clone())),
        ("ANY", _) => ("any", None),
        ("" | "AUTO" | "MODE_UNSPECIFIED", _) => ("auto", None),
        _ => {
            let what = "replaced by AUTO: the Messages API has no such choice";
            config.lost(config.path("mode"), what);
            ("auto", None)
        }
    };
    let is_among_all = names.is_empty() || kind == "none" || name.is_some();
    read.request.tool_choice = Some(ToolChoice { name, ..word_choice(kind) });
    if is_among_all {
        return Ok(());
    }
    let path = config.path("allowedFunctionNames");
    let is_given = |name: &String| read.request.tools.iter().any(|it| it.name == *name);
    if names.iter().all(is_given) {
        restrict(read, config, &path, &names);
    } else {
        config.lost(path, "left out: the choice is among all tools, or of a single one");
    }
    Ok(())
}
