//! Content blocks: the types that this crate looks into, and `Other` for the
//! rest.
//!
//! A block is written as `type`, its fields, its unknown keys, and the marker
//! as the last key. The fields that lowering and encoding read are typed;
//! everything else is raw JSON, so that nothing is lost or reordered.

mod result_content;

use std::sync::Arc;

use aside_json::{Path, Value};
use serde::Serialize;

use super::object::ObjectReader;
use super::raw::RawJson;
use super::read::{Parsed, Read, ReadError, Reader, document};
use super::source::MediaSource;
use super::wire_object::wire_object;
use super::{CacheControl, Extra};

pub use result_content::ResultContent;

/// One content block in a message, in the system prompt or in a tool result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ContentBlock {
    /// `text`
    Text(Text),
    /// `image`
    Image(Image),
    /// `document`
    Document(Document),
    /// `tool_use`
    ToolUse(ToolUse),
    /// `tool_result`
    ToolResult(ToolResult),
    /// `thinking`
    Thinking(Thinking),
    /// `redacted_thinking`
    RedactedThinking(RedactedThinking),
    /// Any other type.
    Other(Other),
}

wire_object! {
    /// Text.
    ///
    /// ```json
    /// {"type":"text","text":"Hi"}
    /// ```
    #[derive(Default)]
    pub struct Text as "text" [marked] {
        /// Shared, so that a conversation and its requests hold it once.
        required "text" text: Arc<str>,
        /// What the model cites.
        optional "citations" citations: RawJson,
    }
}

wire_object! {
    /// An image.
    ///
    /// ```json
    /// {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0…"}}
    /// ```
    pub struct Image as "image" [marked] {
        /// Where the image comes from.
        required "source" source: MediaSource,
    }
}

wire_object! {
    /// A document: PDF, plain text or content blocks.
    ///
    /// ```json
    /// {"type":"document","source":{"type":"url","url":"https://…"},"title":"Manual"}
    /// ```
    pub struct Document as "document" [marked] {
        /// Where the document comes from.
        required "source" source: MediaSource,
        /// The title, which the model sees.
        optional "title" title: Arc<str>,
        /// Context for the model, which it does not cite.
        optional "context" context: Arc<str>,
        /// `{"enabled":true}` if the model may cite the document.
        optional "citations" citations: RawJson,
    }
}

wire_object! {
    /// A tool call.
    ///
    /// ```json
    /// {"type":"tool_use","id":"toolu_1","name":"Read","input":{"path":"a.rs"}}
    /// ```
    pub struct ToolUse as "tool_use" [marked] {
        /// The id, unique in a conversation; the result names it.
        required "id" id: Arc<str>,
        /// The tool's name.
        required "name" name: Arc<str>,
        /// The input, as the model wrote it, with every key once.
        required "input" input: RawJson,
    }
}

wire_object! {
    /// A tool call's result.
    ///
    /// ```json
    /// {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"out"}]}
    /// ```
    ///
    /// The `content` may be a string, blocks, or absent.
    #[derive(Default)]
    pub struct ToolResult as "tool_result" [marked] {
        /// The call's [`ToolUse::id`].
        required "tool_use_id" tool_use_id: Arc<str>,
        /// What the tool returned.
        nullable "content" content: ResultContent,
        /// True if the call failed; its content is text only then.
        optional "is_error" is_error: bool,
    }
}

wire_object! {
    /// The model's thinking, signed by the provider; it must never be altered.
    ///
    /// ```json
    /// {"type":"thinking","thinking":"","signature":"EqQB…"}
    /// ```
    ///
    /// The text is empty if the request asks for omitted thinking; the block is
    /// sent back all the same (documented).
    #[derive(Default)]
    pub struct Thinking as "thinking" {
        /// The text, which may be empty or a summary.
        required "thinking" thinking: Arc<str>,
        /// The provider's signature, which some models also bind to the prefix.
        required "signature" signature: Arc<str>,
    }
}

wire_object! {
    /// Thinking that only the provider can read.
    ///
    /// ```json
    /// {"type":"redacted_thinking","data":"EmwK…"}
    /// ```
    #[derive(Default)]
    pub struct RedactedThinking as "redacted_thinking" {
        /// The encrypted thinking.
        required "data" data: Arc<str>,
    }
}

/// A block whose type has no variant here, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Other {
    #[serde(skip)]
    kind: String,
    raw: RawJson,
}

impl Other {
    /// Creates a block from any JSON object with a string `type`, with
    /// [`RawJson::repairs`].
    ///
    /// # Errors
    /// Returns the path and the expected shape if `raw` is not such an object.
    pub fn new(raw: RawJson) -> Result<Self, ReadError> {
        let raw = raw.repaired();
        let kind =
            raw.with_value(|it| ObjectReader::new(it, Path::Root)?.kind(&mut Reader::default()))?;
        Ok(Self { kind, raw })
    }

    /// Reads a block whose `type` is known.
    pub(super) fn read(
        kind: String,
        value: Value<'_>,
        at: Path<'_>,
        reader: &mut Reader,
    ) -> Result<Self, ReadError> {
        let raw = RawJson::read(value, at, reader)?;
        Ok(Self { kind, raw })
    }

    /// Returns its `type`, such as `tool_reference`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the whole block.
    #[must_use]
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }
}

impl ToolResult {
    /// Returns true if the content holds a `tool_reference`. The API accepts no
    /// other block next to one.
    #[must_use]
    pub fn holds_tool_reference(&self) -> bool {
        self.content.blocks().iter().any(|block| block.kind() == "tool_reference")
    }
}

/// Types of blocks for which the API refuses `cache_control`.
const UNMARKABLE: [&str; 4] = ["thinking", "redacted_thinking", "fallback", "mcp_tool_listing"];

impl ContentBlock {
    /// Reads one block.
    ///
    /// # Errors
    /// Returns the JSON path, the expected shape and what was found.
    pub fn parse(json: &[u8]) -> Result<Parsed<Self>, ReadError> {
        document(json)
    }

    /// Creates a text block without further keys.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::new(text))
    }

    /// Returns its `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Document(_) => "document",
            Self::ToolUse(_) => "tool_use",
            Self::ToolResult(_) => "tool_result",
            Self::Thinking(_) => "thinking",
            Self::RedactedThinking(_) => "redacted_thinking",
            Self::Other(block) => block.kind(),
        }
    }

    /// Returns the block if its type has no variant here.
    #[must_use]
    pub fn as_other(&self) -> Option<&Other> {
        match self {
            Self::Other(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the blocks in a tool result; none of anything else.
    #[must_use]
    pub fn inner_blocks(&self) -> &[Self] {
        match self {
            Self::ToolResult(result) => result.content.blocks(),
            _ => &[],
        }
    }

    /// Returns true for a text of white space only.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Text(Text { text, .. }) if text.trim().is_empty())
    }

    /// Returns the tool that a `tool_reference` names.
    #[must_use]
    pub fn tool_reference(&self) -> Option<String> {
        let block = self.as_other().filter(|block| block.kind() == "tool_reference")?;
        let name = block.raw.with_value(|it| {
            ObjectReader::new(it, Path::Root)?.required("tool_name", &mut Reader::default())
        });
        name.ok()
    }

    /// Returns the marker on the block, if it has one.
    #[must_use]
    pub fn cache_control(&self) -> Option<CacheControl> {
        match self {
            Self::Text(block) => block.cache_control.clone(),
            Self::Image(block) => block.cache_control.clone(),
            Self::Document(block) => block.cache_control.clone(),
            Self::ToolUse(block) => block.cache_control.clone(),
            Self::ToolResult(block) => block.cache_control.clone(),
            Self::Thinking(_) | Self::RedactedThinking(_) => None,
            Self::Other(block) => block.cache_control(),
        }
    }

    /// Removes the marker and returns it.
    pub fn unmark(&mut self) -> Option<CacheControl> {
        match self {
            Self::Other(block) => block.unmark(),
            _ => self.marker()?.take(),
        }
    }

    /// Removes markers inside a tool result, which no position in a breakpoint
    /// plan can name. Returns true if there was one.
    pub fn unmark_content(&mut self) -> bool {
        let Self::ToolResult(ToolResult { content: ResultContent::Blocks(blocks), .. }) = self
        else {
            return false;
        };
        let marked = blocks.iter_mut().filter_map(Self::unmark);
        marked.count() > 0
    }

    /// Sets the marker. Thinking takes none and is left as it is.
    pub fn mark(&mut self, control: CacheControl) {
        if let Self::Other(block) = self {
            block.mark(&control);
        } else if let Some(marker) = self.marker() {
            *marker = Some(control);
        }
    }

    /// Returns the field for the marker, if the block has one.
    fn marker(&mut self) -> Option<&mut Option<CacheControl>> {
        match self {
            Self::Text(block) => Some(&mut block.cache_control),
            Self::Image(block) => Some(&mut block.cache_control),
            Self::Document(block) => Some(&mut block.cache_control),
            Self::ToolUse(block) => Some(&mut block.cache_control),
            Self::ToolResult(block) => Some(&mut block.cache_control),
            Self::Thinking(_) | Self::RedactedThinking(_) | Self::Other(_) => None,
        }
    }

    /// Returns true if a marker may be set: not on thinking, not on empty text,
    /// not on a block of another type that has the key already, and not on
    /// `fallback` and `mcp_tool_listing`, which have no such key.
    #[must_use]
    pub fn is_markable(&self) -> bool {
        match self {
            Self::Text(block) => !block.text.is_empty(),
            Self::Other(block) if block.has_marker_key() => false,
            block => Self::kind_takes_marker(block.kind()),
        }
    }

    /// Returns false for a type that has no cache marker.
    #[must_use]
    pub fn kind_takes_marker(kind: &str) -> bool {
        !UNMARKABLE.contains(&kind)
    }
}

impl Text {
    /// Creates a text block without further keys.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Image {
    /// Creates an image without a marker.
    #[must_use]
    pub fn new(source: MediaSource) -> Self {
        Self { source, extra: Extra::default(), cache_control: None }
    }
}

impl Document {
    /// Creates a document that has nothing but its source.
    #[must_use]
    pub fn new(source: MediaSource) -> Self {
        Self {
            source,
            title: None,
            context: None,
            citations: None,
            extra: Extra::default(),
            cache_control: None,
        }
    }
}

impl ToolUse {
    /// Creates a call. The input has to be an object.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, input: RawJson) -> Self {
        let (id, name) = (id.into(), name.into());
        Self { id, name, input, extra: Extra::default(), cache_control: None }
    }
}

impl ToolResult {
    /// Creates a successful call's result.
    pub fn new(tool_use_id: impl Into<Arc<str>>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: ResultContent::Blocks(content),
            ..Self::default()
        }
    }
}

impl Other {
    /// Replaces the JSON by another object with a string `type`.
    pub(crate) fn rewrite(&mut self, change: impl FnOnce(&RawJson) -> RawJson) {
        let raw = change(&self.raw);
        if raw != self.raw {
            *self = Self::new(raw).expect("what stands in strings does not make a block another");
        }
    }

    /// Takes the value of `cache_control`, null included, from the block's members.
    ///
    /// # Errors
    ///
    /// The key occurs twice, or `read` fails.
    fn with_marker_key<T>(
        &self,
        read: impl FnOnce(Option<Value<'_>>, ObjectReader<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.raw.with_value(|it| {
            let mut object = ObjectReader::new(it, Path::Root)?;
            let key = object.take("cache_control")?;
            read(key, object)
        })
    }

    /// Returns true if there is at least one `cache_control`.
    fn has_marker_key(&self) -> bool {
        self.with_marker_key(|key, _| Ok(key.is_some())).unwrap_or(true)
    }

    /// Returns `None` if the key is absent, doubled, or no marker.
    fn cache_control(&self) -> Option<CacheControl> {
        let marker = self.with_marker_key(|key, _| {
            let read = |it| CacheControl::read(it, Path::Root, &mut Reader::default());
            key.map(read).transpose()
        });
        marker.ok()?
    }

    /// Removes the marker. The other members keep their bytes, and the bytes
    /// between them become canonical.
    fn unmark(&mut self) -> Option<CacheControl> {
        let control = self.cache_control()?;
        let rest = self.with_marker_key(|_, object| Ok(object.rest())).ok()?;
        self.raw = RawJson::of(&rest);
        Some(control)
    }

    /// Marks the block, unless it has the key already.
    fn mark(&mut self, control: &CacheControl) {
        if !self.has_marker_key() {
            self.append_marker(control);
        }
    }

    /// Writes the marker before the closing brace, where the encoder would.
    pub(crate) fn append_marker(&mut self, control: &CacheControl) {
        let control = RawJson::of(control);
        let open = &self.raw.get()[..self.raw.get().len() - 1];
        let marked = format!("{open},\"cache_control\":{}}}", control.get());
        self.raw = RawJson::parse(&marked).expect("an object with one more member is an object");
    }
}

impl Read for ContentBlock {
    const EXPECTED: &'static str = "a content block";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let kind = ObjectReader::new(value, at)?.kind(&mut Reader::default())?;
        Ok(match kind.as_str() {
            "text" => Self::Text(Text::read(value, at, reader)?),
            "image" => Self::Image(Image::read(value, at, reader)?),
            "document" => Self::Document(Document::read(value, at, reader)?),
            "tool_use" => Self::ToolUse(ToolUse::read(value, at, reader)?),
            "tool_result" => Self::ToolResult(ToolResult::read(value, at, reader)?),
            "thinking" => Self::Thinking(Thinking::read(value, at, reader)?),
            "redacted_thinking" => {
                Self::RedactedThinking(RedactedThinking::read(value, at, reader)?)
            }
            _ => Self::Other(Other::read(kind, value, at, reader)?),
        })
    }
}

#[cfg(test)]
mod tests;
