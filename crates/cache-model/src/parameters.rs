//! The request parameters that a cache level depends on.
//!
//! Source: the cache invalidation tables in each provider's documentation. An
//! absent parameter has its default value, so to leave it out is no change.
//!
//! ```text
//! Messages     speed, citations → system; tool_choice, thinking, effort, format, images → messages
//! OpenAI       prompt_cache_key, service_tier, effort, format, verbosity → tools
//! Gemini       none
//! ```

use aside_models::{ModelFacts, Wire};

use crate::cache_rules::{CacheRules, ImageRule};
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::Level;
use aside_json::scan::{self as json, Kind, Span};

/// A parameter that loses a level when it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The first level that is lost.
    pub(crate) level: Level,
    /// The name in the body, as in `output_config.effort`.
    pub(crate) name: &'static str,
    /// The value in a form that makes equal requests equal.
    pub(crate) value: Vec<u8>,
    /// Where it is in the body.
    pub(crate) span: Option<Span>,
}

/// A body parameter: the keys that lead to it.
struct Row {
    /// The first level that a change loses.
    level: Level,
    /// The keys with dots between them.
    name: &'static str,
    keys: &'static [&'static str],
}

const fn row(level: Level, name: &'static str, keys: &'static [&'static str]) -> Row {
    Row { level, name, keys }
}

/// Messages API parameters, as documented under cache invalidation.
const MESSAGES: &[Row] = &[
    row(Level::System, "speed", &["speed"]),
    row(Level::Messages, "tool_choice", &["tool_choice"]),
    row(Level::Messages, "thinking.type", &["thinking", "type"]),
    row(Level::Messages, "thinking.budget_tokens", &["thinking", "budget_tokens"]),
    row(Level::Messages, "thinking.display", &["thinking", "display"]),
    row(Level::Messages, "output_config.effort", &["output_config", "effort"]),
    row(Level::Messages, "output_config.format", &["output_config", "format"]),
    row(Level::Messages, "output_config.task_budget", &["output_config", "task_budget"]),
];

/// Responses and Chat Completions parameters, by the reasons in OpenAI's cache
/// diagnostics.
const OPENAI: &[Row] = &[
    row(Level::Tools, "prompt_cache_key", &["prompt_cache_key"]),
    row(Level::Tools, "service_tier", &["service_tier"]),
    row(Level::Tools, "reasoning.effort", &["reasoning", "effort"]),
    row(Level::Tools, "reasoning_effort", &["reasoning_effort"]),
    row(Level::Tools, "text.format", &["text", "format"]),
    row(Level::Tools, "response_format", &["response_format"]),
    row(Level::Tools, "text.verbosity", &["text", "verbosity"]),
    row(Level::Tools, "verbosity", &["verbosity"]),
];

/// Returns a request's parameters, in the order of the levels.
pub(crate) fn parameters(request: &Body, facts: &ModelFacts, rules: &CacheRules) -> Vec<Parameter> {
    let rows = match request.wire() {
        Wire::Messages => MESSAGES,
        Wire::Responses | Wire::ChatCompletions => OPENAI,
        _ => &[],
    };
    let mut all: Vec<Parameter> = rows.iter().map(|it| parameter(request, it, facts)).collect();
    if request.wire() == Wire::Messages {
        all.extend(of_blocks(request, rules));
    }
    all.sort_by_key(|it| it.level);
    all
}

/// Reads a parameter's value; a missing one has its default.
///
/// The value is JSON without white space, or empty for the default and for a
/// missing key.
fn parameter(request: &Body, row: &Row, facts: &ModelFacts) -> Parameter {
    let bytes = request.as_bytes();
    let (first, rest) = row.keys.split_first().unwrap_or((&"", &[]));
    let found = rest.iter().try_fold(request.get(first), |span, key| {
        let span = span?;
        Some(json::get(bytes, span.start, key))
    });
    let span = found.flatten();
    let mut value = Vec::new();
    if let Some(span) = &span {
        json::canonical(bytes, span, &[], |it| value.extend_from_slice(it));
    }
    if is_default(row.name, &value, facts) {
        value.clear();
    }
    Parameter { level: row.level, name: row.name, value, span }
}

/// Returns true if this value is the parameter's default.
///
/// The default effort depends on the model. For other parameters without a row
/// here, null is the default.
fn is_default(name: &str, value: &[u8], facts: &ModelFacts) -> bool {
    let text = std::str::from_utf8(value).unwrap_or_default();
    match name {
        "output_config.effort" | "reasoning.effort" | "reasoning_effort" => {
            let effort = text.trim_matches('"').parse().ok();
            effort.is_some() && effort == facts.default_effort
        }
        "tool_choice" => value == br#"{"type":"auto"}"#,
        "speed" => value == br#""standard""#,
        "service_tier" => matches!(text, "\"auto\"" | "\"default\""),
        _ => value == b"null",
    }
}

/// Returns parameters for a whole level that blocks anywhere set.
///
/// Citations in any document affect the system level, images the messages. The
/// rules decide whether it counts that there are images, or how many.
fn of_blocks(request: &Body, rules: &CacheRules) -> Vec<Parameter> {
    let (mut images, mut has_citations) = (0_u64, false);
    for (_, _, _, block) in request.blocks() {
        images += u64::from(block.has_image);
        has_citations |= block.has_citations;
    }
    let images = match rules.images {
        ImageRule::Presence => images.min(1),
        ImageRule::Count => images,
        ImageRule::Ignored => 0,
    };
    let parameter = |level, name, value: String| Parameter {
        level,
        name,
        value: value.into_bytes(),
        span: None,
    };
    vec![
        parameter(Level::System, "citations", has_citations.to_string()),
        parameter(Level::Messages, "images", images.to_string()),
    ]
}

/// OpenAI's `prompt_cache_options`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheOptions {
    /// True if the provider sets no breakpoint of its own.
    pub(crate) is_explicit: bool,
    /// How long breakpoints live that do not say so.
    pub(crate) lifetime: CacheLifetime,
}

impl CacheOptions {
    pub(crate) fn from_request(request: &Body) -> Self {
        let bytes = request.as_bytes();
        let options = request
            .get("prompt_cache_options")
            .filter(|it| json::kind(bytes, it.start) == Kind::Object);
        let value = |key| {
            let value = json::get(bytes, options.as_ref()?.start, key)?;
            json::string(bytes, &value)
        };
        let lifetime = value("ttl").and_then(|it| it.parse().ok());
        Self {
            is_explicit: value("mode").is_some_and(|it| it == "explicit"),
            lifetime: lifetime.unwrap_or(CacheLifetime::ThirtyMinutes),
        }
    }
}
