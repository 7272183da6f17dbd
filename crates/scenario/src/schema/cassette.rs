//! The form of a recording that replaces a model. `tests/cassette_schema.rs`
//! checks that the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::json;

use super::block::Block;

/// The responses of `aside run --replay FILE`, in order. Unknown keys are
/// ignored.
#[derive(JsonSchema)]
#[schemars(title = "A recording of answers")]
pub(super) struct Cassette {
    /// The version of this form.
    #[schemars(extend("const" = 1))]
    version: u64,
    /// The responses to the first request, the second, and so on.
    #[schemars(default)]
    answers: Vec<Answer>,
    /// Whether the last response is repeated for every further request;
    /// otherwise these fail.
    #[schemars(default)]
    repeat: bool,
}

/// The response to one request: `content`, or an `error`.
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
    /// Conditions on the request; a request that does not meet them is refused.
    expect: Option<Expectation>,
    /// The message of the model: a text, or content blocks.
    content: Option<Content>,
    /// The stop reason, such as `end_turn`, `tool_use` or `max_tokens`; by
    /// default `tool_use` if a tool is called, else `end_turn`.
    #[schemars(extend("examples" = ["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"]))]
    stop_reason: Option<String>,
    /// The token usage.
    usage: Option<Usage>,
    /// Whether the stream ends within the last block.
    #[schemars(default)]
    breaks_off: bool,
    /// Instead of `content`: the request fails with this error.
    error: Option<Failure>,
}

#[derive(JsonSchema)]
struct Expectation {
    /// The model.
    model: Option<String>,
    /// The number of messages.
    messages: Option<u64>,
    /// Texts that the last message contains, in its texts and results.
    #[schemars(default)]
    last: Vec<String>,
    /// Texts that any message or the system prompt contains.
    #[schemars(default)]
    anywhere: Vec<String>,
    /// The names of the tools, in order.
    tools: Option<Vec<String>>,
}

/// The message of the model.
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
    /// Tokens that were neither read from the cache nor written into it.
    #[schemars(default)]
    input_tokens: u64,
    /// Tokens that were written into the cache.
    #[schemars(default)]
    cache_creation_input_tokens: u64,
    /// Tokens that were read from the cache.
    #[schemars(default)]
    cache_read_input_tokens: u64,
    /// Tokens of the response.
    #[schemars(default)]
    output_tokens: u64,
}

#[derive(JsonSchema)]
struct Failure {
    /// The HTTP status, such as 529.
    status: u16,
    /// The type of the error, such as `overloaded_error`.
    r#type: Option<String>,
    /// The message of the provider.
    #[schemars(default)]
    message: String,
}
