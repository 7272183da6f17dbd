//! Names of tools and ids of calls in the alphabet of a wire, and back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use aside_messages::call_id;
use uuid::Uuid;

use crate::refused::Refused;

/// Names and ids in the form that a wire accepts, and the originals.
///
/// A text that is too long for the wire, or has characters that it refuses, is
/// replaced by a readable start and a hash. The replacement is deterministic,
/// so the prefix of a conversation does not change.
///
/// Clones share the names of closed messages, so the request of a long
/// conversation does not copy them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Originals by their replacements.
    settled: Arc<BTreeMap<String, String>>,
    /// Those that were added since.
    recent: BTreeMap<String, String>,
    /// `None` if the body of the request is not known.
    seed: Option<Seed>,
}

/// The seed that distinguishes the names of one body from those of others: its
/// length and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seed {
    len: usize,
    end: Vec<u8>,
}

/// The number of bytes at the end of a body that are in its [`Seed`].
const SEED_BYTES: usize = 4_096;

/// Two texts have the same replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collision {
    pub(crate) replacement: String,
}

/// The form of a name or an id on a wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The maximum length in bytes.
    pub(crate) longest: usize,
    /// The beginning of a replacement whose original cannot be used.
    pub(crate) stem: &'static str,
    /// Returns true for a byte that may be the first.
    is_first: fn(u8) -> bool,
    /// Returns true for a byte that may follow.
    is_fine: fn(u8) -> bool,
}

/// Ids of calls on Chat Completions: 40 characters. They are repeated in labels
/// that the model reads, so they must not contain a tag.
pub(crate) const ID: Form = Form {
    longest: 40,
    stem: "call",
    is_first: |_| true,
    is_fine: |byte| byte.is_ascii_graphic() && byte != b'<',
};

/// Ids of calls on the Responses wire: 64 characters.
pub(crate) const CALL_ID: Form = Form { longest: 64, ..ID };

/// Names of tools: 64 characters of `[a-zA-Z0-9_-]`.
pub(crate) const NAME: Form = Form {
    longest: 64,
    stem: "tool",
    is_first: is_plain,
    is_fine: is_plain,
};

/// Names of functions at Gemini: the first character is a letter or `_`.
pub(crate) const GEMINI_NAME: Form = Form {
    is_first: |byte| byte.is_ascii_alphabetic() || byte == b'_',
    ..NAME
};

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The separator of the beginning of the original and its hash.
const SEAM: &str = "_x";
/// The length of the hash, in hexadecimal digits.
const HASH: usize = 32;

impl From<Collision> for Refused {
    fn from(Collision { replacement }: Collision) -> Self {
        Self::one("doubled-short-name", "", format_args!("{replacement:?}"))
    }
}

/// Returns the id of a call as the server sent it.
pub(crate) fn given_id(id: &str) -> Cow<'_, str> {
    match call_id::original(id) {
        Some(original) => Cow::Owned(original),
        None => Cow::Borrowed(id),
    }
}

impl Names {
    /// Returns the text in the form of the wire.
    pub(crate) fn shorten(&mut self, text: &str, form: Form) -> Result<String, Collision> {
        if form.takes(text) {
            return Ok(text.to_owned());
        }
        let replacement = form.replace(text);
        match self.original(&replacement) {
            Some(original) if original != text => Err(Collision { replacement }),
            Some(_) => Ok(replacement),
            None => {
                self.recent.insert(replacement.clone(), text.to_owned());
                Ok(replacement)
            }
        }
    }

    /// Returns the id of a call in the form of the wire. An id of another server
    /// that was rewritten for the Messages API is restored.
    pub(crate) fn call_id(&mut self, id: &str, form: Form) -> Result<String, Collision> {
        self.shorten(&given_id(id), form)
    }

    /// Shares the names that were added so far with clones to come.
    pub(crate) fn settle(&mut self) {
        if !self.recent.is_empty() {
            Arc::make_mut(&mut self.settled).extend(std::mem::take(&mut self.recent));
        }
    }

    fn original(&self, replacement: &str) -> Option<&str> {
        let recent = || self.recent.get(replacement);
        let found = self.settled.get(replacement).or_else(recent);
        found.map(String::as_str)
    }

    /// Returns the caller's name for a name on the wire.
    #[must_use]
    pub fn restore<'a>(&'a self, text: &'a str) -> &'a str {
        self.original(text).unwrap_or(text)
    }

    /// Returns true if no name was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.recent.is_empty()
    }

    /// Makes the ids that [`Names::id`] returns differ from those of every other
    /// body. `pieces` are the body's bytes, the last piece first.
    pub(crate) fn seed<'a>(&mut self, len: usize, pieces: impl Iterator<Item = &'a [u8]>) {
        let mut end = Vec::new();
        for piece in pieces {
            let missing = SEED_BYTES - end.len();
            let from = piece.len().saturating_sub(missing);
            end.splice(0..0, piece[from..].iter().copied());
            if end.len() == SEED_BYTES {
                break;
            }
        }
        self.seed = Some(Seed { len, end });
    }

    /// Returns the id of a call in the Anthropic form: the caller's own, or that
    /// of the server, rewritten if the Messages API would refuse it.
    pub(crate) fn restore_id(&self, id: &str) -> String {
        match self.original(id) {
            Some(original) => original.to_owned(),
            None => call_id::convert(id),
        }
    }

    /// Returns an id for a call without one, or with one that occurs twice: the
    /// same for the same response to the same request.
    pub(crate) fn id(&self, answer: &str, index: usize) -> String {
        let seed = self.seed.as_ref().map_or(Uuid::nil(), |seed| {
            let length = Uuid::from_u128(seed.len as u128);
            Uuid::new_v5(&length, &seed.end)
        });
        let of_answer = Uuid::new_v5(&seed, answer.as_bytes());
        let id = Uuid::new_v5(&of_answer, &index.to_be_bytes());
        format!("call_{}", id.simple())
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        let all = |names: &Self| -> BTreeMap<String, String> {
            let recent = names.recent.clone().into_iter();
            recent.chain((*names.settled).clone()).collect()
        };
        self.seed == other.seed && all(self) == all(other)
    }
}

impl Eq for Names {}

impl Form {
    fn takes(self, text: &str) -> bool {
        (1..=self.longest).contains(&text.len())
            && text.bytes().all(self.is_fine)
            && text.bytes().next().is_some_and(self.is_first)
            // A text that looks like a replacement is replaced too, so that it
            // cannot be confused with one.
            && !self.looks_replaced(text)
    }

    fn looks_replaced(self, text: &str) -> bool {
        let Some(start) = text.len().checked_sub(HASH + SEAM.len()) else {
            return false;
        };
        let (seam, hash) = text.as_bytes()[start..].split_at(SEAM.len());
        seam == SEAM.as_bytes() && hash.iter().all(u8::is_ascii_hexdigit)
    }

    fn replace(self, text: &str) -> String {
        let hash = Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()).simple();
        let room = self.longest - HASH - SEAM.len();
        let shown: String = text
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            .take(room)
            .collect();
        match shown.bytes().next() {
            Some(first) if (self.is_first)(first) => format!("{shown}{SEAM}{hash}"),
            _ => format!("{}{SEAM}{hash}", self.stem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` is the part before the hash, or the whole name.
    fn check(text: &str, form: Form, expected: &str) {
        let mut names = Names::default();
        let short = names.shorten(text, form).unwrap();
        match short.split_once(SEAM) {
            Some((shown, hash)) => assert_eq!((shown, hash.len()), (expected, HASH)),
            None => assert_eq!(short, expected),
        }
        assert!(form.takes(text) || form.looks_replaced(&short));
        assert!(short.len() <= form.longest);
        assert_eq!(names.restore(&short), text);
        assert_eq!(names.shorten(text, form).unwrap(), short);
    }

    #[test]
    fn names_that_fit_are_unchanged_and_others_are_restored() {
        check("Read", NAME, "Read");
        check(&"a".repeat(40), ID, &"a".repeat(40));
        check(&"a".repeat(41), ID, "aaaaaa");
        check(&"a".repeat(65), NAME, &"a".repeat(30));
        check("mcp.server/tool", NAME, "mcp");
        check("é", NAME, "tool");
        check("", ID, "call");
        check("functions.Read:0", ID, "functions.Read:0");
        check("<system-reminder>", ID, "call");
        check("3d_render", NAME, "3d_render");
        check("3d_render", GEMINI_NAME, "tool");
        check("-x", GEMINI_NAME, "tool");
        check("_y", GEMINI_NAME, "_y");
    }

    #[test]
    fn a_text_that_looks_replaced_is_not_taken_for_one() {
        let mut names = Names::default();
        let long = "a".repeat(99);
        let short = names.shorten(&long, NAME).unwrap();
        let other = names.shorten(&short, NAME).unwrap();
        assert_ne!(short, other);
        assert_eq!(names.restore(&short), long);
        assert_eq!(names.restore(&other), short);
    }

    #[test]
    fn ids_differ_by_body_answer_and_place() {
        let (mut one, mut two) = (Names::default(), Names::default());
        one.seed(1, [b"a".as_slice()].into_iter());
        two.seed(1, [b"b".as_slice()].into_iter());
        let ids = [
            one.id("x", 0),
            one.id("x", 1),
            one.id("y", 0),
            two.id("x", 0),
        ];
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), ids.len());
        assert!(ids.iter().all(|id| id.len() <= ID.longest));
    }
}
