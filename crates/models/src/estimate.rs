//! Estimating how many tokens a text has.

mod class;
mod pieces;
mod weights;

use crate::tokenizer::Tokenizer;
use crate::tokens::TokenEstimate;

use self::class::Class;
use self::pieces::{Pieces, Split};
use self::weights::{START, Weights};

/// Estimates how many tokens a text has, in one pass.
///
/// Each character contributes a weight that depends on its class and that of
/// the preceding character, on its position in a word or a number, and on how
/// often it repeats in a row. The weights are fitted to tokenizers. For
/// [`Tokenizer::O200k`], which has Chinese words as tokens, a table of 15 KB
/// has those with one and two characters. The errors on held-out texts of 4 to
/// 12 KB, in percent of the count (mean, and the 95th percentile):
///
#[doc = include_str!("estimate/errors.md")]
///
/// Short texts have larger errors; over a whole, the errors of its parts
/// cancel. A text that is not empty is at least one token, and no text is more
/// tokens than bytes, since these tokenizers merge bytes. A family without its
/// own weights is estimated like [`Tokenizer::O200k`].
///
/// ```
/// use aside_models::{Tokenizer, estimate};
///
/// let prose = "The build reads its settings from one file, and nothing else.";
/// let tokens = |family| estimate(prose, family).to_string();
/// assert_eq!(tokens(Tokenizer::ClaudeNew), "~17");
/// assert_eq!(tokens(Tokenizer::O200k), "~13");
/// ```
#[must_use]
pub fn estimate(text: &str, family: Tokenizer) -> TokenEstimate {
    let of_pieces = pieces::of(family).map_or(0, |it| it.tokens_of(text));
    Weighed::nothing(family).with(text).total(of_pieces, text.len())
}

/// Returns the most that texts with so many bytes in all are estimated at. It
/// reads no text, so ask it before an estimate that may not be needed.
///
/// ```
/// use aside_models::{Tokenizer, estimate, estimate_at_most};
///
/// let text = "no text has more tokens than this";
/// let most = estimate_at_most(text.len());
/// assert!(estimate(text, Tokenizer::ClaudeNew) <= most);
/// ```
#[must_use]
pub fn estimate_at_most(bytes: usize) -> TokenEstimate {
    TokenEstimate::of_tokens(bytes as u64)
}

/// Returns a text's longest prefix with an estimate of no more than `max`.
///
/// ```
/// use aside_models::{TokenEstimate, Tokenizer, estimate, prefix_within};
///
/// let (text, max) = ("word ".repeat(1000), TokenEstimate::of_tokens(100));
/// let prefix = prefix_within(&text, Tokenizer::ClaudeNew, max);
/// assert_eq!(estimate(prefix, Tokenizer::ClaudeNew).tokens(), 100);
/// ```
#[must_use]
pub fn prefix_within(text: &str, family: Tokenizer, max: TokenEstimate) -> &str {
    let mut pass = Pass::new(family);
    let mut end = 0;
    for (at, character) in text.char_indices() {
        pass.add(character);
        let longer = at + character.len_utf8();
        if pass.total(longer) <= max {
            end = longer;
        }
    }
    &text[..end]
}

/// A text up to a character: what the next one's weight depends on.
///
/// It is copied from step to step, which keeps it in registers.
#[derive(Clone, Copy)]
struct Weighed {
    weights: &'static Weights,
    /// In thousandths of a token.
    sum: i64,
    before: Option<char>,
    /// A text begins as if after a newline.
    class: Class,
    /// The position in a word, in a number, or in a run of one character.
    position: usize,
}

impl Weighed {
    fn nothing(family: Tokenizer) -> Self {
        Self {
            weights: weights::of(family),
            sum: 0,
            before: None,
            class: Class::NEWLINE,
            position: START,
        }
    }

    /// Adds a text.
    fn with(mut self, mut text: &str) -> Self {
        loop {
            (self, text) = self.with_ascii(text);
            let Some(character) = text.chars().next() else {
                return self;
            };
            self = self.and(character);
            text = &text[character.len_utf8()..];
        }
    }

    /// Adds the ASCII that a text begins with, which is most of it and not decoded. Returns the
    /// rest.
    fn with_ascii(mut self, text: &str) -> (Self, &str) {
        let class_at = |at| text.as_bytes().get(at).copied().and_then(Class::of_ascii);
        let mut length = 0;
        while let Some(class) = class_at(length) {
            self = self.after(class, false);
            length += 1;
        }
        let (ascii, rest) = text.split_at(length);
        let last = ascii.bytes().last().map(char::from);
        self.before = last.or(self.before);
        (self, rest)
    }

    /// Adds a character.
    fn and(self, character: char) -> Self {
        let is_same = self.before == Some(character);
        Self { before: Some(character), ..self.after(Class::of(character), is_same) }
    }

    /// Adds a character of this class, but does not record it.
    #[inline(always)]
    fn after(self, class: Class, is_same: bool) -> Self {
        let (added, position) = self.weights.after((self.class, self.position), class, is_same);
        Self { sum: self.sum + added, class, position, ..self }
    }

    /// Returns the sum with what pieces add, at least one token after the first
    /// character, for a text with so many bytes.
    fn total(self, of_pieces: i64, bytes: usize) -> TokenEstimate {
        let least = if self.before.is_some() { 1000 } else { 0 };
        let sum = self.sum + of_pieces;
        TokenEstimate::of_thousandths(sum.max(least).unsigned_abs()).min(estimate_at_most(bytes))
    }
}

/// The same with pieces, if the family has them.
struct Pass {
    weighed: Weighed,
    pieces: Option<&'static Pieces>,
    split: Split,
}

impl Pass {
    fn new(family: Tokenizer) -> Self {
        Self {
            weighed: Weighed::nothing(family),
            pieces: pieces::of(family),
            split: Split::default(),
        }
    }

    fn add(&mut self, character: char) {
        self.weighed = self.weighed.and(character);
        if let Some(pieces) = self.pieces {
            self.split.add(pieces, character);
        }
    }

    fn total(&self, bytes: usize) -> TokenEstimate {
        self.weighed.total(self.split.sum(), bytes)
    }
}
