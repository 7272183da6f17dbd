//! The form of a content block of the Messages API, as `aside-messages` reads
//! it. `tests/entry_schema.rs` holds it and the reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

/// A content block of the Messages API.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// A call of a tool, by the model.
    ToolUse {
        /// Unique in the conversation; the `tool_result` names it.
        id: String,
        /// The tool.
        name: String,
        /// What the tool is called with: an object. In a conversation, a string
        /// holds what is none because a stream broke off.
        input: Value,
        /// Ends a prefix that the provider is to cache.
        cache_control: Option<CacheControl>,
    },
    /// The answer of a tool, in a message of the user.
    ToolResult {
        /// The `id` of the `tool_use` that it answers.
        tool_use_id: String,
        /// What the tool said: a text, or blocks.
        content: Option<ResultContent>,
        /// Whether the tool failed; by default it did not.
        is_error: Option<bool>,
        /// Ends a prefix that the provider is to cache.
        cache_control: Option<CacheControl>,
    },
    /// What the model thought, signed by its provider.
    Thinking {
        /// The text.
        thinking: String,
        /// The provider's seal over it.
        signature: String,
    },
    /// What the model thought, for its provider alone to read.
    RedactedThinking {
        /// Encrypted.
        data: String,
    },
    /// A block of any other type; it is sent as it stands.
    #[schemars(untagged)]
    Other {
        /// A type that is not known here, such as `search_result`.
        #[schemars(extend("not" = json!({"enum": [
            "text", "image", "document", "tool_use", "tool_result", "thinking",
            "redacted_thinking",
        ]})))]
        r#type: String,
    },
}

#[derive(JsonSchema)]
pub(super) struct Text {
    /// What it says.
    text: String,
    /// Where the model says that it has it from.
    citations: Option<Value>,
    /// Ends a prefix that the provider is to cache.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Image {
    /// Where the image is.
    source: MediaSource,
    /// Ends a prefix that the provider is to cache.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Document {
    /// Where the document is.
    source: MediaSource,
    /// Its title, for the model to see.
    title: Option<String>,
    /// What the model should know of it; not cited.
    context: Option<String>,
    /// Whether it may be cited: `{"enabled": true}`.
    citations: Option<Value>,
    /// Ends a prefix that the provider is to cache.
    cache_control: Option<CacheControl>,
}

/// Where the data is.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum MediaSource {
    /// The data itself.
    Base64 {
        /// Such as `image/png`.
        media_type: String,
        /// Standard base64.
        data: String,
    },
    /// Fetched by the API.
    Url {
        /// An `https` address.
        url: String,
    },
    /// Uploaded before.
    File {
        /// The id that the Files API gave.
        file_id: String,
    },
    /// A document that is plain text.
    Text {
        /// `text/plain`.
        media_type: String,
        /// The text.
        data: String,
    },
    /// A document made of content blocks.
    Content {
        /// A text, or content blocks.
        content: Value,
    },
    /// A source of any other type; it is sent as it stands.
    #[schemars(untagged)]
    Other {
        /// A type that is not known here.
        #[schemars(extend("not" = json!({"enum": [
            "base64", "url", "file", "text", "content",
        ]})))]
        r#type: String,
    },
}

/// What a tool said.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ResultContent {
    /// A text.
    Text(String),
    /// Texts, images, documents, search results, tool references.
    Blocks(Vec<ResultBlock>),
}

/// A block in the result of a tool.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum ResultBlock {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// A block of any other type; it is sent as it stands.
    #[schemars(untagged)]
    Other {
        /// Such as `search_result` or `tool_reference`.
        #[schemars(extend("not" = json!({"enum": ["text", "image", "document"]})))]
        r#type: String,
    },
}

/// A marker of the prompt cache.
#[derive(JsonSchema)]
pub(super) struct CacheControl {
    /// `ephemeral`, the only kind that there is.
    #[schemars(extend("examples" = ["ephemeral"]))]
    r#type: String,
    /// How long it is kept after its last use: `5m`, the default, or `1h`.
    #[schemars(extend("examples" = ["5m", "1h"]))]
    ttl: Option<String>,
    /// `global`, where whoever answers takes it.
    #[schemars(extend("examples" = ["global"]))]
    scope: Option<String>,
}
