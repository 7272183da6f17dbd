//! The end of a JSON object in a stream, found without parsing.

/// Detects the last brace of a JSON object that arrives in pieces.
///
/// The pieces may be cut anywhere, also within a string or an escape. Braces in strings do not
/// count. Text that is not JSON never fails, it only gives a wrong end; the object is parsed later.
#[derive(Debug, Default)]
pub(crate) struct ObjectEnd {
    /// The number of open objects and arrays.
    depth: usize,
    /// True after the first opening brace or bracket.
    has_begun: bool,
    /// True between the quotes of a string.
    in_string: bool,
    /// True after a backslash in a string.
    is_escaped: bool,
}

impl ObjectEnd {
    /// Reads the next piece. Linear in its length.
    pub(crate) fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.has_begun = true;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Returns true if an object or array was opened and everything that was opened is closed.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_begun && self.depth == 0
    }
}
