//! Which names and ids the wires accept.
//!
//! Sources: for function names, OpenAI documents 64 characters of `[a-zA-Z0-9_-]`; Google documents
//! 128, also dots and colons, with a letter or an underscore first.

use uuid::Uuid;

/// Which names or ids a wire accepts.
///
/// To make a text fit, use [`Form::replace`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The maximum length, in bytes.
    pub(crate) longest: usize,
    /// How a replacement begins when the original cannot be used.
    pub(crate) stem: &'static str,
    /// Which of the accepted bytes may come first.
    is_first: fn(u8) -> bool,
    /// Which bytes are accepted.
    is_fine: fn(u8) -> bool,
}

/// Call ids: OpenAI takes 40 characters. The model reads labels that repeat them, so they may not
/// contain a tag.
pub(crate) const ID: Form = Form {
    longest: 40,
    stem: "call",
    is_first: |_| true,
    is_fine: |byte| byte.is_ascii_graphic() && byte != b'<',
};

/// Call ids on the Responses wire: 64 characters.
pub(crate) const CALL_ID: Form = Form { longest: 64, ..ID };

/// Tool names: 64 characters of `[a-zA-Z0-9_-]`.
pub(crate) const NAME: Form =
    Form { longest: 64, stem: "tool", is_first: is_plain, is_fine: is_plain };

/// Function names at Gemini: also dots and colons; the first character is a letter or `_`.
pub(crate) const GEMINI_NAME: Form = Form {
    longest: 128,
    is_first: |byte| byte.is_ascii_alphabetic() || byte == b'_',
    is_fine: |byte| is_plain(byte) || matches!(byte, b'.' | b':'),
    ..NAME
};

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Goes between the original's readable start and its hash.
pub(super) const SEAM: &str = "_x";
/// In hexadecimal digits.
pub(super) const HASH: usize = 32;

impl Form {
    /// Returns true if the wire accepts the text as it is. An empty text is not accepted.
    pub(super) fn takes(self, text: &str) -> bool {
        (1..=self.longest).contains(&text.len())
            && text.bytes().all(self.is_fine)
            && text.bytes().next().is_some_and(self.is_first)
            // A text that looks like a replacement is replaced too, so that you cannot confuse the
            // two.
            && !self.looks_replaced(text)
    }

    /// Returns true if the text could be a replacement: it ends with `_x` and 32 hexadecimal
    /// digits.
    pub(super) fn looks_replaced(self, text: &str) -> bool {
        let Some(start) = text.len().checked_sub(HASH + SEAM.len()) else {
            return false;
        };
        let (seam, hash) = text.as_bytes()[start..].split_at(SEAM.len());
        seam == SEAM.as_bytes() && hash.iter().all(u8::is_ascii_hexdigit)
    }

    /// Replaces a text by its readable start and a hash.
    ///
    /// ```text
    /// mcp.server/tool   mcp_x…     up to the first character that is not plain
    /// é                 tool_x…    no readable start: the stem
    /// ```
    ///
    /// The hash is a version 5 UUID of the whole text, so every process gets the same result.
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
