use std::collections::BTreeMap;

use uuid::Uuid;

/// Names and ids as a wire takes them, and the way back.
///
/// What is too long for the wire, or has characters that it refuses, is
/// replaced by a readable beginning and a hash. The same text always gets the
/// same replacement, so the prefix of a conversation does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    originals: BTreeMap<String, String>,
    seed: Uuid,
}

/// Two texts have the same replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collision {
    pub(crate) replacement: String,
}

/// What a wire takes as a name or an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The longest, in bytes.
    pub(crate) longest: usize,
    /// What a replacement begins with where the original cannot be shown.
    pub(crate) stem: &'static str,
    /// What it may be made of.
    is_fine: fn(u8) -> bool,
}

/// Ids of calls: OpenAI takes 40 characters. They are repeated in labels that
/// the model reads, and so can hold no tag.
pub(crate) const ID: Form = Form {
    longest: 40,
    stem: "call",
    is_fine: |byte| byte.is_ascii_graphic() && byte != b'<',
};

/// Names of tools: 64 characters of `[a-zA-Z0-9_-]`.
pub(crate) const NAME: Form = Form {
    longest: 64,
    stem: "tool",
    is_fine: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
};

/// Between the beginning of the original and its hash.
const SEAM: &str = "_x";
const HASH: usize = 32;

impl From<Collision> for crate::Refused {
    fn from(Collision { replacement }: Collision) -> Self {
        Self::one("doubled-short-name", "", format_args!("{replacement:?}"))
    }
}

impl Names {
    /// The text as the wire takes it.
    pub(crate) fn shorten(&mut self, text: &str, form: Form) -> Result<String, Collision> {
        if form.takes(text) {
            return Ok(text.to_owned());
        }
        let replacement = form.replace(text);
        match self.originals.get(&replacement) {
            Some(original) if original != text => Err(Collision { replacement }),
            Some(_) => Ok(replacement),
            None => {
                self.originals.insert(replacement.clone(), text.to_owned());
                Ok(replacement)
            }
        }
    }

    /// What the caller called it.
    #[must_use]
    pub fn restore<'a>(&'a self, text: &'a str) -> &'a str {
        self.originals.get(text).map_or(text, String::as_str)
    }

    /// Whether nothing had to be replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.originals.is_empty()
    }

    /// Makes the ids that [`Names::id`] gives differ from those of every other
    /// body.
    pub(crate) fn seed(&mut self, body: &[u8]) {
        // The end of a body is what its predecessors do not have.
        let tail = &body[body.len().saturating_sub(4_096)..];
        let length = Uuid::from_u128(body.len() as u128);
        self.seed = Uuid::new_v5(&length, tail);
    }

    /// An id for a call to which the provider gave none, or gave one twice:
    /// the same for the same answer to the same request.
    pub(crate) fn id(&self, answer: &str, index: usize) -> String {
        let of_answer = Uuid::new_v5(&self.seed, answer.as_bytes());
        let id = Uuid::new_v5(&of_answer, &index.to_be_bytes());
        format!("call_{}", id.simple())
    }
}

impl Form {
    fn takes(self, text: &str) -> bool {
        (1..=self.longest).contains(&text.len())
            && text.bytes().all(self.is_fine)
            // What looks like a replacement is replaced too, so that a text
            // can never be taken for another one's.
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
        let shown = if shown.is_empty() { self.stem } else { &shown };
        format!("{shown}{SEAM}{hash}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` is what stands before the hash, or the whole.
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
    fn what_fits_stays_and_the_rest_comes_back() {
        check("Read", NAME, "Read");
        check(&"a".repeat(40), ID, &"a".repeat(40));
        check(&"a".repeat(41), ID, "aaaaaa");
        check(&"a".repeat(65), NAME, &"a".repeat(30));
        check("mcp.server/tool", NAME, "mcp");
        check("é", NAME, "tool");
        check("", ID, "call");
        check("functions.Read:0", ID, "functions.Read:0");
        check("<system-reminder>", ID, "call");
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
        one.seed(b"a");
        two.seed(b"b");
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
