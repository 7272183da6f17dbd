//! The rules for parameters, tools and system prompt.

use std::collections::HashSet;

use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, Message, Request, Role, Tool};
use aside_models::Wire;
use aside_rules::of::message::is_paused;
use aside_rules::of::parameters::{SAMPLING_KEYS, low_budget, over_budget, sampling};
use aside_rules::of::platform::{lacks_fast_mode, lacks_output_format, lacks_tool, missing_keys};
use aside_rules::of::tool::takes_name;
use aside_rules::table;

use super::findings::{Findings, given, text_of};
use crate::parameters::members;

pub(super) fn check(found: &mut Findings<'_>, parts: &BodyParts<'_>) {
    let (parameters, tools) = (parts.parameters, parts.tools.as_tools());
    let system = parts.system.as_system();
    let mut extra = parameters.extra.0.iter();
    let is_null = extra.any(|(key, value)| key == "system" && value.get() == "null");
    if is_null && system.is_empty() && given(&parameters.extra, "system").is_none() {
        found.add(&table::NULL_SYSTEM, "system", "null");
    }
    platform(found, parameters);
    sampling_parameters(found, parameters);
    budget(found, parameters, tools);
    for_tools(found, tools);
    if let Some(choice) = &parameters.tool_choice
        && tools.is_empty()
    {
        let value = format!("{:?} without tools", choice.kind);
        found.add(&table::TOOL_CHOICE, "tool_choice", value);
    }
    for (index, block) in system.iter().enumerate() {
        if let Some(value) = blank(block) {
            found.add(&table::BLANK_TEXT, format!("system[{index}]"), value);
        }
    }
}

/// Returns what is wrong with a text that has nothing but white space.
pub(super) fn blank(block: &ContentBlock) -> Option<&'static str> {
    match block {
        ContentBlock::Text(text) if text.text.is_empty() => Some("empty text"),
        ContentBlock::Text(text) if text.text.trim().is_empty() => Some("blank text"),
        _ => None,
    }
}

fn platform(found: &mut Findings<'_>, parameters: &Request) {
    let Some(platform) = found.platform else {
        return;
    };
    for key in missing_keys(platform) {
        if given(&parameters.extra, key).is_some() {
            found.add(&table::PLATFORM_KEY, key, format!("the key, on {platform}"));
        }
    }
    let speed = text_of(&parameters.extra, "speed");
    if lacks_fast_mode(platform) && speed.as_deref() == Some("fast") {
        let value = format!("\"fast\", on {platform}");
        found.add(&table::PLATFORM_KEY, "speed", value);
    }
    let config = members(parameters.output_config.as_ref());
    let has_format = || config.iter().any(|(key, it)| key == "format" && it.get() != "null");
    if lacks_output_format(platform) && has_format() {
        let value = format!("the key, on {platform}");
        found.add(&table::PLATFORM_KEY, "output_config.format", value);
    }
}

fn sampling_parameters(found: &mut Findings<'_>, parameters: &Request) {
    for key in SAMPLING_KEYS {
        let typed = parameters.temperature.as_ref().map(ToString::to_string);
        let typed = typed.filter(|_| key == "temperature");
        let further = || given(&parameters.extra, key).map(|it| it.get().to_owned());
        let Some(value) = typed.or_else(further) else {
            continue;
        };
        let Ok(number) = serde_json::from_str(&value) else {
            continue;
        };
        found.add(sampling(key, number), key, value);
    }
}

fn budget(found: &mut Findings<'_>, parameters: &Request, tools: &[Tool]) {
    let thinking = parameters.thinking.as_ref();
    let thinking = thinking.filter(|it| it.kind == "enabled");
    let budget = thinking.and_then(|it| i64::try_from(it.budget_tokens?).ok());
    let Some(budget) = budget else {
        return;
    };
    let max_tokens = parameters.max_tokens.and_then(|it| i64::try_from(it).ok());
    let over = over_budget(budget, max_tokens).filter(|_| tools.is_empty());
    for value in low_budget(budget).into_iter().chain(over) {
        found.add(&table::THINKING_BUDGET, "thinking.budget_tokens", value);
    }
}

fn for_tools(found: &mut Findings<'_>, tools: &[Tool]) {
    let mut names = HashSet::new();
    let is_on_messages = found.wire() == Wire::Messages;
    for (index, tool) in tools.iter().enumerate() {
        let at = |key: &str| format!("tools[{index}].{key}");
        let name = &tool.name;
        if !tool.is_set() && !takes_name(Wire::Messages, name) {
            found.add(&table::TOOL_NAME, at("name"), format!("{name:?}"));
        }
        if !tool.is_set() && !names.insert(name) {
            found.add(&table::DOUBLED_TOOL, at("name"), format!("{name:?} again"));
        }
        if !is_on_messages {
            continue;
        }
        let kind = tool.kind.as_deref().unwrap_or_default();
        if let Some(platform) = found.platform.filter(|it| lacks_tool(*it, kind)) {
            let value = format!("{kind:?}, on {platform}");
            found.add(&table::PLATFORM_KEY, at("type"), value);
        }
    }
}

/// Checks the last message: some models refuse a response that they would have to continue. A
/// compaction may end with a response.
pub(super) fn last(
    found: &mut Findings<'_>,
    index: usize,
    message: &Message,
    parameters: &Request,
) {
    let has_text = message.content.iter().any(|it| it.kind() == "text");
    let is_paused = message.content.last().is_some_and(|it| is_paused(it.kind()));
    if message.role != Role::Assistant
        || !has_text
        || is_paused
        || given(&parameters.extra, "compaction").is_some()
    {
        return;
    }
    if let Some(facts) = found.facts().filter(|facts| facts.prefill == Some(false)) {
        let path = format!("messages[{index}].role");
        let value = format!("the beginning of an answer with {}", facts.id);
        found.add(&table::PREFILL, path, value);
    }
}
