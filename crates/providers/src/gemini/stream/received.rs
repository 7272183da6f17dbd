//! The chunks as Gemini writes them.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::read::Text;
use crate::usage::Usage;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow, default)]
    pub(super) prompt_feedback: Option<Feedback<'a>>,
    #[serde(default)]
    pub(super) usage_metadata: Option<Tokens>,
    #[serde(borrow, default)]
    pub(super) model_version: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) response_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_message: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Content<'a> {
    #[serde(borrow, default)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(default)]
    pub(super) thought: Option<bool>,
    #[serde(borrow, default)]
    pub(super) thought_signature: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
pub(super) struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback<'a> {
    #[serde(borrow, default)]
    pub(super) block_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) prompt_token_count: Option<u64>,
    #[serde(default)]
    pub(super) tool_use_prompt_token_count: Option<u64>,
    #[serde(default)]
    pub(super) cached_content_token_count: Option<u64>,
    #[serde(default)]
    pub(super) candidates_token_count: Option<u64>,
    #[serde(default)]
    pub(super) thoughts_token_count: Option<u64>,
}

impl Tokens {
    /// Returns the usage. The input includes tokens read from the cache.
    pub(super) fn usage(&self) -> Usage {
        let prompt = self.prompt_token_count.unwrap_or(0);
        let read = self.cached_content_token_count.unwrap_or(0).min(prompt);
        let tools = self.tool_use_prompt_token_count.unwrap_or(0);
        let answer = self.candidates_token_count.unwrap_or(0);
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        Usage {
            input_tokens: (prompt - read).saturating_add(tools),
            cache_read_input_tokens: read,
            output_tokens: answer.saturating_add(thoughts),
            ..Usage::default()
        }
    }
}
