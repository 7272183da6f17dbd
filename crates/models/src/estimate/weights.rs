//! Each family's weights, in thousandths of a token. `docs/tokens.md` describes how they are
//! fitted.

use super::class::{Class, Run};
use crate::tokenizer::Tokenizer;

/// How many positions in a word, a number or a run have their own weights. Later ones count as the
/// last.
const POSITIONS: usize = 16;

/// The position before a text, whose first character is at position 0 whatever its class.
pub(super) const START: usize = POSITIONS;

const PAIRS: usize = Class::COUNT * Class::COUNT;

/// A row's length in the tables, all of whose lengths are powers of two: no index is checked.
const ROWS: usize = 128;

/// One family's weights.
pub(super) struct Weights {
    /// For each pair of classes twice the weight, and one more if the second class continues the
    /// first.
    pairs: [i16; ROWS * ROWS],
    /// The weight of each class by its position.
    positions: [i16; ROWS * POSITIONS],
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
    /// Reads little-endian numbers: a weight for each pair of classes; then by position for each
    /// run but the last, which has none.
    const fn read(bytes: &[u8; 2 * (PAIRS + (Run::COUNT - 1) * POSITIONS)]) -> Self {
        let mut read = Self { pairs: [0; ROWS * ROWS], positions: [0; ROWS * POSITIONS] };
        let mut index = 0;
        while index < bytes.len() / 2 {
            let weight = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            if index < PAIRS {
                let (before, class) = (index / Class::COUNT, index % Class::COUNT);
                let continues = Class::at(class).continues(Class::at(before));
                read.pairs[before * ROWS + class] = 2 * weight + continues as i16;
            } else {
                let index = index - PAIRS;
                let mut class = 0;
                while class < Class::COUNT {
                    if Class::at(class).run() as usize == index / POSITIONS {
                        read.positions[class * POSITIONS + index % POSITIONS] = weight;
                    }
                    class += 1;
                }
            }
            index += 1;
        }
        read
    }

    /// Returns what a class adds after another one, at this position of a word, a number or a run,
    /// and its own position.
    #[inline(always)]
    pub(super) fn after(
        &self,
        (before, at): (Class, usize),
        class: Class,
        is_same: bool,
    ) -> (i64, usize) {
        let pair = before.index() * ROWS + class.index();
        let pair = i64::from(self.pairs[pair % self.pairs.len()]);
        let continues = usize::from(pair & 1 == 1 || is_same);
        let at = usize::from(NEXT[(continues * 2 * POSITIONS + at) % NEXT.len()]);
        let by_position = self.positions[(class.index() * POSITIONS + at) % self.positions.len()];
        ((pair >> 1) + i64::from(by_position), at)
    }
}

/// The position after each one, in the second half if it continues: a table, since words are so
/// short that a branch is often mispredicted.
static NEXT: [u8; 4 * POSITIONS] = {
    let mut next = [0; 4 * POSITIONS];
    let mut at = 0;
    while at < POSITIONS {
        next[2 * POSITIONS + at] = if at + 1 < POSITIONS { at + 1 } else { at } as u8;
        at += 1;
    }
    next
};
