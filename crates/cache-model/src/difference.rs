//! The first place where a request does not continue an earlier one.
//!
//! Levels are compared in cache order, since an earlier level that changed
//! invalidates the later ones: when tools differ, a difference in a message
//! does not matter.

mod cause;
mod compare;
mod context;
mod fix;
mod levels;
mod own_keys;
mod rest;
mod text;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

use aside_body::body::{Block, BlockKind, Body, Mark, Placed};
use aside_body::hash;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::Level;
use aside_json::Tape;
use aside_json::scan::{Member, Span};
use aside_models::find;

pub use cause::Cause;
pub(crate) use own_keys::without_own_keys;
pub use own_keys::{DECLARING_KEYS, LABELED_KEYS, NAMED_KEYS, OPAQUE_KEYS};

use compare::{Change, Found, Pair, Shape};
use context::Context;
use levels::Part;

/// The first difference between two requests, in cache order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The path, in the provider's own form: `messages[3].content[0].text`.
    pub path: String,
    /// The cache level that it belongs to; `None` for parameters and markers.
    pub level: Option<Level>,
    /// The first byte that differs, in the later body; `None` for a model that the body does not
    /// name, since it is in the request's path.
    pub byte_offset: Option<usize>,
    /// The same in the earlier body.
    pub byte_offset_before: Option<usize>,
    /// The first byte that differs, within the value at `path`: for a string
    /// from its first character, as written in JSON.
    pub value_offset: usize,
    /// The earlier value.
    pub before: Excerpt,
    /// The later value.
    pub after: Excerpt,
    /// Why they differ.
    pub cause: Cause,
    /// True if both are the same JSON value in other bytes.
    pub is_json_equal: bool,
}

/// A value in a body, with the text around the first byte that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text, at most [`Excerpt::MAX_BYTES`]; `None` if texts from bodies
    /// must not be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How long the whole value is, in bytes.
    pub bytes: usize,
    /// A hash of the whole value.
    #[serde(serialize_with = "hex")]
    pub hash: u64,
}

/// Writes a hash as 16 hexadecimal digits: not every JSON reader keeps 64-bit
/// numbers.
fn hex<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{hash:016x}"))
}

impl Excerpt {
    /// How long the text may be, in bytes.
    pub const MAX_BYTES: usize = 120;

    /// `at` is the first byte that differs, to cut the text around. A character
    /// that is cut in two is replaced.
    fn of(bytes: &[u8], value: &Span, at: usize) -> Self {
        let whole = &bytes[value.clone()];
        let from = at.saturating_sub(Self::MAX_BYTES / 2).max(value.start);
        let to = (from + Self::MAX_BYTES).min(value.end);
        Self {
            text: Some(String::from_utf8_lossy(&bytes[from.min(to)..to]).into_owned()),
            bytes: whole.len(),
            hash: hash::of_bytes(whole),
        }
    }
}

impl Difference {
    /// Returns true if caching does not depend on this.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.cause == Cause::MarkerOnly
    }

    /// Removes all text from the bodies, with the keys that are a user's or a tool's own.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        self.path.truncate(without_own_keys(&self.path).len());
        self.before.text = None;
        self.after.text = None;
        self
    }
}

/// Finds the first place where the later request does not continue the earlier
/// one, in cache order: model, tools, system prompt, messages, then parameters,
/// then markers. Messages after the earlier request's last, and blocks after the last one in
/// that, are no difference.
///
/// ```
/// use aside_cache_model::{Cause, Body, first_difference};
///
/// let body = |date: &str| {
///     let json = format!(
///         r#"{{"model":"m","system":"Today is {date}.","messages":[{{"role":"user","content":"Hi"}}]}}"#
///     );
///     Body::parse(json.as_bytes())
/// };
/// let difference = first_difference(&body("2026-11-21")?, &body("2026-11-22")?).expect("they differ");
/// assert_eq!((difference.path.as_str(), difference.value_offset), ("system", 18));
/// assert_eq!(difference.cause, Cause::DateOrClock);
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn first_difference(before: &Body, after: &Body) -> Option<Difference> {
    let search = Search { before, after };
    search
        .model()
        .or_else(|| search.part(Part::Tools))
        .or_else(|| search.part(Part::System))
        .or_else(|| search.messages())
        .or_else(|| search.loaded_tools())
        .or_else(|| search.summary())
        .or_else(|| search.parameters())
        .or_else(|| search.markers())
}

/// Finds the difference in one top-level value, for a parameter that loses a
/// level. `name` may be a path such as `thinking.type`; its first key counts. Images and citations
/// have no key of their own: a block differs, which is `block`.
pub(crate) fn parameter_difference(
    before: &Body,
    after: &Body,
    name: &str,
    block: Option<Difference>,
) -> Option<Difference> {
    let search = Search { before, after };
    let name = name.split('.').next().unwrap_or(name);
    let own = search.parameter(name, (before.get(name), after.get(name)));
    own.or_else(|| {
        let cause = |cause| if cause == Cause::TextEdited { Cause::Parameter } else { cause };
        block.map(|it| Difference { cause: cause(it.cause), ..it })
    })
}

/// Top-level keys that are no parameters: they are compared as levels, model or
/// markers.
const SECTIONS: [&[u8]; 10] = [
    b"model",
    b"tools",
    b"system",
    b"instructions",
    b"systemInstruction",
    b"system_instruction",
    b"messages",
    b"input",
    b"contents",
    b"cache_control",
];

/// The members outside the cache levels, found by key in constant time: a body
/// may have 100,000 of them.
struct Parameters<'a> {
    /// Keys in body order.
    names: Vec<&'a [u8]>,
    /// Each key's last value.
    values: HashMap<&'a [u8], Span>,
}

impl<'a> Parameters<'a> {
    fn new(request: &'a Body) -> Self {
        let bytes = request.as_bytes();
        let members = request.members().iter();
        let members = members.map(|it| (&bytes[it.key.clone()], it.value.clone()));
        let members: Vec<_> = members.filter(|(key, _)| !SECTIONS.contains(key)).collect();
        Self {
            names: members.iter().map(|(key, _)| *key).collect(),
            values: members.into_iter().collect(),
        }
    }

    fn value(&self, name: &[u8]) -> Option<Span> {
        self.values.get(name).cloned()
    }
}

/// Compares two requests, level by level.
struct Search<'a> {
    before: &'a Body,
    after: &'a Body,
}

impl Search<'_> {
    fn pair(&self) -> Pair<'_> {
        Pair { before: self.before.as_bytes(), after: self.after.as_bytes() }
    }

    /// A cache shares nothing between models, so the first level is lost. An alias and a dated id
    /// are one model.
    ///
    /// A body may name no model, since the request's path does: then the names are compared.
    fn model(&self) -> Option<Difference> {
        let models = [self.before.model(), self.after.model()];
        let ids = models.map(|model| find(model.unwrap_or_default()).facts.id);
        if models[0] == models[1] || (ids[0] == ids[1] && !ids[0].is_empty()) {
            return None;
        }
        let members = [self.before, self.after].map(|it| it.get("model"));
        let names = models.map(|it| it.map_or_else(String::new, |name| format!("\"{name}\"")));
        let text = |index: usize, body| match &members[index] {
            Some(span) => (Body::as_bytes(body), span.clone()),
            None => (names[index].as_bytes(), 0..names[index].len()),
        };
        let ((before, a), (after, b)) = (text(0, self.before), text(1, self.after));
        let pair = Pair { before, after };
        let found = if a.is_empty() || b.is_empty() {
            Found::whole(Change::Scalar, (a, b))
        } else {
            pair.compare(&a, &b, Shape::Data)?
        };
        let difference = describe(pair, "model".to_owned(), &found, Cause::OtherModel);
        let [in_before, in_after] = members.map(|it| it.is_some());
        Some(Difference {
            level: Some(Level::Tools),
            byte_offset: difference.byte_offset.filter(|_| in_after),
            byte_offset_before: difference.byte_offset_before.filter(|_| in_before),
            ..difference
        })
    }

    /// Compares messages, unless the provider keeps some of them: then a body has only new ones.
    fn messages(&self) -> Option<Difference> {
        if self.before.is_kept_by_provider() || self.after.is_kept_by_provider() {
            return None;
        }
        self.part(Part::LeadingSystem).or_else(|| self.part(Part::Conversation))
    }

    /// Compares members outside the cache levels.
    ///
    /// In the later body's order; parameters that it lacks come last.
    fn parameters(&self) -> Option<Difference> {
        let (before, after) = (Parameters::new(self.before), Parameters::new(self.after));
        let removed = before.names.iter();
        let removed = removed.filter(|it| !after.values.contains_key(*it));
        after.names.iter().chain(removed).find_map(|name| {
            let values = (before.value(name), after.value(name));
            let name = String::from_utf8_lossy(name);
            self.parameter(&name, values)
        })
    }

    /// Compares one top-level key's values. A member that one body lacks is a
    /// difference at that body's end.
    fn parameter(&self, name: &str, (a, b): (Option<Span>, Option<Span>)) -> Option<Difference> {
        let end = |request: &Body| {
            let members: Option<&Member> = request.members().last();
            let end = members.map_or(0, |it| it.value.end);
            end..end
        };
        let found = match (a, b) {
            (None, None) => return None,
            (Some(a), Some(b)) => self.pair().compare(&a, &b, Shape::Data)?,
            (a, b) => {
                let change = if a.is_some() { Change::Removed } else { Change::Added };
                let before = a.unwrap_or_else(|| end(self.before));
                Found::whole(change, (before, b.unwrap_or_else(|| end(self.after))))
            }
        };
        let path = format!("{name}{}", found.path);
        Some(self.describe(path, &found, Cause::Parameter))
    }

    /// Compares the markers on blocks that both requests have. A marker that
    /// moved between them is reported at its new position, a missing one at its
    /// old position.
    fn markers(&self) -> Option<Difference> {
        let marks = |request: &Body| -> Vec<(String, Mark, usize)> {
            let all = Markable::all(request).filter_map(|it| {
                let mark = it.mark.clone()?;
                Some((it.path(request), mark, it.placed.start))
            });
            all.collect()
        };
        let (a, b) = (marks(self.before), marks(self.after));
        let (in_a, in_b) = (places(&a), places(&b));
        let is_in = |one: &(String, Mark, usize), all: &HashSet<(&str, _)>| {
            all.contains(&(one.0.as_str(), one.1.lifetime))
        };
        // Only if both have the block: a marker on a new block is not a change.
        let shared = self.before.message_count();
        let is_shared = |it: &&(String, Mark, usize)| {
            let messages = self.after.section(Level::Messages);
            messages.get(shared).is_none_or(|next| it.2 < next.start)
        };
        let added = b.iter().filter(is_shared).find(|it| !is_in(it, &in_a));
        let removed = a.iter().find(|it| !is_in(it, &in_b));
        let (path, ..) = added.or(removed)?;
        let value = |request: &Body, all: &[(String, Mark, usize)]| {
            if let Some((_, mark, start)) = all.iter().find(|it| it.0 == *path) {
                return start + mark.span.start..start + mark.span.end;
            }
            // It is missing before the closing brace of the block, or of the one whose content is
            // a string here.
            let mut paths = std::iter::successors(Some(&**path), |it| Some(it.rsplit_once('.')?.0));
            let block =
                paths.find_map(|path| Markable::all(request).find(|it| it.path(request) == path));
            let block = block.map_or(0..request.as_bytes().len(), |it| it.placed.at(it.span));
            block.end - 1..block.end - 1
        };
        let spans = (value(self.before, &a), value(self.after, &b));
        let found = Found::whole(Change::Key, spans);
        let key = key_of(self.after, &found.after).or_else(|| key_of(self.before, &found.before));
        let path = format!("{path}.{}", key.unwrap_or_default());
        let mut difference = self.describe(path, &found, Cause::MarkerOnly);
        difference.level = None;
        Some(difference)
    }

    /// Completes a difference with its level and its cause.
    fn difference(&self, part: Part, item: usize, path: String, found: Found) -> Difference {
        let context = Context { before: self.before, after: self.after, level: part.level(), item };
        let cause = context.cause(&found);
        let mut difference = self.describe(path, &found, cause);
        let is_system = part == Part::Tools && self.has_same_tools();
        difference.level = Some(if is_system { Level::System } else { part.level() });
        difference
    }

    /// Returns true if the tools differ only by those that belong to the system prompt.
    fn has_same_tools(&self) -> bool {
        let tools = |request: &Body| -> Vec<_> {
            let is_own = |it: &&Placed| {
                let mut blocks = it.item.blocks.iter();
                blocks.any(|it| it.kind != BlockKind::SystemTool)
            };
            let own = request.section(Level::Tools).iter().filter(is_own);
            own.map(|it| (it.item.hash, it.item.frame)).collect()
        };
        tools(self.before) == tools(self.after)
    }

    fn describe(&self, path: String, found: &Found, cause: Cause) -> Difference {
        describe(self.pair(), path, found, cause)
    }
}

/// Adds excerpts of both values.
fn describe(pair: Pair<'_>, path: String, found: &Found, cause: Cause) -> Difference {
    let (a, b) = (pair.before, pair.after);
    let is_string = found.change == Change::Text;
    let value_offset = found.after_at - found.after.start.min(found.after_at);
    let json_equal = [Cause::NumberFormat, Cause::StringEscapes];
    Difference {
        path,
        level: None,
        byte_offset: Some(found.after_at),
        byte_offset_before: Some(found.before_at),
        value_offset: value_offset - usize::from(is_string),
        before: Excerpt::of(a, &found.before, found.before_at),
        after: Excerpt::of(b, &found.after, found.after_at),
        cause,
        is_json_equal: json_equal.contains(&cause)
            || json_is_equal(&a[found.before.clone()], &b[found.after.clone()]),
    }
}

/// Returns a member's key, given the member's place.
fn key_of<'a>(request: &'a Body, member: &Span) -> Option<Cow<'a, str>> {
    let quoted = request.as_bytes().get(member.clone())?.split(|it| *it == b'"').nth(1)?;
    Some(String::from_utf8_lossy(quoted))
}

/// A block, or an element in a result's content.
struct Markable<'a> {
    level: Level,
    item: usize,
    placed: &'a Placed,
    block: &'a Block,
    element: Option<usize>,
    mark: &'a Option<Mark>,
    span: &'a Span,
}

impl<'a> Markable<'a> {
    fn all(request: &'a Body) -> impl Iterator<Item = Self> {
        request.blocks().flat_map(|(level, item, placed, block)| {
            let own = (None, &block.mark, &block.span);
            let elements = block.nested.iter().enumerate();
            let elements = elements.map(|(index, it)| (Some(index), &it.mark, &it.span));
            std::iter::once(own).chain(elements).map(move |(element, mark, span)| Self {
                level,
                item,
                placed,
                block,
                element,
                mark,
                span,
            })
        })
    }

    fn path(&self, request: &Body) -> String {
        let path = match self.element {
            Some(index) => request.element_path(self.level, self.item, self.block, index),
            None => request.block_path(self.level, self.item, self.block),
        };
        path.to_string()
    }
}

fn places(marks: &[(String, Mark, usize)]) -> HashSet<(&str, Option<CacheLifetime>)> {
    let places = marks.iter().map(|it| (it.0.as_str(), it.1.lifetime));
    places.collect()
}

/// Returns true if the text is an object or a list in JSON.
fn is_json(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[')) && Tape::parse(text).is_ok()
}

/// Returns true if both texts are the same JSON value; key order does not
/// count.
pub(crate) fn json_is_equal(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (Tape::parse(a), Tape::parse(b));
    matches!((a, b), (Ok(a), Ok(b)) if a.root().is_equal(b.root()))
}
