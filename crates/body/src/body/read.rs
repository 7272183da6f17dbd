//! Reads a body, with the items that it shares with an earlier one.

use std::sync::Arc;

use aside_json::scan::{self as json, Kind, Member, Span, Walk};
use aside_json::{Tape, Value};
use aside_models::{Known, Tokenizer, Wire, find};
use bytes::Bytes;

use super::item::{self, Item, Placed};
use super::parse_error::{ParseError, ParseErrorKind};
use super::{BlockKind, Body, Inner};
use crate::path::Level;
use crate::wire::{Hints, Keys, messages_key};

/// Lists whose items requests share.
const LISTS: [&[u8]; 5] = [b"tools", b"system", b"messages", b"input", b"contents"];

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
    pub(super) fn read(
        bytes: Bytes,
        earlier: Option<&Self>,
        has_tokens: bool,
    ) -> Result<Self, ParseError> {
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
        if keys.has_messages() != Some(true) {
            let detail = "neither messages, input nor contents";
            return Err(ParseError::new(ParseErrorKind::NotARequest, 0, detail));
        }
        if keys.is_converse() {
            return Err(ParseError::new(ParseErrorKind::Converse, 0, ""));
        }
        let wire = keys.decide(&Hints::default()).wire;
        let family = has_tokens.then(|| tokenizer(model.as_deref(), wire));
        let is_alike = |it: &&Self| it.wire() == wire && it.inner.family == family;
        let earlier = earlier.filter(is_alike);
        let place = |elements: &[Element], read: &ItemReader<'_>| {
            let placed = elements.iter().map(|it| match &it.known {
                Some(known) if earlier.is_some() => {
                    Ok(Placed { start: it.span.start, item: Arc::clone(known) })
                }
                _ => placed(&bytes, it.span.clone(), read),
            });
            placed.collect::<Result<Vec<_>, _>>()
        };
        let tools = list(b"tools").unwrap_or_default();
        let tools = place(tools, &|it| {
            let mut tool = item::single(it, BlockKind::Tool, family);
            if wire != Wire::Messages {
                tool.blocks.iter_mut().for_each(|it| it.kind = BlockKind::Tool);
            }
            tool
        })?;
        let message = |it: Value<'_>| item::message(it, family);
        let messages = list(messages_key(wire).as_bytes()).unwrap_or_default();
        let mut messages = place(messages, &message)?;
        let text = |it: Value<'_>| item::single(it, BlockKind::Text, family);
        let system = match list(b"system") {
            Some(elements) => place(elements, &text)?,
            None => system_text(&bytes, &members, &text)?,
        };
        if messages.is_empty() && wire == Wire::Responses {
            messages = whole_value(&bytes, &members, b"input", &message)?;
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
}

/// Reads the top-level members, and the elements of its lists.
fn read_members(
    bytes: &Bytes,
    earlier: Option<&Body>,
) -> Result<(Vec<Member>, Vec<List>), ParseError> {
    let start = json::skip_space(bytes, 0);
    if json::kind(bytes, start) != Kind::Object || start == bytes.len() {
        let detail = "expected an object";
        return Err(match Tape::parse(bytes) {
            Ok(_) => ParseError::new(ParseErrorKind::NotARequest, start, detail),
            Err(_) => ParseError::not_json(start, detail),
        });
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
        return Err(ParseError::not_json(end, "expected one JSON value, found more"));
    }
    Ok((members, lists))
}

fn known_items<'a>(earlier: &'a Body, name: &[u8]) -> &'a [Placed] {
    match name {
        b"tools" => earlier.section(Level::Tools),
        b"system" if !earlier.is_text("system") => earlier.section(Level::System),
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
        elements.push(Element { span: start..end, known: same.map(|it| Arc::clone(&it.item)) });
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

type ItemReader<'a> = dyn Fn(Value<'_>) -> Item + 'a;

/// Reads the item at a span.
fn placed(bytes: &[u8], span: Span, read: &ItemReader<'_>) -> Result<Placed, ParseError> {
    let start = span.start;
    let tape = Tape::parse(&bytes[span])
        .map_err(|error| ParseError::not_json(start + error.at(), error.expected()))?;
    Ok(Placed { start, item: Arc::new(read(tape.root())) })
}

/// Returns the system prompt when it is not a list: a string, or Gemini's
/// instruction with parts.
fn system_text(
    bytes: &[u8],
    members: &[Member],
    read: &ItemReader<'_>,
) -> Result<Vec<Placed>, ParseError> {
    let keys = ["system", "instructions", "systemInstruction", "system_instruction"];
    let found = keys
        .iter()
        .find_map(|key| Some((key.as_bytes(), json::find(bytes, members, key.as_bytes())?)));
    let Some((key, value)) = found else {
        return Ok(Vec::new());
    };
    let parts = json::get(bytes, value.start, "parts");
    match parts.filter(|it| json::kind(bytes, it.start) == Kind::Array) {
        Some(parts) => {
            let elements = json::elements(bytes, parts.start)?.into_iter();
            elements.map(|span| placed(bytes, span, read)).collect()
        }
        None => whole_value(bytes, members, key, read),
    }
}

/// Returns a value as a list with one item.
fn whole_value(
    bytes: &[u8],
    members: &[Member],
    key: &[u8],
    read: &ItemReader<'_>,
) -> Result<Vec<Placed>, ParseError> {
    let value = json::find(bytes, members, key);
    let value = value.filter(|it| json::kind(bytes, it.start) != Kind::Null);
    value.map(|span| placed(bytes, span, read)).into_iter().collect()
}
