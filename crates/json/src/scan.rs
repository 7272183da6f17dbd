//! Scanning JSON by its brackets, to pass over values without building
//! anything.
//!
//! Only brackets, strings and the members that you walk over are checked; the
//! rest of the grammar is not. Doubled keys are kept; the last one counts.

use std::ops::Range;

use crate::error::{Expected, JsonError};
use crate::word::first;
use crate::{MAX_DEPTH, unescape};

/// A byte range in a text.
pub type Span = Range<usize>;

/// A JSON value's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// An object's member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The key without its quotes.
    pub key: Span,
    /// The value.
    pub value: Span,
}

impl Member {
    /// Returns the key as written between its quotes.
    #[must_use]
    pub fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.key.clone()]
    }

    /// Returns the member's range, including its key and the quotes around it.
    #[must_use]
    pub fn span(&self) -> Span {
        self.key.start - 1..self.value.end
    }
}

/// Returns the first position from `at` on that is not white space.
#[must_use]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Returns the position after the string whose opening quote is at `at`.
/// Escapes are passed over, not checked.
///
/// # Errors
/// The text ends before the closing quote.
pub fn string_end(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut from = at + 1;
    while let Some(found) = first(b'"', bytes.get(from..).unwrap_or_default()) {
        let quote = from + found;
        // Texts have more escapes than quotes. A quote is escaped by an odd number of backslashes.
        let before = bytes[at + 1..quote].iter().rev();
        if before.take_while(|it| **it == b'\\').count() % 2 == 0 {
            return Ok(quote + 1);
        }
        from = quote + 1;
    }
    JsonError::new(at, Expected::EndOfString)
}

/// Returns the position after the value at `at`. Commas and colons between
/// values are not checked.
///
/// # Errors
/// There is no value, or brackets do not match.
pub fn value_end(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut open: Vec<u8> = Vec::new();
    let mut at = at;
    loop {
        let Some(&byte) = bytes.get(at) else {
            return JsonError::new(at, Expected::Value);
        };
        match byte {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                if open.len() == MAX_DEPTH {
                    return JsonError::new(at, Expected::LessDepth);
                }
                open.push(byte + 2);
                at += 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return JsonError::new(at, Expected::Bracket);
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => at = scalar_end(bytes, at),
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if !open.is_empty() => {
                at += 1;
                continue;
            }
            _ => return JsonError::new(at, Expected::Value),
        }
        if open.is_empty() {
            return Ok(at);
        }
    }
}

fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let is_part =
        |byte: &u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.');
    let rest = &bytes[at..];
    at + rest.iter().position(|it| !is_part(it)).unwrap_or(rest.len())
}

/// Returns what kind of value begins at `at`; [`Kind::Null`] if none does.
#[must_use]
pub fn kind(bytes: &[u8], at: usize) -> Kind {
    kind_of(bytes.get(at).copied().unwrap_or(b'n'))
}

pub(crate) fn kind_of(first: u8) -> Kind {
    match first {
        b'{' => Kind::Object,
        b'[' => Kind::Array,
        b'"' => Kind::String,
        b'-' | b'0'..=b'9' => Kind::Number,
        b't' | b'f' => Kind::Bool,
        _ => Kind::Null,
    }
}

/// Walks over an object or an array.
#[derive(Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    close: u8,
    is_first: bool,
}

impl<'a> Walk<'a> {
    /// Starts at the opening bracket.
    #[must_use]
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        let close = bytes.get(at).map_or(b']', |open| open + 2);
        Self { bytes, at: at + 1, close, is_first: true }
    }

    /// Moves to the next element or key. `None` at the end, which is then
    /// passed.
    ///
    /// # Errors
    /// A comma or the closing bracket is missing.
    pub fn step(&mut self) -> Result<Option<usize>, JsonError> {
        self.at = skip_space(self.bytes, self.at);
        let byte = self.bytes.get(self.at).copied();
        if byte == Some(self.close) {
            self.at += 1;
            return Ok(None);
        }
        if !self.is_first {
            if byte != Some(b',') {
                return JsonError::new(self.at, Expected::Comma);
            }
            self.at = skip_space(self.bytes, self.at + 1);
        }
        self.is_first = false;
        Ok(Some(self.at))
    }

    /// Reads the key here, and moves to its value.
    ///
    /// # Errors
    /// There is no key, or no colon after it.
    pub fn key(&mut self) -> Result<Span, JsonError> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return JsonError::new(start, Expected::Key);
        }
        let end = string_end(self.bytes, start)?;
        let colon = skip_space(self.bytes, end);
        if self.bytes.get(colon) != Some(&b':') {
            return JsonError::new(colon, Expected::Colon);
        }
        self.at = skip_space(self.bytes, colon + 1);
        Ok(start + 1..end - 1)
    }

    /// Returns the current position.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Moves past a value that you read, to its end.
    pub fn passed(&mut self, end: usize) {
        self.at = end;
    }
}

/// Reads the members when an object begins at `at`.
///
/// # Errors
/// A member is broken.
pub fn members(bytes: &[u8], at: usize) -> Result<Vec<Member>, JsonError> {
    let mut walk = Walk::new(bytes, at);
    let mut members = Vec::new();
    while walk.step()?.is_some() {
        let key = walk.key()?;
        let start = walk.at();
        let end = value_end(bytes, start)?;
        walk.passed(end);
        let value = start..end;
        members.push(Member { key, value });
    }
    Ok(members)
}

/// Reads the elements when an array begins at `at`.
///
/// # Errors
/// An element is broken.
pub fn elements(bytes: &[u8], at: usize) -> Result<Vec<Span>, JsonError> {
    let mut walk = Walk::new(bytes, at);
    let mut elements = Vec::new();
    while let Some(start) = walk.step()? {
        let end = value_end(bytes, start)?;
        walk.passed(end);
        elements.push(start..end);
    }
    Ok(elements)
}

/// Returns a key's value when an object begins at `at`.
#[must_use]
pub fn get(bytes: &[u8], at: usize, key: &str) -> Option<Span> {
    if kind(bytes, at) != Kind::Object {
        return None;
    }
    let members = members(bytes, at).ok()?;
    find(bytes, &members, key.as_bytes())
}

/// Returns a key's value. When keys are doubled the last one counts, as in most
/// parsers.
#[must_use]
pub fn find(bytes: &[u8], members: &[Member], key: &[u8]) -> Option<Span> {
    let found = members.iter().rfind(|it| &bytes[it.key.clone()] == key);
    found.map(|it| it.value.clone())
}

/// Returns the text of the string at this span; `None` if it is not a string.
#[must_use]
pub fn string(bytes: &[u8], span: &Span) -> Option<String> {
    if kind(bytes, span.start) != Kind::String || span.len() < 2 {
        return None;
    }
    Some(unescape(&bytes[span.start + 1..span.end - 1]))
}

/// Returns the string as written, without its quotes.
#[must_use]
pub fn raw_string<'a>(bytes: &'a [u8], span: &Span) -> Option<&'a [u8]> {
    let is_string = kind(bytes, span.start) == Kind::String && span.len() >= 2;
    is_string.then(|| &bytes[span.start + 1..span.end - 1])
}

/// Passes a value to `sink`, without white space between tokens and without the
/// ranges in `exclude`, which must be in order.
///
/// `sink` gets slices of the body, in order, so nothing is copied.
pub fn canonical(bytes: &[u8], span: &Span, exclude: &[Span], mut sink: impl FnMut(&[u8])) {
    let mut at = span.start;
    let mut from = at;
    let mut exclude = exclude.iter().peekable();
    while at < span.end {
        if let Some(range) = exclude.peek()
            && range.start <= at
        {
            sink(&bytes[from..at]);
            at = range.end.max(at);
            from = at;
            exclude.next();
            continue;
        }
        match bytes[at] {
            b'"' => at = string_end(bytes, at).unwrap_or(span.end).min(span.end),
            b' ' | b'\n' | b'\r' | b'\t' => {
                sink(&bytes[from..at]);
                at += 1;
                from = at;
            }
            _ => at += 1,
        }
    }
    sink(&bytes[from.min(span.end)..span.end]);
}

/// Returns the range to cut out to remove a member, with one comma.
///
/// This is the comma after the member when there is one, else the one before
/// it.
#[must_use]
pub fn removal(bytes: &[u8], span: Span) -> Span {
    let after = skip_space(bytes, span.end);
    if bytes.get(after) == Some(&b',') {
        return span.start..after + 1;
    }
    let mut start = span.start;
    while start > 0 && matches!(bytes[start - 1], b' ' | b'\n' | b'\r' | b'\t') {
        start -= 1;
    }
    if start > 0 && bytes[start - 1] == b',' {
        return start - 1..span.end;
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_value_is_found() {
        let check = |text: &str, expected: usize| {
            assert_eq!(value_end(text.as_bytes(), 0), Ok(expected), "{text}");
        };
        check("12,", 2);
        check(r#""a\"b" ,"#, 6);
        check(r#""a\\" ""#, 5);
        check(r#""\\\"\"" ""#, 8);
        check(r#"{"a":[1,{"b":"]"}]}]"#, 19);
        check("true}", 4);
        check("[]", 2);
    }

    #[test]
    fn invalid_json_is_an_error() {
        let text = r#"{"a":[1,{"b":"c\n"}],"d":-1.5e3}"#;
        for end in 0..text.len() {
            assert!(value_end(&text.as_bytes()[..end], 0).is_err(), "{end}");
            assert!(members(&text.as_bytes()[..end], 0).is_err(), "{end}");
        }
        for text in ["", "}", "[}", "{]", "[\"", "\\", "[\\]", "{\"a\" 1}", "[1 2]", "{1:2}"] {
            let bytes = text.as_bytes();
            assert!(
                value_end(bytes, 0).is_err()
                    || elements(bytes, 0).is_err()
                    || members(bytes, 0).is_err(),
                "{text}"
            );
        }
        let deep = "[".repeat(100_000);
        assert_eq!(value_end(deep.as_bytes(), 0).unwrap_err().expected(), Expected::LessDepth);
    }

    #[test]
    fn the_canonical_form_has_no_space_and_no_markers() {
        let text = r#"{ "a" : "b  c", "m": {"x":1} , "d":[1, 2] }"#;
        let all = members(text.as_bytes(), 0).unwrap();
        let mut out = Vec::new();
        let exclude = [removal(text.as_bytes(), all[1].span())];
        canonical(text.as_bytes(), &(0..text.len()), &exclude, |it| {
            out.extend_from_slice(it);
        });
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"b  c","d":[1,2]}"#);
    }
}
