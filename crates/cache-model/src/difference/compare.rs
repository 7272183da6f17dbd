//! The first byte where two JSON values differ, apart from markers and white
//! space between tokens.
//!
//! Both values are walked at once, so the work ends at the first difference.
//! Two objects are compared in key order: a cache that compares bytes sees
//! another order as a change.

use aside_body::body::{content_key, is_marker, plain_text_at};
use aside_json::scan::{self as json, Kind, Member, Span};

/// What kind of change this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Two strings have different bytes.
    Text,
    /// Two numbers, or two literals, have different bytes.
    Scalar,
    /// The values have different kinds.
    Kind,
    /// The same keys in another order.
    KeyOrder,
    /// A key that only one object has.
    Key,
    /// An element that only the later list has.
    Added,
    /// An element that only the earlier list has.
    Removed,
}

/// The first change between two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) change: Change,
    /// The path below the values that were compared.
    ///
    /// For example `.content[0].text`, or empty for the values themselves.
    pub(crate) path: String,
    /// The values that differ; empty if one is missing.
    pub(crate) before: Span,
    pub(crate) after: Span,
    /// The first byte that differs, in each body.
    pub(crate) before_at: usize,
    pub(crate) after_at: usize,
}

impl Found {
    /// Describes a change of whole values. If only one list has an item, the span of the other list
    /// is where it is missing.
    pub(crate) fn whole(change: Change, (before, after): (Span, Span)) -> Self {
        Self {
            change,
            path: String::new(),
            before_at: before.start,
            after_at: after.start,
            before,
            after,
        }
    }
}

/// What a value is; only blocks have markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Message,
    /// The content of a message or a tool result: a string, or a list of blocks.
    Content,
    /// A block or a tool.
    Block,
    Data,
}

fn kinds_differ(before: &Span, after: &Span) -> Found {
    Found::whole(Change::Kind, (before.clone(), after.clone()))
}

/// Returns the text in a list's first block, if a string could stand for it,
/// and the second block.
fn first_text(bytes: &[u8], list: &Span) -> Option<(Span, Option<Span>)> {
    let elements = json::elements(bytes, list.start).ok()?;
    let block = elements.first()?;
    Some((plain_text_at(bytes, block)?, elements.get(1).cloned()))
}

/// Both bodies' bytes.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) before: &'a [u8],
    pub(crate) after: &'a [u8],
}

impl Pair<'_> {
    /// `None` if both values are equal up to white space and markers.
    pub(crate) fn compare(self, before: &Span, after: &Span, shape: Shape) -> Option<Found> {
        if self.before[before.clone()] == self.after[after.clone()] {
            return None;
        }
        let kinds = (json::kind(self.before, before.start), json::kind(self.after, after.start));
        match kinds {
            (Kind::Object, Kind::Object) => self.objects(before, after, shape),
            (Kind::Array, Kind::Array) => self.arrays(before, after, shape),
            (Kind::String, Kind::String) => self.scalars(before, after, Change::Text),
            (Kind::String, Kind::Array) if shape == Shape::Content => {
                match first_text(self.after, after) {
                    Some((text, next)) => self
                        .texts(before, &text, "[0].text")
                        .or_else(|| self.more(before, after, Change::Added, next?)),
                    None => Some(kinds_differ(before, after)),
                }
            }
            (Kind::Array, Kind::String) if shape == Shape::Content => {
                match first_text(self.before, before) {
                    Some((text, next)) => self
                        .texts(&text, after, "")
                        .or_else(|| self.more(before, after, Change::Removed, next?)),
                    None => Some(kinds_differ(before, after)),
                }
            }
            (a, b) if a == b => self.scalars(before, after, Change::Scalar),
            _ => Some(kinds_differ(before, after)),
        }
    }

    /// Compares string content with the text in a list with one block, which is
    /// the same content; `path` is where the later body has the text.
    fn texts(self, before: &Span, after: &Span, path: &str) -> Option<Found> {
        let mut found = self.compare(before, after, Shape::Data)?;
        path.clone_into(&mut found.path);
        Some(found)
    }

    /// Describes a list's second block, when a string in the other body stands
    /// for the first.
    fn more(self, before: &Span, after: &Span, change: Change, next: Span) -> Option<Found> {
        let spans = match change {
            Change::Added => (before.end..before.end, next),
            _ => (next, after.end..after.end),
        };
        let mut found = Found::whole(change, spans);
        "[1]".clone_into(&mut found.path);
        Some(found)
    }

    /// Compares the bytes of two strings, numbers or literals, which must
    /// differ somewhere.
    fn scalars(self, before: &Span, after: &Span, change: Change) -> Option<Found> {
        let (a, b) = (&self.before[before.clone()], &self.after[after.clone()]);
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        Some(Found {
            before_at: before.start + common,
            after_at: after.start + common,
            ..Found::whole(change, (before.clone(), after.clone()))
        })
    }

    /// Compares two objects' members in order.
    ///
    /// The comparison ends at the first pair with different keys or values.
    /// Markers are skipped, unless the objects are data: a key `cache_control`
    /// in tool input is content.
    fn objects(self, before: &Span, after: &Span, shape: Shape) -> Option<Found> {
        let members = |bytes: &[u8], at: usize| -> Vec<Member> {
            let all = json::members(bytes, at).unwrap_or_default();
            let is_marker = |key: &[u8]| std::str::from_utf8(key).is_ok_and(is_marker);
            let counts = |it: &Member| shape == Shape::Data || !is_marker(it.key(bytes));
            all.into_iter().filter(counts).collect()
        };
        let a = members(self.before, before.start);
        let b = members(self.after, after.start);
        let kind = b.iter().find(|it| it.key(self.after) == b"type");
        let kind = kind.and_then(|it| json::string(self.after, &it.value));
        let content = content_key(kind.as_deref().unwrap_or_default()).map(str::as_bytes);
        for index in 0..a.len().max(b.len()) {
            let (Some(one), Some(other)) = (a.get(index), b.get(index)) else {
                return Some(self.keys(index, (before, &a), (after, &b)));
            };
            let key = &self.after[other.key.clone()];
            if self.before[one.key.clone()] != *key {
                return Some(self.keys(index, (before, &a), (after, &b)));
            }
            let inner = match (shape, key) {
                (Shape::Message, b"content" | b"parts") => Shape::Content,
                (Shape::Block, key) if content == Some(key) => Shape::Content,
                (Shape::Block, b"content") => Shape::Block,
                _ => Shape::Data,
            };
            if let Some(mut found) = self.compare(&one.value, &other.value, inner) {
                found.path = format!(".{}{}", String::from_utf8_lossy(key), found.path);
                return Some(found);
            }
        }
        None
    }

    /// Describes objects whose keys differ from this index on.
    ///
    /// The change is [`Change::KeyOrder`] if both objects have the same set of
    /// keys, else [`Change::Key`]. The positions are where the keys' bytes
    /// first differ.
    fn keys(self, index: usize, a: (&Span, &[Member]), b: (&Span, &[Member])) -> Found {
        let ((before, a), (after, b)) = (a, b);
        let names = |bytes: &[u8], members: &[Member]| {
            let mut names: Vec<Vec<u8>> =
                members.iter().map(|it| bytes[it.key.clone()].to_vec()).collect();
            names.sort();
            names
        };
        let is_order = names(self.before, a) == names(self.after, b);
        let place = |members: &[Member], span: &Span| match members.get(index) {
            Some(member) => member.key.start,
            None => span.end - 1,
        };
        let (mut before_at, mut after_at) = (place(a, before), place(b, after));
        if let (Some(one), Some(other)) = (a.get(index), b.get(index)) {
            let one = &self.before[one.key.start..=one.key.end];
            let other = &self.after[other.key.start..=other.key.end];
            let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
            before_at += common;
            after_at += common;
        }
        let change = if is_order { Change::KeyOrder } else { Change::Key };
        Found { before_at, after_at, ..Found::whole(change, (before.clone(), after.clone())) }
    }

    /// Compares two lists' elements, then their lengths.
    fn arrays(self, before: &Span, after: &Span, shape: Shape) -> Option<Found> {
        let a = json::elements(self.before, before.start).unwrap_or_default();
        let b = json::elements(self.after, after.start).unwrap_or_default();
        let inner = match shape {
            Shape::Content => Shape::Block,
            _ => shape,
        };
        let pairs = a.iter().zip(&b).enumerate();
        for (index, (one, other)) in pairs {
            if let Some(mut found) = self.compare(one, other, inner) {
                found.path = format!("[{index}]{}", found.path);
                return Some(found);
            }
        }
        let index = a.len().min(b.len());
        let path = format!("[{index}]");
        let end = |span: &Span| span.end - 1..span.end - 1;
        let (change, spans) = match a.len().cmp(&b.len()) {
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Less => (Change::Added, (end(before), b[index].clone())),
            std::cmp::Ordering::Greater => (Change::Removed, (a[index].clone(), end(after))),
        };
        Some(Found { path, ..Found::whole(change, spans) })
    }
}
