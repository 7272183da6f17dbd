//! The JSON of a body with positions, for programs that show a body.

use std::ops::Range;

use crate::Body;
use aside_json::scan::{self as json, Kind};

/// A JSON value of a body at its position. It is read on demand; broken JSON
/// inside it has no members and no elements.
///
/// ```
/// use aside_body::Body;
///
/// let body = br#"{"messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Body::parse(body)?;
/// let messages = request.root().get("messages").expect("a member");
/// let content = messages.elements()[0].get("content").expect("a member");
/// assert_eq!(content.string().as_deref(), Some("Hi"));
/// assert_eq!(&body[content.range()], br#""Hi""#);
/// # Ok::<(), aside_body::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JsonValue<'a> {
    bytes: &'a [u8],
    start: usize,
    end: usize,
}

/// The kind of a [`JsonValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Literal,
}

/// A member of a JSON object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JsonMember<'a> {
    /// The key, with its escapes resolved.
    pub key: String,
    /// The position of the member: from the quote of the key to the end of the
    /// value.
    pub range: Range<usize>,
    /// The value.
    pub value: JsonValue<'a>,
}

impl Body {
    /// Returns the body as a JSON value.
    #[must_use]
    pub fn root(&self) -> JsonValue<'_> {
        let bytes = self.as_bytes();
        let start = json::skip_space(bytes, 0);
        let end = json::value_end(bytes, start).unwrap_or(bytes.len());
        JsonValue { bytes, start, end }
    }

    /// Returns the value at a position of the body, such as the range of a
    /// block in an outline of `aside-cache-model`.
    #[must_use]
    pub fn value_at(&self, range: &Range<usize>) -> Option<JsonValue<'_>> {
        let bytes = self.as_bytes();
        bytes.get(range.clone())?;
        Some(JsonValue {
            bytes,
            start: range.start,
            end: range.end,
        })
    }
}

impl<'a> JsonValue<'a> {
    /// Returns the position in the body.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the bytes as they are written.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns the kind of the value.
    #[must_use]
    pub fn kind(&self) -> JsonKind {
        match json::kind(self.bytes, self.start) {
            Kind::Object => JsonKind::Object,
            Kind::Array => JsonKind::Array,
            Kind::String => JsonKind::String,
            Kind::Number => JsonKind::Number,
            Kind::Bool | Kind::Null => JsonKind::Literal,
        }
    }

    /// Returns the members of an object; none of anything else.
    #[must_use]
    pub fn members(&self) -> Vec<JsonMember<'a>> {
        if self.kind() != JsonKind::Object {
            return Vec::new();
        }
        let members = json::members(self.bytes, self.start).unwrap_or_default();
        let member = |it: json::Member| JsonMember {
            key: aside_json::unescape(&self.bytes[it.key.clone()]),
            range: it.span(),
            value: self.at(&it.value),
        };
        members.into_iter().map(member).collect()
    }

    /// Returns the elements of an array; none of anything else.
    #[must_use]
    pub fn elements(&self) -> Vec<Self> {
        if self.kind() != JsonKind::Array {
            return Vec::new();
        }
        let elements = json::elements(self.bytes, self.start).unwrap_or_default();
        elements.iter().map(|it| self.at(it)).collect()
    }

    /// Returns the value of a member of an object. The last of duplicate keys
    /// is used.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        json::get(self.bytes, self.start, key).map(|it| self.at(&it))
    }

    /// Returns the text of a string, with its escapes resolved; `None` for
    /// anything else.
    #[must_use]
    pub fn string(&self) -> Option<String> {
        json::string(self.bytes, &self.range())
    }

    /// Returns the position of a string without its quotes; `None` for anything
    /// else.
    #[must_use]
    pub fn inner_range(&self) -> Option<Range<usize>> {
        json::raw_string(self.bytes, &self.range())?;
        Some(self.start + 1..self.end - 1)
    }

    fn at(&self, span: &Range<usize>) -> Self {
        Self {
            bytes: self.bytes,
            start: span.start,
            end: span.end,
        }
    }
}
