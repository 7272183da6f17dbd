//! Tool names and call ids on a wire that restricts them, and the way back.
//!
//! ```text
//! mcp.server/tool   →  mcp_x7c9e…   (a name: the readable start, `_x`, 32 hexadecimal digits)
//! functions.Bash:0  →  unchanged    (these characters may be in an id of a call)
//! ```

mod form;
mod keys;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aside_messages::call_id;
use uuid::Uuid;

use aside_rules::table;

use crate::refused::RefusedError;

pub(crate) use self::keys::KeyNames;

pub(crate) use self::form::{CALL_ID, Form, GEMINI_NAME, ID, NAME};

/// Names and ids in the form that a wire accepts, and the originals.
///
/// If a text is too long for the wire, or has characters that it refuses, it is replaced by a
/// readable start and a hash. The same text always gets the same replacement, so your prefix does
/// not change.
///
/// Clones share the names in closed messages, so a request with a long conversation does not copy
/// them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Originals by their replacements, shared with earlier requests' clones.
    settled: Arc<BTreeMap<String, String>>,
    /// Those added since. They move to `settled` when the messages that have them are closed.
    recent: BTreeMap<String, String>,
    /// Property keys that were replaced in schemas.
    keys: Arc<KeyNames>,
    /// `None` if the request's body is not known.
    seed: Option<Seed>,
}

/// Distinguishes one body's ids from those of others, by its length and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seed {
    /// In bytes.
    len: usize,
    /// The last [`SEED_BYTES`] bytes, or all of a shorter body.
    end: Vec<u8>,
}

/// How many bytes from a body's end go into its [`Seed`].
const SEED_BYTES: usize = 4_096;

/// Begins the id of a call that has none in the body that was read.
pub(crate) const NO_ID: &str = "call_without_id_";

/// Returns a call's id as the server sent it.
///
/// The import rewrites ids that the Messages API refuses; this is the way back.
pub(crate) fn given_id(id: &str) -> Cow<'_, str> {
    match call_id::original(id) {
        Some(original) => Cow::Owned(original),
        None => Cow::Borrowed(id),
    }
}

impl Names {
    /// Returns the text in the wire's form. The same text always has the same replacement.
    ///
    /// # Errors
    /// When another text has this replacement already, so that a call to this name could mean
    /// either. By chance this takes two equal 122-bit hashes.
    pub(crate) fn shorten(&mut self, text: &str, form: Form) -> Result<String, RefusedError> {
        if form.takes(text) {
            return Ok(text.to_owned());
        }
        let replacement = form.replace(text);
        match self.original(&replacement) {
            Some(original) if original != text => {
                let found = format!("{replacement:?}");
                Err(RefusedError::one(&table::DOUBLED_SHORT_NAME, "", found))
            }
            Some(_) => Ok(replacement),
            None => {
                self.recent.insert(replacement.clone(), text.to_owned());
                Ok(replacement)
            }
        }
    }

    /// Returns a call's id in the wire's form. If another server's id was rewritten for the
    /// Messages API, this restores it.
    pub(crate) fn call_id(&mut self, id: &str, form: Form) -> Result<String, RefusedError> {
        self.shorten(&given_id(id), form)
    }

    /// Shares the names added so far with clones to come.
    pub(crate) fn settle(&mut self) {
        if !self.recent.is_empty() {
            Arc::make_mut(&mut self.settled).extend(std::mem::take(&mut self.recent));
        }
    }

    /// Returns what was replaced; `None` if this is not a replacement.
    fn original(&self, replacement: &str) -> Option<&str> {
        let recent = || self.recent.get(replacement);
        let found = self.settled.get(replacement).or_else(recent);
        found.map(String::as_str)
    }

    /// Returns your name for a name on the wire. If it was not replaced, it stays the same.
    #[must_use]
    pub fn restore<'a>(&'a self, text: &'a str) -> &'a str {
        self.original(text).unwrap_or(text)
    }

    /// Returns what stands for your names on the wire. Others are sent as they are.
    ///
    /// Linear in the number of replaced names.
    #[must_use]
    pub fn replacements(&self) -> HashMap<&str, &str> {
        let all = self.settled.iter().chain(&self.recent);
        all.map(|(replacement, original)| (&**original, &**replacement)).collect()
    }

    /// Returns true if no name was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.recent.is_empty() && self.keys.is_empty()
    }

    /// Returns the replaced keys in tool inputs.
    pub(crate) fn keys(&self) -> &Arc<KeyNames> {
        &self.keys
    }

    pub(crate) fn set_keys(&mut self, keys: Arc<KeyNames>) {
        self.keys = keys;
    }

    /// Makes the ids that [`Names::id`] returns differ from those for every other body. `pieces`
    /// are the body's bytes, the last piece first.
    pub(crate) fn seed<'a>(&mut self, len: usize, pieces: impl Iterator<Item = &'a [u8]>) {
        let mut missing = SEED_BYTES;
        let pieces = pieces.filter(|it| !it.is_empty());
        let ends = pieces.map_while(|piece| {
            let end = &piece[piece.len().saturating_sub(missing)..];
            missing -= end.len();
            (!end.is_empty()).then_some(end)
        });
        let mut ends: Vec<_> = ends.collect();
        ends.reverse();
        let end = ends.concat();
        self.seed = Some(Seed { len, end });
    }

    /// Returns a call's id in the Anthropic form: the caller's own, or the server's, rewritten if
    /// the Messages API would refuse it.
    pub(crate) fn restore_id(&self, id: &str) -> String {
        match self.original(id) {
            Some(original) => original.to_owned(),
            None => call_id::convert(id),
        }
    }

    /// Returns an id when a call has none, or one that occurs twice: always the same for the same
    /// response to the same request.
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
        self.seed == other.seed && self.keys == other.keys && all(self) == all(other)
    }
}

impl Eq for Names {}

#[cfg(test)]
mod tests;
