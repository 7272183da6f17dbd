//! The request parameters that a cache level depends on.
//!
//! Source: the cache invalidation tables in each provider's documentation. An
//! absent parameter has its default value, so to leave it out is no change.
//!
//! ```text
//! Messages     speed, citations → system; tool_choice, thinking, effort, format, images → messages
//! OpenAI       prompt_cache_key, service_tier, effort, format, verbosity → all; prompt → system
//! Gemini       cachedContent → all
//! ```
//!
//! The last two name what the provider puts before the body: a stored prompt, or a cache.

use aside_models::{ModelFacts, ThinkingDefault, Wire};

use crate::cache_rules::{CacheRules, ImageRule};
use crate::values::{canonical_without, value_at};
use crate::verdict::MissReason;
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::Level;
use aside_json::scan as json;

/// A parameter that loses a level when it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The first level that is lost.
    pub(crate) level: Level,
    /// The name in the body, as in `output_config.effort`.
    pub(crate) name: &'static str,
    /// The value in a form that makes equal requests equal.
    pub(crate) value: Vec<u8>,
}

impl Parameter {
    /// Returns the reason that the provider gives for a change.
    pub(crate) fn reason(&self) -> MissReason {
        match self.name {
            "prompt_cache_key" => MissReason::PromptCacheKeyChanged,
            "service_tier" => MissReason::ServiceTierChanged,
            "reasoning.effort" | "reasoning_effort" => MissReason::ReasoningEffortChanged,
            "text.format" | "response_format" => MissReason::TextFormatChanged,
            "text.verbosity" | "verbosity" => MissReason::VerbosityChanged,
            _ => self.level.into(),
        }
    }
}

/// A body parameter: the first level that a change loses, and the keys that lead to it, with dots
/// between them. A member with a row of its own does not count in the row of the whole.
type Row = (Level, &'static str);

/// Messages API parameters, as documented under cache invalidation.
const MESSAGES: &[Row] = &[
    (Level::System, "speed"),
    (Level::Messages, "tool_choice"),
    (Level::Messages, "tool_choice.disable_parallel_tool_use"),
    (Level::Messages, "thinking.type"),
    (Level::Messages, "thinking.budget_tokens"),
    (Level::Messages, "thinking.display"),
    (Level::Messages, "output_config.effort"),
    (Level::Messages, "output_config.format"),
    (Level::Messages, "output_format"),
    (Level::Messages, "output_config.task_budget"),
];

/// Responses and Chat Completions parameters, by the reasons in OpenAI's cache
/// diagnostics.
const OPENAI: &[Row] = &[
    (Level::Tools, "prompt_cache_key"),
    (Level::Tools, "service_tier"),
    (Level::Tools, "reasoning.effort"),
    (Level::Tools, "reasoning_effort"),
    (Level::Tools, "text.format"),
    (Level::Tools, "response_format"),
    (Level::Tools, "text.verbosity"),
    (Level::Tools, "verbosity"),
    (Level::System, "prompt"),
];

/// What a Gemini request names, in both spellings.
const GEMINI: &[Row] = &[(Level::Tools, "cachedContent"), (Level::Tools, "cached_content")];

/// Returns a request's parameters, in the order of the levels.
pub(crate) fn parameters(request: &Body, facts: &ModelFacts, rules: &CacheRules) -> Vec<Parameter> {
    let rows = match request.wire() {
        Wire::Messages => MESSAGES,
        Wire::Responses | Wire::ChatCompletions => OPENAI,
        Wire::GenerateContent => GEMINI,
        _ => &[],
    };
    let mut all: Vec<Parameter> = rows
        .iter()
        .map(|&(level, name)| Parameter { level, name, value: value(request, name, facts) })
        .collect();
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
pub(crate) fn value(request: &Body, name: &str, facts: &ModelFacts) -> Vec<u8> {
    let own = |row: &Row| row.1.strip_prefix(name)?.strip_prefix('.');
    let keys: Vec<&str> = MESSAGES.iter().filter_map(own).collect();
    let mut value = canonical_without(request, name, &keys);
    if is_default(name, &value, facts) {
        value.clear();
    }
    value
}

/// Returns true if this value is the parameter's default.
///
/// The defaults of effort and thinking depend on the model: where thinking is on, it is adaptive
/// and its text is omitted. OpenAI documents no effort as the default of all its models. For
/// every parameter, null is the default.
fn is_default(name: &str, value: &[u8], facts: &ModelFacts) -> bool {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let thinks = facts.thinking.map(|it| it.default != ThinkingDefault::Off);
    let is_default = match name {
        "output_config.effort" | "reasoning.effort" | "reasoning_effort" => {
            let effort = text.trim_matches('"').parse().ok();
            effort.is_some() && effort == facts.default_effort
        }
        "thinking.type" => match thinks {
            Some(true) => text == r#""adaptive""#,
            Some(false) => text == r#""disabled""#,
            None => false,
        },
        "thinking.display" => thinks == Some(true) && text == r#""omitted""#,
        "tool_choice" => text == r#"{"type":"auto"}"#,
        "tool_choice.disable_parallel_tool_use" => text == "false",
        "speed" => text == r#""standard""#,
        "service_tier" => matches!(text, r#""auto""# | r#""default""#),
        "text.format" | "response_format" => text == r#"{"type":"text"}"#,
        "text.verbosity" | "verbosity" => text == r#""medium""#,
        _ => false,
    };
    is_default || text == "null"
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
    let parameter = |level, name, value: String| {
        let value = value.into_bytes();
        Parameter { level, name, value }
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
        let value = |path| json::string(request.as_bytes(), &value_at(request, path)?);
        let stated = value("prompt_cache_options.ttl").and_then(|it| it.parse().ok());
        let lifetime = stated.filter(|it| *it != CacheLifetime::TwentyFourHours);
        Self {
            is_explicit: value("prompt_cache_options.mode").as_deref() == Some("explicit"),
            lifetime: lifetime.unwrap_or(CacheLifetime::ThirtyMinutes),
        }
    }
}
