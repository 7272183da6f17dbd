//! What the API would refuse, found before sending.

mod markers;
mod messages;
mod parameters;
mod tools;

use std::fmt;

use crate::wire::Request;

/// Which API, and which limits of the model, a request is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The version of the API.
    pub version: ApiVersion,
    /// How many images and documents the model takes in a request: 100 with a
    /// window of 200,000 tokens, 600 with a larger one.
    pub media_limit: usize,
    /// Whether a marker may have `"scope":"global"`: the public API refuses
    /// the key.
    pub global_scope: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            version: ApiVersion::default(),
            media_limit: 100,
            global_scope: false,
        }
    }
}

/// A version of the API, as in the header `anthropic-version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ApiVersion {
    /// `2023-06-01`
    #[default]
    V2023_06_01,
    /// `2026-10-21`
    V2026_10_21,
}

/// A rule of the API.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What must not be, as a sentence.
    pub summary: &'static str,
    /// The first version that has it.
    pub since: ApiVersion,
    find: fn(&Request, &Rules, &mut Finder),
}

/// A place where a request breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule.
    pub rule: &'static str,
    /// The JSON path, as in `messages[3].content[0]`.
    pub path: String,
    /// What stands there.
    pub found: String,
}

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

impl Request {
    /// What the API would refuse of this request. The work is in proportion to
    /// its size.
    ///
    /// ```
    /// use aside_messages::Rules;
    /// use aside_messages::wire::Request;
    ///
    /// let json = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":" "}]}"#;
    /// let request = Request::parse(json.as_bytes())?.value;
    /// let violations = request.check(&Rules::default());
    /// assert_eq!(violations[0].rule, "blank-text");
    /// assert_eq!(violations[0].path, "messages[0].content[0]");
    /// # Ok::<(), aside_messages::wire::ReadError>(())
    /// ```
    #[must_use]
    pub fn check(&self, rules: &Rules) -> Vec<Violation> {
        let mut violations = Vec::new();
        for rule in RULES.iter().filter(|rule| rule.since <= rules.version) {
            let mut finder = Finder {
                rule: rule.name,
                violations: &mut violations,
            };
            (rule.find)(self, rules, &mut finder);
        }
        violations
    }
}

/// Collects the violations of one rule.
struct Finder<'a> {
    rule: &'static str,
    violations: &'a mut Vec<Violation>,
}

impl Finder<'_> {
    fn found(&mut self, path: impl fmt::Display, found: impl fmt::Display) {
        let (path, found) = (path.to_string(), found.to_string());
        self.violations.push(Violation {
            rule: self.rule,
            path,
            found,
        });
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, found } = self;
        match path.as_str() {
            "" => write!(f, "{rule}: {found}"),
            path => write!(f, "{rule}: {path}: {found}"),
        }
    }
}
