//! Rules of the API for requests, checked before a request is sent.
//!
//! The subjects, one a file:
//!
//! | file | subject |
//! |---|---|
//! | `body` | syntax, size and number of messages |
//! | `walk`, `shape`, `shapes` | keys, types and values, against the closed shapes of the SDK |
//! | `parameters`, `sampling`, `thinking` | the top level of the body |
//! | `tools`, `strict`, `tool_names` | `tools`, `tool_choice`, `mcp_servers` |
//! | `messages`, `content`, `results` | order of messages, blocks, tool uses with their results |
//! | `system_messages`, `tool_changes` | `role: "system"` in mid-conversation |
//! | `compaction`, `edits` | summaries and context editing |
//! | `media`, `markers`, `prompt_tokens` | images, cache markers, length of the prompt |
//! | `betas`, `known_betas`, `seen_from_clients` | unknown betas, and what real clients send |
//! | `platforms` | keys and features that a cloud lacks |
//!
//! The rules themselves are rows of `table`. Each has a body that breaks it and
//! a valid neighbour in `tests/check/cases/RULE`, except six that need bodies of
//! many megabytes or an encoder. A report is a prediction: it is based on
//! documentation and published observations, which `Rule::source` names.

mod nearest;
mod rule;
mod shape;
mod shapes;
mod table;

mod context;
mod walk;

mod betas;
mod body;
mod compaction;
mod content;
mod edits;
mod known_betas;
mod markers;
mod media;
mod messages;
mod parameters;
mod platforms;
mod prompt_tokens;
mod results;
mod sampling;
mod seen_from_clients;
mod strict;
mod system_messages;
mod thinking;
mod tool_changes;
mod tool_names;
mod tools;
mod view;

use std::fmt;

use aside_json::{Kind, Tape, excerpt};
use aside_models::Platform;
use serde::Serialize;

use self::context::Context;
use self::view::View;
use crate::encode::Encoded;
use crate::wire::{Extra, Request};

pub use body::max_body_bytes;
pub use rule::{ApiVersion, Rule, RuleLevel, RuleScope};
pub use seen_from_clients::{SEEN_FROM_CLIENTS, SeenFromClient};
pub use table::RULES;

/// Facts about a request that its body does not contain. Everything is
/// optional: a rule that depends on an unknown fact reports [`RuleLevel::Needs`],
/// or is counted in [`Checked::not_checked`].
///
/// ```
/// use aside_messages::{ApiVersion, RuleLevel, Rules, check_body};
///
/// let body = br#"{"model":"claude-haiku-4-5","max_tokens":8,"temperature":0.5,
///     "messages":[{"role":"user","content":"Hi"}]}"#;
/// let level = |rules: &Rules| check_body(body, rules).violations.first().map(|it| it.level);
/// assert_eq!(level(&Rules::default()), Some(RuleLevel::Needs));
/// let rules = Rules { version: Some(ApiVersion::V2026_10_21), ..Rules::default() };
/// assert_eq!(level(&rules), Some(RuleLevel::Refused));
/// let rules = Rules { version: Some(ApiVersion::V2023_06_01), ..Rules::default() };
/// assert_eq!(level(&rules), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The version of the API, from the header `anthropic-version`.
    ///
    /// If it is `None` and the body is one of a cloud, `2023-06-01` is assumed,
    /// because some models of Bedrock refuse a newer version, and no source states
    /// that Google Cloud accepts one.
    pub version: Option<ApiVersion>,
    /// The betas of the header `anthropic-beta`: an empty list if the request
    /// has none, `None` if they are unknown.
    ///
    /// A body for `InvokeModel` or Google Cloud that has a list
    /// `anthropic_beta` needs no header. White space around a name is ignored.
    pub betas: Option<Vec<String>>,
    /// The model, if it differs from the one in the body.
    ///
    /// The clouds have the model in the address, not in the body. An id that
    /// the catalogue of models does not have switches the rules about models
    /// off, which is counted under the topic `model-rules`.
    pub model: Option<String>,
    /// The platform that receives the request.
    ///
    /// If it is `None`, the body decides: `anthropic_version` names Bedrock or
    /// Google Cloud, a model id with `anthropic.` Bedrock's Messages endpoint.
    /// Otherwise, the request may be for the Claude API, the AWS Platform or
    /// Foundry, and a rule applies only if all three have it.
    pub platform: Option<Platform>,
    /// The endpoint that receives the request.
    pub endpoint: ApiEndpoint,
}

/// An endpoint of the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiEndpoint {
    /// `POST /v1/messages`
    #[default]
    Messages,
    /// `POST /v1/messages/count_tokens`
    ///
    /// Takes fewer keys (no `max_tokens`, no `stream`), and accepts a last
    /// message of the assistant.
    CountTokens,
}

/// A violation of a rule at one position of a request.
///
/// As `serde` writes it:
///
/// ```json
/// {
///   "rule": "result-order",
///   "level": "refused",
///   "path": "messages[2].content[1]",
///   "found": "a tool result after another block",
///   "expected": "tool results before other blocks"
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The name of the rule.
    ///
    /// It is stable: scripts may compare it, and [`Violation::rule()`] finds its
    /// row.
    pub rule: &'static str,
    /// The effect on the request.
    pub level: RuleLevel,
    /// The JSON path, as in `messages[3].content[0]`.
    ///
    /// Empty for the whole body. A key that is missing is named as if it was
    /// there. The API's own errors write the same position as
    /// `messages.3.content.0`.
    pub path: String,
    /// The value in the request, shortened.
    ///
    /// Text of the body is cut after 40 characters and escaped, so that it can
    /// be printed.
    pub found: String,
    /// The value that the API expects.
    pub expected: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The violations of every level, in the order of the rules.
    ///
    /// At most 1,000 are listed; the number of others is in
    /// [`Checked::not_checked`] under the topic `further-violations`.
    pub violations: Vec<Violation>,
    /// Parts of the body that no rule can decide.
    ///
    /// Sorted by topic, each topic once.
    pub not_checked: Vec<NotChecked>,
}

/// A part of the body that no rule can decide.
///
/// For example, a check cannot see whether a signature of a thinking block is
/// valid:
///
/// ```json
/// {"topic": "signatures", "count": 3, "reason": "whether each signature is valid"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotChecked {
    /// The subject, in kebab case.
    pub topic: &'static str,
    /// The number of its occurrences in the body.
    pub count: usize,
    /// The reason why it is not checked.
    pub reason: String,
}

/// Checks the bytes of a request body. The work is in proportion to their
/// number. A body that is no JSON object has one violation, of the rule `json`.
///
/// ```
/// use aside_messages::{Rules, check_body};
///
/// let body = br#"{"model":"claude-opus-5-5","max_tokens":8,"maxTokens":8,
///     "messages":[{"role":"user","content":" "}]}"#;
/// let checked = check_body(body, &Rules::default());
/// let found: Vec<_> = checked.refused().map(|it| (it.rule, &*it.path)).collect();
/// assert_eq!(found, [("unknown-key", "maxTokens"), ("blank-text", "messages[0].content")]);
/// ```
#[must_use]
pub fn check_body(body: &[u8], rules: &Rules) -> Checked {
    check_part(body, rules, RuleScope::Whole)
}

impl Request {
    /// Checks a request as [`check_body`] checks its bytes.
    ///
    /// ```
    /// use aside_messages::Rules;
    /// use aside_messages::wire::Request;
    ///
    /// let json = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":" "}]}"#;
    /// let request = Request::parse(json.as_bytes())?.value;
    /// let checked = request.check(&Rules::default());
    /// assert_eq!(checked.violations[0].rule, "blank-text");
    /// assert_eq!(checked.violations[0].path, "messages[0].content[0]");
    /// # Ok::<(), aside_messages::wire::ReadError>(())
    /// ```
    #[must_use]
    pub fn check(&self, rules: &Rules) -> Checked {
        self.check_part(rules, RuleScope::Whole)
    }

    /// Checks a request of which only one part is complete, such as the parameters,
    /// tools and system prompt. Rules that look at the rest too report nothing.
    #[must_use]
    pub fn check_part(&self, rules: &Rules, part: RuleScope) -> Checked {
        match serde_json::to_string(self) {
            Ok(body) => check_part(body.as_bytes(), rules, part),
            Err(_) => Checked::default(),
        }
    }
}

/// Checks consecutive messages of a conversation in their encoded form, as
/// [`Request::check_part`] does with [`RuleScope::Messages`], without encoding them again.
/// Rules that look at the rest of the request report nothing. What is no message is skipped.
///
/// `rules` has the model, on which some rules depend; `extra` has the further members of the
/// request, since a compaction lifts a rule of the last message. The index in a path counts
/// from the first of these messages.
#[must_use]
pub fn check_messages<'a>(
    messages: impl IntoIterator<Item = &'a Encoded>,
    extra: &Extra,
    rules: &Rules,
) -> Checked {
    let shell = Request {
        model: rules.model.clone().unwrap_or_default(),
        max_tokens: 1,
        extra: extra.clone(),
        ..Request::default()
    };
    let Ok(mut body) = serde_json::to_string(&shell) else {
        return Checked::default();
    };
    // The list of messages is the last member, and empty.
    body.truncate(body.len() - "]}".len());
    let messages = messages.into_iter().filter(|it| it.role().is_some());
    for (index, message) in messages.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        body.push_str(comma);
        body.push_str(&String::from_utf8_lossy(message.bytes()));
    }
    body.push_str("]}");
    check_part(body.as_bytes(), rules, RuleScope::Messages)
}

/// Runs every subject in a fixed order, so that equal bodies give equal lists.
fn check_part(body: &[u8], rules: &Rules, part: RuleScope) -> Checked {
    let tape = match Tape::parse(body) {
        Ok(tape) => tape,
        Err(error) => return unreadable(error.in_text(body)),
    };
    let root = tape.root();
    if root.kind() != Kind::Object {
        return unreadable(excerpt(root.raw()));
    }
    let mut context = Context::new(root, rules, part);
    for value in tape.values().filter(|it| it.has_lone_surrogate()) {
        context.add(&table::SURROGATE, value.path(), "half a surrogate pair");
    }
    walk::request(&mut context, root);
    let view = View::new(root);
    let subjects: &[fn(&mut Context, &View<'_>)] = &[
        body::check,
        betas::check,
        prompt_tokens::check,
        platforms::check,
        parameters::check,
        sampling::check,
        thinking::check,
        tools::check,
        strict::check,
        edits::check,
        content::check,
        messages::check,
        results::check,
        system_messages::check,
        tool_changes::check,
        compaction::check,
        media::check,
        markers::check,
    ];
    for check in subjects {
        check(&mut context, &view);
    }
    context.finish(&view)
}

fn unreadable(found: String) -> Checked {
    Checked {
        violations: vec![Violation::of(&table::JSON, "", found)],
        not_checked: Vec::new(),
    }
}

impl Checked {
    /// Iterates over the violations that the API refuses with status 400.
    pub fn refused(&self) -> impl Iterator<Item = &Violation> {
        self.of_level(RuleLevel::Refused)
    }

    /// Iterates over the violations of a level.
    pub fn of_level(&self, level: RuleLevel) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(move |it| it.level == level)
    }
}

impl NotChecked {
    /// Creates an entry.
    ///
    /// Used by callers that add findings of their own to those of the rules.
    #[must_use]
    pub fn new(topic: &'static str, count: usize, reason: impl Into<String>) -> Self {
        Self {
            topic,
            count,
            reason: reason.into(),
        }
    }
}

impl Violation {
    /// Creates a refusal, by any rule.
    ///
    /// The rule need not be one of [`RULES`]: other wires have rules of their
    /// own. `expected` is empty.
    #[must_use]
    pub fn new(rule: &'static str, path: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            rule,
            level: RuleLevel::Refused,
            path: path.into(),
            found: found.into(),
            expected: String::new(),
        }
    }

    /// Creates a violation of a rule of the Messages API.
    #[must_use]
    pub fn of(rule: &Rule, path: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            level: rule.level,
            expected: rule.expected.to_owned(),
            ..Self::new(rule.name, path, found)
        }
    }

    /// Returns the rule of the Messages API that is broken.
    ///
    /// Returns `None` for a violation of another wire. Linear in the number of
    /// rules.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        RULES.iter().find(|rule| rule.name == self.rule)
    }
}

/// `rule: path: found, expected …`
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            path,
            found,
            expected,
            ..
        } = self;
        match path.as_str() {
            "" => write!(f, "{rule}: {found}")?,
            path => write!(f, "{rule}: {path}: {found}")?,
        }
        match expected.as_str() {
            "" => Ok(()),
            expected => write!(f, ", expected {expected}"),
        }
    }
}
