//! The form of a recording that answers in the place of a model.
//! `tests/cassette_schema.rs` holds it and the reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::json;

use super::block::Block;

/// What `aside run --replay FILE` answers, in order. Keys that are not known
/// are left alone.
#[derive(JsonSchema)]
#[schemars(title = "A recording of answers")]
pub(super) struct Cassette {
    /// The version of this form.
    #[schemars(extend("const" = 1))]
    version: u64,
    /// What is answered to the first request, to the second, and so on.
    #[schemars(default)]
    answers: Vec<Answer>,
    /// Whether the last answer is that to every further request too; otherwise
    /// there is none.
    #[schemars(default)]
    repeat: bool,
}

/// What is answered to one request: `content`, or an `error`.
#[derive(JsonSchema)]
#[schemars(extend("oneOf" = json!([
    {
        "required": ["content"],
        "properties": {"content": {"type": ["string", "array"]}, "error": {"type": "null"}},
    },
    {
        "required": ["error"],
        "properties": {"error": {"type": "object"}, "content": {"type": "null"}},
    },
])))]
struct Answer {
    /// What must be true of the request, or it is refused.
    expect: Option<Expectation>,
    /// What the model says: a text, or content blocks.
    content: Option<Content>,
    /// Why it stops, such as `end_turn`, `tool_use` or `max_tokens`; by default
    /// `tool_use` where a tool is called, else `end_turn`.
    #[schemars(extend("examples" = ["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"]))]
    stop_reason: Option<String>,
    /// How many tokens it took.
    usage: Option<Usage>,
    /// Whether the stream ends within the last block.
    #[schemars(default)]
    breaks_off: bool,
    /// In the place of `content`: the request is refused.
    error: Option<Failure>,
}

#[derive(JsonSchema)]
struct Expectation {
    /// The model.
    model: Option<String>,
    /// The number of messages.
    messages: Option<u64>,
    /// Texts that are in the texts and results of the last message.
    #[schemars(default)]
    last: Vec<String>,
    /// Texts that are in those of any message, or of the system prompt.
    #[schemars(default)]
    anywhere: Vec<String>,
    /// The names of the tools, in order.
    tools: Option<Vec<String>>,
}

/// What the model says.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Content {
    /// A text.
    Text(String),
    /// Content blocks.
    Blocks(Vec<Block>),
}

#[derive(JsonSchema)]
struct Usage {
    /// Tokens that were read, neither from the cache nor into it.
    #[schemars(default)]
    input_tokens: u64,
    /// Tokens that were written into the cache.
    #[schemars(default)]
    cache_creation_input_tokens: u64,
    /// Tokens that were read from the cache.
    #[schemars(default)]
    cache_read_input_tokens: u64,
    /// Tokens of the answer.
    #[schemars(default)]
    output_tokens: u64,
}

#[derive(JsonSchema)]
struct Failure {
    /// The status of HTTP, such as 529.
    status: u16,
    /// What kind of error it is, such as `overloaded_error`.
    r#type: Option<String>,
    /// What the provider says of it.
    #[schemars(default)]
    message: String,
}
