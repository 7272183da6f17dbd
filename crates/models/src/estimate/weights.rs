//! Each family's weights, in thousandths of a token. `docs/tokens.md` describes how they are
//! fitted.

use super::class::Class;
use crate::tokenizer::Tokenizer;

/// How many positions in a word, a number or a run have their own weights.
const POSITIONS: usize = 16;

/// Where each kind of weights begins.
const WORDS: usize = Class::COUNT * Class::COUNT;
const NUMBERS: usize = WORDS + 2 * POSITIONS;
const RUNS: usize = NUMBERS + POSITIONS;
const LENGTH: usize = RUNS + 3 * POSITIONS;

/// One family's weights.
///
/// In order: a weight for each pair of classes; then by position: lower and upper case letters in a
/// word, digits in a number, spaces, newlines and other signs in a run.
pub(super) struct Weights([i16; LENGTH]);

static CLAUDE_NEW: Weights = Weights::read(include_bytes!("claude-new.bin"));
static CLAUDE_OLD: Weights = Weights::read(include_bytes!("claude-old.bin"));
static O200K: Weights = Weights::read(include_bytes!("o200k.bin"));

/// Returns a family's weights, or those of the one that it is estimated like.
pub(super) fn of(family: Tokenizer) -> &'static Weights {
    match family {
        Tokenizer::ClaudeNew => &CLAUDE_NEW,
        Tokenizer::ClaudeOld => &CLAUDE_OLD,
        Tokenizer::O200k | Tokenizer::Gemini => &O200K,
    }
}

impl Weights {
    /// Little-endian.
    const fn read(bytes: &[u8; 2 * LENGTH]) -> Self {
        let mut weights = [0; LENGTH];
        let mut index = 0;
        while index < LENGTH {
            weights[index] = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            index += 1;
        }
        Self(weights)
    }

    pub(super) fn pair(&self, before: Class, class: Class) -> i32 {
        i32::from(self.0[before.index() * Class::COUNT + class.index()])
    }

    pub(super) fn word(&self, position: usize, is_upper: bool) -> i32 {
        let first = if is_upper { WORDS + POSITIONS } else { WORDS };
        self.at(first, position)
    }

    pub(super) fn number(&self, position: usize) -> i32 {
        self.at(NUMBERS, position)
    }

    /// For a space, a newline or a sign, by its position in a run of the same character.
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
