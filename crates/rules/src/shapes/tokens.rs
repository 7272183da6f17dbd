//! The tokens in a shapes text.

use std::fmt;
use std::str::FromStr;

/// What is wrong in the text, with line and column, both from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    line: usize,
    column: usize,
    message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

pub(super) struct Tokens {
    text: &'static str,
    /// The next token, empty at the end.
    next: &'static str,
    rest: &'static str,
}

impl Tokens {
    pub(super) fn new(text: &'static str) -> Self {
        let mut tokens = Self { text, next: "", rest: text };
        tokens.next();
        tokens
    }

    /// Returns the next token without passing it; an empty one at the end.
    pub(super) fn peek(&self) -> &'static str {
        self.next
    }

    /// Returns the next token and passes it.
    pub(super) fn next(&mut self) -> &'static str {
        let mut rest = self.rest.trim_ascii_start();
        while let Some(comment) = rest.strip_prefix("//") {
            rest = comment.trim_start_matches(|c| c != '\n').trim_ascii_start();
        }
        let end = match rest.chars().next() {
            Some('"') => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            Some(c) if is_part_of_word(c) => {
                let end = rest.find(|c| !is_part_of_word(c));
                end.unwrap_or(rest.len())
            }
            first => {
                let mut long = ["...", "[]", "<=", ">="].into_iter();
                let long = long.find(|sign| rest.starts_with(sign));
                long.map_or(first.map_or(0, char::len_utf8), str::len)
            }
        };
        let (token, rest) = rest.split_at(end);
        self.rest = rest;
        std::mem::replace(&mut self.next, token)
    }

    /// Passes the next token if it is this one.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let is_next = self.next == token;
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { self.error(self.next, format!("expected {token}")) }
    }

    pub(super) fn word(&mut self) -> Result<&'static str> {
        let word = self.next();
        if word.starts_with(is_part_of_word) {
            Ok(word)
        } else {
            self.error(word, "expected a name")
        }
    }

    /// A string without escapes.
    pub(super) fn string(&mut self) -> Result<&'static str> {
        let string = self.next();
        let inner = string.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        inner.map_or_else(|| self.error(string, "expected a string"), Ok)
    }

    pub(super) fn number<N: FromStr>(&mut self) -> Result<N> {
        let number = self.next();
        let parsed = number.parse();
        parsed.or_else(|_| self.error(number, "expected a number"))
    }

    /// Returns an error at a token, which must be part of the text.
    pub(super) fn error<T>(&self, token: &'static str, message: impl Into<String>) -> Result<T> {
        let at = token.as_ptr() as usize - self.text.as_ptr() as usize;
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Err(SyntaxError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        })
    }
}

/// Letters, digits and the signs that key names, rule ids and negative numbers have.
fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
