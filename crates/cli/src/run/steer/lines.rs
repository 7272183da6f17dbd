//! Splits arbitrary chunks into lines. It does no IO, and holds at most one
//! line.

/// The longest line, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Some editors begin a text with this character; it is removed from the first
/// line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cuts a byte stream into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A line without an end yet; empty for a line that is too long.
    begun: Vec<u8>,
    /// True until an overlong line ends: its bytes are dropped.
    is_overlong: bool,
    /// How many lines are complete.
    ended: usize,
}

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The text without its line end, which is `\n` or `\r\n`.
    Text(String),
    /// A line to leave out: its number, from 1, and why.
    Bad(usize, String),
}

impl Lines {
    /// Takes more bytes, and returns the lines that they complete, in order.
    /// Counts blank lines, but leaves them out.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let rest = piece.strip_suffix(b"\n");
            lines.extend(self.add(rest.unwrap_or(piece)));
            if rest.is_some() {
                lines.extend(self.close());
            }
        }
        lines
    }

    /// Returns the last line, when it has no line end.
    ///
    /// Call this once, when the input ends.
    pub(super) fn end(&mut self) -> Option<Line> {
        let is_open = self.is_overlong || !self.begun.is_empty();
        is_open.then(|| self.close()).flatten()
    }

    /// Returns a begun line's number, from 1, and its text so far; `None`
    /// between two lines.
    pub(super) fn begun(&self) -> Option<(usize, String)> {
        let text = String::from_utf8_lossy(&self.begun);
        (!text.is_empty()).then(|| (self.ended + 1, text.into_owned()))
    }

    /// Returns how many lines are complete, including blank and invalid ones.
    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// Adds bytes to the current line. A line that is too long is reported at
    /// once, since it may never end.
    fn add(&mut self, bytes: &[u8]) -> Option<Line> {
        if self.is_overlong {
            return None;
        }
        if self.begun.len() + bytes.len() > MAX_LINE_BYTES {
            self.is_overlong = true;
            self.begun = Vec::new();
            let why = format!("longer than {MAX_LINE_BYTES} bytes");
            return Some(Line::Bad(self.ended + 1, why));
        }
        self.begun.extend_from_slice(bytes);
        None
    }

    /// Ends the current line, and returns it unless it is blank or was already
    /// reported.
    fn close(&mut self) -> Option<Line> {
        self.ended += 1;
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_overlong) {
            return None;
        }
        let mut text = match String::from_utf8(line) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to() + 1;
                return Some(Line::Bad(self.ended, format!("byte {at} is not UTF-8")));
            }
        };
        if text.ends_with('\r') {
            text.pop();
        }
        if self.ended == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        (!text.trim().is_empty()).then_some(Line::Text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    fn bad(number: usize, why: &str) -> Line {
        Line::Bad(number, why.to_owned())
    }

    /// Compares an input's lines, for every way to split it into chunks.
    fn check(input: &[u8], expected: &[Line]) {
        for size in [1, 2, 3, 7, input.len().max(1)] {
            let mut lines = Lines::default();
            let mut found: Vec<_> = input.chunks(size).flat_map(|it| lines.feed(it)).collect();
            found.extend(lines.end());
            assert_eq!(found, expected, "{size} bytes at once");
            assert_eq!((lines.end(), lines.begun()), (None, None));
        }
    }

    #[test]
    fn lines_are_messages() {
        check(b"", &[]);
        check(b"a\n b \nc", &[text("a"), text(" b "), text("c")]);
        check(b"a\r\n\r\n \t\n\nb\r", &[text("a"), text("b")]);
        check("\u{feff}a\n\u{feff}b".as_bytes(), &[text("a"), text("\u{feff}b")]);
        check("\u{e9}\u{1f600}\n".as_bytes(), &[text("é😀")]);
    }

    #[test]
    fn only_invalid_lines_are_left_out() {
        check(b"a\n\nxy\xffz\nb\n", &[text("a"), bad(3, "byte 3 is not UTF-8"), text("b")]);
        check(b"\xc3", &[bad(1, "byte 1 is not UTF-8")]);
    }

    #[test]
    fn a_line_that_has_begun_is_known() {
        let mut lines = Lines::default();
        lines.feed(b"a\nb\xff");
        assert_eq!(lines.begun(), Some((2, "b\u{fffd}".to_owned())));
    }

    #[test]
    fn the_length_of_a_line_is_limited() {
        let check = |length: usize, expected: &[Line]| {
            let input = ["a\n", &"x".repeat(length), "\nb"].concat();
            let mut lines = Lines::default();
            let chunks = input.as_bytes().chunks(8192);
            let mut found: Vec<_> = chunks.flat_map(|it| lines.feed(it)).collect();
            found.extend(lines.end());
            assert_eq!(found, expected);
        };
        let longest = text(&"x".repeat(MAX_LINE_BYTES));
        check(MAX_LINE_BYTES, &[text("a"), longest, text("b")]);
        let why = bad(2, "longer than 1048576 bytes");
        check(MAX_LINE_BYTES + 1, &[text("a"), why, text("b")]);
        let mut endless = Lines::default();
        let count: usize = (0..300).map(|_| endless.feed(&[0; 8192]).len()).sum();
        assert_eq!((count, endless.begun()), (1, None));
        assert_eq!(endless.begun.capacity(), 0);
    }
}
