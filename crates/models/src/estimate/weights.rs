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
/// Letters that are not ASCII have no weights by position.
const NONE: usize = RUNS + 3 * POSITIONS;
const LENGTH: usize = NONE + POSITIONS;

/// One family's weights.
///
/// In order: a weight for each pair of classes; then by position: lower and upper case letters in a
/// word, digits in a number, spaces, newlines and other signs in a run.
pub(super) struct Weights {
    each: [i16; LENGTH],
    /// The most that a byte adds: the largest weight of a pair and the largest by position. What
    /// pieces add to a Chinese character is less, because it has three bytes.
    pub(super) largest: u32,
}

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
    const fn read(bytes: &[u8; 2 * NONE]) -> Self {
        let mut each = [0; LENGTH];
        let (mut pair, mut position) = (0, 0);
        let mut index = 0;
        while index < NONE {
            let weight = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            each[index] = weight;
            let largest = if index < WORDS {
                &mut pair
            } else {
                &mut position
            };
            if weight > *largest {
                *largest = weight;
            }
            index += 1;
        }
        let largest = pair.unsigned_abs() as u32 + position.unsigned_abs() as u32;
        Self { each, largest }
    }

    #[inline]
    pub(super) fn pair(&self, before: Class, class: Class) -> i32 {
        i32::from(self.each[before.index() * Class::COUNT + class.index()])
    }

    /// By a character's position in its word, in its number, or in a run of the same character.
    #[inline]
    pub(super) fn position(&self, class: Class, position: usize) -> i32 {
        let first = usize::from(FIRST[class.index()]);
        i32::from(self.each[first + position.min(POSITIONS - 1)])
    }
}

/// Where the weights by position begin for each class, computed by the compiler.
static FIRST: [u16; Class::COUNT] = {
    let mut first = [0; Class::COUNT];
    let mut index = 0;
    while index < Class::COUNT {
        first[index] = first_of(Class::at(index)) as u16;
        index += 1;
    }
    first
};

const fn first_of(class: Class) -> usize {
    if class.is_lower() {
        WORDS
    } else if class.is_upper() {
        WORDS + POSITIONS
    } else if class.is_letter() {
        NONE
    } else if class.index() == Class::DIGIT.index() {
        NUMBERS
    } else if class.index() == Class::SPACE.index() {
        RUNS
    } else if class.index() == Class::NEWLINE.index() {
        RUNS + POSITIONS
    } else {
        RUNS + 2 * POSITIONS
    }
}
