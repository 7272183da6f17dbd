//! A JSON document as a flat list of nodes over its text: key order, doubled
//! keys and the form of numbers are visible, and no depth overflows a stack.
//!
//! ```text
//! {"a":[1,{"b":null}]}       node 0  the object    next 5
//!                            node 1  [1,{…}]       next 5, key "a"
//!                            node 2  1             next 3
//!                            node 3  {"b":null}    next 5
//!                            node 4  null          next 5, key "b"
//! ```
//!
//! Nodes are in the order of the text, so the children of a container begin at
//! the next node, and `next` skips the rest of a child. Building is linear in
//! the bytes and allocates two lists; a value is a copyable index.

use std::borrow::Cow;

use memchr::memchr2;

/// A longer text has no tree: offsets are `u32`.
pub(super) const MAX_TREE_BYTES: usize = u32::MAX as usize / 2;

/// No key: the value is the root or an item of a list.
const NONE: u32 = u32::MAX;

/// A JSON document with valid syntax.
pub(super) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node>,
}

/// A value: its text, the first node that is not in it, and its key.
///
/// Offsets are bytes of the text; `NONE` is the key of a list item and of the
/// root.
struct Node {
    start: u32,
    end: u32,
    next: u32,
    key: u32,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

/// A value of a document.
#[derive(Clone, Copy)]
pub(super) struct Value<'t> {
    tree: &'t Tree<'t>,
    at: u32,
}

impl<'a> Tree<'a> {
    /// Builds the tree of a valid document of at most [`MAX_TREE_BYTES`].
    ///
    /// The syntax must be valid, because serde wrote it or `body::text`
    /// examined it: the tree skips commas and colons without looking at them. An empty text has no
    /// root.
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut at, mut key) = (0, NONE);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'}' | b']' => {
                    at += 1;
                    if let Some(container) = open.pop() {
                        let next = offset(nodes.len());
                        nodes[container].end = offset(at);
                        nodes[container].next = next;
                    }
                    key = NONE;
                    continue;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => {
                    at += 1;
                    continue;
                }
                _ => {}
            }
            let start = at;
            at = end_of(bytes, at);
            let is_in_object = open
                .last()
                .is_some_and(|it| bytes[nodes[*it].start as usize] == b'{');
            if is_in_object && key == NONE {
                key = offset(start);
                continue;
            }
            if matches!(byte, b'{' | b'[') {
                open.push(nodes.len());
            }
            nodes.push(Node {
                start: offset(start),
                end: offset(at),
                next: offset(nodes.len() + 1),
                key,
            });
            key = NONE;
        }
        Self { text, nodes }
    }

    /// Returns the outermost value.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        (!self.nodes.is_empty()).then_some(Value { tree: self, at: 0 })
    }

    /// Returns the places of strings that are no Unicode text: a surrogate
    /// without its other half.
    ///
    /// Keys are examined too; the path is that of the value then. A string
    /// without `\u` costs one search.
    pub(super) fn broken_texts(&self) -> impl Iterator<Item = String> + '_ {
        let nodes = 0..offset(self.nodes.len());
        nodes.filter_map(|at| {
            let value = Value { tree: self, at };
            let is_broken = |raw: &str| raw.contains("\\u") && unescape(raw).is_none();
            let key = self.nodes[at as usize].key;
            let is_found = (value.kind() == Type::Text && is_broken(value.raw()))
                || (key != NONE && is_broken(self.string_at(key)));
            is_found.then(|| self.path_of(at))
        })
    }

    /// Returns the path of a node, found from the root.
    ///
    /// Linear in the siblings on the way, and used for faults only.
    fn path_of(&self, target: u32) -> String {
        let (mut path, mut at) = (String::new(), 0);
        while at != target {
            let parent = Value { tree: self, at };
            let found = parent.children().enumerate().find(|(_, child)| {
                (child.at..self.nodes[child.at as usize].next).contains(&target)
            });
            let Some((index, child)) = found else { break };
            match child.key() {
                Some(key) if path.is_empty() => path.push_str(&key),
                Some(key) => path.push_str(&format!(".{key}")),
                None => path.push_str(&format!("[{index}]")),
            }
            at = child.at;
        }
        path
    }

    /// Returns the JSON text of the string that begins at an offset.
    fn string_at(&self, start: u32) -> &str {
        let start = start as usize;
        &self.text[start..end_of(self.text.as_bytes(), start)]
    }
}

/// Returns the end of the scalar that begins at `at`; of a container, the end
/// of its opening bracket.
fn end_of(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let length = match rest.first() {
        Some(b'"') => {
            let mut end = 1;
            while let Some(found) = memchr2(b'"', b'\\', rest.get(end..).unwrap_or_default()) {
                end += found;
                if rest[end] == b'"' {
                    break;
                }
                end += 2;
            }
            end + 1
        }
        Some(b'{' | b'[') => 1,
        _ => {
            let is_end = |byte: &u8| b",]} \t\r\n".contains(byte);
            rest.iter().position(is_end).unwrap_or(rest.len())
        }
    };
    at + length.max(1)
}

/// `NONE` for an offset of 4 GiB or more, which a text of at most
/// [`MAX_TREE_BYTES`] does not have.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

/// Returns the text of a JSON string; `None` if it has a lone surrogate.
fn unescape(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains('\\') {
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

impl<'t> Value<'t> {
    /// Returns the node of the value.
    fn node(self) -> &'t Node {
        &self.tree.nodes[self.at as usize]
    }

    /// Returns the JSON text.
    pub(super) fn raw(self) -> &'t str {
        let node = self.node();
        &self.tree.text[node.start as usize..node.end as usize]
    }

    /// The first byte decides, because the syntax is valid.
    pub(super) fn kind(self) -> Type {
        match self.raw().as_bytes().first() {
            Some(b'{') => Type::Object,
            Some(b'[') => Type::List,
            Some(b'"') => Type::Text,
            Some(b't' | b'f') => Type::Bool,
            Some(b'n') | None => Type::Null,
            _ => Type::Number,
        }
    }

    /// Returns true for `null`.
    pub(super) fn is_null(self) -> bool {
        self.kind() == Type::Null
    }

    /// Returns the text of a string.
    ///
    /// Returns `None` for a value that is no string. A string without an escape
    /// is borrowed. One with a lone surrogate is returned as its JSON text,
    /// with the quotes.
    pub(super) fn text(self) -> Option<Cow<'t, str>> {
        let raw = (self.kind() == Type::Text).then(|| self.raw())?;
        Some(unescape(raw).unwrap_or(Cow::Borrowed(raw)))
    }

    /// Returns true for a string of nothing but white space. Most are decided by the first
    /// character.
    pub(super) fn is_blank(self) -> bool {
        if self.kind() != Type::Text {
            return false;
        }
        let mut rest = &self.raw()[1..];
        loop {
            rest = rest.trim_start();
            match rest.as_bytes() {
                [] | [b'"', ..] => return true,
                [b'\\', b'n' | b'r' | b't' | b'f', ..] => rest = &rest[2..],
                [b'\\', b'u', ..] => {
                    return self.text().is_some_and(|text| text.trim().is_empty());
                }
                _ => return false,
            }
        }
    }

    /// Returns `None` for a value that is no number.
    pub(super) fn number(self) -> Option<f64> {
        (self.kind() == Type::Number)
            .then(|| self.raw().parse().ok())
            .flatten()
    }

    /// Returns a whole number, however it is written.
    ///
    /// `8`, `8.0` and `8e0` are 8. Returns `None` for `8.5` and for a number
    /// that `i64` cannot hold exactly.
    #[expect(clippy::cast_possible_truncation, reason = "checked before")]
    pub(super) fn integer(self) -> Option<i64> {
        let number = self.number()?;
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        self.raw()
            .parse()
            .ok()
            .or_else(|| is_whole.then_some(number as i64))
    }

    /// Returns true for `true` only, not for `"true"` or `1`.
    pub(super) fn is_true(self) -> bool {
        self.raw() == "true"
    }

    /// Returns the key under which the value is a member of an object.
    pub(super) fn key(self) -> Option<Cow<'t, str>> {
        let key = self.node().key;
        let raw = (key != NONE).then(|| self.tree.string_at(key))?;
        Some(unescape(raw).unwrap_or(Cow::Borrowed(raw)))
    }

    /// Iterates over the items of a list or the values of an object.
    ///
    /// Empty for a scalar. Each step skips the whole child.
    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let is_container = matches!(self.kind(), Type::List | Type::Object);
        let end = if is_container {
            self.node().next
        } else {
            self.at + 1
        };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let child = (at < end).then_some(Self { at, ..self })?;
            at = child.node().next;
            Some(child)
        })
    }

    /// Empty for an object.
    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        self.children().filter(move |_| self.kind() == Type::List)
    }

    /// Iterates over the members of an object.
    ///
    /// Doubled keys are included, in the order of the text. Empty for a list.
    pub(super) fn members(self) -> impl Iterator<Item = (Cow<'t, str>, Self)> {
        self.children()
            .filter_map(|child| Some((child.key()?, child)))
    }

    /// Returns the member of that name; the last one, as parsers do.
    ///
    /// Linear in the number of members.
    pub(super) fn get(self, key: &str) -> Option<Self> {
        self.members()
            .filter(|(name, _)| name == key)
            .last()
            .map(|(_, value)| value)
    }

    /// Returns the member, unless it is null.
    pub(super) fn given(self, key: &str) -> Option<Self> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// Returns the text of a member.
    ///
    /// Returns `None` if the member is absent or no string.
    pub(super) fn text_of(self, key: &str) -> Option<Cow<'t, str>> {
        self.get(key).and_then(Self::text)
    }

    /// Returns the member `type`, or an empty text.
    ///
    /// An object without a text under `type` has the tag `""`, which no rule
    /// names.
    pub(super) fn tag(self) -> Cow<'t, str> {
        self.text_of("type").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_text_is_one_of_white_space() {
        for (json, is_blank) in [
            (r#""""#, true),
            (r#"" ""#, true),
            (r#""\t\r\n\f ""#, true),
            (r#""\u0020\u00a0""#, true),
            ("\"\u{2003}\"", true),
            (r#""\b""#, false),
            (r#"" \u0041""#, false),
            (r#"" \ud800""#, false),
            (r#""\\n""#, false),
            (r#"" \"""#, false),
            (r#""\n.""#, false),
            ("8", false),
        ] {
            let tree = Tree::new(json);
            let value = tree.root().unwrap();
            assert_eq!(value.is_blank(), is_blank, "{json}");
            let is_trimmed_away = value.text().is_some_and(|text| text.trim().is_empty());
            assert_eq!(is_trimmed_away, is_blank, "{json}");
        }
    }

    #[test]
    fn values_keep_their_text() {
        let tree = Tree::new(r#" {"a" : [1.0, {"b":null}] ,"c\n":"\u0041\"", "a":true} "#);
        let root = tree.root().expect("a value");
        let members: Vec<_> = root.members().map(|(key, it)| (key, it.raw())).collect();
        let expected = [
            ("a".into(), r#"[1.0, {"b":null}]"#),
            ("c\n".into(), r#""\u0041\"""#),
            ("a".into(), "true"),
        ];
        assert_eq!(members, expected);
        let text = root.text_of("c\n");
        assert_eq!(text.as_deref(), Some("A\""));
        assert_eq!(root.get("a").map(Value::kind), Some(Type::Bool));
        let first = root.children().next().expect("a member");
        let items: Vec<_> = first.items().map(Value::integer).collect();
        assert_eq!(items, [Some(1), None]);
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let tree = Tree::new(&deep);
        assert_eq!(tree.root().expect("a value").items().count(), 1);
    }

    #[test]
    fn a_lone_surrogate_has_a_path() {
        let tree = Tree::new(r#"{"a":["x",{"b":"\ud83d"}],"c":"\ud83d\ude00"}"#);
        let found: Vec<_> = tree.broken_texts().collect();
        assert_eq!(found, ["a[1].b"]);
    }
}
