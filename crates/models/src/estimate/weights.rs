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

/// The length of the tables: with a power of two no index is checked.
const ROWS: usize = 128;

/// One family's weights.
pub(super) struct Weights {
    /// For each pair of classes twice the weight, and one more if the second class continues the
    /// first.
    pairs: [[i16; ROWS]; ROWS],
    positions: [[i16; POSITIONS]; Run::COUNT],
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
    /// Reads little-endian numbers: a weight for each pair of classes; then by position for each
    /// run but the last, which has none.
    const fn read(bytes: &[u8; 2 * (PAIRS + (Run::COUNT - 1) * POSITIONS)]) -> Self {
        let mut read = Self {
            pairs: [[0; ROWS]; ROWS],
            positions: [[0; POSITIONS]; Run::COUNT],
            largest: 0,
        };
        let (mut pair, mut position) = (0, 0);
        let mut index = 0;
        while index < bytes.len() / 2 {
            let weight = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            let largest = if index < PAIRS {
                let (before, class) = (index / Class::COUNT, index % Class::COUNT);
                let continues = Class::at(class).continues(Class::at(before));
                read.pairs[before][class] = 2 * weight + continues as i16;
                &mut pair
            } else {
                let index = index - PAIRS;
                read.positions[index / POSITIONS][index % POSITIONS] = weight;
                &mut position
            };
            if weight > *largest {
                *largest = weight;
            }
            index += 1;
        }
        read.largest = pair.unsigned_abs() as u32 + position.unsigned_abs() as u32;
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
        let pair = i64::from(self.pairs[before.index() % ROWS][class.index() % ROWS]);
        let at = usize::from(NEXT[usize::from(pair & 1 == 1 || is_same)][at % (2 * POSITIONS)]);
        let by_position = self.positions[class.run() as usize][at % POSITIONS];
        ((pair >> 1) + i64::from(by_position), at)
    }
}

/// The position after each one, by whether it continues: a table, since words are so short that a
/// branch is often mispredicted.
static NEXT: [[u8; 2 * POSITIONS]; 2] = {
    let mut next = [[0; 2 * POSITIONS]; 2];
    let mut at = 0;
    while at < POSITIONS {
        next[1][at] = if at + 1 < POSITIONS { at + 1 } else { at } as u8;
        at += 1;
    }
    next
};
