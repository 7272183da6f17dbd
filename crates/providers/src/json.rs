//! JSON to edit without changing the rest: members keep their order, and numbers and strings their
//! bytes.
//!
//! Tool schemas are rewritten in this form. Otherwise, reordered members or reformatted numbers
//! would change the prefix that a provider caches.

use aside_json::{Expected, Kind, Tape, Value, has_lone_surrogate};
use aside_messages::wire::RawJson;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A JSON value whose members keep their order, and whose numbers and strings keep their text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    /// An object; a key that occurs twice is kept twice.
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    /// Everything else.
    Scalar(RawJson),
}

/// Why a value was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JsonError {
    /// More levels than [`DEEPEST`].
    TooDeep,
    /// The text is not JSON, or a key has a lone surrogate, so it cannot be a Rust string.
    Syntax,
}

/// More levels than any schema needs, and fewer than a stack holds.
///
/// This counts objects, arrays and the innermost scalar.
pub(crate) const DEEPEST: usize = 64;

impl Json {
    /// Reads a value.
    ///
    /// # Errors
    /// When the value is nested deeper than [`DEEPEST`] levels.
    pub(crate) fn parse(raw: &RawJson) -> Result<Self, JsonError> {
        let tape = Tape::parse(raw.get().as_bytes()).map_err(|error| match error.expected() {
            Expected::LessDepth => JsonError::TooDeep,
            _ => JsonError::Syntax,
        })?;
        Self::read(tape.root(), DEEPEST)
    }

    /// Reads a value with at most this many levels.
    fn read(value: Value<'_>, levels: usize) -> Result<Self, JsonError> {
        let levels = levels.checked_sub(1).ok_or(JsonError::TooDeep)?;
        let read = |it| Self::read(it, levels);
        match value.kind() {
            Kind::Object => {
                let members = value.members().map(|(key, it)| {
                    let raw = it.raw_key().unwrap_or_default();
                    if has_lone_surrogate(raw.as_bytes()) {
                        Err(JsonError::Syntax)
                    } else {
                        Ok((key.into_owned(), read(it)?))
                    }
                });
                members.collect::<Result<_, _>>().map(Self::Object)
            }
            Kind::Array => {
                let items = value.items().map(read);
                items.collect::<Result<_, _>>().map(Self::Array)
            }
            _ => {
                let raw = RawJson::parse(value.raw()).map_err(|_| JsonError::Syntax);
                raw.map(Self::Scalar)
            }
        }
    }

    pub(crate) fn string(text: &str) -> Self {
        Self::Scalar(RawJson::of(text))
    }

    /// Creates the literal `true`.
    pub(crate) fn truth() -> Self {
        Self::Scalar(RawJson::of(&true))
    }

    /// Returns a string's text.
    pub(crate) fn as_string(&self) -> Option<String> {
        match self {
            Self::Scalar(raw) if raw.get().starts_with('"') => serde_json::from_str(raw.get()).ok(),
            _ => None,
        }
    }

    /// Returns true for the literal `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Scalar(raw) if raw.get() == "null")
    }

    /// Returns a key's value; the first one if the key occurs twice, `None` if this is not an
    /// object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Follows a JSON pointer without its `#`.
    ///
    /// `/$defs/a~1b` leads to the member `a/b` in `$defs`; an empty pointer is the value itself
    /// (RFC 6901).
    pub(crate) fn at_pointer(&self, pointer: &str) -> Option<&Self> {
        let mut found = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            found = match found {
                Self::Object(_) => found.get(&step)?,
                Self::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                Self::Scalar(_) => return None,
            };
        }
        Some(found)
    }
}

/// Appends a value that has only string keys, like all that is sent.
pub(crate) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    aside_messages::json::write(out, value).expect("what is sent has string keys only");
}

/// Writes an object member by member, without another form of it.
pub(crate) struct JsonObject<'a>(&'a mut Vec<u8>);

impl<'a> JsonObject<'a> {
    /// Begins an object after what is in `out`.
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self(out)
    }

    /// Writes a key. Append its value to what is returned.
    pub(crate) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        // No value ends like this.
        if self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        write_json(self.0, key);
        self.0.push(b':');
        self.0
    }

    pub(crate) fn set<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> &mut Self {
        write_json(self.key(key), value);
        self
    }

    /// Writes a member if there is a value.
    pub(crate) fn given<T: Serialize>(&mut self, key: &str, value: Option<T>) -> &mut Self {
        if let Some(value) = value {
            self.set(key, &value);
        }
        self
    }

    /// Writes a list unless it is empty.
    pub(crate) fn list<T: Serialize>(&mut self, key: &str, list: &[T]) -> &mut Self {
        if !list.is_empty() {
            self.set(key, list);
        }
        self
    }

    /// Writes an object within this one.
    pub(crate) fn object(&mut self, key: &str, write: impl FnOnce(&mut JsonObject<'_>)) {
        let mut inner = JsonObject::begin(self.key(key));
        write(&mut inner);
        inner.end();
    }

    pub(crate) fn end(self) {
        self.0.push(b'}');
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Self::Array(items) => items.serialize(serializer),
            Self::Scalar(raw) => raw.serialize(serializer),
        }
    }
}
