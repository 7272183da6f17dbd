//! Prefix hashes. They are stable within one version of this crate, and appear
//! in no output.
//!
//! 64 bits are enough: in a log with a million prefixes, the chance of a
//! collision is about 3 in 100 million.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes bytes that arrive in parts.
#[derive(Debug, Default)]
pub struct ByteHash(DefaultHasher);

impl ByteHash {
    /// Adds bytes. How they are cut does not change the hash.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the hash.
    pub fn end(self) -> u64 {
        self.0.finish()
    }
}

/// Hashes some bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = ByteHash::default();
    hash.add(bytes);
    hash.end()
}

/// Hashes a prefix that is one part longer.
pub fn extend<T: Hash + ?Sized>(prefix: u64, part: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    prefix.hash(&mut hasher);
    part.hash(&mut hasher);
    hasher.finish()
}
