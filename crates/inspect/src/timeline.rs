//! A log's requests as steps, each with its change from the request that it continues.
//!
//! A log mixes sessions and subagents, so that this is not always the one before it.

use std::time::Duration;

use aside_cache_model::{
    Body, Cause, Cost, Difference, Level, Miss, Usage, Verdict, first_difference, outline,
};
use aside_messages::TokenEstimate;
use aside_models::{Date, find};
use serde::{Serialize, Serializer};

/// One request in a log, in short, and its change from the one that it continues.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// Its number in the log, from 1.
    pub number: usize,
    /// When it was sent, counted from the log's first request.
    #[serde(serialize_with = "seconds")]
    pub at: Duration,
    /// How long its body is, in bytes.
    pub bytes: usize,
    /// How many messages it has.
    pub messages: usize,
    /// The estimated tokens in its tools, system prompt and messages.
    pub tokens: LevelTokens,
    /// Tokens by price class, as the cache model predicts them.
    pub usage: Usage,
    /// Tokens by price class, as the log records them, if it does.
    pub recorded: Option<Usage>,
    /// What its input costs.
    pub cost: Option<Cost>,
    /// From which day these prices are.
    pub prices_as_of: Option<Date>,
    /// The number in the log of the request that it continues; `None` if it begins a conversation.
    pub continues: Option<usize>,
    /// True if it begins a conversation.
    pub is_other_thread: bool,
    /// The first difference to the request that it continues, except appended messages; `None` if
    /// that is the difference of the miss, or if the body of that request is no longer known.
    pub difference: Option<Difference>,
    /// The cache miss: less was read from the cache than the request before had left
    /// there.
    pub miss: Option<Miss>,
}

/// Tokens by cache level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LevelTokens {
    /// Tool definitions.
    pub tools: u64,
    /// The system prompt.
    pub system: u64,
    /// The messages.
    pub messages: u64,
}

impl LevelTokens {
    /// Returns the sum.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.tools + self.system + self.messages
    }
}

impl Step {
    /// Creates a request's step. `before` is the request that it continues, if it is
    /// [still known](aside_cache_model::CacheModel::continued).
    #[must_use]
    pub fn new(
        number: usize,
        at: Duration,
        request: &Body,
        verdict: &Verdict,
        before: Option<&Body>,
    ) -> Self {
        let miss = verdict.miss.as_ref();
        let continues = verdict.parent.map(|it| it.index + 1);
        let changed = || {
            before
                .filter(|_| continues.is_some())
                .and_then(|before| first_difference(before, request))
                .filter(|it| it.cause != Cause::MarkerOnly)
                .filter(|it| it.level.is_some() || miss.is_some())
        };
        let is_explained = miss.is_some_and(|it| it.difference.is_some());
        Self {
            number,
            at,
            bytes: request.as_bytes().len(),
            messages: request.message_count(),
            tokens: tokens(request),
            usage: verdict.usage,
            recorded: None,
            cost: verdict.cost,
            prices_as_of: verdict.prices_as_of,
            continues,
            is_other_thread: continues.is_none(),
            difference: if is_explained { None } else { changed() },
            miss: verdict.miss.clone(),
        }
    }

    /// Adds the usage that the provider billed, and its price.
    #[must_use]
    pub fn with_recorded(mut self, usage: Option<Usage>, model: Option<&str>) -> Self {
        let Some(recorded) = usage else {
            return self;
        };
        let facts = find(model.unwrap_or_default()).facts;
        self.cost = recorded.cost(facts);
        self.prices_as_of = facts.prices_as_of;
        self.recorded = usage;
        self
    }

    /// Removes all text from the bodies.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        self.difference = self.difference.map(Difference::without_text);
        if let Some(miss) = &mut self.miss {
            miss.difference = miss.difference.take().map(Difference::without_text);
        }
        self
    }
}

/// Adds up the tokens in blocks that the model sees.
///
/// Deferred tools that no message names, cleared messages and removed thinking are not counted. Each
/// level is rounded by itself.
fn tokens(request: &Body) -> LevelTokens {
    let rules = aside_cache_model::CacheRules::of_wire(request.wire());
    let mut sums = [TokenEstimate::ZERO; 3];
    let leading = request.leading_system();
    for block in outline(request, &rules) {
        if block.is_shown || block.loaded_by.is_some() {
            let is_system = block.level == Level::Messages && block.item < leading;
            let level = if is_system { Level::System } else { block.level };
            sums[level as usize] += block.tokens;
        }
    }
    let [tools, system, messages] = sums.map(TokenEstimate::tokens);
    LevelTokens { tools, system, messages }
}

/// Writes a time in seconds.
fn seconds<S: Serializer>(at: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(at.as_secs_f64())
}
