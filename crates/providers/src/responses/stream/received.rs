//! The events and the response as a server writes them.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ReceivedItem;
use crate::read::Text;
use crate::usage::Usage;

#[derive(Deserialize)]
pub(super) struct Raw<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) item: Option<ReceivedItem<'a>>,
    #[serde(borrow, default)]
    pub(super) item_id: Option<Text<'a>>,
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(default)]
    pub(super) content_index: Option<u64>,
    #[serde(default)]
    pub(super) summary_index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) input: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) part: Option<RawPart<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct RawPart<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) model: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) status: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) incomplete_details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) output: Option<Vec<ReceivedItem<'a>>>,
    #[serde(default)]
    pub(super) usage: Option<Tokens>,
    #[serde(borrow, default)]
    pub(super) input_transformations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) prompt_cache_diagnostics: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow, default)]
    pub(super) reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) input_tokens: Option<u64>,
    #[serde(default)]
    pub(super) output_tokens: Option<u64>,
    #[serde(default)]
    pub(super) input_tokens_details: Option<InputTokens>,
}

#[derive(Default, Deserialize)]
pub(super) struct InputTokens {
    #[serde(default)]
    pub(super) cached_tokens: Option<u64>,
    #[serde(default)]
    pub(super) cache_write_tokens: Option<u64>,
}

impl Tokens {
    /// Returns the usage. The input includes tokens read from the cache and
    /// written to it.
    pub(super) fn usage(&self) -> Usage {
        let input = self.input_tokens.unwrap_or(0);
        let empty = InputTokens::default();
        let details = self.input_tokens_details.as_ref().unwrap_or(&empty);
        let read = details.cached_tokens.unwrap_or(0).min(input);
        let written = details.cache_write_tokens.unwrap_or(0).min(input - read);
        Usage {
            input_tokens: input - read - written,
            cache_creation_input_tokens: written,
            cache_read_input_tokens: read,
            output_tokens: self.output_tokens.unwrap_or(0),
            ..Usage::default()
        }
    }
}
