use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

use crate::escape::{exact_text, unescape};
use crate::number::numbers_are_equal;
use crate::scan::{Kind, Span, kind_of, removal};
use crate::tape::{Node, Place, Tape, offset};

/// A value on a [`Tape`]: a reference and a number, free to copy.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    pub(crate) tape: &'t Tape<'t>,
    pub(crate) node: u32,
}

impl Tape<'_> {
    /// Returns the outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value { tape: self, node: 0 }
    }

    /// Returns the value that begins at this position in the text.
    ///
    /// Logarithmic in how many values the text has.
    #[must_use]
    pub fn value_at(&self, start: usize) -> Option<Value<'_>> {
        let found = self.nodes.binary_search_by_key(&start, |node| node.start as usize);
        found.ok().map(|node| Value { tape: self, node: offset(node) })
    }

    #[inline]
    fn has_key(&self, node: &Node, name: &str) -> bool {
        if node.key.has_escapes() {
            return self.has_escaped_key(node, name);
        }
        let start = node.key.at() + 1;
        let (bytes, name) = (self.text.as_bytes(), name.as_bytes());
        // Compare the quote first: it rules out most keys without a call.
        bytes.get(start + name.len()) == Some(&b'"') && bytes[start..start + name.len()] == *name
    }

    #[cold]
    fn has_escaped_key(&self, node: &Node, name: &str) -> bool {
        let Node { start, key, .. } = node;
        *key != Place::NONE && resolve(self.raw_key(*start, *key), true) == name
    }

    fn raw_key(&self, start: u32, key: Place) -> &str {
        // Between key and value there is only a colon and white space.
        let bytes = self.text.as_bytes();
        let mut end = start as usize - 1;
        while bytes[end] != b'"' {
            end -= 1;
        }
        &self.text[key.at() + 1..end]
    }

    /// Iterates over strings with half a surrogate pair, and over values whose key has one.
    pub fn lone_surrogates(&self) -> impl Iterator<Item = Value<'_>> {
        let text = self.text.as_bytes();
        let escapes = memchr::memmem::find_iter(text, b"\\u");
        // The codes of surrogates begin like this, and few others do.
        let may_be_half = |at: &usize| matches!(text.get(at + 2), Some(b'd' | b'D'));
        let mut last = None;
        let values = escapes.filter(may_be_half).filter_map(move |at| {
            let value = self.value_around(at);
            (last.replace(value.node) != Some(value.node)).then_some(value)
        });
        values.filter(|value| value.has_lone_surrogate())
    }

    /// Returns the innermost value that has this position inside it or in its key.
    fn value_around(&self, at: usize) -> Value<'_> {
        let begins_before = |node: &Node| match node.key {
            Place::NONE => node.start as usize <= at,
            key => key.at() <= at,
        };
        let node = self.nodes.partition_point(begins_before).saturating_sub(1);
        Value { tape: self, node: offset(node) }
    }

    /// Iterates over all values, in text order.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let nodes = 0..offset(self.nodes.len());
        nodes.map(|node| Value { tape: self, node })
    }
}

/// From this many keys on, a set is cheaper than to compare each key with each.
const MAX_COMPARED_KEYS: usize = 16;

impl<'t> Value<'t> {
    fn node(self) -> &'t Node {
        &self.tape.nodes[self.node as usize]
    }

    /// Returns the value's position in the text.
    #[must_use]
    pub fn range(self) -> Span {
        let node = self.node();
        node.start as usize..node.end.at()
    }

    /// Returns the whole text, which the value's positions are in.
    #[must_use]
    pub fn document(self) -> &'t str {
        self.tape.text
    }

    /// Returns the value as written.
    #[must_use]
    pub fn raw(self) -> &'t str {
        &self.tape.text[self.range()]
    }

    /// Returns the value's kind.
    #[must_use]
    pub fn kind(self) -> Kind {
        kind_of(self.tape.text.as_bytes()[self.node().start as usize])
    }

    /// Returns true for `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns true only for `true`, not for `"true"` or `1`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.kind() == Kind::Bool && self.raw() == "true"
    }

    /// Returns a string as written between its quotes; `None` for anything else.
    #[must_use]
    pub fn raw_text(self) -> Option<&'t str> {
        let node = self.node();
        let inside = node.start as usize + 1..node.end.at() - 1;
        (self.kind() == Kind::String).then(|| &self.tape.text[inside])
    }

    /// Returns a string's text, borrowed when it has no escape; `None` for anything else. Half a
    /// surrogate pair becomes U+FFFD.
    #[must_use]
    pub fn text(self) -> Option<Cow<'t, str>> {
        let raw = self.raw_text()?;
        Some(resolve(raw, self.node().end.has_escapes()))
    }

    /// Returns a string's text to compare, in which nothing is lost; `None` for anything else. See
    /// [`exact_text`].
    #[must_use]
    pub fn exact_text(self) -> Option<Cow<'t, [u8]>> {
        self.raw_text().map(|raw| exact_text(raw.as_bytes()))
    }

    /// Returns true for a string that is empty or all white space. The first character decides most
    /// cases.
    #[must_use]
    pub fn is_blank(self) -> bool {
        let Some(mut rest) = self.raw_text() else {
            return false;
        };
        loop {
            rest = rest.trim_start();
            match rest.as_bytes() {
                [] => return true,
                [b'\\', b'n' | b'r' | b't' | b'f', ..] => rest = &rest[2..],
                [b'\\', b'u', ..] => return unescape(rest.as_bytes()).trim().is_empty(),
                _ => return false,
            }
        }
    }

    /// Returns a number; `None` for anything else.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        let raw = (self.kind() == Kind::Number).then(|| self.raw());
        raw?.parse().ok()
    }

    /// Returns a whole number, in any spelling: `8`, `8.0` and `8e0` are 8. `None` for `8.5`, and
    /// when `i64` cannot hold it exactly.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "checked before")]
    pub fn integer(self) -> Option<i64> {
        let number = self.number()?;
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        let exact = self.raw().parse().ok();
        exact.or_else(|| is_whole.then_some(number as i64))
    }

    /// Returns the value's own key when it is an object's member.
    #[must_use]
    pub fn key(self) -> Option<Cow<'t, str>> {
        let key = self.node().key;
        self.raw_key().map(|raw| resolve(raw, key.has_escapes()))
    }

    /// Returns the value's own key as written between quotes.
    #[must_use]
    pub fn raw_key(self) -> Option<&'t str> {
        let Node { start, key, .. } = self.node();
        (*key != Place::NONE).then(|| self.tape.raw_key(*start, *key))
    }

    /// Returns the position with the key but without a comma; for a value without a key, its own
    /// position.
    #[must_use]
    pub fn member_range(self) -> Span {
        let Node { start, end, key, .. } = self.node();
        match *key {
            Place::NONE => *start as usize..end.at(),
            key => key.at()..end.at(),
        }
    }

    /// Returns the range to cut out to remove this member: with the comma after it when there is
    /// one, else with the one before it.
    #[must_use]
    pub fn removal(self) -> Span {
        removal(self.tape.text.as_bytes(), self.member_range())
    }

    /// Iterates over an array's elements or an object's values; over nothing for anything else.
    /// Each step skips a whole child.
    pub fn children(self) -> impl Iterator<Item = Self> + use<'t> {
        // A scalar has no node inside.
        self.children_up_to(self.node().next)
    }

    fn children_up_to(self, end: u32) -> impl Iterator<Item = Self> + use<'t> {
        let mut node = self.node + 1;
        std::iter::from_fn(move || {
            let child = (node < end).then_some(Self { node, ..self })?;
            node = child.node().next;
            Some(child)
        })
    }

    /// Iterates over an array's elements; over nothing for anything else.
    pub fn items(self) -> impl Iterator<Item = Self> + use<'t> {
        let is_array = self.kind() == Kind::Array;
        self.children_up_to(if is_array { self.node().next } else { 0 })
    }

    /// Iterates over the elements of the array under a key; none if there is no array.
    pub fn items_of(self, key: &str) -> impl Iterator<Item = Self> + use<'t> {
        let list = self.get(key).filter(|list| list.kind() == Kind::Array);
        let end = list.map_or(0, |list| list.node().next);
        list.unwrap_or(self).children_up_to(end)
    }

    /// Iterates over an object's members, doubled keys included; over nothing for anything else.
    pub fn members(self) -> impl Iterator<Item = (Cow<'t, str>, Self)> + use<'t> {
        let members = self.children();
        members.filter_map(|child| Some((child.key()?, child)))
    }

    /// Iterates as [`members`](Self::members) does, with keys as [`exact_text`].
    pub fn exact_members(self) -> impl Iterator<Item = (Cow<'t, [u8]>, Self)> + use<'t> {
        let members = self.children();
        members.filter_map(|child| Some((child.exact_key()?, child)))
    }

    /// Iterates over members, here and at any depth below, that repeat a key of their object.
    pub fn doubled_keys(self) -> impl Iterator<Item = Self> {
        let nodes = self.node..self.node().next;
        let values = nodes.map(move |node| Self { node, ..self });
        let objects = values.filter(|it| it.kind() == Kind::Object);
        objects.flat_map(Self::doubled_members)
    }

    /// Returns the members that repeat an earlier key, in text order; empty for anything but an
    /// object.
    #[must_use]
    pub fn doubled_members(self) -> Vec<Self> {
        let members = || self.children().filter(|it| it.node().key != Place::NONE);
        if members().nth(MAX_COMPARED_KEYS).is_none() {
            let is_doubled = |(index, member): &(usize, Self)| {
                members().take(*index).any(|it| it.has_key_of(*member))
            };
            let doubled = members().enumerate().filter(is_doubled);
            return doubled.map(|(_, member)| member).collect();
        }
        let mut seen = HashSet::new();
        members().filter(|it| !seen.insert(it.exact_key())).collect()
    }

    fn exact_key(self) -> Option<Cow<'t, [u8]>> {
        self.raw_key().map(|raw| exact_text(raw.as_bytes()))
    }

    fn has_key_of(self, other: Self) -> bool {
        let has_escapes = |it: Self| it.node().key.has_escapes();
        if has_escapes(self) || has_escapes(other) {
            self.exact_key() == other.exact_key()
        } else {
            self.raw_key() == other.raw_key()
        }
    }

    /// Returns the member with this key. When keys are doubled, the last one counts.
    ///
    /// Linear in how many members there are.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let nodes = &self.tape.nodes[..self.node().next as usize];
        let (mut at, mut found) = (self.node as usize + 1, None);
        while let Some(node) = nodes.get(at) {
            if self.tape.has_key(node, key) {
                found = Some(offset(at));
            }
            at = node.next as usize;
        }
        found.map(|node| Self { node, ..self })
    }

    /// Returns the member with this key, unless it is null.
    #[must_use]
    pub fn given(self, key: &str) -> Option<Self> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// Returns a member's text; `None` if the member is missing or no string.
    #[must_use]
    pub fn text_of(self, key: &str) -> Option<Cow<'t, str>> {
        self.get(key)?.text()
    }

    /// Returns the text of `type`, or an empty text.
    #[must_use]
    pub fn tag(self) -> Cow<'t, str> {
        self.text_of("type").unwrap_or_default()
    }

    /// Returns true if both are the same value: key order and spelling do not count, except for the
    /// `.0` of a whole number; when keys are doubled, the last one does.
    #[must_use]
    pub fn is_equal(self, other: Value<'_>) -> bool {
        if self.kind() != other.kind() {
            return false;
        }
        match self.kind() {
            Kind::Object => {
                let members: BTreeMap<_, _> = self.exact_members().collect();
                let others: BTreeMap<_, _> = other.exact_members().collect();
                let mut pairs = members.iter().zip(&others);
                members.len() == others.len()
                    && pairs.all(|((key, a), (other_key, b))| key == other_key && a.is_equal(*b))
            }
            Kind::Array => {
                let (mut items, mut others) = (self.items(), other.items());
                let mut pairs = items.by_ref().zip(others.by_ref());
                pairs.all(|(a, b)| a.is_equal(b))
                    && items.next().is_none()
                    && others.next().is_none()
            }
            Kind::String => self.exact_text() == other.exact_text(),
            Kind::Number => {
                let is_whole = |it: &str| it.bytes().all(|it| it == b'-' || it.is_ascii_digit());
                let (a, b) = (self.raw(), other.raw());
                a == b || (!is_whole(a) && !is_whole(b) && numbers_are_equal(a, b))
            }
            Kind::Bool | Kind::Null => self.raw() == other.raw(),
        }
    }

    /// Returns the path from the root, such as `messages[3].content[0].text`.
    ///
    /// Linear in how many siblings this value and the containers around it have.
    #[must_use]
    pub fn path(self) -> String {
        let (mut path, mut parent) = (String::new(), self.tape.root());
        while parent.node != self.node {
            let mut children = parent.children().enumerate();
            let around = |(_, it): &(usize, Self)| (it.node..it.node().next).contains(&self.node);
            let Some((index, child)) = children.find(around) else {
                break;
            };
            match child.key() {
                Some(key) if path.is_empty() => path.push_str(&key),
                Some(key) => path.push_str(&format!(".{key}")),
                None => path.push_str(&format!("[{index}]")),
            }
            parent = child;
        }
        path
    }

    fn has_lone_surrogate(self) -> bool {
        let is_broken = |raw: &str| crate::has_lone_surrogate(raw.as_bytes());
        let Node { end, key, .. } = self.node();
        (end.has_escapes() && self.raw_text().is_some_and(is_broken))
            || (key.has_escapes() && self.raw_key().is_some_and(is_broken))
    }
}

fn resolve(raw: &str, has_escapes: bool) -> Cow<'_, str> {
    if has_escapes { Cow::Owned(unescape(raw.as_bytes())) } else { Cow::Borrowed(raw) }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}
