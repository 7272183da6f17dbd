//! A request body: its bytes, and where its parts are.

mod block;
mod conversation;
mod item;
mod kind;
mod mark;
mod tokens;

use std::fmt;
use std::sync::Arc;

use aside_json::JsonError;
use aside_models::{Known, Tokenizer, Wire, find};
use bytes::Bytes;

use crate::path::{BlockPath, Level};
use crate::wire::{Hints as WireHints, Keys, MESSAGE_KEYS, messages_key};
use aside_json::scan::{self as json, Kind, Member, Span, Walk};

pub use block::{Block, Function, plain_text};
pub use conversation::Hints;
pub use item::{Item, Placed, Role};
pub use kind::BlockKind;
pub use mark::{Mark, is_marker, lifetime};

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

/// These bytes are no request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: usize,
    detail: String,
}

/// What kind of [`ParseError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The bytes are not JSON.
    Json,
    /// The bytes are JSON, but no request for a known wire.
    NotARequest,
    /// The body is for Bedrock's Converse, whose cache points are not read.
    Converse,
}

/// Lists whose items requests share.
const LISTS: [&[u8]; 5] = [b"tools", b"system", b"messages", b"input", b"contents"];

/// The unit in which bodies are compared with others.
const CHUNK_BYTES: usize = 1 << 10;

/// How many of them to compare: sessions with a longer common beginning share most of what is read.
const MAX_COMPARED_CHUNKS: usize = 256;

/// A list while it is being read: its key, and its elements.
struct List {
    member: usize,
    elements: Vec<Element>,
}

struct Element {
    span: Span,
    /// The same item in the earlier request.
    known: Option<Arc<Item>>,
}

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

    fn read(bytes: Bytes, earlier: Option<&Self>, has_tokens: bool) -> Result<Self, ParseError> {
        let (members, lists) = read_members(&bytes, earlier)?;
        let list = |name: &[u8]| {
            // When keys are doubled the last one counts, which may be no list.
            let last = members.iter().rposition(|it| it.key(&bytes) == name)?;
            let list = lists.iter().rfind(|it| it.member == last)?;
            Some(list.elements.as_slice())
        };
        let model = json::find(&bytes, &members, b"model");
        let model = model.and_then(|it| json::string(&bytes, &it));
        let keys = Keys::of(&bytes, &members);
        if !keys.has(&MESSAGE_KEYS) {
            return Err(ParseError {
                kind: ParseErrorKind::NotARequest,
                offset: 0,
                detail: "neither messages, input nor contents".to_owned(),
            });
        }
        if keys.is_converse() {
            return Err(ParseError {
                kind: ParseErrorKind::Converse,
                offset: 0,
                detail: String::new(),
            });
        }
        let wire = keys.decide(&WireHints::default()).wire;
        let family = has_tokens.then(|| tokenizer(model.as_deref(), wire));
        let is_alike = |it: &&Self| it.wire() == wire && it.inner.family == family;
        let earlier = earlier.filter(is_alike);
        let place = |elements: &[Element], read: &dyn Fn(&[u8]) -> Item| -> Vec<Placed> {
            let placed = elements.iter().map(|it| {
                let known = it.known.clone().filter(|_| earlier.is_some());
                let item = known.unwrap_or_else(|| Arc::new(read(&bytes[it.span.clone()])));
                let start = it.span.start;
                Placed { start, item }
            });
            placed.collect()
        };
        let tools = list(b"tools").unwrap_or_default();
        let tools = place(tools, &|it| item::single(it, BlockKind::Tool, family));
        let messages = list(messages_key(wire).as_bytes()).unwrap_or_default();
        let mut messages = place(messages, &|it| item::message(it, family));
        let system = match list(b"system") {
            Some(elements) => place(elements, &|it| item::single(it, BlockKind::Text, family)),
            None => system_text(&bytes, &members, family),
        };
        if messages.is_empty() && wire == Wire::Responses {
            messages = whole_value(&bytes, &members, b"input", &|it| item::message(it, family));
        }
        Ok(Self {
            inner: Arc::new(Inner {
                wire,
                model,
                family,
                sections: [tools, system, messages],
                members,
                bytes: bytes.clone(),
            }),
        })
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
        Self {
            inner: Arc::new(inner),
        }
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

    /// Returns a top-level key's value.
    pub fn get(&self, key: &str) -> Option<Span> {
        json::find(self.as_bytes(), self.members(), key.as_bytes())
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
            (Level::System, _) if self.section(level).len() == 1 && self.system_is_text() => {
                "system".to_owned()
            }
            (Level::System, _) => format!("system[{item}]"),
            (Level::Messages, Wire::Responses) if self.input_is_text() => "input".to_owned(),
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

    fn system_is_text(&self) -> bool {
        let system = self.get("system");
        system.is_some_and(|it| json::kind(self.as_bytes(), it.start) == Kind::String)
    }

    fn input_is_text(&self) -> bool {
        let input = self.get("input");
        input.is_some_and(|it| json::kind(self.as_bytes(), it.start) == Kind::String)
    }
}

/// Reads the top-level members, and the elements of its lists.
fn read_members(
    bytes: &Bytes,
    earlier: Option<&Body>,
) -> Result<(Vec<Member>, Vec<List>), ParseError> {
    let start = json::skip_space(bytes, 0);
    if json::kind(bytes, start) != Kind::Object || start == bytes.len() {
        return Err(ParseError::not_json(start, "expected an object"));
    }
    let mut walk = Walk::new(bytes, start);
    let (mut members, mut lists) = (Vec::new(), Vec::new());
    while walk.step()?.is_some() {
        let key = walk.key()?;
        let at = walk.at();
        let name = &bytes[key.clone()];
        let end = if LISTS.contains(&name) && json::kind(bytes, at) == Kind::Array {
            let known = earlier.map(|it| known_items(it, name)).unwrap_or_default();
            let (elements, end) = read_elements(bytes, at, earlier, known)?;
            let member = members.len();
            lists.push(List { member, elements });
            end
        } else {
            json::value_end(bytes, at)?
        };
        walk.passed(end);
        let value = at..end;
        members.push(Member { key, value });
    }
    let end = json::skip_space(bytes, walk.at());
    if end < bytes.len() {
        return Err(ParseError::not_json(
            end,
            "expected one JSON value, found more",
        ));
    }
    Ok((members, lists))
}

fn known_items<'a>(earlier: &'a Body, name: &[u8]) -> &'a [Placed] {
    match name {
        b"tools" => earlier.section(Level::Tools),
        b"system" if !earlier.system_is_text() => earlier.section(Level::System),
        b"system" => &[],
        _ if earlier.get(&String::from_utf8_lossy(name)).is_some() => {
            earlier.section(Level::Messages)
        }
        _ => &[],
    }
}

/// Reads a list's elements, reusing those that the earlier request has at the
/// same index with the same bytes.
fn read_elements(
    bytes: &[u8],
    at: usize,
    earlier: Option<&Body>,
    known: &[Placed],
) -> Result<(Vec<Element>, usize), ParseError> {
    let mut walk = Walk::new(bytes, at);
    let mut elements = Vec::new();
    while let Some(start) = walk.step()? {
        let same = known.get(elements.len()).filter(|placed| {
            let earlier = earlier.map_or(&[][..], Body::as_bytes);
            // Objects and strings end by themselves, so equal bytes are an
            // equal value.
            matches!(bytes.get(start), Some(b'{' | b'"'))
                && bytes[start..].starts_with(&earlier[placed.span()])
        });
        let end = match same {
            Some(placed) => start + placed.item.len,
            None => json::value_end(bytes, start)?,
        };
        walk.passed(end);
        elements.push(Element {
            span: start..end,
            known: same.map(|it| Arc::clone(&it.item)),
        });
    }
    Ok((elements, walk.at()))
}

/// When the model is unknown, or the body does not name it, the wire's vendor
/// decides.
fn tokenizer(model: Option<&str>, wire: Wire) -> Tokenizer {
    let found = model.map(find).filter(|it| it.known != Known::Unknown);
    match (found, wire) {
        (Some(found), _) => found.facts.estimated_tokenizer(),
        (None, Wire::Messages) => Tokenizer::ClaudeNew,
        (None, Wire::GenerateContent) => Tokenizer::Gemini,
        (None, _) => Tokenizer::O200k,
    }
}

/// Returns the system prompt when it is not a list: a string, or Gemini's
/// instruction with parts.
fn system_text(bytes: &[u8], members: &[Member], family: Option<Tokenizer>) -> Vec<Placed> {
    for key in [
        "system",
        "instructions",
        "systemInstruction",
        "system_instruction",
    ] {
        let Some(value) = json::find(bytes, members, key.as_bytes()) else {
            continue;
        };
        let parts = json::get(bytes, value.start, "parts")
            .filter(|it| json::kind(bytes, it.start) == Kind::Array);
        let Some(parts) = parts else {
            let text = |it: &[u8]| item::single(it, BlockKind::Text, family);
            return whole_value(bytes, members, key.as_bytes(), &text);
        };
        let elements = json::elements(bytes, parts.start).unwrap_or_default();
        let placed = elements.into_iter().map(|span| Placed {
            start: span.start,
            item: Arc::new(item::single(&bytes[span], BlockKind::Text, family)),
        });
        return placed.collect();
    }
    Vec::new()
}

/// Returns a value as a list with one item.
fn whole_value(
    bytes: &[u8],
    members: &[Member],
    key: &[u8],
    read: &dyn Fn(&[u8]) -> Item,
) -> Vec<Placed> {
    let value = json::find(bytes, members, key);
    let Some(value) = value.filter(|it| json::kind(bytes, it.start) != Kind::Null) else {
        return Vec::new();
    };
    let item = read(&bytes[value.clone()]);
    vec![Placed {
        start: value.start,
        item: Arc::new(item),
    }]
}

impl ParseError {
    fn not_json(offset: usize, detail: impl fmt::Display) -> Self {
        Self {
            kind: ParseErrorKind::Json,
            offset,
            detail: detail.to_string(),
        }
    }

    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Returns the position where the bytes are not as expected.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl From<JsonError> for ParseError {
    fn from(error: JsonError) -> Self {
        Self::not_json(error.at(), error.expected())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ParseErrorKind::Json => write!(f, "not JSON at byte {}: {}", self.offset, self.detail),
            ParseErrorKind::NotARequest => write!(f, "no request body: {}", self.detail),
            ParseErrorKind::Converse => {
                f.write_str("a body of Bedrock's Converse, whose cache points are not read")
            }
        }
    }
}

impl std::error::Error for ParseError {}

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
