use super::{ApiVersion, Finder, Rule, Rules, markers, messages, parameters, tools};
use crate::wire::Request;

const fn rule(
    name: &'static str,
    summary: &'static str,
    find: fn(&Request, &Rules, &mut Finder),
) -> Rule {
    Rule {
        name,
        summary,
        since: ApiVersion::V2023_06_01,
        find,
    }
}

const fn newer(rule: Rule) -> Rule {
    Rule {
        since: ApiVersion::V2026_10_21,
        ..rule
    }
}

/// Every rule, in the order in which they are checked. Source: the public
/// documentation of the Messages API, of tool use, of prompt caching and of
/// its versions.
pub const RULES: &[Rule] = &[
    rule(
        "model-name",
        "The model has a name.",
        parameters::model_name,
    ),
    rule(
        "no-message",
        "There is at least one message.",
        messages::none,
    ),
    rule(
        "first-role",
        "The first message is the user's.",
        messages::first_role,
    ),
    rule(
        "last-role",
        "The last message is the user's, or an answer of the model that was paused.",
        messages::last_role,
    ),
    rule(
        "role",
        "Every message is the user's, the model's or a system message.",
        messages::role,
    ),
    rule(
        "empty-content",
        "No message is without content.",
        messages::empty_content,
    ),
    rule(
        "blank-text",
        "No text block is empty or only white space.",
        messages::blank_text,
    ),
    rule(
        "result-order",
        "Tool results come first in their message.",
        messages::result_order,
    ),
    rule(
        "unanswered-call",
        "Every tool call is answered in the next message.",
        messages::unanswered_call,
    ),
    rule(
        "orphaned-result",
        "Every tool result answers a call of the message before it.",
        messages::orphaned_result,
    ),
    rule(
        "doubled-result",
        "No call is answered twice.",
        messages::doubled_result,
    ),
    rule(
        "doubled-call",
        "No tool call has the id of another.",
        messages::doubled_call,
    ),
    rule(
        "error-content",
        "A tool result that is an error is text.",
        messages::error_content,
    ),
    rule(
        "media-limit",
        "There are not too many images and documents.",
        messages::media_limit,
    ),
    rule(
        "tool-name",
        "A tool's name is of the form [a-zA-Z0-9_-]{1,64}.",
        tools::name,
    ),
    rule(
        "doubled-tool",
        "No tool has the name of another.",
        tools::doubled,
    ),
    rule(
        "tool-schema",
        "The input of a tool is an object, and its schema says so.",
        tools::schema,
    ),
    rule(
        "tool-choice",
        "Without tools there is no tool choice.",
        tools::choice,
    ),
    rule(
        "marker-form",
        "A marker is ephemeral, of five minutes or an hour, and nothing else.",
        markers::form,
    ),
    rule(
        "global-scope",
        "No marker is for everybody where the provider shares nothing.",
        markers::global_scope,
    ),
    rule(
        "marker-limit",
        "There are at most four cache markers.",
        markers::limit,
    ),
    rule(
        "marker-ttl",
        "A marker of an hour stands before one of five minutes.",
        markers::ttl,
    ),
    rule(
        "marker-place",
        "No marker stands on thinking, on empty text or on a deferred tool.",
        markers::place,
    ),
    rule(
        "thinking-budget",
        "The longest answer is longer than the thinking in it.",
        parameters::thinking_budget,
    ),
    rule(
        "sampling-range",
        "Temperature and top_p are between 0 and 1.",
        parameters::sampling_range,
    ),
    rule(
        "null-system",
        "The system prompt is text or blocks, or is left out.",
        parameters::null_system,
    ),
    newer(rule(
        "sampling",
        "There are no sampling parameters.",
        parameters::sampling,
    )),
    newer(rule(
        "assistant-document",
        "No answer of the model holds a document.",
        messages::assistant_document,
    )),
    newer(rule(
        "user-citations",
        "No text of the user has citations.",
        messages::user_citations,
    )),
];
