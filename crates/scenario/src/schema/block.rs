//! The form of a content block of the Messages API, as `aside-messages` reads
//! it. `tests/entry_schema.rs` checks that the reader agrees.

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
    /// A call of a tool by the model.
    ToolUse {
        /// Unique in the conversation; the `tool_result` names it.
        id: String,
        /// The name of the tool.
        name: String,
        /// The input of the call: an object. In a conversation it is a string
        /// if the stream broke off before the object was complete.
        input: Value,
        /// Ends a prefix that the provider caches.
        cache_control: Option<CacheControl>,
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
    /// Thinking of the model, signed by its provider.
    Thinking {
        /// The text.
        thinking: String,
        /// The signature of the provider.
        signature: String,
    },
    /// Thinking of the model that only its provider can read.
    RedactedThinking {
        /// The encrypted thinking.
        data: String,
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
pub(super) struct Text {
    /// The text.
    text: String,
    /// The model's citations of sources.
    citations: Option<Value>,
    /// Ends a prefix that the provider caches.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Image {
    /// The source of the image.
    source: MediaSource,
    /// Ends a prefix that the provider caches.
    cache_control: Option<CacheControl>,
}

#[derive(JsonSchema)]
pub(super) struct Document {
    /// The source of the document.
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

/// The source of an image or a document.
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
    /// A file that was uploaded before.
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
    /// A source of any other type; it is sent unchanged.
    #[schemars(untagged)]
    Other {
        /// An unknown type.
        #[schemars(extend("not" = json!({"enum": [
            "base64", "url", "file", "text", "content",
        ]})))]
        r#type: String,
    },
}

/// The result of a tool.
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
    /// A block of any other type; it is sent unchanged.
    #[schemars(untagged)]
    Other {
        /// The type, such as `search_result` or `tool_reference`.
        #[schemars(extend("not" = json!({"enum": ["text", "image", "document"]})))]
        r#type: String,
    },
}

/// A marker of the prompt cache.
#[derive(JsonSchema)]
pub(super) struct CacheControl {
    /// `ephemeral`, the only kind.
    #[schemars(extend("examples" = ["ephemeral"]))]
    r#type: String,
    /// The lifetime after the last use: `5m`, the default, or `1h`.
    #[schemars(extend("examples" = ["5m", "1h"]))]
    ttl: Option<String>,
    /// `global`, for providers that accept it.
    #[schemars(extend("examples" = ["global"]))]
    scope: Option<String>,
}
