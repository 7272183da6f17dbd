//! Whether a compaction pays, by the model's prices.

use std::fmt;

use aside_models::ModelFacts;

/// After how many requests a compaction has to pay. At a random moment in a loop with 60 calls,
/// this many follow on average.
const REQUESTS: f64 = 30.0;

/// The usual length of a summary, in tokens.
const SUMMARY_TOKENS: f64 = 2_000.0;

/// What a compaction would replace, in tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compacted {
    /// The whole request.
    pub(crate) request: u64,
    /// Its messages after the first one, which a summary replaces.
    pub(crate) conversation: u64,
    /// The files that are delivered again after the summary.
    pub(crate) files: u64,
}

/// What a compaction would cost, if this is more than it saves over the next 30 requests. Figures
/// are in tokens at the plain input price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactionLoss {
    /// What a cache read costs, as a share of the input price.
    read: f64,
    /// What later requests would not read any more.
    saved: f64,
    /// What the summary request, its answer and the new conversation cost.
    cost: f64,
    /// How long the conversation has to be for a compaction to pay.
    least: f64,
}

impl CompactionLoss {
    /// Returns `None` if the compaction pays, or if the model's prices are unknown.
    pub(crate) fn new(facts: &ModelFacts, compacted: Compacted) -> Option<Self> {
        let prices = facts.price(compacted.request)?;
        let share = |price: aside_models::Price| price.dollars() / prices.input.dollars();
        let (read, output) = (share(prices.read?), share(prices.output));
        let write = share(prices.write_5m.unwrap_or(prices.input));
        let (request, conversation) = (compacted.request as f64, compacted.conversation as f64);
        let after = SUMMARY_TOKENS + compacted.files as f64;
        let saved = REQUESTS * read * (conversation - after).max(0.0);
        let once = SUMMARY_TOKENS * output + after * write;
        let cost = request * read + once;
        // The head stays in the cache, and only the summary request reads it in addition.
        let fixed = (request - conversation) * read + once + REQUESTS * read * after;
        let least = fixed / ((REQUESTS - 1.0) * read);
        (cost > saved).then_some(Self { read, saved, cost, least })
    }
}

impl fmt::Display for CompactionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, saved, cost, least } = self;
        write!(
            f,
            "at cache reads of {read:.3} of the price of input, the next {REQUESTS} requests would \
             save {saved:.0} tokens of input for {cost:.0}; it pays once the conversation has \
             {least:.0} tokens"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(model: &str, conversation: u64, files: u64) -> Option<CompactionLoss> {
        let compacted = Compacted { request: 25_000 + conversation, conversation, files };
        CompactionLoss::new(aside_models::find(model).facts, compacted)
    }

    /// The cheaper a read, the longer a conversation has to be, and the more so with files.
    #[test]
    fn the_least_is_where_it_begins_to_pay() {
        let check = |model, files, expected: u64| {
            let least = loss(model, 1_000, files).unwrap().least.ceil() as u64;
            assert_eq!(least, expected, "{model}");
            assert!(loss(model, least - 1, files).is_some(), "{model}");
            assert!(loss(model, least + 1, files).is_none(), "{model}");
        };
        check("claude-opus-5", 0, 7_242);
        check("claude-opus-5-5", 0, 11_552);
        check("claude-fable-5-1", 0, 20_173);
        check("claude-fable-5-1", 10_000, 47_759);
        assert_eq!(loss("somebody-s-model", 1_000, 0), None);
    }
}
