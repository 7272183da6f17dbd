//! What one usage object bills, and what it leaves open.

use serde::Deserializer;

use super::lenient::{self, Lenient};
use super::{Chat, Converse, Gemini, GeminiCli, Messages, OpenCode, Responses, Telemetry, Usage};

/// What a usage object bills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Billed {
    /// The tokens of the request's own model.
    pub usage: Usage,
    /// The first and the last sampling, if the API ran several for the response: `usage` adds them
    /// up.
    pub samplings: Option<[Usage; 2]>,
    /// The models that it consulted with their tokens, which `usage` leaves out.
    pub advisors: Vec<(String, Usage)>,
    /// True if the object has a figure for reads and none for writes: then some of
    /// `usage.uncached` may have been written to the cache.
    pub is_write_missing: bool,
    /// The first figure that is no whole number, as `key: value`. `usage` lacks it.
    pub unread: Option<String>,
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
        let gemini: Gemini = lenient::object(usage)?;
        if gemini.prompt.is_some() {
            return Some(Self::of(&gemini));
        }
        let converse: Converse = lenient::object(usage)?;
        if converse.input.is_some() {
            return Some(Self::of(&converse));
        }
        let messages: Messages = lenient::object(usage)?;
        let chat: Chat = lenient::object(usage)?;
        if chat.prompt.is_some() && messages.input.is_none() {
            let is_write_missing = chat.read().is_some() && chat.written().is_none();
            return Some(Self {
                is_write_missing,
                usage: chat.with_reasoning(),
                ..Self::of(&chat)
            });
        }
        if messages.read.is_some() || messages.written.is_some() || messages.by_lifetime.is_some() {
            return Some((&messages).into());
        }
        let read: Responses = lenient::object(usage)?;
        let has_cache = read.read().is_some() || read.written().is_some();
        let has_own_unread = messages.unread.is_some() && read.unread.is_none();
        if !has_cache && (messages.has_own_members() || has_own_unread && read.input.is_some()) {
            return Some((&messages).into());
        }
        if read.input.is_none() {
            let all = [gemini.unread, converse.unread, chat.unread, read.unread];
            let unread = all.into_iter().flatten().next()?;
            return Some(Self { unread: Some(unread), ..Self::default() });
        }
        let is_write_missing = read.read().is_some() && read.written().is_none();
        Some(Self { is_write_missing, ..Self::of(&read) })
    }

    /// Returns the tokens; `None` if no figure could be read.
    #[must_use]
    pub fn known(&self) -> Option<Usage> {
        (self.unread.is_none() || self.usage.total() > 0).then_some(self.usage)
    }

    fn of<'u, U: Lenient>(usage: &'u U) -> Self
    where
        Usage: From<&'u U>,
    {
        Self { unread: usage.unread().map(str::to_owned), ..Usage::from(usage).into() }
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
        Self {
            samplings: messages.first_and_last(),
            advisors: advisors.collect(),
            ..Self::of(messages)
        }
    }
}

impl From<&GeminiCli> for Billed {
    fn from(usage: &GeminiCli) -> Self {
        Self::of(usage)
    }
}

impl From<&OpenCode> for Billed {
    fn from(usage: &OpenCode) -> Self {
        Self::of(usage)
    }
}

impl From<&Telemetry> for Billed {
    fn from(usage: &Telemetry) -> Self {
        Self::of(usage)
    }
}
