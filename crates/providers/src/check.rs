//! The rules of the target, checked on a request before it is converted.
//!
//! A request is checked in the Anthropic form, so the paths of violations are those that
//! the caller wrote. The rules of the Messages API are those of `aside_messages`; the
//! rules of other providers and of models are in `finder`. Which of them are applied, and
//! their names on the wire, is data in `rules`.

mod finder;
mod rules;

use aside_messages::encode::Encoded;
use aside_messages::wire::{Extra, Message, Request};
use aside_messages::{RULES, RuleLevel, RuleScope, Rules, Violation, check_messages};
use aside_models::Platform;

pub use self::rules::{PROVIDER_RULES, ProviderRule};

use self::finder::Finder;
use self::rules::{MESSAGES_API, MODEL_NAME, rule_on};
use crate::stand_in::is_api_id;
use crate::target::Target;

/// Returns the settings with which the rules of the Messages API are applied for the
/// target: the version of the API, the model that is sent, and the platform if it is one
/// of Anthropic's.
pub(crate) fn rules(target: Target<'_>) -> Rules {
    let is_anthropic = target.spec.platform.is_anthropic();
    Rules {
        version: Some(target.options.api_version),
        model: Some(target.model.to_owned()),
        platform: is_anthropic.then_some(target.spec.platform),
        ..Rules::default()
    }
}

/// Returns the violations that count for the target, by their names there.
///
/// Left out are violations that a server would not refuse, rules that the wire does not
/// have, and rules that are checked here in another way or that the conversion satisfies
/// by itself.
pub(crate) fn relevant(found: Vec<Violation>, target: Target<'_>) -> Vec<Violation> {
    let wire = &target.wire().wire;
    let counts = |it: &Violation| {
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
        it.level == RuleLevel::Refused && MESSAGES_API.contains(&it.rule) && !is_elsewhere
    };
    let named = |mut violation: Violation| {
        violation.rule = rule_on(wire, violation.rule)?;
        Some(violation)
    };
    found.into_iter().filter(counts).filter_map(named).collect()
}

/// Creates a violation of a rule of the Messages API, by its name at the target.
///
/// `None` if the target has no such rule. `found` is the value, or a short text about it.
pub(crate) fn violation(
    rule: &'static str,
    path: String,
    found: String,
    target: Target<'_>,
) -> Option<Violation> {
    let rule = RULES.iter().find(|it| it.name == rule);
    let violation = rule.map(|rule| Violation::of(rule, path, found));
    relevant(violation.into_iter().collect(), target).pop()
}

/// Returns the rules of the provider and the model that a request breaks.
///
/// `part` limits the rules of the Messages API. The rules of providers are all applied, so a
/// request of which only the prefix is checked has to have messages that break none. The cost
/// is linear in the request.
pub(crate) fn violations(request: &Request, target: Target<'_>, part: RuleScope) -> Vec<Violation> {
    let Target { spec, model, .. } = target;
    let facts = spec.facts(model);
    let wire = target.wire();
    let checked = request.check_part(&rules(target), part);
    let mut finder = Finder {
        found: relevant(checked.violations, target),
        capabilities: target.capabilities(),
    };
    // The name that is sent counts, not that of the request.
    if model.trim().is_empty() {
        let rule = rule_on(&wire.wire, MODEL_NAME).unwrap_or(MODEL_NAME);
        finder.add(rule, "model".into(), format!("{model:?}"));
    }
    if let Some(found) = not_served(target) {
        finder.add("model-endpoint", "model".into(), found);
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
pub(crate) fn message_violations(
    messages: &[&Encoded],
    extra: &Extra,
    target: Target<'_>,
) -> Vec<Violation> {
    let checked = check_messages(messages.iter().copied(), extra, &rules(target));
    let mut finder = Finder {
        found: relevant(checked.violations, target),
        capabilities: target.capabilities(),
    };
    let messages: Vec<&Message> = messages.iter().filter_map(|it| it.as_message()).collect();
    finder.roles(&messages, &target.wire().wire);
    finder.messages(&messages);
    finder.found
}

/// Returns the value of the violation for a model that Bedrock has, but its Messages
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
