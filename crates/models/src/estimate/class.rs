//! Character classes. A weight is fitted for each pair of classes, so there are few, and characters
//! that tokenizers treat alike share one.
//!
//! Class numbers are indices into the files of weights: a change in this file needs new weights.

/// A character's class: each ASCII letter and sign has its own, other characters share one with
/// their script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    pub(super) const COUNT: usize = 113;

    const OTHER: Self = Self(0);
    const CONTROL: Self = Self(1);
    /// `!`, the first ASCII sign or letter.
    const FIRST_SIGN: u8 = 2;
    pub(super) const DIGIT: Self = Self(86);
    pub(super) const SPACE: Self = Self(87);
    pub(super) const NEWLINE: Self = Self(88);
    const TAB: Self = Self(89);
    const LATIN: Self = Self(90);
    const LATIN_SIGN: Self = Self(91);
    const COMBINING: Self = Self(92);
    const GREEK: Self = Self(93);
    const CYRILLIC_UPPER: Self = Self(94);
    const CYRILLIC: Self = Self(95);
    const HEBREW: Self = Self(96);
    const ARABIC: Self = Self(97);
    const INDIC: Self = Self(98);
    const THAI: Self = Self(99);
    const OTHER_SCRIPT: Self = Self(100);
    const JAMO: Self = Self(101);
    const HANGUL: Self = Self(102);
    const HIRAGANA: Self = Self(103);
    const KATAKANA: Self = Self(104);
    pub(super) const HAN: Self = Self(105);
    const RARE_HAN: Self = Self(106);
    const CJK_SIGN: Self = Self(107);
    const QUOTE: Self = Self(108);
    const BOX: Self = Self(109);
    const BLOCK: Self = Self(110);
    const SIGN: Self = Self(111);
    const EMOJI: Self = Self(112);
    const LOWER_A: Self = Self::of_byte(b'a');
    const LOWER_Z: Self = Self::of_byte(b'z');
    const UPPER_A: Self = Self::of_byte(b'A');
    const UPPER_Z: Self = Self::of_byte(b'Z');

    pub(super) fn of(character: char) -> Self {
        let byte = u8::try_from(character).ok();
        let ascii = byte.and_then(Self::of_ascii);
        ascii.unwrap_or_else(|| Self::of_code(u32::from(character)))
    }

    /// Returns the class of a letter, a digit, a sign or white space of ASCII.
    #[inline(always)]
    pub(super) fn of_ascii(byte: u8) -> Option<Self> {
        let class = BYTES[usize::from(byte)];
        (class != Self::CONTROL).then_some(class)
    }

    /// Digits share one class; the signs and letters around them are numbered without a gap.
    const fn of_byte(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::DIGIT,
            b' ' => Self::SPACE,
            b'\n' => Self::NEWLINE,
            b'\t' => Self::TAB,
            b'!'..=b'/' => Self(Self::FIRST_SIGN + byte - b'!'),
            b':'..=b'~' => Self(Self::FIRST_SIGN + byte - b'!' - 10),
            _ => Self::CONTROL,
        }
    }

    /// Goes by ranges of Unicode blocks. The order of the arms matters: some ranges overlap.
    const fn of_code(code: u32) -> Self {
        match code {
            0..=0x1F | 0x7F..=0x9F => Self::CONTROL,
            0xAA | 0xBA => Self::LATIN,
            0xA0..=0xBF | 0xD7 | 0xF7 => Self::LATIN_SIGN,
            0xC0..=0x24F | 0x1E00..=0x1EFF => Self::LATIN,
            0x300..=0x36F | 0xFE00..=0xFE0F | 0x200B..=0x200F => Self::COMBINING,
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::GREEK,
            0x400..=0x42F => Self::CYRILLIC_UPPER,
            0x430..=0x52F => Self::CYRILLIC,
            0x590..=0x5FF => Self::HEBREW,
            0x600..=0x6FF | 0x750..=0x77F | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Self::ARABIC,
            0x900..=0xDFF => Self::INDIC,
            0xE00..=0xEFF => Self::THAI,
            0x1100..=0x11FF | 0x3130..=0x318F => Self::JAMO,
            0x530..=0x58F | 0x700..=0x74F | 0x780..=0x8FF | 0xF00..=0x10FF | 0x1200..=0x1DFF => {
                Self::OTHER_SCRIPT
            }
            0xAC00..=0xD7AF => Self::HANGUL,
            0x3040..=0x309F => Self::HIRAGANA,
            0x30A0..=0x30FF | 0xFF66..=0xFF9F => Self::KATAKANA,
            0x4E00..=0x9FFF => Self::HAN,
            0x3400..=0x4DBF | 0xF900..=0xFAFF | 0x20000..=0x323AF => Self::RARE_HAN,
            0x3000..=0x303F | 0xFF00..=0xFF65 | 0xFFE0..=0xFFEF | 0x3200..=0x33FF => Self::CJK_SIGN,
            0x2010..=0x2027 | 0x2030..=0x205E => Self::QUOTE,
            0x2500..=0x257F => Self::BOX,
            0x2580..=0x25FF => Self::BLOCK,
            0x2070..=0x24FF | 0x2600..=0x2BFF => Self::SIGN,
            0x1F000..=0x1FAFF => Self::EMOJI,
            _ => Self::OTHER,
        }
    }

    pub(super) const fn at(index: usize) -> Self {
        Self(index as u8)
    }

    /// Returns the row and column in the table of pairs.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns true for `a` to `z`.
    pub(super) const fn is_lower(self) -> bool {
        Self::LOWER_A.0 <= self.0 && self.0 <= Self::LOWER_Z.0
    }

    /// Returns true for `A` to `Z`.
    pub(super) const fn is_upper(self) -> bool {
        Self::UPPER_A.0 <= self.0 && self.0 <= Self::UPPER_Z.0
    }

    /// Returns true for letters in every script.
    pub(super) const fn is_letter(self) -> bool {
        self.is_lower()
            || self.is_upper()
            || self.0 == Self::LATIN.0
            || (Self::GREEK.0 <= self.0 && self.0 <= Self::OTHER_SCRIPT.0)
            || (Self::HANGUL.0 <= self.0 && self.0 <= Self::RARE_HAN.0)
    }

    /// Returns true if a character goes on with the word, the number or the run that the one before
    /// is in, as far as their classes tell: those that are no ASCII have several characters. A word
    /// ends where its case changes from lower to upper: `fooBar` is two words.
    pub(super) const fn continues(self, before: Self) -> bool {
        if self.is_letter() {
            before.is_letter() && !(self.is_upper() && before.is_lower())
        } else {
            self.0 == before.0 && Self::FIRST_SIGN <= self.0 && self.0 <= Self::TAB.0
        }
    }

    /// Returns what a character is in the middle of.
    pub(super) const fn run(self) -> Run {
        if self.is_lower() {
            Run::Lower
        } else if self.is_upper() {
            Run::Upper
        } else if self.is_letter() {
            Run::Wide
        } else if self.0 == Self::DIGIT.0 {
            Run::Digits
        } else if self.0 == Self::SPACE.0 {
            Run::Spaces
        } else if self.0 == Self::NEWLINE.0 {
            Run::Newlines
        } else {
            Run::Signs
        }
    }
}

/// What has weights by position, in the order of the files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Letters of a word, by their case.
    Lower,
    Upper,
    Digits,
    Spaces,
    Newlines,
    /// The same sign.
    Signs,
    /// Letters that are no ASCII, which have none.
    Wide,
}

impl Run {
    pub(super) const COUNT: usize = Self::Wide as usize + 1;
}

/// Control characters, and bytes that are no character, have no class of their own. Computed by the
/// compiler: the estimate asks for every character.
static BYTES: [Class; 256] = {
    let mut classes = [Class::CONTROL; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = Class::of_byte(byte as u8);
        byte += 1;
    }
    classes
};
