//! The weights of each family, in thousandths of a token. `docs/tokens.md`
//! describes how they are fitted.

use super::class::Class;
use crate::tokenizer::Tokenizer;

/// The positions in a word, a number or a run that have weights of their own.
const POSITIONS: usize = 16;

/// The first index of each kind of weights.
const WORDS: usize = Class::COUNT * Class::COUNT;
const NUMBERS: usize = WORDS + 2 * POSITIONS;
const RUNS: usize = NUMBERS + POSITIONS;
const LENGTH: usize = RUNS + 3 * POSITIONS;

/// The weights of a family.
///
/// In order: a weight for each pair of classes, for the positions of lower and upper case letters
/// in a word, of digits in a number, and of spaces, newlines and other signs in a run.
pub(super) struct Weights([i16; LENGTH]);

static CLAUDE_NEW: Weights = Weights::read(include_bytes!("claude-new.bin"));
static CLAUDE_OLD: Weights = Weights::read(include_bytes!("claude-old.bin"));
static O200K: Weights = Weights::read(include_bytes!("o200k.bin"));

/// Returns the weights of a family, or of the one that it is estimated like.
pub(super) fn of(family: Tokenizer) -> &'static Weights {
    match family {
        Tokenizer::ClaudeNew => &CLAUDE_NEW,
        Tokenizer::ClaudeOld => &CLAUDE_OLD,
        Tokenizer::O200k | Tokenizer::Gemini => &O200K,
    }
}

impl Weights {
    /// Reads little-endian numbers.
    const fn read(bytes: &[u8; 2 * LENGTH]) -> Self {
        let mut weights = [0; LENGTH];
        let mut index = 0;
        while index < LENGTH {
            weights[index] = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            index += 1;
        }
        Self(weights)
    }

    /// Returns the weight of a character after another.
    pub(super) fn pair(&self, before: Class, class: Class) -> i32 {
        i32::from(self.0[before.index() * Class::COUNT + class.index()])
    }

    /// Returns the weight of a letter by its position in the word.
    pub(super) fn word(&self, position: usize, is_upper: bool) -> i32 {
        let first = if is_upper { WORDS + POSITIONS } else { WORDS };
        self.at(first, position)
    }

    /// Returns the weight of a digit by its position in the number.
    pub(super) fn number(&self, position: usize) -> i32 {
        self.at(NUMBERS, position)
    }

    /// Returns the weight of a space, a newline or a sign by its position in a
    /// run of the same character.
    pub(super) fn run(&self, position: usize, class: Class) -> i32 {
        let group = match class {
            Class::SPACE => 0,
            Class::NEWLINE => 1,
            _ => 2,
        };
        self.at(RUNS + group * POSITIONS, position)
    }

    fn at(&self, first: usize, position: usize) -> i32 {
        i32::from(self.0[first + position.min(POSITIONS - 1)])
    }
}
