//! A JSON scanner that keeps byte positions. It checks brackets, strings and
//! the members that it walks over, and leaves the rest of the grammar alone.
//!
//! A typed parser would lose what a cache compares: the order of keys, the
//! spelling of numbers, escapes, positions. Duplicate keys are allowed, and the
//! last one counts.

use std::fmt;
use std::ops::Range;

use memchr::memchr2;

/// The maximum depth of nested brackets in a value.
pub(crate) const MAX_DEPTH: usize = 512;

/// A range of bytes of a body.
pub(crate) type Span = Range<usize>;

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Literal,
}

/// A member of an object: the key without its quotes, and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: Span,
    pub(crate) value: Span,
}

impl Member {
    /// Returns the range of the member with the quotes of its key.
    pub(crate) fn span(&self) -> Span {
        self.key.start - 1..self.value.end
    }
}

/// The position at which the bytes are no longer JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) expected: Expected,
}

/// The token that was expected at a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Value,
    Key,
    Colon,
    Comma,
    EndOfString,
    Bracket,
    /// Nesting deeper than [`MAX_DEPTH`].
    LessDepth,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "expected a value",
            Self::Key => "expected a key",
            Self::Colon => "expected a colon",
            Self::Comma => "expected a comma or a closing bracket",
            Self::EndOfString => "a string without its end",
            Self::Bracket => "a bracket without its counterpart",
            Self::LessDepth => "nested too deeply",
        })
    }
}

/// Returns the first position at or after `at` that is not white space.
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Returns the position after the string that begins at `at`.
///
/// `at` is the opening quote. Escapes are passed over and not checked.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let mut from = at + 1;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            Some(found) if rest[found] == b'"' => return Ok(from + found + 1),
            Some(found) => from += found + 2,
            None => {
                let expected = Expected::EndOfString;
                return Err(Fault { at, expected });
            }
        }
    }
}

/// Returns the position after the value that begins at `at`.
///
/// Brackets have to match; commas and colons between values are not checked.
pub(crate) fn value_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let mut open: Vec<u8> = Vec::new();
    let mut at = at;
    loop {
        let Some(&byte) = bytes.get(at) else {
            let expected = Expected::Value;
            return Err(Fault { at, expected });
        };
        match byte {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                if open.len() == MAX_DEPTH {
                    let expected = Expected::LessDepth;
                    return Err(Fault { at, expected });
                }
                open.push(byte + 2);
                at += 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    let expected = Expected::Bracket;
                    return Err(Fault { at, expected });
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => at = scalar_end(bytes, at),
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if !open.is_empty() => {
                at += 1;
                continue;
            }
            _ => {
                let expected = Expected::Value;
                return Err(Fault { at, expected });
            }
        }
        if open.is_empty() {
            return Ok(at);
        }
    }
}

/// Returns the position after a number, `true`, `false` or `null`.
fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let is_part =
        |byte: &u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.');
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|it| !is_part(it))
        .unwrap_or(rest.len())
}

/// Returns the kind of the value that begins at `at`.
pub(crate) fn kind(bytes: &[u8], at: usize) -> Kind {
    match bytes.get(at) {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b'-' | b'0'..=b'9') => Kind::Number,
        _ => Kind::Literal,
    }
}

/// A list that is walked over: an object or an array.
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    /// The position of the next element, key or value.
    at: usize,
    close: u8,
    is_first: bool,
}

impl<'a> Walk<'a> {
    /// Begins at the opening bracket.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        let close = bytes.get(at).map_or(b']', |open| open + 2);
        Self {
            bytes,
            at: at + 1,
            close,
            is_first: true,
        }
    }

    /// Moves to the next element or key; `None` at the end of the list, which
    /// is then passed.
    pub(crate) fn next(&mut self) -> Result<Option<usize>, Fault> {
        self.at = skip_space(self.bytes, self.at);
        let byte = self.bytes.get(self.at).copied();
        if byte == Some(self.close) {
            self.at += 1;
            return Ok(None);
        }
        if !self.is_first {
            if byte != Some(b',') {
                let (at, expected) = (self.at, Expected::Comma);
                return Err(Fault { at, expected });
            }
            self.at = skip_space(self.bytes, self.at + 1);
        }
        self.is_first = false;
        Ok(Some(self.at))
    }

    /// Reads the key at the position, and moves to its value.
    pub(crate) fn key(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            let (at, expected) = (start, Expected::Key);
            return Err(Fault { at, expected });
        }
        let end = string_end(self.bytes, start)?;
        let colon = skip_space(self.bytes, end);
        if self.bytes.get(colon) != Some(&b':') {
            let (at, expected) = (colon, Expected::Colon);
            return Err(Fault { at, expected });
        }
        self.at = skip_space(self.bytes, colon + 1);
        Ok(start + 1..end - 1)
    }

    /// Returns the position.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Moves to the end of a value that was read.
    pub(crate) fn passed(&mut self, end: usize) {
        self.at = end;
    }
}

/// Reads the members of the object that begins at `at`.
pub(crate) fn members(bytes: &[u8], at: usize) -> Result<Vec<Member>, Fault> {
    let mut walk = Walk::new(bytes, at);
    let mut members = Vec::new();
    while walk.next()?.is_some() {
        let key = walk.key()?;
        let start = walk.at();
        let end = value_end(bytes, start)?;
        walk.passed(end);
        let value = start..end;
        members.push(Member { key, value });
    }
    Ok(members)
}

/// Reads the elements of the array that begins at `at`.
pub(crate) fn elements(bytes: &[u8], at: usize) -> Result<Vec<Span>, Fault> {
    let mut walk = Walk::new(bytes, at);
    let mut elements = Vec::new();
    while let Some(start) = walk.next()? {
        let end = value_end(bytes, start)?;
        walk.passed(end);
        elements.push(start..end);
    }
    Ok(elements)
}

/// Returns the value of a key in the object that begins at `at`, if it is one.
pub(crate) fn get(bytes: &[u8], at: usize, key: &str) -> Option<Span> {
    if kind(bytes, at) != Kind::Object {
        return None;
    }
    let members = members(bytes, at).ok()?;
    find(bytes, &members, key.as_bytes())
}

/// Returns the value of a key. The last of duplicate keys is used, as in most
/// parsers.
pub(crate) fn find(bytes: &[u8], members: &[Member], key: &[u8]) -> Option<Span> {
    let found = members.iter().rfind(|it| &bytes[it.key.clone()] == key);
    found.map(|it| it.value.clone())
}

/// Returns the text of the string at the span, or `None` if it is not a string.
pub(crate) fn string(bytes: &[u8], span: &Span) -> Option<String> {
    if kind(bytes, span.start) != Kind::String || span.len() < 2 {
        return None;
    }
    Some(unescape(&bytes[span.start + 1..span.end - 1]))
}

/// Returns the string without its quotes, as it is written.
pub(crate) fn raw_string<'a>(bytes: &'a [u8], span: &Span) -> Option<&'a [u8]> {
    let is_string = kind(bytes, span.start) == Kind::String && span.len() >= 2;
    is_string.then(|| &bytes[span.start + 1..span.end - 1])
}

/// Resolves the escapes of a string. An invalid escape is not changed.
pub(crate) fn unescape(raw: &[u8]) -> String {
    if memchr::memchr(b'\\', raw).is_none() {
        return String::from_utf8_lossy(raw).into_owned();
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let plain = match raw.get(at + 1) {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'u') => {
                let (character, length) = escaped_unicode(&raw[at..]);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                continue;
            }
            Some(&other) => other,
            None => b'\\',
        };
        out.push(plain);
        at += 2;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads `\uXXXX`, or a surrogate pair of them. Returns the character and the
/// length in bytes.
fn escaped_unicode(raw: &[u8]) -> (char, usize) {
    let unit = |from: usize| {
        let digits = raw.get(from..from + 4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let Some(first) = unit(2) else {
        return (char::REPLACEMENT_CHARACTER, raw.len().min(2));
    };
    if let (0xD800..=0xDBFF, Some(b"\\u"), Some(second @ 0xDC00..=0xDFFF)) =
        (first, raw.get(6..8), unit(8))
    {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            12,
        );
    }
    (
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
        6,
    )
}

/// Gives the value at the span to `sink`, without white space between tokens
/// and without the ranges of `exclude`, which are in order.
///
/// The sink gets slices of the body, in order, so nothing is copied.
pub(crate) fn canonical(bytes: &[u8], span: &Span, exclude: &[Span], mut sink: impl FnMut(&[u8])) {
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

/// Returns the range that removes a member, with one comma.
///
/// The comma after the member if there is one, else the one before it.
pub(crate) fn removal(bytes: &[u8], member: &Member) -> Span {
    let span = member.span();
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
        for text in [
            "",
            "}",
            "[}",
            "{]",
            "[\"",
            "\\",
            "[\\]",
            "{\"a\" 1}",
            "[1 2]",
            "{1:2}",
        ] {
            let bytes = text.as_bytes();
            assert!(
                value_end(bytes, 0).is_err()
                    || elements(bytes, 0).is_err()
                    || members(bytes, 0).is_err(),
                "{text}"
            );
        }
        let deep = "[".repeat(100_000);
        assert_eq!(
            value_end(deep.as_bytes(), 0).unwrap_err().expected,
            Expected::LessDepth
        );
    }

    #[test]
    fn the_canonical_form_has_no_space_and_no_markers() {
        let text = r#"{ "a" : "b  c", "m": {"x":1} , "d":[1, 2] }"#;
        let all = members(text.as_bytes(), 0).unwrap();
        let mut out = Vec::new();
        let exclude = [removal(text.as_bytes(), &all[1])];
        canonical(text.as_bytes(), &(0..text.len()), &exclude, |it| {
            out.extend_from_slice(it);
        });
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"b  c","d":[1,2]}"#);
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(
            unescape(br#"a\n\"\u00e9\ud83d\ude00\u12"#),
            "a\n\"é😀\u{fffd}12"
        );
        assert_eq!(unescape(br"\ud83dx\"), "\u{fffd}x\\");
    }
}
