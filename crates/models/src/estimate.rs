//! Estimating how many tokens a text has.

mod class;
mod pieces;
mod weights;

use crate::tokenizer::Tokenizer;
use crate::tokens::TokenEstimate;

use self::class::Class;
use self::pieces::{Pieces, Split};
use self::weights::Weights;

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
/// cancel. A text that is not empty is at least one token. A family without its
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
    let mut pass = Pass::new(family);
    for character in text.chars() {
        pass.add(character);
    }
    pass.total()
}

/// Returns the most that texts with so many bytes in all are estimated at. It
/// reads no text, so ask it before an estimate that may not be needed.
///
/// ```
/// use aside_models::{Tokenizer, estimate, estimate_at_most};
///
/// let text = "no text has more tokens than this";
/// let most = estimate_at_most(text.len(), Tokenizer::ClaudeNew);
/// assert!(estimate(text, Tokenizer::ClaudeNew) <= most);
/// ```
#[must_use]
pub fn estimate_at_most(bytes: usize, family: Tokenizer) -> TokenEstimate {
    let of_byte = u64::from(weights::of(family).largest);
    TokenEstimate::of_thousandths(of_byte.saturating_mul(bytes as u64))
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
        if pass.total() <= max {
            end = at + character.len_utf8();
        }
    }
    &text[..end]
}

/// What the next character's weight depends on.
///
/// One loop serves both: to estimate a whole text and to find a prefix.
struct Pass {
    weights: &'static Weights,
    /// `None` if the family has only weights.
    pieces: Option<&'static Pieces>,
    /// Used if the family has pieces.
    split: Split,
    /// In thousandths of a token.
    sum: i64,
    before: Option<char>,
    /// A text begins as if after a newline.
    class: Class,
    /// The position in a word, in a number, or in a run of one character.
    position: usize,
}

impl Pass {
    fn new(family: Tokenizer) -> Self {
        Self {
            weights: weights::of(family),
            pieces: pieces::of(family),
            split: Split::default(),
            sum: 0,
            before: None,
            class: Class::NEWLINE,
            position: 0,
        }
    }

    /// Adds the weights for the next character. A position after the last
    /// weight counts as the last.
    #[inline(always)]
    fn add(&mut self, character: char) {
        let class = Class::of(character);
        let continues = self.before == Some(character) || class.continues(self.class);
        self.position = (self.position + 1) * usize::from(continues);
        let by_position = self.weights.position(class, self.position);
        self.sum += i64::from(self.weights.pair(self.class, class) + by_position);
        if let Some(pieces) = self.pieces {
            match class == Class::HAN {
                true => self.split.add(pieces, character),
                false => self.split.interrupt(),
            }
        }
        (self.before, self.class) = (Some(character), class);
    }

    /// Returns the sum so far, at least one token after the first character.
    fn total(&self) -> TokenEstimate {
        let least = if self.before.is_some() { 1000 } else { 0 };
        let sum = self.sum + self.split.sum();
        TokenEstimate::of_thousandths(sum.max(least).unsigned_abs())
    }
}
