use crate::MAX_DEPTH;
use crate::error::{Expected, JsonError};
use crate::scan::skip_space;
use crate::word::first_special;

/// How long a text may be to get a tape, in bytes: positions have 31 bits.
pub const MAX_TAPE_BYTES: usize = u32::MAX as usize / 2;

/// A JSON text, and a flat list of nodes to find values in it.
///
/// ```text
/// {"a":[1,{"b":null}]}       node 0  the object    next 5
///                            node 1  [1,{…}]       next 5, key "a"
///                            node 2  1             next 3
///                            node 3  {"b":null}    next 5
///                            node 4  null          next 5, key "b"
/// ```
///
/// Nodes are in text order: a container's children begin at the next node, and `next` skips the
/// rest of a child. A node takes 16 bytes.
#[derive(Debug)]
pub struct Tape<'a> {
    pub(crate) text: &'a str,
    pub(crate) nodes: Vec<Node>,
}

/// A value: its place, the first node after it, and its key's place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: Place,
    pub(crate) next: u32,
    /// The key's opening quote; [`Place::NONE`] for an element and for the root.
    pub(crate) key: Place,
}

/// A position, and whether a string there has escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl Place {
    pub(crate) const NONE: Self = Self(u32::MAX);
    const HAS_ESCAPES: u32 = 1 << 31;

    fn new(at: usize, has_escapes: bool) -> Self {
        let flag = if has_escapes { Self::HAS_ESCAPES } else { 0 };
        Self(offset(at) | flag)
    }

    pub(crate) fn at(self) -> usize {
        (self.0 & !Self::HAS_ESCAPES) as usize
    }

    pub(crate) fn has_escapes(self) -> bool {
        self.0 & Self::HAS_ESCAPES != 0
    }
}

/// Always fits: a text of at most [`MAX_TAPE_BYTES`] has no larger position, and no more nodes than
/// bytes.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'a> Tape<'a> {
    /// Reads a text: one JSON value, with any white space around it.
    ///
    /// # Errors
    /// Returns the first byte that is not JSON, nests deeper than [`MAX_DEPTH`], or is invalid
    /// UTF-8.
    pub fn parse(text: &'a [u8]) -> Result<Self, JsonError> {
        Self::parse_nested(text, MAX_DEPTH)
    }

    /// Reads a text that may nest as deeply as it likes. Do not walk down its values by recursion.
    ///
    /// # Errors
    /// Returns the first byte that is not JSON or is invalid UTF-8.
    pub fn parse_deep(text: &'a [u8]) -> Result<Self, JsonError> {
        Self::parse_nested(text, usize::MAX)
    }

    fn parse_nested(text: &'a [u8], max_depth: usize) -> Result<Self, JsonError> {
        if text.len() > MAX_TAPE_BYTES {
            return JsonError::new(MAX_TAPE_BYTES, Expected::LessBytes);
        }
        let valid = std::str::from_utf8(text);
        let text = valid
            .map_err(|error| JsonError { at: error.valid_up_to(), expected: Expected::Utf8 })?;
        let mut parser = Parser {
            bytes: text.as_bytes(),
            at: 0,
            nodes: Vec::with_capacity(text.len() / 32),
            open: Vec::new(),
            max_depth,
        };
        parser.run()?;
        let nodes = parser.nodes;
        Ok(Self { text, nodes })
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
    max_depth: usize,
}

/// A container that is being read.
struct Open {
    node: u32,
    /// The bracket that closes it.
    close: u8,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), JsonError> {
        let mut key = Place::NONE;
        loop {
            self.at = skip_space(self.bytes, self.at);
            let start = self.at;
            let byte = self.bytes.get(start).copied();
            let mut has_escapes = false;
            match byte {
                Some(b'"') => has_escapes = self.string()?,
                Some(b'{' | b'[') => {
                    if self.open.len() == self.max_depth {
                        return JsonError::new(start, Expected::LessDepth);
                    }
                    self.at += 1;
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.literal(b"true")?,
                Some(b'f') => self.literal(b"false")?,
                Some(b'n') => self.literal(b"null")?,
                _ => return JsonError::new(start, Expected::Value),
            }
            let node = offset(self.nodes.len());
            self.nodes.push(Node {
                start: offset(start),
                end: Place::new(self.at, has_escapes),
                next: node + 1,
                key,
            });
            let is_empty = match byte {
                Some(open @ (b'{' | b'[')) => {
                    // The closing brackets are two after the opening ones.
                    let close = open + 2;
                    self.open.push(Open { node, close });
                    self.at = skip_space(self.bytes, self.at);
                    self.bytes.get(self.at) == Some(&close)
                }
                _ => false,
            };
            let is_opened = matches!(byte, Some(b'{' | b'[')) && !is_empty;
            if !is_opened && self.close()? {
                return Ok(());
            }
            key = match self.open.last() {
                Some(Open { close: b'}', .. }) => self.key()?,
                _ => Place::NONE,
            };
        }
    }

    /// Passes closing brackets and a comma. Returns true when the text has ended.
    fn close(&mut self) -> Result<bool, JsonError> {
        loop {
            self.at = skip_space(self.bytes, self.at);
            let byte = self.bytes.get(self.at).copied();
            let Some(container) = self.open.last() else {
                return match byte {
                    None => Ok(true),
                    Some(_) => JsonError::new(self.at, Expected::End),
                };
            };
            match byte {
                Some(b',') => {
                    self.at += 1;
                    return Ok(false);
                }
                Some(byte) if byte == container.close => {
                    self.at += 1;
                    let next = offset(self.nodes.len());
                    let node = &mut self.nodes[container.node as usize];
                    node.end = Place::new(self.at, false);
                    node.next = next;
                    self.open.pop();
                }
                _ => return JsonError::new(self.at, Expected::Comma),
            }
        }
    }

    fn key(&mut self) -> Result<Place, JsonError> {
        self.at = skip_space(self.bytes, self.at);
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return JsonError::new(start, Expected::Key);
        }
        let has_escapes = self.string()?;
        self.at = skip_space(self.bytes, self.at);
        if self.bytes.get(self.at) != Some(&b':') {
            return JsonError::new(self.at, Expected::Colon);
        }
        self.at += 1;
        Ok(Place::new(start, has_escapes))
    }

    /// Returns true if the string has escapes.
    fn string(&mut self) -> Result<bool, JsonError> {
        let mut has_escapes = false;
        let mut at = self.at + 1;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let Some(length) = first_special(rest) else {
                return JsonError::new(self.at, Expected::EndOfString);
            };
            at += length;
            at += match rest[length..] {
                [b'"', ..] => {
                    self.at = at + 1;
                    return Ok(has_escapes);
                }
                [b'\\', escape, ..] if is_simple_escape(escape) => 2,
                [b'\\', b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) => {
                    6
                }
                [b'\\', ..] => return JsonError::new(at, Expected::Escape),
                _ => return JsonError::new(at, Expected::NoControl),
            };
            has_escapes = true;
        }
    }

    fn literal(&mut self, literal: &[u8]) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(literal) {
            return JsonError::new(self.at, Expected::Value);
        }
        self.at += literal.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.at += usize::from(self.bytes[self.at] == b'-');
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let rest = &self.bytes[self.at..];
        match rest.iter().take_while(|it| it.is_ascii_digit()).count() {
            0 => JsonError::new(self.at, Expected::Digit),
            count => {
                self.at += count;
                Ok(())
            }
        }
    }
}

fn is_simple_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}
