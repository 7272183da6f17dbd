//! Hashes of prefixes. They are stable within a version of the crate, and no
//! part of any output.
//!
//! 64 bits suffice: a log of a million prefixes has a collision with a
//! probability of about 3 in 100 million.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of bytes that arrive in parts.
#[derive(Debug, Default)]
pub struct ByteHash(DefaultHasher);

impl ByteHash {
    /// Adds bytes. Equal bytes in other pieces have an equal hash.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the hash.
    pub fn end(self) -> u64 {
        self.0.finish()
    }
}

/// Returns the hash of some bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = ByteHash::default();
    hash.add(bytes);
    hash.end()
}

/// Returns the hash of a prefix that is longer by one part.
pub fn extend<T: Hash + ?Sized>(prefix: u64, part: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    prefix.hash(&mut hasher);
    part.hash(&mut hasher);
    hasher.finish()
}
