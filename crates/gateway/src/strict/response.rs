//! Responses in the API's form.
//!
//! Fields are in the API's order, so serde writes a response as the API does.

use aside_cache_model::{AppliedEdit, Body, CacheRules, Miss, applied_edits};
use aside_json::Tape;
#[cfg(feature = "servers")]
use aside_models::Usage;
use aside_models::{TokenEstimate, Tokenizer, estimate};
use serde::Serialize;
use serde_json::value::RawValue;

/// The response to a request that was accepted.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The message id.
    pub id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    /// The request's model.
    pub model: String,
    /// The content blocks.
    pub content: Vec<ResponseBlock>,
    /// The stop reason, such as `end_turn`.
    pub stop_reason: String,
    stop_sequence: Option<String>,
    /// The tokens, by the documented cache rules.
    pub usage: ResponseUsage,
    /// The context edits that were applied, if the request has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_management: Option<ContextManagement>,
    /// The thinking that was dropped, if the request has the beta for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_transformations: Option<Vec<Transformation>>,
    /// The cache diagnostics, if the request requires them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Option<CacheDiagnostics>>,
    /// Why less was read from the cache than the request before had left.
    #[serde(skip)]
    pub miss: Option<Miss>,
    #[serde(skip)]
    pub(crate) is_stream: bool,
}

/// One content block in a response.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResponseBlock {
    /// The model's text.
    Text {
        /// The text.
        text: String,
        /// What it cites, a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        citations: Option<Box<RawValue>>,
    },
    /// Signed thinking.
    Thinking {
        /// The text; empty if the request omits it.
        thinking: String,
        /// The signature.
        signature: String,
    },
    /// Signed thinking without its text.
    RedactedThinking {
        /// The signature.
        data: String,
    },
    /// A tool call.
    ToolUse {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
        /// The input, an object.
        input: Box<RawValue>,
    },
    /// A summary made on demand.
    Compaction {
        /// The summary.
        content: String,
        /// The signature.
        signature: String,
    },
    /// A block as a script has it.
    #[serde(untagged)]
    Raw(Box<RawValue>),
}

impl ResponseBlock {
    /// Returns the block as the response has it.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("the block is JSON")
    }
}

/// A request's and its response's tokens.
///
/// The three input fields add up to the whole input; `output_tokens` includes
/// thinking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResponseUsage {
    /// Input after the last breakpoint.
    pub input_tokens: u64,
    /// Input written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input read from the cache.
    pub cache_read_input_tokens: u64,
    /// Writes by lifetime.
    pub cache_creation: CacheCreation,
    /// Output.
    pub output_tokens: u64,
    service_tier: Standard,
    /// `fast` if the tokens are billed at the prices of fast mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<&'static str>,
    /// The calls of tools that the API bills by the call, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_tool_use: Option<ServerToolUsage>,
    /// The compactions that the API ran, whose tokens the other fields leave
    /// out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<CompactionUsage>,
}

/// How often the API called its own tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerToolUsage {
    /// Pages that were fetched.
    pub web_fetch_requests: u64,
    /// Searches.
    pub web_search_requests: u64,
}

impl ServerToolUsage {
    /// Counts the calls in a response; `None` if there are none.
    pub(crate) fn of(content: &[ResponseBlock]) -> Option<Self> {
        let mut usage = Self::default();
        for block in content {
            let ResponseBlock::Raw(block) = block else { continue };
            let tape = Tape::parse(block.get().as_bytes());
            let call =
                tape.as_ref().map(Tape::root).ok().filter(|it| it.tag() == "server_tool_use");
            match call.and_then(|it| it.text_of("name")).as_deref() {
                Some("web_fetch") => usage.web_fetch_requests += 1,
                Some("web_search") => usage.web_search_requests += 1,
                _ => {}
            }
        }
        Some(usage).filter(|it| *it != Self::default())
    }
}

/// A compaction's tokens, an item in `iterations`:
/// `{"type":"compaction","input_tokens":9000,…}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "compaction")]
#[non_exhaustive]
pub struct CompactionUsage {
    /// Input after the last breakpoint.
    pub input_tokens: u64,
    /// Input written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input read from the cache.
    pub cache_read_input_tokens: u64,
    /// Writes by lifetime.
    pub cache_creation: CacheCreation,
    /// Output, which is the summary.
    pub output_tokens: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standard {
    #[default]
    Standard,
}

/// Tokens written to the cache, by lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheCreation {
    /// For five minutes.
    pub ephemeral_5m_input_tokens: u64,
    /// For an hour.
    pub ephemeral_1h_input_tokens: u64,
}

/// A response's `context_management`: what the API cleared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContextManagement {
    /// The edits that cleared something.
    pub applied_edits: Vec<AppliedEdit>,
}

/// A count of input tokens, as `count_tokens` answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TokenCount {
    /// The tokens that the model would read.
    pub input_tokens: u64,
    /// The tokens before context edits, if the request has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_management: Option<OriginalTokens>,
}

/// The tokens before context edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OriginalTokens {
    /// The tokens.
    pub original_input_tokens: u64,
}

impl ContextManagement {
    /// Returns what the edits of a request clear; `None` if it has none.
    pub(crate) fn of(request: &Body, rules: &CacheRules, has_edits: bool) -> Option<Self> {
        has_edits.then(|| Self { applied_edits: applied_edits(request, rules) })
    }
}

impl TokenCount {
    pub(crate) fn new(input_tokens: u64, edits: Option<&ContextManagement>) -> Self {
        let original = |edits: &ContextManagement| OriginalTokens {
            original_input_tokens: edits
                .applied_edits
                .iter()
                .fold(input_tokens, |sum, it| sum.saturating_add(it.tokens())),
        };
        Self { input_tokens, context_management: edits.map(original) }
    }

    /// Returns the response's body.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers are JSON")
    }
}

/// A block that the API removed from the model's view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "thinking_dropped")]
pub struct Transformation {
    /// The block, as in `messages.1.content.0`.
    pub path: String,
    /// The reason, as in `prefix_binding_mismatch`.
    pub reason: &'static str,
}

/// A response's `diagnostics`: why the cache missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheDiagnostics {
    /// The reason.
    pub cache_miss_reason: CacheMissReason,
}

/// Why the cache missed, as the API names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheMissReason {
    /// The type, as in `tools_changed`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The tokens that were not read, if the reason is a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_missed_input_tokens: Option<u64>,
}

impl Response {
    pub(crate) fn new(id: String, model: &str, content: Vec<ResponseBlock>, stop: &str) -> Self {
        Self {
            id,
            kind: "message",
            role: "assistant",
            model: model.to_owned(),
            content,
            stop_reason: stop.to_owned(),
            stop_sequence: None,
            usage: ResponseUsage::default(),
            context_management: None,
            input_transformations: None,
            diagnostics: None,
            miss: None,
            is_stream: false,
        }
    }

    /// Returns true if the response is a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Returns the body when the response is not a stream.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("the blocks are JSON")
    }

    /// Estimates what the model wrote: texts, and calls with their names, without signatures and
    /// keys.
    pub(crate) fn output_tokens(&self, family: Tokenizer) -> u64 {
        let of = |text: &str| estimate(text, family);
        let blocks = self.content.iter().map(|block| match block {
            ResponseBlock::Text { text, .. } => of(text),
            ResponseBlock::Thinking { thinking, .. } => of(thinking),
            ResponseBlock::RedactedThinking { .. } => TokenEstimate::ZERO,
            ResponseBlock::ToolUse { name, input, .. } => of(&format!("{name} {input}")),
            ResponseBlock::Compaction { content, .. } => of(content),
            ResponseBlock::Raw(block) => of(block.get()),
        });
        blocks.sum::<TokenEstimate>().tokens()
    }

    /// Returns the content as JSON, as the next request's assistant message has
    /// it.
    #[must_use]
    pub fn content_json(&self) -> String {
        serde_json::to_string(&self.content).expect("the blocks are JSON")
    }
}

impl ResponseUsage {
    /// Returns the usage for a response that is only a compaction: no tokens
    /// but the compaction's.
    pub(crate) fn of_compaction(usage: &Self) -> Self {
        let iterations = vec![CompactionUsage::new(usage)];
        Self { iterations, speed: usage.speed, ..Self::default() }
    }

    /// Returns the samplings to pay for: the usage's own, and each compaction.
    #[cfg(feature = "servers")]
    pub(crate) fn samplings(&self) -> Vec<Usage> {
        let own = CompactionUsage::new(self);
        let samplings = std::iter::once(&own).chain(&self.iterations);
        let is_fast = self.speed.is_some();
        samplings.map(|it| Usage { is_fast, ..it.billed() }).collect()
    }

    /// Returns the whole input: the three input fields added.
    #[must_use]
    pub fn total_input(&self) -> u64 {
        let written = self.cache_creation_input_tokens;
        let cached = written.saturating_add(self.cache_read_input_tokens);
        self.input_tokens.saturating_add(cached)
    }
}

impl CompactionUsage {
    /// Creates an item for `iterations` with a usage's figures.
    pub(crate) fn new(usage: &ResponseUsage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            cache_creation: usage.cache_creation,
            output_tokens: usage.output_tokens,
        }
    }

    #[cfg(feature = "servers")]
    fn billed(&self) -> Usage {
        let written = &self.cache_creation;
        Usage {
            output: self.output_tokens,
            ..Usage::from_input(
                self.cache_read_input_tokens,
                written.ephemeral_5m_input_tokens,
                written.ephemeral_1h_input_tokens,
                self.input_tokens,
            )
        }
    }
}
