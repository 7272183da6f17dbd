//! The form of a Messages API content block, as `aside-messages` reads it.
//! `tests/entry_schema.rs` checks that the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

/// A Messages API content block.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// The model calls a tool.
    ToolUse {
        /// Unique in the conversation; the `tool_result` names it.
        id: String,
        /// The tool's name.
        name: String,
        /// What the call passes: an object. In a conversation it is a string if
        /// the stream broke off before the object was complete.
        input: Value,
        /// Ends a prefix that the provider caches.
        cache_control: Option<CacheControl>,
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
    /// The model's thinking, signed by its provider.
    Thinking {
        /// The text.
        thinking: String,
        /// The provider's signature.
        signature: String,
    },
    /// The model's thinking in a form that only its provider can read.
    RedactedThinking {
        /// The encrypted thinking.
        data: String,
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
pub(super) struct Text {
    /// The text.
    text: String,
    /// What the model cites.
    citations: Option<Value>,
    /// Ends a prefix that the provider caches.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Image {
    /// Where the image comes from.
    source: MediaSource,
    /// Ends a prefix that the provider caches.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Document {
    /// Where the document comes from.
    source: MediaSource,
    /// Its title, which the model sees.
    title: Option<String>,
    /// Context for the model, which it does not cite.
    context: Option<String>,
    /// Whether it may be cited: `{"enabled": true}`.
    citations: Option<Value>,
    /// Ends a prefix that the provider caches.
    cache_control: Option<CacheControl>,
}

/// Where an image or a document comes from.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum MediaSource {
    /// The data itself.
    Base64 {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The data in standard base64.
        data: String,
    },
    /// A URL that the API fetches.
    Url {
        /// An `https` address.
        url: String,
    },
    /// A file that was uploaded earlier.
    File {
        /// The id that the Files API returned.
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
    /// Any other type; it is sent unchanged.
    #[schemars(untagged)]
    Other {
        /// An unknown type.
        #[schemars(extend("not" = json!({"enum": [
            "base64", "url", "file", "text", "content",
        ]})))]
        r#type: String,
    },
}

/// What a tool returned.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ResultContent {
    /// A text.
    Text(String),
    /// Texts, images, documents, search results, tool references.
    Blocks(Vec<ResultBlock>),
}

/// A block in a tool's result.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub(super) enum ResultBlock {
    /// Text.
    Text(Text),
    /// An image.
    Image(Image),
    /// A document: PDF, plain text or content blocks.
    Document(Document),
    /// A block with any other type; it is sent unchanged.
    #[schemars(untagged)]
    Other {
        /// The type, such as `search_result` or `tool_reference`.
        #[schemars(extend("not" = json!({"enum": ["text", "image", "document"]})))]
        r#type: String,
    },
}

/// A prompt cache marker.
#[derive(JsonSchema)]
pub(super) struct CacheControl {
    /// `ephemeral`, the only kind.
    #[schemars(extend("examples" = ["ephemeral"]))]
    r#type: String,
    /// How long the entry lives after its last use: `5m`, the default, or `1h`.
    #[schemars(extend("examples" = ["5m", "1h"]))]
    ttl: Option<String>,
    /// `global`, for providers that accept it.
    #[schemars(extend("examples" = ["global"]))]
    scope: Option<String>,
}
