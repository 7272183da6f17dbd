//! What one usage object bills, and what it leaves open.

use serde::Deserializer;

use super::{Chat, Converse, Gemini, Messages, Responses, Usage, lenient};

/// What a usage object bills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Billed {
    /// The tokens of the request's own model.
    pub usage: Usage,
    /// The models that it consulted with their tokens, which `usage` leaves out.
    pub advisors: Vec<(String, Usage)>,
    /// True if the object has a figure for reads and none for writes: then some of
    /// `usage.uncached` may have been written to the cache.
    pub is_write_missing: bool,
}

impl Billed {
    /// Reads a usage object like [`Usage::from_any_vendor`].
    ///
    /// ```
    /// use aside_models::usage::Billed;
    ///
    /// let usage = serde_json::json!({"input_tokens": 9, "cached_input_tokens": 4});
    /// assert!(Billed::from_any_vendor(&usage).is_some_and(|it| it.is_write_missing));
    /// ```
    #[must_use]
    pub fn from_any_vendor<'de, D: Deserializer<'de> + Copy>(usage: D) -> Option<Self> {
        let read: Gemini = lenient::object(usage)?;
        if read.prompt.is_some() {
            return Some(Usage::from(&read).into());
        }
        let read: Converse = lenient::object(usage)?;
        if read.input.is_some() {
            return Some(Usage::from(&read).into());
        }
        let messages: Messages = lenient::object(usage)?;
        let chat: Chat = lenient::object(usage)?;
        if chat.prompt.is_some() && messages.input.is_none() {
            let is_write_missing = chat.read().is_some() && chat.written().is_none();
            return Some(Self { is_write_missing, ..Usage::from(&chat).into() });
        }
        if messages.read.is_some() || messages.written.is_some() || messages.by_lifetime.is_some() {
            return Some((&messages).into());
        }
        let read: Responses = lenient::object(usage)?;
        read.input?;
        let is_write_missing = read.read().is_some() && read.written().is_none();
        Some(Self { is_write_missing, ..Usage::from(&read).into() })
    }
}

impl From<Usage> for Billed {
    fn from(usage: Usage) -> Self {
        Self { usage, ..Self::default() }
    }
}

impl From<&Messages> for Billed {
    fn from(messages: &Messages) -> Self {
        let advisors = messages.advisors().map(|(model, usage)| (model.to_owned(), usage));
        Self { advisors: advisors.collect(), ..Usage::from(messages).into() }
    }
}
