use serde::de::DeserializeOwned;

use crate::block::{self, Block};
use crate::data;
use crate::{DocumentError, DocumentErrorKind};

/// How long a block may be, both delimiters included.
const MAX_BLOCK_BYTES: usize = 64 * 1024;

/// A text, split into front matter and body.
///
/// ```
/// let document = aside_user_files::split("---\nname: a\n---\nText.\n")?;
/// assert_eq!(document.header(), Some("name: a\n"));
/// assert_eq!((document.body(), document.body_line()), ("Text.\n", 4));
/// # Ok::<(), aside_user_files::DocumentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitDocument<'a> {
    /// The text up to the closing line: blank lines, the opening line, the
    /// YAML. The opening line also starts a document in YAML, so the parser
    /// counts lines as the file does.
    header: Option<&'a str>,
    opening_line: usize,
    body: &'a str,
}

/// Splits `text` into its front matter and the rest.
///
/// # Errors
///
/// [`DocumentErrorKind::Unclosed`] if a block is opened and not closed.
pub fn split(text: &str) -> Result<SplitDocument<'_>, DocumentError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blank_lines = || text.split_inclusive('\n').take_while(|line| line.trim().is_empty());
    let start: usize = blank_lines().map(str::len).sum();
    let rest = &text[start..];
    let without = SplitDocument { header: None, opening_line: 1, body: text };
    if !rest.starts_with("---") {
        return Ok(without);
    }
    let opening_line = 1 + blank_lines().count();
    match block::find(head(rest)) {
        Block::Absent => Ok(without),
        Block::Unclosed => Err(DocumentError::new(
            DocumentErrorKind::Unclosed,
            opening_line,
            "front matter is opened here and no line `---` closes it within 64 KB",
        )),
        Block::ClosedAt(closing) => {
            let mut lines = rest.split_inclusive('\n');
            let header: usize = lines.by_ref().take(closing).map(str::len).sum();
            let closing = lines.next().map_or(0, str::len);
            Ok(SplitDocument {
                header: Some(&text[..start + header]),
                opening_line,
                body: &rest[header + closing..],
            })
        }
    }
}

/// Returns the part of `text` in which a block may end. It has whole lines
/// only, since a truncated line could look like a delimiter.
fn head(text: &str) -> &str {
    if text.len() <= MAX_BLOCK_BYTES {
        return text;
    }
    let cut = text.as_bytes()[..MAX_BLOCK_BYTES]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    &text[..cut]
}

impl<'a> SplitDocument<'a> {
    /// Returns everything after the front matter, byte for byte.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// Returns the text between the delimiters, byte for byte, or `None`
    /// without a block.
    pub fn header(&self) -> Option<&'a str> {
        let header = self.header?;
        let opening = header.split_inclusive('\n').take(self.opening_line).map(str::len).sum();
        Some(&header[opening..])
    }

    /// Returns the 1-based line on which the body begins in the file.
    pub fn body_line(&self) -> usize {
        // The closing line follows the header.
        self.header.map_or(1, |header| header.lines().count() + 2)
    }

    /// Reads the block's data; `None` without a block or without data in it.
    ///
    /// # Errors
    ///
    /// [`DocumentErrorKind::NotAMapping`] if the block is a text, a number or a
    /// list; [`DocumentErrorKind::Data`] if it is not YAML or not a `T`;
    /// [`DocumentErrorKind::Limit`] if it exceeds a limit.
    pub fn data<T: DeserializeOwned>(&self) -> Result<Option<T>, DocumentError> {
        self.read(data::read)
    }

    /// Reads the block's data with its values quoted, even if YAML can read them: `[{a,b}]` is a
    /// list with a text, not with a mapping. Use it when [`SplitDocument::data`] is not what you
    /// expect.
    ///
    /// # Errors
    ///
    /// Those of [`SplitDocument::data`].
    pub fn quoted_data<T: DeserializeOwned>(&self) -> Result<Option<T>, DocumentError> {
        self.read(data::read_quoted)
    }

    /// Reads the block's data strictly: quotes no value. Use it for data
    /// without globs, in which an unclosed bracket is a fault.
    ///
    /// # Errors
    ///
    /// Those of [`SplitDocument::data`].
    pub fn strict_data<T: DeserializeOwned>(&self) -> Result<Option<T>, DocumentError> {
        self.read(data::read_strictly)
    }

    fn read<T>(
        &self,
        read: fn(&str, usize) -> Result<Option<T>, DocumentError>,
    ) -> Result<Option<T>, DocumentError> {
        let Some(header) = self.header else {
            return Ok(None);
        };
        read(header, self.opening_line).map_err(|error| {
            if error.kind() != DocumentErrorKind::Limit && data::is_not_a_mapping(header) {
                let message = "expected a mapping of names to values";
                DocumentError::new(DocumentErrorKind::NotAMapping, self.opening_line, message)
            } else {
                error
            }
        })
    }
}
