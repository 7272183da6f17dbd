//! A request's conversation: its messages without the system prompt, and the
//! values that tie it to earlier requests.

use std::sync::Arc;

use aside_models::Wire;

use crate::hash;
use crate::path::Level;
use crate::wire::Keys;
use aside_json::scan::{self as json, Kind};

use super::{Body, Inner, Placed, Role};

/// Keys whose values requests in one conversation often share, with their
/// wires. A prefix, a user or a branch can share them too.
const HINTS: [(&[&str], &[Wire]); 3] = [
    (&["prompt_cache_key"], &[Wire::Responses, Wire::ChatCompletions]),
    (&["metadata", "user_id"], &[Wire::Messages]),
    (&["conversation"], &[Wire::Responses]),
];

/// The values of `HINTS` in one request, as hashes.
pub type Hints = [Option<u64>; 3];

impl Body {
    /// Returns how many messages at the start are the system prompt: system and
    /// developer messages in Responses and Chat Completions.
    pub fn leading_system(&self) -> usize {
        if !matches!(self.wire(), Wire::Responses | Wire::ChatCompletions) {
            return 0;
        }
        let messages = self.section(Level::Messages).iter();
        messages.take_while(|it| it.item.role == Role::System).count()
    }

    /// Returns the parts of the system prompt, wherever the wire has them.
    pub fn system(&self) -> impl Iterator<Item = &Placed> {
        let leading = &self.section(Level::Messages)[..self.leading_system()];
        self.section(Level::System).iter().chain(leading)
    }

    /// Returns the messages after the system prompt.
    pub fn conversation(&self) -> &[Placed] {
        &self.section(Level::Messages)[self.leading_system()..]
    }

    /// Returns hashes of the tools and the system prompt.
    pub fn head(&self) -> [u64; 2] {
        let hash = |items: &mut dyn Iterator<Item = &Placed>| {
            items.fold(0, |sum, it| hash::extend(sum, &(it.item.hash, it.item.frame)))
        };
        [hash(&mut self.section(Level::Tools).iter()), hash(&mut self.system())]
    }

    /// Returns the request with only the first messages of its conversation.
    pub fn with_first(&self, messages: usize) -> Self {
        let mut inner = Inner::clone(&self.inner);
        inner.sections[Level::Messages as usize].truncate(self.leading_system() + messages);
        Self { inner: Arc::new(inner) }
    }

    /// Returns true if the model has responded in this conversation before.
    pub fn has_response(&self) -> bool {
        self.conversation().iter().any(|it| it.item.is_from_model())
    }

    /// Returns the id of the response to continue (`previous_response_id`).
    pub fn previous_response(&self) -> Option<String> {
        let id = self.get("previous_response_id")?;
        json::string(self.as_bytes(), &id)
    }

    /// Returns true if the provider keeps earlier messages, so that the body
    /// has only new ones.
    pub fn is_kept_by_provider(&self) -> bool {
        let is_given = |key: &str| self.get(key).is_some();
        self.wire() == Wire::Responses
            && (is_given("previous_response_id") || is_given("conversation"))
    }

    /// Returns the level before which the provider adds what it keeps and the body lacks: earlier
    /// messages, a stored prompt, or the beginning of the prompt as a cache that the body names
    /// (`cachedContent`).
    pub fn kept_before(&self) -> Option<Level> {
        let names_cache = || {
            let keys = ["cachedContent", "cached_content"];
            let mut names = keys.iter().filter_map(|key| self.get(key));
            names.any(|it| json::kind(self.as_bytes(), it.start) == Kind::String)
        };
        let names_prompt = || Keys::of(self.as_bytes(), self.members()).has_template();
        match self.wire() {
            Wire::GenerateContent if names_cache() => Some(Level::Tools),
            Wire::Responses if names_prompt() => Some(Level::System),
            _ => self.is_kept_by_provider().then_some(Level::Messages),
        }
    }

    /// Returns the values that requests in one conversation often share.
    pub fn hints(&self) -> Hints {
        let bytes = self.as_bytes();
        HINTS.map(|(keys, wires)| {
            let (first, rest) = keys.split_first()?;
            let value = self.get(first).filter(|_| wires.contains(&self.wire()))?;
            let mut rest = rest.iter();
            let value = rest.try_fold(value, |value, key| json::get(bytes, value.start, key))?;
            let is_null = json::kind(bytes, value.start) == Kind::Null;
            (!is_null).then(|| hash::of_bytes(&bytes[value]))
        })
    }
}
