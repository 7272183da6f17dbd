use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// About how many tokens a text is.
///
/// The tokenizer of Claude is not public; the exact figure comes from the
/// API's `count_tokens`. Estimates add up exactly: that of a whole is the sum
/// of those of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenEstimate {
    thousandths: u64,
}

impl TokenEstimate {
    /// Nothing.
    pub const ZERO: Self = Self { thousandths: 0 };

    /// What is known to be so many tokens.
    #[must_use]
    pub const fn of_tokens(tokens: u64) -> Self {
        Self {
            thousandths: tokens.saturating_mul(1000),
        }
    }

    /// The number of tokens, rounded up.
    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.thousandths.div_ceil(1000)
    }
}

/// About how many tokens the text is: a fixed share for every character, by
/// its class. One pass, no allocation.
///
/// | text | comes to | error to expect |
/// |---|---|---|
/// | English prose | 3.4 to 3.8 characters a token | 15 % either way |
/// | code, JSON, Markdown | 2.6 to 3.3 characters a token | 30 % either way |
/// | other scripts | about a token for each Chinese character, half of one for each Cyrillic letter | 40 % either way |
/// | base64, hashes, minified code | 3 characters a token | up to half too low |
///
/// The shares are set by the figure in Anthropic's documentation, 3.5
/// characters of English a token, and by the usual density of code; the errors
/// are what to expect around those figures, not measurements with the
/// tokenizer. Models from Claude Opus 4.7 on have another one, which by the
/// same documentation makes up to 1.35 times as many tokens of the same text:
/// that comes on top.
///
/// ```
/// use aside_messages::estimate_tokens;
///
/// let prose = "The build reads its settings from one file, and nothing else.";
/// assert_eq!(estimate_tokens(prose).to_string(), "~18");
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> TokenEstimate {
    // A line of text is far shorter than what overflows: 2^64 / 2,000 bytes.
    let thousandths = text
        .bytes()
        .map(|byte| u64::from(SHARES[usize::from(byte)]));
    TokenEstimate {
        thousandths: thousandths.sum(),
    }
}

/// The share of each byte, in thousandths of a token. Of a character outside
/// ASCII the first byte bears it all.
const SHARES: [u16; 256] = {
    let mut shares = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        shares[byte] = share(byte as u8);
        byte += 1;
    }
    shares
};

const fn share(byte: u8) -> u16 {
    match byte {
        // Words of four letters and more are mostly one token.
        b'a'..=b'z' | b'A'..=b'Z' => 290,
        // Up to three digits a token.
        b'0'..=b'9' => 450,
        // The space before a word belongs to its token; indentation is one.
        b' ' => 170,
        b'\n' | b'\r' | b'\t' => 450,
        // What follows a lead byte of UTF-8.
        0x80..=0xBF => 0,
        // Two bytes: Latin with accents, Greek, Cyrillic, Hebrew, Arabic.
        0xC0..=0xDF => 500,
        // Three: Chinese, Japanese, Korean, most signs.
        0xE0..=0xEF => 1050,
        // Four: emoji.
        0xF0..=0xFF => 2000,
        // Punctuation, which code has in pairs that are one token.
        _ => 720,
    }
}

impl Add for TokenEstimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            thousandths: self.thousandths.saturating_add(other.thousandths),
        }
    }
}

impl AddAssign for TokenEstimate {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenEstimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::ZERO, Add::add)
    }
}

/// With a tilde, since it is no count: `~1234`.
impl fmt::Display for TokenEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "~{}", self.tokens())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Characters a token, in tenths, must lie in the range.
    fn check(text: &str, tenths: std::ops::RangeInclusive<u64>) {
        let found = text.chars().count() as u64 * 10 / estimate_tokens(text).tokens();
        assert!(tenths.contains(&found), "{found} tenths of a character");
    }

    #[test]
    fn prose_and_code_have_the_documented_density() {
        check(
            "A prompt cache shares a prefix only as far as two requests are the same, so \
             whatever differs between sessions belongs behind everything that they share. \
             The order of a request is therefore the first thing to decide.",
            34..=38,
        );
        check(include_str!("../README.md"), 26..=33);
        check(include_str!("estimate.rs"), 26..=33);
        check(include_str!("lib.rs"), 26..=33);
        check(
            r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#,
            20..=33,
        );
        check("提示缓存只共享两个请求相同的部分", 9..=10);
        check("Кэш хранит начало запроса", 20..=25);
    }

    #[test]
    fn an_empty_text_is_no_token() {
        assert_eq!(estimate_tokens(""), TokenEstimate::ZERO);
        assert_eq!(estimate_tokens("a").tokens(), 1);
        assert_eq!(TokenEstimate::of_tokens(7).tokens(), 7);
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_whole(parts in proptest::collection::vec(any::<String>(), 0..8)) {
            let sum: TokenEstimate = parts.iter().map(|part| estimate_tokens(part)).sum();
            prop_assert_eq!(sum, estimate_tokens(&parts.concat()));
        }
    }
}
