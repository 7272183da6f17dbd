//! A text with replaced parts.

use std::borrow::Cow;
use std::ops::Range;

/// A redacted text, which is copied at the first secret.
pub(super) struct Output<'a> {
    pub(super) json: &'a [u8],
    redacted: Option<Vec<u8>>,
    /// How many bytes are copied.
    copied: usize,
}

impl<'a> Output<'a> {
    pub(super) fn new(json: &'a [u8]) -> Self {
        Self { json, redacted: None, copied: 0 }
    }

    /// Replaces a secret that comes after all others.
    pub(super) fn replace(&mut self, secret: Range<usize>, push: impl FnOnce(&[u8], &mut Vec<u8>)) {
        if secret.is_empty() {
            return;
        }
        let json = self.json;
        let redacted = self.redacted.get_or_insert_with(|| Vec::with_capacity(json.len()));
        redacted.extend_from_slice(&json[self.copied..secret.start]);
        push(&json[secret.clone()], redacted);
        self.copied = secret.end;
    }

    pub(super) fn end(self) -> Cow<'a, [u8]> {
        match self.redacted {
            Some(mut redacted) => {
                redacted.extend_from_slice(&self.json[self.copied..]);
                Cow::Owned(redacted)
            }
            None => Cow::Borrowed(self.json),
        }
    }
}
