//! The Chinese characters and words that are single tokens in `o200k_base`, the
//! vocabulary behind [`Tokenizer::O200k`]; its licence is in
//! `o200k-han.LICENSE`.

use super::class::Class;
use crate::tokenizer::Tokenizer;

/// One token, in thousandths.
const TOKEN: i64 = 1000;

/// What a character that is no piece takes: its bytes.
const BYTES: i64 = 2 * TOKEN;

/// The pieces with one and with two characters, each in order; a character has
/// two bytes, the higher one first.
#[derive(Debug)]
pub(super) struct Pieces {
    singles: &'static [[u8; 2]],
    pairs: &'static [[u8; 4]],
}

static O200K: Pieces = Pieces::read(include_bytes!("o200k-han.bin"));

/// `None` if the family's Chinese is estimated by weights alone.
pub(super) fn of(family: Tokenizer) -> Option<&'static Pieces> {
    match family {
        Tokenizer::O200k | Tokenizer::Gemini => Some(&O200K),
        Tokenizer::ClaudeNew | Tokenizer::ClaudeOld => None,
    }
}

impl Pieces {
    /// Reads the numbers of singles and pairs, and then both.
    const fn read(bytes: &'static [u8]) -> Self {
        let (units, _) = bytes.as_chunks::<2>();
        let count = u16::from_be_bytes(units[0]) as usize;
        let (_, singles) = units.split_at(2);
        let (singles, _) = singles.split_at(count);
        let (_, pairs) = bytes.split_at(2 * (2 + count));
        let (pairs, _) = pairs.as_chunks::<4>();
        Self { singles, pairs }
    }

    /// Returns what a text's Chinese takes, in thousandths of a token.
    pub(super) fn tokens_of(&self, text: &str) -> i64 {
        let (mut split, mut rest) = (Split::default(), text);
        // Most texts are ASCII, which is not decoded.
        while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii())
            && let Some(character) = rest[at..].chars().next()
        {
            if at > 0 {
                split.last = None;
            }
            split.add(self, character);
            rest = &rest[at + character.len_utf8()..];
        }
        split.sum()
    }

    fn has(&self, character: u16) -> bool {
        let found = self.singles.binary_search(&character.to_be_bytes());
        found.is_ok()
    }

    fn has_pair(&self, first: u16, second: u16) -> bool {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.pairs.binary_search(&[a, b, c, d]).is_ok()
    }
}

/// Splits a text into as few pieces as possible, one character at a time.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// In thousandths of a token: for the text, and for the text without its
    /// last character.
    sum: i64,
    sum_before: i64,
    /// The last character, if pieces have it.
    last: Option<u16>,
}

impl Split {
    /// Other characters than Chinese are not counted.
    pub(super) fn add(&mut self, pieces: &Pieces, character: char) {
        let character = match (Class::of(character), u16::try_from(u32::from(character))) {
            (Class::HAN, Ok(character)) => character,
            _ => {
                self.last = None;
                return;
            }
        };
        let single = if pieces.has(character) { TOKEN } else { BYTES };
        let is_pair = |last| pieces.has_pair(last, character);
        let mut sum = self.sum + single;
        if self.last.is_some_and(is_pair) {
            sum = sum.min(self.sum_before + TOKEN);
        }
        (self.sum_before, self.sum) = (self.sum, sum);
        self.last = Some(character);
    }

    /// In thousandths of a token.
    pub(super) fn sum(&self) -> i64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_in_order() {
        assert_eq!((O200K.singles.len(), O200K.pairs.len()), (2_515, 2_408));
        assert!(O200K.singles.is_sorted_by(|a, b| a < b));
        assert!(O200K.pairs.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_text_is_split_into_the_fewest_pieces() {
        let tokens = |text: &str| O200K.tokens_of(text) / TOKEN;
        assert_eq!(tokens(""), 0);
        // 中国, a word, and two words where one takes the other's character.
        assert_eq!(tokens("\u{4e2d}"), 1);
        assert_eq!(tokens("\u{4e2d}\u{56fd}"), 1);
        assert_eq!(tokens("\u{4e2d}, \u{56fd}"), 2);
        assert_eq!(tokens(&"\u{4e2d}\u{56fd}".repeat(50)), 50);
        // A rare character.
        assert_eq!(tokens("\u{9f98}"), 2);
    }
}
