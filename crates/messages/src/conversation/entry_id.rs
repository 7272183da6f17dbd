use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An [`Entry`](super::Entry)'s id.
///
/// In a file, it is a UUID in lower case with hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub(super) Uuid);

impl EntryId {
    /// Returns six base-36 characters by which the model can name the entry.
    ///
    /// The tag is the UUID modulo 36^6, last digit first. Two entries can have
    /// the same tag.
    #[must_use]
    pub fn tag(&self) -> String {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let mut rest = self.0.as_u128();
        let mut tag = String::with_capacity(6);
        for _ in 0..6 {
            tag.push(char::from(DIGITS[(rest % 36) as usize]));
            rest /= 36;
        }
        tag
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
