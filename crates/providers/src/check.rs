//! The rules of the target, checked on a request before it is converted.
//!
//! A request is checked in the Anthropic form, so the paths of findings are those that
//! the caller wrote. The rules are rows of `aside_rules`; those about the Messages API are
//! applied to the encoded request, the others in `finder`.

mod finder;

use aside_messages::encode::{Body, Encoded};
use aside_messages::wire::{Extra, Message, Request};
use aside_models::{Platform, Wire};
use aside_rules::{
    Context, Finding, MarkedBlock, PlacedMarker, Rule, RuleLevel, RuleScope, check_markers,
    check_part, table,
};

use self::finder::Finder;
use crate::stand_in::is_api_id;
use crate::target::Target;

/// The rules of the Messages API that are checked before a conversion. Others
/// depend on facts that only the caller has: betas, and keys that are newer
/// than the rules.
const MESSAGES_API: &[&Rule] = &[
    &table::NO_MESSAGE,
    &table::PREFILL,
    &table::EMPTY_CONTENT,
    &table::BLANK_TEXT,
    &table::RESULT_ORDER,
    &table::UNANSWERED_CALL,
    &table::ORPHANED_RESULT,
    &table::DOUBLED_RESULT,
    &table::DOUBLED_CALL,
    &table::ERROR_CONTENT,
    &table::MEDIA_LIMIT,
    &table::TOOL_NAME,
    &table::DOUBLED_TOOL,
    &table::TOOL_SCHEMA,
    &table::TOOL_CHOICE,
    &table::MARKER_FORM,
    &table::GLOBAL_SCOPE,
    &table::MARKER_LIMIT,
    &table::MARKER_TTL,
    &table::MARKER_PLACE,
    &table::THINKING_BUDGET,
    &table::SAMPLING_RANGE,
    &table::NULL_SYSTEM,
    &table::SAMPLING,
    &table::ASSISTANT_DOCUMENT,
    &table::USER_CITATIONS,
    &table::PLATFORM_KEY,
    &table::PLATFORM_FEATURE,
    &table::INLINE_TOOLS_PLATFORM,
];

/// Those of them without which a conversation has no meaning on any wire.
const ON_EVERY_WIRE: &[&Rule] = &[
    &table::NO_MESSAGE,
    &table::UNANSWERED_CALL,
    &table::ORPHANED_RESULT,
    &table::DOUBLED_RESULT,
    &table::DOUBLED_CALL,
    &table::DOUBLED_TOOL,
    &table::TOOL_CHOICE,
    &table::MEDIA_LIMIT,
];

fn has(rules: &[&Rule], id: &str) -> bool {
    rules.iter().any(|rule| rule.id == id)
}

/// Returns what the rules of the Messages API depend on besides the body: the version of the
/// API, the model that is sent, and the platform if it is one of Anthropic's.
fn context(target: Target<'_>) -> Context {
    let is_anthropic = target.spec.platform.is_anthropic();
    Context {
        version: Some(target.options.api_version),
        model: Some(target.model.to_owned()),
        platform: is_anthropic.then_some(target.spec.platform),
        ..Context::default()
    }
}

/// Returns the findings that count for the target.
///
/// Left out are findings that a server would not refuse, rules that the wire does not
/// have, and rules that are checked here in another way or that the conversion satisfies
/// by itself.
fn relevant(found: Vec<Finding>, target: Target<'_>) -> Vec<Finding> {
    let rules = match target.wire().wire.wire() {
        Wire::Messages => MESSAGES_API,
        _ => ON_EVERY_WIRE,
    };
    let counts = |it: &Finding| {
        let is_elsewhere = match it.rule {
            "global-scope" => target.capabilities().global_scope,
            // The name of a tool is a rule of the providers.
            "tool-choice" => it.path != "tool_choice",
            // These keys are moved to the address.
            "platform-key" => matches!(it.path.as_str(), "model" | "stream"),
            // A rule of the providers.
            "platform-feature" => it.path.ends_with(".source"),
            _ => false,
        };
        it.level == RuleLevel::Refused && has(rules, it.rule) && !is_elsewhere
    };
    found.into_iter().filter(counts).collect()
}

/// Creates a finding. `found` is the value, or a short text about it. What is expected is said in
/// the words of the Messages API, since that is the form that is checked.
pub(crate) fn finding(
    rule: &'static Rule,
    path: String,
    found: String,
    target: Target<'_>,
) -> Finding {
    let wire = match rule.on_wire(Wire::Messages) {
        Some(on) => on.wire,
        None => target.wire().wire.wire(),
    };
    Finding::new(rule, wire, path, found)
}

/// Returns the faults of the markers that were inserted into a body.
pub(crate) fn markers(body: &Body, target: Target<'_>) -> Vec<Finding> {
    let inserted = body.inserted_markers();
    let explicit = inserted.into_iter().map(|(marker, on)| {
        let path = format!("{}.cache_control", marker.at);
        let on = match on {
            Some(block) if block.is_markable && block.volatile => MarkedBlock::Volatile,
            Some(block) if block.is_markable => MarkedBlock::Stable,
            _ => MarkedBlock::Unmarkable,
        };
        (path, &marker.control, on)
    });
    let automatic = body.parts().parameters.cache_control.as_ref();
    let automatic = automatic.map(|it| ("cache_control".to_owned(), it, MarkedBlock::Stable));
    let placed = explicit
        .chain(automatic)
        .map(|(path, control, on)| PlacedMarker {
            path,
            json: serde_json::to_string(control).unwrap_or_default(),
            on,
        });
    let placed: Vec<_> = placed.collect();
    relevant(check_markers(&placed, &context(target)), target)
}

/// Returns the rules of the provider and the model that a request breaks.
///
/// `part` limits the rules of the Messages API. The rules of providers are all applied, so a
/// request of which only the prefix is checked has to have messages that break none. The cost
/// is linear in the request.
pub(crate) fn findings(request: &Request, target: Target<'_>, part: RuleScope) -> Vec<Finding> {
    let Target { spec, model, .. } = target;
    let facts = spec.facts(model);
    let wire = target.wire();
    let body = serde_json::to_string(request).unwrap_or_default();
    let checked = check_part(body.as_bytes(), Wire::Messages, &context(target), part);
    let mut finder = Finder {
        found: relevant(checked.findings, target),
        target,
        capabilities: target.capabilities(),
    };
    // The name that is sent counts, not that of the request.
    if model.trim().is_empty() {
        finder.add(&table::MODEL_NAME, "model".into(), format!("{model:?}"));
    }
    if let Some(found) = not_served(target) {
        finder.add(&table::MODEL_ENDPOINT, "model".into(), found);
    }
    let messages: Vec<&Message> = request.messages.iter().collect();
    finder.roles(&messages, &wire.wire);
    finder.parameters(request, &wire.wire, facts);
    finder.tools_on_chat(request, &wire.wire, facts);
    finder.messages(&messages);
    finder.found
}

/// Returns the rules that consecutive messages of a conversation break. The index in a path
/// counts from the first of these messages. `extra` has the further members of the request.
pub(crate) fn message_findings(
    messages: &[&Encoded],
    extra: &Extra,
    target: Target<'_>,
) -> Vec<Finding> {
    let body = body_of(messages, extra, target.model);
    let scope = RuleScope::Messages;
    let checked = check_part(body.as_bytes(), Wire::Messages, &context(target), scope);
    let mut finder = Finder {
        found: relevant(checked.findings, target),
        target,
        capabilities: target.capabilities(),
    };
    let messages: Vec<&Message> = messages.iter().filter_map(|it| it.as_message()).collect();
    finder.roles(&messages, &target.wire().wire);
    finder.messages(&messages);
    finder.found
}

/// Returns the body of a request that has only these messages. `extra` is a part of it, since a
/// compaction lifts a rule of the last message.
fn body_of(messages: &[&Encoded], extra: &Extra, model: &str) -> String {
    let shell = Request {
        model: model.to_owned(),
        max_tokens: 1,
        extra: extra.clone(),
        ..Request::default()
    };
    let mut body = serde_json::to_string(&shell).unwrap_or_default();
    // The list of messages is the last member, and empty.
    body.truncate(body.len().saturating_sub("]}".len()));
    let messages = messages.iter().filter(|it| it.role().is_some());
    for (index, message) in messages.enumerate() {
        body.push_str(if index == 0 { "" } else { "," });
        body.push_str(&String::from_utf8_lossy(message.bytes()));
    }
    body.push_str("]}");
    body
}

/// Returns the value of the finding for a model that Bedrock has, but its Messages
/// endpoint is not known to have; `None` for any other model.
fn not_served(target: Target<'_>) -> Option<String> {
    let Target { spec, model, .. } = target;
    let ids = spec.facts(model)?.cloud_ids;
    let is_elsewhere = spec.platform == Platform::BedrockMessages
        && is_api_id(model)
        && ids.bedrock_messages.is_none()
        && ids.bedrock_invoke.is_some();
    is_elsewhere.then(|| {
        format!("{model:?}, which is known on Bedrock's InvokeModel only (provider bedrock)")
    })
}
