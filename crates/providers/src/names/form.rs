//! The forms of names and ids on the wires.
//!
//! Sources: OpenAI documents 64 characters of `[a-zA-Z0-9_-]` for the name of a function, Google
//! also that the first one is a letter or an underscore.

use uuid::Uuid;

/// The form of a name or an id on a wire.
///
/// A text that does not fit is replaced by [`Form::replace`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The longest, in bytes.
    pub(crate) longest: usize,
    /// The beginning of a replacement whose original cannot be used.
    pub(crate) stem: &'static str,
    /// The bytes that it may begin with, of those that it may have.
    is_first: fn(u8) -> bool,
    /// The bytes that it may have.
    is_fine: fn(u8) -> bool,
}

/// Ids of calls: OpenAI takes 40 characters. They are repeated in labels that
/// the model reads, and so can hold no tag.
pub(crate) const ID: Form = Form {
    longest: 40,
    stem: "call",
    is_first: |_| true,
    is_fine: |byte| byte.is_ascii_graphic() && byte != b'<',
};

/// Ids of calls on the Responses wire: 64 characters.
pub(crate) const CALL_ID: Form = Form { longest: 64, ..ID };

/// Names of tools: 64 characters of `[a-zA-Z0-9_-]`.
pub(crate) const NAME: Form = Form {
    longest: 64,
    stem: "tool",
    is_first: is_plain,
    is_fine: is_plain,
};

/// Names of functions at Gemini: the first character is a letter or `_`.
pub(crate) const GEMINI_NAME: Form = Form {
    is_first: |byte| byte.is_ascii_alphabetic() || byte == b'_',
    ..NAME
};

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Between the beginning of the original and its hash.
pub(super) const SEAM: &str = "_x";
/// The length of a hash.
pub(super) const HASH: usize = 32;

impl Form {
    /// Returns true if the wire accepts the text as it is.
    ///
    /// An empty text is not accepted.
    pub(super) fn takes(self, text: &str) -> bool {
        (1..=self.longest).contains(&text.len())
            && text.bytes().all(self.is_fine)
            && text.bytes().next().is_some_and(self.is_first)
            // A text that looks like a replacement is replaced too, so that it
            // cannot be confused with one.
            && !self.looks_replaced(text)
    }

    /// Returns true if the text could be a replacement.
    ///
    /// It ends with `_x` and 32 hexadecimal digits.
    pub(super) fn looks_replaced(self, text: &str) -> bool {
        let Some(start) = text.len().checked_sub(HASH + SEAM.len()) else {
            return false;
        };
        let (seam, hash) = text.as_bytes()[start..].split_at(SEAM.len());
        seam == SEAM.as_bytes() && hash.iter().all(u8::is_ascii_hexdigit)
    }

    /// Returns the replacement of a text: its readable start and a hash.
    ///
    /// ```text
    /// mcp.server/tool   mcp_x…     up to the first character that is not plain
    /// é                 tool_x…    no readable start: the stem
    /// ```
    ///
    /// The hash is a UUID of version 5 of the whole text, so the result is the same in every
    /// process.
    pub(super) fn replace(self, text: &str) -> String {
        let hash = Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()).simple();
        let room = self.longest - HASH - SEAM.len();
        let shown: String = text
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            .take(room)
            .collect();
        match shown.bytes().next() {
            Some(first) if (self.is_first)(first) => format!("{shown}{SEAM}{hash}"),
            _ => format!("{}{SEAM}{hash}", self.stem),
        }
    }
}
