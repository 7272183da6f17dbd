//! A request body: its bytes, and where its parts are.

mod block;
mod conversation;
mod item;
mod kind;
mod mark;
mod parse_error;
mod read;
mod tokens;

use std::fmt;
use std::sync::Arc;

use aside_json::Tape;
use aside_json::scan::{self as json, Kind, Member, Span};
use aside_models::{Tokenizer, Wire};
use bytes::Bytes;

use crate::lifetime::CacheLifetime;
use crate::path::{BlockPath, Level};

pub use block::{Block, Function, content_key, plain_text, plain_text_at};
pub use conversation::Hints;
pub use item::{Item, Placed, Role};
pub use kind::BlockKind;
pub use mark::{Mark, is_marker};
pub use parse_error::{ParseError, ParseErrorKind};
pub use tokens::estimate_part;

/// A request body from any agent: its bytes, and where to find tools, system
/// prompt and messages.
///
/// Reading is lenient: unknown keys and block types are kept as bytes, and
/// bodies that the provider would refuse are accepted. White space between JSON
/// tokens is ignored. Clones share all data.
///
/// ```
/// use aside_body::Body;
///
/// let request = Body::parse(
///     br#"{"model":"gpt-5.5","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#,
/// )?;
/// assert_eq!(request.model(), Some("gpt-5.5"));
/// assert_eq!(request.message_count(), 2);
/// assert!(Body::parse(br#"{"name":"not a request"}"#).is_err());
/// # Ok::<(), aside_body::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Body {
    inner: Arc<Inner>,
}

/// What a body shares with its clones.
#[derive(Clone)]
struct Inner {
    bytes: Bytes,
    wire: Wire,
    model: Option<String>,
    /// For estimates; `None` if there are none.
    family: Option<Tokenizer>,
    /// The top-level members, in order.
    members: Vec<Member>,
    /// The items in tools, system prompt and messages.
    sections: [Vec<Placed>; 3],
}

/// The unit in which bodies are compared with others.
const CHUNK_BYTES: usize = 1 << 10;

/// How many of them to compare: sessions with a longer common beginning share most of what is read.
const MAX_COMPARED_CHUNKS: usize = 256;

impl Body {
    /// Reads a body for any wire.
    ///
    /// # Errors
    /// The bytes are not JSON, or no request.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        Self::parse_after(Bytes::copy_from_slice(bytes), None)
    }

    /// Reads a body, reusing items that it shares with an earlier one. This
    /// costs a comparison of the bytes, plus reading what is new.
    ///
    /// # Errors
    /// The same as for [`Body::parse`].
    pub fn parse_after(bytes: Bytes, earlier: Option<&Self>) -> Result<Self, ParseError> {
        Self::read(bytes, earlier, true)
    }

    /// The same as [`Body::parse_after`], without the most expensive part: all estimates of tokens
    /// are 0.
    ///
    /// # Errors
    /// The same as for [`Body::parse`].
    pub fn parse_without_tokens(bytes: Bytes, earlier: Option<&Self>) -> Result<Self, ParseError> {
        Self::read(bytes, earlier, false)
    }

    /// Returns the index of the body that begins most like some bytes, to read them after it: of
    /// several, the last one. Long beginnings are not compared to their ends.
    pub fn closest<'a>(
        bytes: &[u8],
        bodies: impl ExactSizeIterator<Item = &'a Self>,
    ) -> Option<usize> {
        if bodies.len() < 2 {
            return bodies.len().checked_sub(1);
        }
        let common = |it: &Self| {
            let chunks = it.as_bytes().chunks_exact(CHUNK_BYTES);
            let pairs = chunks.zip(bytes.chunks_exact(CHUNK_BYTES));
            let pairs = pairs.take(MAX_COMPARED_CHUNKS);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let bodies = bodies.map(common).enumerate();
        bodies.max_by_key(|it| it.1).map(|it| it.0)
    }

    /// Returns the same body with the log's model, when the body itself names
    /// none (Gemini, Bedrock `InvokeModel`).
    #[must_use]
    pub fn with_model(self, model: &str) -> Self {
        if self.inner.model.is_some() {
            return self;
        }
        let mut inner = Inner::clone(&self.inner);
        inner.model = Some(model.to_owned());
        Self { inner: Arc::new(inner) }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.inner.bytes
    }

    /// Returns which wire this body is for.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.inner.wire
    }

    /// Returns the model's id, when known.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.inner.model.as_deref()
    }

    /// Returns how many messages there are.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.section(Level::Messages).len()
    }

    /// Returns the top-level members, in order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.inner.members
    }

    /// Returns a top-level key's value, unless it is null.
    pub fn get(&self, key: &str) -> Option<Span> {
        let value = json::find(self.as_bytes(), self.members(), key.as_bytes());
        value.filter(|it| json::kind(self.as_bytes(), it.start) != Kind::Null)
    }

    /// Returns the lifetime of the request's own marker, a top-level `cache_control`.
    #[must_use]
    pub fn automatic_marker(&self) -> Option<CacheLifetime> {
        let tape = Tape::parse(&self.as_bytes()[self.get("cache_control")?]).ok()?;
        mark::lifetime(tape.root())
    }

    /// Returns true if it asks for fast mode, which has other prices.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        let speed = self.get("speed");
        speed.is_some_and(|it| self.as_bytes()[it] == *br#""fast""#)
    }

    /// Returns the items in tools, system prompt or messages.
    #[must_use]
    pub fn section(&self, level: Level) -> &[Placed] {
        &self.inner.sections[level as usize]
    }

    /// Returns every block in cache order, with its level and its item's index.
    pub fn blocks(&self) -> impl Iterator<Item = (Level, usize, &Placed, &Block)> {
        let levels = [Level::Tools, Level::System, Level::Messages];
        levels.into_iter().flat_map(move |level| {
            let items = self.section(level).iter().enumerate();
            items.flat_map(move |(index, placed)| {
                let blocks = placed.item.blocks.iter();
                blocks.map(move |block| (level, index, placed, block))
            })
        })
    }

    /// Returns an item's path.
    pub fn item_path(&self, level: Level, item: usize) -> String {
        match (level, self.wire()) {
            (Level::Tools, _) => format!("tools[{item}]"),
            (Level::System, Wire::Responses) => "instructions".to_owned(),
            (Level::System, Wire::GenerateContent) => format!("systemInstruction.parts[{item}]"),
            (Level::System, _) if self.section(level).len() == 1 && self.is_text("system") => {
                "system".to_owned()
            }
            (Level::System, _) => format!("system[{item}]"),
            (Level::Messages, Wire::Responses) if self.is_text("input") => "input".to_owned(),
            (Level::Messages, Wire::Responses) => format!("input[{item}]"),
            (Level::Messages, Wire::GenerateContent) => format!("contents[{item}]"),
            (Level::Messages, _) => format!("messages[{item}]"),
        }
    }

    /// Returns a block's path.
    pub fn block_path(&self, level: Level, item: usize, block: &Block) -> BlockPath {
        let mut text = self.item_path(level, item);
        let placed = &self.section(level)[item];
        if let (Level::Messages, Some(key)) = (level, placed.item.content_key) {
            text.push('.');
            text.push_str(key);
        }
        if let Some(index) = block.index {
            text.push_str(&format!("[{index}]"));
        }
        BlockPath { level, text }
    }

    /// Returns the path of an element in a result's content.
    pub fn element_path(
        &self,
        level: Level,
        item: usize,
        block: &Block,
        index: usize,
    ) -> BlockPath {
        let mut path = self.block_path(level, item, block);
        let start = self.section(level)[item].at(&block.span).start;
        let kind = json::get(self.as_bytes(), start, "type");
        let kind = kind.and_then(|it| json::string(self.as_bytes(), &it));
        let key = kind.map_or(Some("functionResponse.parts"), |it| content_key(&it));
        path.text.push_str(&format!(".{}[{index}]", key.unwrap_or("content")));
        path
    }

    fn is_text(&self, key: &str) -> bool {
        let value = self.get(key);
        value.is_some_and(|it| json::kind(self.as_bytes(), it.start) == Kind::String)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.inner.sections.each_ref().map(Vec::len);
        f.debug_struct("Body")
            .field("wire", &self.inner.wire)
            .field("model", &self.inner.model)
            .field("bytes", &self.as_bytes().len())
            .field("items", &counts)
            .finish()
    }
}
