//! Tokens and values in PDF syntax, as positions in a slice.
//!
//! A value is a token, an array or dictionary up to its end, or a reference (`1
//! 0 R`). Nothing is decoded: strings and names keep their delimiters and
//! escapes.

use std::ops::Range;

use super::budget::Budget;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `[`.
    ArrayOpen,
    /// `]`.
    ArrayClose,
    /// `<<`.
    DictOpen,
    /// `>>`.
    DictClose,
    /// With its slash.
    Name,
    /// Digits with a sign or a point: `7`, `-.5`.
    Number,
    /// With its delimiters.
    String,
    /// A keyword, or a stray delimiter.
    Word,
}

/// The tokens in a slice, from a position on. They end early if the budget is
/// spent.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    /// After the last token.
    at: usize,
    budget: &'a Budget,
}

/// PDF has six white-space characters.
fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

/// Returns true for a character that ends a name, a number or a keyword.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Returns true for a character in a name, a number or a keyword.
fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

impl<'a> Tokens<'a> {
    /// A position after the end gives no tokens.
    pub(super) fn new(bytes: &'a [u8], at: usize, budget: &'a Budget) -> Self {
        let at = at.min(bytes.len());
        Self { bytes, at, budget }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn next_slice(&mut self) -> Option<(Token, &'a [u8])> {
        let bytes = self.bytes;
        self.next().map(|(token, range)| (token, &bytes[range]))
    }

    pub(super) fn is_word(&mut self, word: &[u8]) -> bool {
        self.next_slice() == Some((Token::Word, word))
    }

    /// Negative numbers are none.
    pub(super) fn integer(&mut self) -> Option<u64> {
        let (token, text) = self.next_slice()?;
        let text = std::str::from_utf8(text).ok()?;
        (token == Token::Number).then(|| text.parse().ok()).flatten()
    }

    /// Returns the next value: a token, an array, a dictionary, or a reference.
    /// `None` at the end of an array or dictionary around it.
    ///
    /// Nesting is counted, not recursed into. An array or dictionary that is
    /// not closed is no value.
    pub(super) fn value(&mut self) -> Option<Range<usize>> {
        let (token, range) = self.next()?;
        match token {
            Token::ArrayOpen | Token::DictOpen => {
                let mut depth = 1_u32;
                while depth > 0 {
                    match self.next()?.0 {
                        Token::ArrayOpen | Token::DictOpen => depth = depth.checked_add(1)?,
                        Token::ArrayClose | Token::DictClose => depth -= 1,
                        _ => {}
                    }
                }
                Some(range.start..self.at)
            }
            Token::ArrayClose | Token::DictClose => None,
            Token::Number => {
                let mut ahead = self.clone();
                if ahead.integer().is_some() && ahead.is_word(b"R") {
                    *self = ahead;
                }
                Some(range.start..self.at)
            }
            Token::Name | Token::String | Token::Word => Some(range),
        }
    }

    pub(super) fn value_slice(&mut self) -> Option<&'a [u8]> {
        let bytes = self.bytes;
        self.value().map(|range| &bytes[range])
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the position of the first byte from `at` on of another kind.
    fn end_of(&self, at: usize, is_part: fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_part(*byte));
        at + length.unwrap_or(rest.len())
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.at = self.end_of(self.at, is_space);
            if self.byte(self.at) != Some(b'%') {
                return;
            }
            self.at = self.end_of(self.at, |byte| !matches!(byte, b'\r' | b'\n'));
        }
    }

    /// Returns where a string in parentheses ends.
    ///
    /// Parentheses nest, and a backslash escapes the next byte. A string that
    /// is not closed ends with the slice.
    fn end_of_text(&self) -> usize {
        let mut depth = 0_u64;
        let mut at = self.at;
        while let Some(byte) = self.byte(at) {
            at += 1;
            match byte {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' if depth == 1 => break,
                b')' => depth -= 1,
                _ => {}
            }
        }
        at.min(self.bytes.len())
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let before = self.at;
        self.skip();
        let start = self.at;
        let second = self.byte(start + 1);
        let (token, end) = match self.byte(start)? {
            b'[' => (Token::ArrayOpen, start + 1),
            b']' => (Token::ArrayClose, start + 1),
            b'<' if second == Some(b'<') => (Token::DictOpen, start + 2),
            b'>' if second == Some(b'>') => (Token::DictClose, start + 2),
            b'<' => {
                let end = self.end_of(start, |byte| byte != b'>');
                (Token::String, self.bytes.len().min(end + 1))
            }
            b'(' => (Token::String, self.end_of_text()),
            b'/' => (Token::Name, self.end_of(start + 1, is_regular)),
            byte if is_delimiter(byte) => (Token::Word, start + 1),
            _ => {
                let end = self.end_of(start, is_regular);
                let text = &self.bytes[start..end];
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let is_part = |byte: &u8| is_digit(byte) || matches!(byte, b'+' | b'-' | b'.');
                if text.iter().all(is_part) && text.iter().any(is_digit) {
                    (Token::Number, end)
                } else {
                    (Token::Word, end)
                }
            }
        };
        self.at = end;
        self.budget.read(end - before).then_some((token, start..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        let budget = Budget::default();
        let mut tokens = Tokens::new(text.as_bytes(), 0, &budget);
        let mut found = Vec::new();
        while let Some(range) = tokens.value() {
            found.push(&text[range]);
        }
        found
    }

    #[test]
    fn values_are_slices() {
        let check = |text: &str, expected: &[&str]| assert_eq!(values(text), expected, "{text}");
        check("1 0 R 2 0 null", &["1 0 R", "2", "0", "null"]);
        check(
            "<</A[1 2(])]/B<</C<41>>>>>(a(b)\\)c)/N#20x%]\n-.5",
            &["<</A[1 2(])]/B<</C<41>>>>>", "(a(b)\\)c)", "/N#20x", "-.5"],
        );
        check("1 ] 2", &["1"]);
        check("[1 [2", &[]);
        check("(never closed", &["(never closed"]);
        check("<41", &["<41"]);
    }

    #[test]
    fn nesting_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(values(&deep).len(), 1);
    }
}
