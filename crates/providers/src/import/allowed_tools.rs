//! The choice among some of the tools.
//!
//! ```text
//! {"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"ls"}]}     Responses
//! {"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[
//!     {"type":"function","function":{"name":"ls"}}]}}                           Chat Completions
//! {"mode":"ANY","allowedFunctionNames":["ls","find"]}                                   Gemini
//! ```
//!
//! The Messages API has no such choice, but its tools can be removed for the rest of a
//! conversation: the others are named in `tool_removal` blocks of a system message at the end.

use aside_json::{Kind, Value};
use aside_messages::wire::{ContentBlock, Message, Role, Tool, ToolChange};

use super::object::Object;
use super::parameters::{called_name, tool_choice, word_choice};
use super::{Read, Result};
use crate::responses::in_namespace;

/// Reads the parameter `tool_choice`, which may restrict the tools.
pub(super) fn read_choice(body: &mut Object<'_>, read: &mut Read) -> Result<()> {
    if let Some(choice) = body.take("tool_choice") {
        match allowed(body, choice, &read.request.tools)? {
            Some(allowed) => {
                if allowed.is_required {
                    read.request.tool_choice = Some(word_choice("any"));
                }
                restrict(read, body, &allowed.path, &allowed.names);
            }
            None => read.request.tool_choice = Some(tool_choice(body, "tool_choice", choice)?),
        }
    }
    Ok(())
}

/// Returns which of the tools a choice allows; `None` if it is another choice. A name that none of
/// them has is reported.
///
/// # Errors
/// If the choice is an object with members of another type than OpenAI documents.
fn allowed<'t>(body: &Object<'t>, choice: Value<'t>, tools: &[Tool]) -> Result<Option<Allowed>> {
    if choice.kind() != Kind::Object {
        return Ok(None);
    }
    let mut choice = body.inner(choice, "tool_choice")?;
    if choice.string("type")?.as_deref() != Some("allowed_tools") {
        return Ok(None);
    }
    // Chat Completions have one object more, here and in each tool.
    if let Some(inner) = choice.object("allowed_tools")? {
        choice = inner;
    }
    let mut names = Vec::new();
    for mut tool in choice.objects("tools")? {
        let is_namespace = tool.text("type").as_deref() == Some("namespace");
        let inner = tool.object("function")?.or(tool.object("custom")?);
        let mut tool = inner.unwrap_or(tool);
        // Hosted tools have no name.
        if tool.text("name").is_none() {
            continue;
        }
        let name = called_name(&mut tool)?;
        let start = in_namespace(&name, "");
        let is_allowed =
            |it: &&Tool| it.name == name || (is_namespace && it.name.starts_with(&start));
        let allowed = names.len();
        names.extend(tools.iter().filter(is_allowed).map(|it| it.name.clone()));
        if names.len() == allowed {
            tool.lost(tool.place(), "left out: no tool has this name");
        }
    }
    Ok(Some(Allowed {
        path: choice.path("tools"),
        is_required: choice.string("mode")?.as_deref() == Some("required"),
        names,
    }))
}

/// The tools that a choice allows.
struct Allowed {
    /// The path of their list.
    path: String,
    /// True for the mode `required`: the model has to call one of them.
    is_required: bool,
    /// The names of the allowed tools, which may be in namespaces.
    names: Vec<String>,
}

/// Removes the other tools with a system message at the end, if the Messages
/// API accepts one there: after a message of the user.
///
/// After a message of another role the removals cannot be sent, and the list is reported as lost
/// at its path.
pub(super) fn restrict(read: &mut Read, body: &Object<'_>, path: &str, allowed: &[String]) {
    let request = &mut read.request;
    let others = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .filter(|name| !allowed.iter().any(|it| it == name));
    let removals: Vec<ContentBlock> =
        others.map(|name| ToolChange::Removed(name.into()).into()).collect();
    let is_after_user = |last: &Message| last.role == Role::User;
    if removals.is_empty() {
    } else if request.messages.last().is_some_and(is_after_user) {
        let paths = vec![path.to_owned(); removals.len()];
        read.positions.push((path.to_owned(), paths));
        request.messages.push(Message::new(Role::System, removals));
    } else {
        body.lose_value(path);
    }
}
