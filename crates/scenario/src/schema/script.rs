//! The form of a script that stands in for a model. `tests/it/script_schema.rs`
//! checks that the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::{CacheControl, Document, Image, ResultContent, Text};

/// The responses for `aside run --replay FILE` and `aside serve --script FILE`,
/// in order. Unknown keys are ignored.
#[derive(JsonSchema)]
#[schemars(title = "A script of answers")]
pub(super) struct Script {
    /// The version of this form.
    #[schemars(extend("const" = 1))]
    version: u64,
    /// The responses to the first request, the second, and so on.
    #[schemars(default)]
    answers: Vec<Answer>,
    /// Whether to repeat the last response for every further request; otherwise
    /// these fail.
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
    /// Conditions on the request: the response waits for one that meets them.
    when: Option<Expectation>,
    /// Conditions on the request; one that does not meet them is refused.
    expect: Option<Expectation>,
    /// What the model says: a text, or content blocks.
    content: Option<Content>,
    /// Why the response stops, such as `end_turn`, `tool_use` or `max_tokens`;
    /// by default `tool_use` if a tool is called, else `end_turn`.
    #[schemars(extend("examples" = ["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"]))]
    stop_reason: Option<String>,
    /// The token usage.
    usage: Option<Usage>,
    /// Whether the stream ends within the last block.
    #[schemars(default)]
    breaks_off: bool,
    /// Instead of `content`: the request fails with this error.
    error: Option<Failure>,
    /// How many requests the response is for; by default 1.
    times: Option<u64>,
    /// How many milliseconds a server waits before it begins the response.
    #[schemars(default)]
    delay_ms: u64,
    /// How many milliseconds a server waits between two events in the stream.
    #[schemars(default)]
    event_delay_ms: u64,
    /// By how many milliseconds the server's clock moves before it judges the
    /// request.
    #[schemars(default)]
    advance_ms: u64,
}

#[derive(JsonSchema)]
struct Expectation {
    /// The model.
    model: Option<String>,
    /// How many messages.
    messages: Option<u64>,
    /// Texts that the last message contains, in its texts and results.
    #[schemars(default)]
    last: Vec<String>,
    /// Texts that any message or the system prompt contains.
    #[schemars(default)]
    anywhere: Vec<String>,
    /// The tools' names, in order.
    tools: Option<Vec<String>>,
    /// A tool that the request has, by name, among any others.
    has_tool: Option<String>,
}

/// What the model says.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Content {
    /// A text.
    Text(String),
    /// Content blocks.
    Blocks(Vec<ScriptedBlock>),
}

/// A Messages API content block, some of which may be incomplete.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum ScriptedBlock {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// The model calls a tool.
    ToolUse {
        /// Unique in the conversation; by default a new one.
        id: Option<String>,
        /// The tool's name; by default the request's first tool.
        name: Option<String>,
        /// What the call passes; by default something that the tool accepts, or
        /// an empty object.
        input: Option<Value>,
        /// Instead of a name: the path of a file that the call reads. A server
        /// chooses the tool.
        reads: Option<String>,
        /// Instead of a name: a sub-agent's task. A server chooses the tool.
        delegates: Option<String>,
    },
    /// What a tool returned, in a user message.
    ToolResult {
        /// The `id` in the `tool_use`.
        tool_use_id: String,
        /// The result: a text, or blocks.
        content: Option<ResultContent>,
        /// Whether the tool failed; by default false.
        is_error: Option<bool>,
        /// Ends a prefix that the provider caches.
        cache_control: Option<CacheControl>,
    },
    /// The model's thinking.
    Thinking {
        /// The text.
        thinking: String,
        /// The signature; by default the server's, or an empty one.
        signature: Option<String>,
    },
    /// The model's thinking in a form that only its provider can read.
    RedactedThinking {
        /// The encrypted thinking; by default the server's, or nothing.
        data: Option<String>,
    },
    /// A block with any other type; it is sent unchanged.
    #[schemars(untagged)]
    Other {
        /// An unknown type, such as `search_result`.
        #[schemars(extend("not" = json!({"enum": [
            "text", "image", "document", "tool_use", "tool_result", "thinking",
            "redacted_thinking",
        ]})))]
        r#type: String,
    },
}

#[derive(JsonSchema)]
struct Usage {
    /// Tokens neither read from the cache nor written into it.
    #[schemars(default)]
    input_tokens: u64,
    /// Tokens written into the cache.
    #[schemars(default)]
    cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    #[schemars(default)]
    cache_read_input_tokens: u64,
    /// Tokens in the response.
    #[schemars(default)]
    output_tokens: u64,
}

#[derive(JsonSchema)]
struct Failure {
    /// The HTTP status, such as 529.
    status: u16,
    /// The error's type, such as `overloaded_error`.
    r#type: Option<String>,
    /// The provider's message.
    #[schemars(default)]
    message: String,
}
