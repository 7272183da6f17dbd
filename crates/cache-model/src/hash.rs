//! Hashes of prefixes. They are stable within a version of the crate, and no
//! part of any output.
//!
//! 64 bits suffice: a log of a million prefixes has a collision with a
//! probability of about 3 in 100 million.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of bytes that arrive in parts.
pub(crate) struct ByteHash(DefaultHasher);

impl ByteHash {
    pub(crate) fn new() -> Self {
        Self(DefaultHasher::new())
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(crate) fn end(self) -> u64 {
        self.0.finish()
    }
}

/// Returns the hash of some bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = ByteHash::new();
    hash.add(bytes);
    hash.end()
}

/// Returns the hash of a prefix that is longer by one part.
pub(crate) fn extend<T: Hash + ?Sized>(prefix: u64, part: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    prefix.hash(&mut hasher);
    part.hash(&mut hasher);
    hasher.finish()
}
