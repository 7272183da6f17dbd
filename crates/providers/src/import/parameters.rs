//! The parameters and tools that several wires share.
//!
//! ```text
//! OpenAI                          Messages API
//! tool_choice "required"          tool_choice {"type":"any"}
//! parallel_tool_calls false       tool_choice … "disable_parallel_tool_use":true
//! user, safety_identifier         metadata.user_id
//! service_tier "default"          service_tier "standard_only"
//! reasoning_effort "high"         output_config {"effort":"high"}
//! reasoning_effort "none"         thinking {"type":"disabled"}
//! prompt_cache_key                the id of the session, outside the request
//! ```

use std::collections::BTreeMap;

use aside_json::Value;
use aside_messages::wire::{RawJson, Request, ThinkingConfig, Tool, ToolChoice};

use super::Result;
use super::object::Object;
use crate::read::Members;
use crate::responses::in_namespace;
use crate::tool_schemas::no_parameters;

/// Why a custom tool is changed. A stream reads its calls the same way.
pub(super) const AS_FUNCTION: &str =
    "replaced by a function whose member input holds the text: the Messages API has no other tools";

/// The schema of a custom tool as a function.
///
/// A custom tool has no schema at OpenAI: its input is free text, possibly bound by a grammar.
const TEXT_INPUT: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;

/// The schema of a strict tool without parameters.
const CLOSED: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// Reads a function tool, whose schema is under this key.
///
/// The Messages API needs a schema, so a tool without one gets an object without members, closed if
/// the tool is strict. `strict: false` is the default there and is not written.
pub(super) fn tool(function: &mut Object<'_>, schema: &str) -> Result<Tool> {
    let schema = function.json(schema);
    let strict = function.value("strict", "a boolean")?.filter(|it| *it);
    let schema = schema.or_else(|| strict.and_then(|_| RawJson::parse(CLOSED).ok()));
    Ok(Tool { strict, ..named_tool(function, schema)? })
}

/// Reads the name and the description of a tool. Without a schema, it takes an empty object.
pub(super) fn named_tool(function: &mut Object<'_>, schema: Option<RawJson>) -> Result<Tool> {
    Ok(Tool {
        name: function.required("name")?,
        description: function.string("description")?,
        input_schema: Some(schema.unwrap_or_else(no_parameters)),
        ..Tool::default()
    })
}

/// Reads a custom tool.
///
/// Its `format`, such as a grammar, has no counterpart and is reported by the caller.
pub(super) fn custom_tool(custom: &mut Object<'_>) -> Result<Tool> {
    custom.lost(custom.place(), AS_FUNCTION);
    named_tool(custom, RawJson::parse(TEXT_INPUT).ok())
}

/// Reads a tool of Responses, or those in a namespace, each with its path. One of another type is
/// reported.
pub(super) fn typed_tools(item: &mut Object<'_>) -> Result<Vec<(Tool, String)>> {
    let mut tools = Vec::new();
    match item.required("type")?.as_str() {
        "function" => tools.push((tool(item, "parameters")?, item.place().to_owned())),
        "custom" => tools.push((custom_tool(item)?, item.place().to_owned())),
        "namespace" => {
            let namespace = item.required("name")?;
            for mut inner in item.objects("tools")? {
                tools.append(&mut typed_tools(&mut inner)?);
            }
            for (tool, _) in &mut tools {
                tool.name = in_namespace(&namespace, &tool.name);
            }
            item.lost(item.place(), "left out: its tools have it in their names");
        }
        _ => {
            item.lose();
            return Ok(tools);
        }
    }
    item.report();
    Ok(tools)
}

/// Reads the name of a called or a chosen tool, which may be in a namespace.
pub(super) fn called_name(call: &mut Object<'_>) -> Result<String> {
    let name = call.required("name")?;
    let namespace = call.string("namespace")?;
    Ok(namespace.map(|it| in_namespace(&it, &name)).unwrap_or(name))
}

/// Reads a tool choice at this key: a word, or the name of a function or a custom tool. Any other
/// choice, such as a hosted tool, becomes `auto` and is reported.
///
/// ```text
/// "auto"                                          {"type":"auto"}
/// "required"                                      {"type":"any"}
/// {"type":"function","function":{"name":"f"}}     {"type":"tool","name":"f"}   (Chat Completions)
/// {"type":"function","name":"f"}                  {"type":"tool","name":"f"}   (Responses)
/// {"type":"custom","name":"f"}                    {"type":"tool","name":"f"}   (Responses)
/// {"type":"web_search"}                           {"type":"auto"}, reported
/// ```
pub(super) fn tool_choice<'t>(
    body: &Object<'t>,
    key: &str,
    choice: Value<'t>,
) -> Result<ToolChoice> {
    let (kind, name) = match choice.raw() {
        "\"auto\"" => ("auto", None),
        "\"none\"" => ("none", None),
        "\"required\"" => ("any", None),
        text => {
            let name = if text.starts_with('{') { function_name(body, key, choice)? } else { None };
            match name {
                Some(name) => ("tool", Some(name)),
                None => {
                    let what = "replaced by auto: the Messages API has no such choice";
                    body.lost(key, what);
                    ("auto", None)
                }
            }
        }
    };
    Ok(ToolChoice { name, ..word_choice(kind) })
}

/// Returns the name of the chosen function or custom tool; `None` for another choice.
///
/// The name is in `function` or `custom` on Chat Completions and next to `type` on Responses.
fn function_name<'t>(body: &Object<'t>, key: &str, choice: Value<'t>) -> Result<Option<String>> {
    let mut choice = body.inner(choice, key)?;
    if choice.string("type")?.is_some_and(|it| it != "function" && it != "custom") {
        return Ok(None);
    }
    let name = match choice.object("function")?.or(choice.object("custom")?) {
        Some(mut inner) => {
            let name = inner.string("name")?;
            inner.report();
            name
        }
        None if choice.text("name").is_some() => Some(called_name(&mut choice)?),
        None => None,
    };
    if name.is_some() {
        choice.report();
    }
    Ok(name)
}

/// Converts a word to a choice: `auto`, `any`, `tool` or `none`. The caller adds a tool's name.
pub(super) fn word_choice(kind: &str) -> ToolChoice {
    ToolChoice { kind: kind.to_owned(), ..ToolChoice::default() }
}

/// Reads the parameters that both OpenAI wires have, and returns the session's id.
///
/// These are `stream`, `temperature`, `top_p`, `parallel_tool_calls`, the user's id, `service_tier`
/// and `prompt_cache_key`. Call this after the tool choice was read: in the Messages API,
/// `parallel_tool_calls: false` is a member there.
pub(super) fn common(body: &mut Object<'_>, request: &mut Request) -> Result<Option<String>> {
    request.stream = body.value("stream", "a boolean")?;
    request.temperature = body.value("temperature", "a number")?;
    if let Some(top_p) = body.json("top_p") {
        request.extra.0.push(("top_p".to_owned(), top_p));
    }
    if body.value::<bool>("parallel_tool_calls", "a boolean")? == Some(false) {
        let mut choice = request.tool_choice.take().unwrap_or_else(|| word_choice("auto"));
        choice.disable_parallel_tool_use = Some(true);
        request.tool_choice = Some(choice);
    }
    if let Some(user_id) = user_id(body)? {
        request.metadata = Some(RawJson::of(&BTreeMap::from([("user_id", user_id)])));
        let id = "metadata.user_id";
        body.read_into(&[("safety_identifier", id), ("user", id)]);
    }
    request.service_tier = match body.string("service_tier")?.as_deref() {
        Some("auto") => Some("auto".to_owned()),
        Some("default") => Some("standard_only".to_owned()),
        Some(_) => {
            let what = "left out: the tiers of the Messages API are auto and standard_only";
            body.lost("service_tier", what);
            None
        }
        None => None,
    };
    body.string("prompt_cache_key")
}

/// Reads the user's id, which has an older name.
///
/// At OpenAI, `safety_identifier` replaces `user`; when a body has both and they differ, this
/// reports the older one.
fn user_id(body: &mut Object<'_>) -> Result<Option<String>> {
    let user = body.string("user")?;
    let Some(id) = body.string("safety_identifier")? else {
        return Ok(user);
    };
    if user.is_some_and(|user| user != id) {
        let what = "left out: safety_identifier is the id of the user";
        body.lost("user", what);
    }
    Ok(Some(id))
}

/// Sets the answer's effort, verbosity and format. Effort `none` disables thinking.
///
/// `{"effort":"low","verbosity":"low","format":{"type":"json_schema","schema":{}}}`, with the
/// members that are set; without any, `output_config` stays unset.
pub(super) fn output_config(
    request: &mut Request,
    effort: Option<String>,
    verbosity: Option<String>,
    schema: Option<RawJson>,
) {
    if effort.as_deref() == Some("none") {
        request.thinking = Some(thinking_config("disabled"));
    }
    let format = schema.map(|schema| {
        let kind = ("type".to_owned(), RawJson::of("json_schema"));
        RawJson::of(&Members(vec![kind, ("schema".to_owned(), schema)]))
    });
    let effort = effort.filter(|it| it != "none").map(|it| RawJson::of(&it));
    let verbosity = verbosity.map(|it| RawJson::of(&it));
    let members = [("effort", effort), ("verbosity", verbosity), ("format", format)];
    let members = members.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?)));
    let members: Vec<_> = members.collect();
    request.output_config = (!members.is_empty()).then(|| RawJson::of(&Members(members)));
}

/// Returns this kind of thinking (`adaptive`, `enabled`, `disabled`) without a budget.
pub(super) fn thinking_config(kind: &str) -> ThinkingConfig {
    ThinkingConfig { kind: kind.to_owned(), ..ThinkingConfig::default() }
}

/// Returns thinking with this `display`.
pub(super) fn displayed(mut thinking: ThinkingConfig, display: &str) -> ThinkingConfig {
    thinking.extra.0.push(("display".to_owned(), RawJson::of(display)));
    thinking
}
