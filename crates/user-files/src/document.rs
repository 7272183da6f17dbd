use serde::de::DeserializeOwned;

use crate::block::{self, Block};
use crate::data;
use crate::{Error, ErrorKind};

/// The longest block, with both of its delimiters, in bytes.
const LIMIT: usize = 64 * 1024;

/// A text, split into front matter and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// From the text's start to the closing line: blank lines, the opening
    /// line, the YAML. The opening line is also YAML's own start of a
    /// document, so that a parser of this counts the lines of the file.
    header: Option<&'a str>,
    opening_line: usize,
    body: &'a str,
}

/// Splits `text` into its front matter and the rest.
///
/// # Errors
///
/// [`ErrorKind::Unclosed`] when a block is opened and not closed.
pub fn split(text: &str) -> Result<Document<'_>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blank_lines = || {
        text.split_inclusive('\n')
            .take_while(|line| line.trim().is_empty())
    };
    let start: usize = blank_lines().map(str::len).sum();
    let rest = &text[start..];
    let without = Document {
        header: None,
        opening_line: 1,
        body: text,
    };
    if !rest.starts_with("---") {
        return Ok(without);
    }
    let opening_line = 1 + blank_lines().count();
    match block::find(head(rest)) {
        Block::Absent => Ok(without),
        Block::Unclosed => Err(Error::new(
            ErrorKind::Unclosed,
            opening_line,
            "front matter is opened here and no line `---` closes it within 64 KB",
        )),
        Block::ClosedAt(closing) => {
            let mut lines = rest.split_inclusive('\n');
            let header: usize = lines.by_ref().take(closing).map(str::len).sum();
            let closing = lines.next().map_or(0, str::len);
            Ok(Document {
                header: Some(&text[..start + header]),
                opening_line,
                body: &rest[header + closing..],
            })
        }
    }
}

/// The part of `text` in which a block may end: whole lines only, or a longer
/// line that is cut could look like a delimiter.
fn head(text: &str) -> &str {
    if text.len() <= LIMIT {
        return text;
    }
    let cut = text.as_bytes()[..LIMIT]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    &text[..cut]
}

impl<'a> Document<'a> {
    /// Everything behind the front matter, byte for byte.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// The text between the delimiters, byte for byte, or `None` where there
    /// is no block.
    pub fn header(&self) -> Option<&'a str> {
        let header = self.header?;
        let opening = header
            .split_inclusive('\n')
            .take(self.opening_line)
            .map(str::len)
            .sum();
        Some(&header[opening..])
    }

    /// The line of the file on which the body begins, 1-based.
    pub fn body_line(&self) -> usize {
        // The closing line is the one after the header's.
        self.header.map_or(1, |header| header.lines().count() + 2)
    }

    /// The data of the block; `None` where there is no block, or one without
    /// data.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotAMapping`] when the block is a text, a number or a
    /// list; [`ErrorKind::Data`] when it is no YAML or no `T`;
    /// [`ErrorKind::Limit`] when it is not worth reading.
    pub fn data<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        self.read(data::read)
    }

    /// The same as YAML has it: nothing is quoted. For data in which globs
    /// have no place, so that a bracket that is not closed is a fault.
    ///
    /// # Errors
    ///
    /// As [`Document::data`].
    pub fn strict_data<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        self.read(data::read_strictly)
    }

    fn read<T>(
        &self,
        read: fn(&str, usize) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(header) = self.header else {
            return Ok(None);
        };
        read(header, self.opening_line).map_err(|error| {
            if error.kind() != ErrorKind::Limit && data::is_not_a_mapping(header) {
                let message = "expected a mapping of names to values";
                Error::new(ErrorKind::NotAMapping, self.opening_line, message)
            } else {
                error
            }
        })
    }
}
