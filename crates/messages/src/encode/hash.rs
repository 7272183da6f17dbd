//! Hashing a body from the hashes of its parts.

use std::fmt;

/// A hash over a request's bytes, or a part of them.
///
/// It tells bodies apart and is computed piece by piece: the hash of a whole
/// follows from those of its parts, so a part that is sent again is not read
/// again. It is not cryptographic: two bodies with one hash can be made on
/// purpose.
///
/// The value is the polynomial whose coefficients are the bytes plus one, the
/// last byte first, at a fixed base modulo 2^61 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyHash(u64);

/// A hash over some bytes, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    value: u64,
    len: usize,
    /// `BASE` to the power `len`: most hashes are appended several times.
    power: u64,
}

impl Default for Prefix {
    fn default() -> Self {
        Self { value: 0, len: 0, power: 1 }
    }
}

/// Hashes over a text's prefixes, up to the positions where a body can be cut.
#[derive(Clone, Debug)]
pub(super) struct PrefixHashes {
    /// In order of length; the last one covers the whole text.
    known: Vec<Prefix>,
}

/// A Mersenne prime: a remainder needs no division.
const MODULUS: u64 = (1 << 61) - 1;
/// Fixed, because hashes are recorded and compared between runs.
const BASE: u64 = 0x1a3f_52c9_6e8b_70d5;
/// `BASE` to the powers 1, 2, 4, 8, …
const SQUARES: [u64; 64] = squares();
/// For a block of text, and for the words at its end.
const BLOCK: Powers<32> = Powers::new();
const WORD: Powers<8> = Powers::new();

/// What the `N` bytes of a block are multiplied with: `BASE` to the powers `N - 1` to 0. They are
/// in two parts, so that the products of several bytes are computed at once.
struct Powers<const N: usize> {
    /// The lower 31 bits.
    low: [u32; N],
    /// The upper 30 bits.
    high: [u32; N],
    /// The sum of all, because each byte counts as one more.
    sum: u64,
    /// `BASE` to the power `N`, for what comes before the block.
    before: u64,
}

/// Modulo 2^61 - 1; both factors are below it.
const fn product(a: u64, b: u64) -> u64 {
    reduce(a as u128 * b as u128)
}

/// For a number below 2^125.
const fn reduce(wide: u128) -> u64 {
    let folded = (wide as u64 & MODULUS) as u128 + (wide >> 61);
    let mut folded = (folded as u64 & MODULUS) + (folded >> 61) as u64;
    if folded >= MODULUS {
        folded -= MODULUS;
    }
    folded
}

const fn squares() -> [u64; 64] {
    let mut squares = [BASE; 64];
    let mut index = 1;
    while index < 64 {
        squares[index] = product(squares[index - 1], squares[index - 1]);
        index += 1;
    }
    squares
}

impl<const N: usize> Powers<N> {
    const fn new() -> Self {
        let (mut low, mut high) = ([0; N], [0; N]);
        let (mut sum, mut power) = (0, 1);
        let mut index = N;
        while index > 0 {
            index -= 1;
            low[index] = (power & 0x7FFF_FFFF) as u32;
            high[index] = (power >> 31) as u32;
            sum = reduce(sum as u128 + power as u128);
            power = product(power, BASE);
        }
        Self { low, high, sum, before: power }
    }

    /// Continues a hash with whole blocks. Returns it, and the bytes that are left.
    ///
    /// A sum is below 2^123: 2^122 from the value, and `N` products below 2^70.
    fn add<'a>(&self, mut value: u64, bytes: &'a [u8]) -> (u64, &'a [u8]) {
        let (blocks, rest) = bytes.as_chunks::<N>();
        for block in blocks {
            let (mut low, mut high) = (0, 0);
            for (index, byte) in block.iter().enumerate() {
                low += u64::from(*byte) * u64::from(self.low[index]);
                high += u64::from(*byte) * u64::from(self.high[index]);
            }
            let before = u128::from(value) * u128::from(self.before);
            let high = u128::from(high) << 31;
            value = reduce(before + high + u128::from(low) + u128::from(self.sum));
        }
        (value, rest)
    }
}

/// Returns `BASE` to this power, by squaring.
fn power(mut exponent: usize) -> u64 {
    let mut power = 1;
    let mut index = 0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = product(power, SQUARES[index]);
        }
        exponent >>= 1;
        index += 1;
    }
    power
}

impl Prefix {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (value, rest) = BLOCK.add(0, bytes);
        let (mut value, rest) = WORD.add(value, rest);
        for byte in rest {
            value = reduce(u128::from(value) * u128::from(BASE) + u128::from(*byte) + 1);
        }
        Self { value, len: bytes.len(), power: power(bytes.len()) }
    }

    /// Returns the hash over these bytes followed by others.
    pub(super) fn followed_by(self, next: Self) -> Self {
        let moved = u128::from(self.value) * u128::from(next.power);
        Self {
            value: reduce(moved + u128::from(next.value)),
            len: self.len + next.len,
            power: product(self.power, next.power),
        }
    }

    /// Returns the hash over the bytes after `beginning`.
    ///
    /// `beginning` must be the hash over a prefix of the same bytes.
    pub(super) fn without(self, beginning: Self) -> Self {
        if beginning.len == 0 {
            return self;
        }
        let len = self.len - beginning.len;
        let power = power(len);
        let moved = product(beginning.value, power);
        Self { value: reduce(u128::from(self.value) + u128::from(MODULUS - moved)), len, power }
    }
}

impl PrefixHashes {
    /// Hashes the text and its prefixes with these lengths, in order.
    pub(super) fn new(text: &[u8], cuts: impl Iterator<Item = usize>) -> Self {
        let mut known = vec![Prefix::default()];
        let mut hash = Prefix::default();
        for cut in cuts.chain([text.len()]) {
            hash = hash.followed_by(Prefix::of(&text[hash.len..cut]));
            known.push(hash);
        }
        Self { known }
    }

    /// Hashes the first `len` bytes of the same text.
    ///
    /// Reads only the bytes after the nearest known prefix.
    pub(super) fn at(&self, len: usize, text: &[u8]) -> Prefix {
        let after = self.known.partition_point(|hash| hash.len <= len);
        let nearest = self.known[after - 1];
        match len - nearest.len {
            0 => nearest,
            _ => nearest.followed_by(Prefix::of(&text[nearest.len..len])),
        }
    }
}

impl BodyHash {
    /// Hashes a body's bytes.
    ///
    /// ```
    /// use aside_messages::encode::BodyHash;
    ///
    /// assert_eq!(BodyHash::of(b"{}"), BodyHash::of(b"{}"));
    /// assert_ne!(BodyHash::of(b"{}"), BodyHash::of(b"{ }"));
    /// ```
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        Prefix::of(body).into()
    }
}

impl From<Prefix> for BodyHash {
    fn from(whole: Prefix) -> Self {
        Self(whole.value)
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for BodyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_definition() {
        let value = |bytes: &[u8]| {
            let sum = |value, byte: &u8| {
                let wide = u128::from(BASE) * value + u128::from(*byte) + 1;
                wide % u128::from(MODULUS)
            };
            bytes.iter().fold(0, sum)
        };
        let long = "a text of more than two blocks, ".repeat(3) + "and a rest";
        for text in ["", "a", "12345678", &long] {
            let text = text.as_bytes();
            assert_eq!(u128::from(Prefix::of(text).value), value(text));
        }
        assert_eq!(u128::from(Prefix::of(&[0xFF; 75]).value), value(&[0xFF; 75]));
        assert_eq!(BodyHash::of(b"").to_string(), "0000000000000000");
        assert_ne!(BodyHash::of(b"\0"), BodyHash::of(b"\0\0"));
    }

    proptest! {
        #[test]
        fn parts_give_the_hash_of_the_whole(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            cut in 0_usize..200,
            second in 0_usize..200,
        ) {
            let cut = cut.min(bytes.len());
            let second = second.clamp(cut, bytes.len().max(cut));
            let (front, back) = bytes.split_at(cut);
            let whole = Prefix::of(&bytes);
            let (front, back) = (Prefix::of(front), Prefix::of(back));
            prop_assert_eq!(front.followed_by(back), whole);
            prop_assert_eq!(whole.without(front), back);
            let known = PrefixHashes::new(&bytes, [cut].into_iter());
            prop_assert_eq!(known.at(second, &bytes), Prefix::of(&bytes[..second]));
        }
    }
}
