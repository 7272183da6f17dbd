//! The chunks as a server writes them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::provider_spec::ChatDialect;
use crate::read::Text;
use crate::stream_error::StreamError;
use crate::usage::Usage;

#[derive(Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) model: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    pub(super) usage: Option<Tokens>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Message<'a>>,
    /// In a whole response.
    #[serde(borrow, default)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<Text<'a>>,
    /// The name of the field on some servers.
    #[serde(borrow, default)]
    pub(super) reasoning: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) content: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) prompt_tokens: Option<u64>,
    #[serde(default)]
    pub(super) completion_tokens: Option<u64>,
    #[serde(default)]
    pub(super) total_tokens: Option<u64>,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<PromptTokens>,
}

#[derive(Default, Deserialize)]
pub(super) struct PromptTokens {
    #[serde(default)]
    pub(super) cached_tokens: Option<u64>,
    #[serde(default)]
    pub(super) cache_write_tokens: Option<u64>,
}

/// The arguments are a string of JSON; some servers write the JSON itself.
pub(super) fn arguments_text(raw: &RawValue) -> Result<Cow<'_, str>, StreamError> {
    match raw.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str::<Text<'_>>(raw.get())
            .map(|Text(text)| text)
            .map_err(|error| StreamError::json(&error, raw.get())),
        Some(b'{') => Ok(Cow::Borrowed(raw.get())),
        _ => Ok(Cow::Borrowed("")),
    }
}

impl Tokens {
    /// Returns the usage. The prompt includes tokens read from the cache and
    /// written to it.
    pub(super) fn usage(&self, dialect: ChatDialect) -> Usage {
        let prompt = self.prompt_tokens.unwrap_or(0);
        let empty = PromptTokens::default();
        let details = self.prompt_tokens_details.as_ref().unwrap_or(&empty);
        let read = details.cached_tokens.unwrap_or(0).min(prompt);
        let written = details.cache_write_tokens.unwrap_or(0).min(prompt - read);
        let completion = self.completion_tokens.unwrap_or(0);
        let beyond = self.total_tokens.unwrap_or(0).saturating_sub(prompt);
        Usage {
            input_tokens: prompt - read - written,
            cache_creation_input_tokens: written,
            cache_read_input_tokens: read,
            output_tokens: match dialect.counts_reasoning {
                true => completion,
                false => completion.max(beyond),
            },
            ..Usage::default()
        }
    }
}
