//! Context editing by the API: clearing older tool results.

use aside_messages::wire::RawJson;
use aside_models::ModelFacts;

/// Makes the API clear older tool results as a request grows: the parameter
/// `context_management` with `clear_tool_uses_20250919`.
///
/// The request keeps every result; the API leaves out the older ones in what
/// the model reads. A clearing invalidates the prompt cache from the first
/// result that it leaves out, so a session asks for none that would cost more
/// than it saves.
///
/// ```
/// use aside_session::ClearToolUses;
///
/// let clearing = ClearToolUses { trigger_tokens: 100_000, kept: 5, at_least_tokens: None };
/// assert_eq!(
///     clearing.to_parameter().get(),
///     concat!(
///         r#"{"edits":[{"type":"clear_tool_uses_20250919","#,
///         r#""trigger":{"type":"input_tokens","value":100000},"keep":{"type":"tool_uses","value":5}}]}"#,
///     )
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearToolUses {
    /// From how many input tokens on a request's results are cleared.
    pub trigger_tokens: u64,
    /// How many of the latest results stay.
    pub kept: u32,
    /// The fewest tokens that a clearing has to remove, so that it is worth the
    /// loss of the cache; with `None`, a session chooses it by the model's prices.
    pub at_least_tokens: Option<u64>,
}

impl Default for ClearToolUses {
    /// The API's defaults.
    fn default() -> Self {
        Self { trigger_tokens: 100_000, kept: 3, at_least_tokens: None }
    }
}

/// The calls of a loop over which a clearing has to pay.
const CALLS: f64 = 60.0;

/// The usual length of a result, in tokens.
const RESULT_TOKENS: f64 = 550.0;

/// The price of a cache write, in prices of input.
const WRITE: f64 = 1.25;

/// The usual length of a call and of what takes the place of its result, in tokens.
const CALL_TOKENS: f64 = 80.0;

/// What a clearing would cost in a loop of 60 calls, in tokens of plain input for each call.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "at cache reads of {read:.3} of the price of input, each call of a loop of 60 would save \
     {saved:.0} tokens of input and write {written:.0} again; with clearToolUses.atLeast of \
     {at_least} or more it pays"
)]
pub(crate) struct ClearingLoss {
    /// The price of a cache read, in prices of input.
    read: f64,
    /// The price of the results that are not read any more.
    saved: f64,
    /// The price of what is written again.
    written: f64,
    /// The value of `at_least_tokens` from which on the clearing pays.
    at_least: u64,
}

impl ClearToolUses {
    /// Returns the clearing with a minimum that pays at the prices of a model, if it has
    /// none. The prices of a model without a known price of a read decide nothing.
    ///
    /// On average half of the results are cleared, and not read in each request. Each
    /// clearing changes the conversation from its first result on, so that the calls, and
    /// the results that stay, are written again.
    ///
    /// # Errors
    /// The clearing has a minimum, and would cost more than it saves.
    pub(crate) fn priced(self, facts: &ModelFacts) -> Result<Self, ClearingLoss> {
        let prices = facts.price(self.trigger_tokens);
        let Some((prices, read)) = prices.and_then(|it| Some((it, it.read?))) else {
            return Ok(self);
        };
        let read = read.dollars() / prices.input.dollars();
        let saved = CALLS / 2.0 * RESULT_TOKENS * read;
        let kept = f64::from(self.kept.saturating_sub(1)) * RESULT_TOKENS;
        let again = (CALLS / 2.0 * CALL_TOKENS + kept) * (WRITE - read);
        let at_least = (RESULT_TOKENS * again / saved).ceil() as u64;
        let Some(minimum) = self.at_least_tokens else {
            return Ok(Self { at_least_tokens: Some(2 * at_least), ..self });
        };
        let results = (minimum as f64 / RESULT_TOKENS).max(1.0);
        let loss = ClearingLoss { read, saved, written: again / results, at_least };
        if loss.written > loss.saved { Err(loss) } else { Ok(self) }
    }

    /// Returns the value for `context_management`.
    #[must_use]
    pub fn to_parameter(self) -> RawJson {
        let amount = |unit: &str, value: u64| format!(r#"{{"type":"{unit}","value":{value}}}"#);
        let tokens = |value| amount("input_tokens", value);
        let at_least =
            self.at_least_tokens.map(|it| format!(r#","clear_at_least":{}"#, tokens(it)));
        let json = format!(
            r#"{{"edits":[{{"type":"clear_tool_uses_20250919","trigger":{},"keep":{}{}}}]}}"#,
            tokens(self.trigger_tokens),
            amount("tool_uses", self.kept.into()),
            at_least.unwrap_or_default()
        );
        RawJson::parse(&json).expect("what was written is JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_of_the_api() {
        let check = |clearing: ClearToolUses, expected: &str| {
            assert_eq!(clearing.to_parameter().get(), expected);
        };
        check(
            ClearToolUses::default(),
            r#"{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":100000},"keep":{"type":"tool_uses","value":3}}]}"#,
        );
        check(
            ClearToolUses { trigger_tokens: 9, kept: 0, at_least_tokens: Some(5) },
            r#"{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":9},"keep":{"type":"tool_uses","value":0},"clear_at_least":{"type":"input_tokens","value":5}}]}"#,
        );
    }
}
