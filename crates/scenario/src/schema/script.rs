//! The form of a script that replaces a model. `tests/it/script_schema.rs`
//! checks that the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::{CacheControl, Document, Image, ResultContent, Text};

/// The responses of `aside run --replay FILE` and `aside serve --script FILE`, in
/// order. Unknown keys are ignored.
#[derive(JsonSchema)]
#[schemars(title = "A script of answers")]
pub(super) struct Script {
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
    /// Conditions on the request: the response is left for one that meets them.
    when: Option<Expectation>,
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
    /// How many requests the response is for; by default 1.
    times: Option<u64>,
    /// The milliseconds before the response of a server begins.
    #[schemars(default)]
    delay_ms: u64,
    /// The milliseconds between two events of a server's stream.
    #[schemars(default)]
    event_delay_ms: u64,
    /// The milliseconds by which the server's clock moves before the request is
    /// judged.
    #[schemars(default)]
    advance_ms: u64,
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
    /// The name of a tool that the request has, among any others.
    has_tool: Option<String>,
}

/// The message of the model.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Content {
    /// A text.
    Text(String),
    /// Content blocks.
    Blocks(Vec<ScriptedBlock>),
}

/// A content block of the Messages API, some of which may be incomplete.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum ScriptedBlock {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// A call of a tool by the model.
    ToolUse {
        /// Unique in the conversation; by default a new one.
        id: Option<String>,
        /// The name of the tool; by default that of the first one of the request.
        name: Option<String>,
        /// The input of the call; by default one that the tool accepts, or an empty
        /// object.
        input: Option<Value>,
        /// Instead of a name: the path of a file that the call reads. A server chooses
        /// the tool.
        reads: Option<String>,
        /// Instead of a name: the task of a sub-agent. A server chooses the tool.
        delegates: Option<String>,
    },
    /// The result of a tool, in a message of the user.
    ToolResult {
        /// The `id` of the `tool_use`.
        tool_use_id: String,
        /// The result: a text, or blocks.
        content: Option<ResultContent>,
        /// Whether the tool failed; by default false.
        is_error: Option<bool>,
        /// Ends a prefix that the provider caches.
        cache_control: Option<CacheControl>,
    },
    /// Thinking of the model.
    Thinking {
        /// The text.
        thinking: String,
        /// The signature; by default that of the server, or an empty one.
        signature: Option<String>,
    },
    /// Thinking of the model that only its provider can read.
    RedactedThinking {
        /// The encrypted thinking; by default that of the server, or nothing.
        data: Option<String>,
    },
    /// A block of any other type; it is sent unchanged.
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
