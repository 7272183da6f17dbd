//! `prompt_cache_diagnostics` on Responses: why a request did not reuse an earlier response's
//! cache.
//!
//! ```text
//! request        {"prompt_cache_options": {"comparison_response_id": "resp_1"}, …}
//! response       {"prompt_cache_diagnostics": {"type": "cache_miss", "reason": "tools_changed",
//!                   "cache_missed_tokens": 900}}
//! ```

use std::borrow::Cow;
use std::collections::VecDeque;

use aside_cache_model::MissReason;
use aside_json::Value;
use aside_models::Usage;
use serde::Serialize;

use super::reasoning::extended;
use crate::strict::body::inputs;
use crate::strict::digest::{Digest, Sum, compact};

/// How many responses to keep for comparison.
const MAX_RESPONSES: usize = 1_000;

/// The parameters to compare, in this order, with the reason that a change gives.
const PARAMETERS: [(&str, &str, MissReason); 7] = [
    ("model", "", MissReason::ModelChanged),
    ("prompt_cache_key", "", MissReason::PromptCacheKeyChanged),
    ("service_tier", "", MissReason::ServiceTierChanged),
    ("tools", "", MissReason::ToolsChanged),
    ("text", "format", MissReason::TextFormatChanged),
    ("reasoning", "effort", MissReason::ReasoningEffortChanged),
    ("text", "verbosity", MissReason::VerbosityChanged),
];

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Diagnostics {
    CacheHit,
    CacheMiss {
        reason: &'static str,
        /// The input that was not read from the cache.
        cache_missed_tokens: u64,
    },
    ComparisonResponseNotFound,
    /// Nothing differs, but the entry was not read: it had expired.
    Unavailable,
}

/// Returns the id of the response that a request is compared with.
pub(super) fn named<'t>(root: Value<'t>) -> Option<Cow<'t, str>> {
    root.given("prompt_cache_options")?.text_of("comparison_response_id")
}

/// The latest requests, for comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    requests: VecDeque<(String, Sections)>,
}

#[derive(Clone, Debug)]
pub(super) struct Sections {
    parameters: [Digest; PARAMETERS.len()],
    /// Entry n: the instructions and the first n items.
    input: Vec<Digest>,
}

impl Sections {
    pub(super) fn new(root: Value<'_>) -> Self {
        let parameters = PARAMETERS.map(|(key, inner, _)| {
            let value = root.given(key);
            let value = match inner {
                "" => value,
                inner => value.and_then(|it| it.given(inner)),
            };
            Sum::new(key).with(&value.map(compact).unwrap_or_default()).end()
        });
        let instructions = root.given("instructions").map(compact);
        let first = Sum::new("input").with(&instructions.unwrap_or_default());
        let mut input = vec![first.end()];
        for item in inputs(root) {
            let last = input.last().copied().unwrap_or_default();
            input.push(extended(last, item));
        }
        Self { parameters, input }
    }
}

impl Compared {
    pub(super) fn push(&mut self, id: &str, sections: Sections) {
        self.requests.push_back((id.to_owned(), sections));
        if self.requests.len() > MAX_RESPONSES {
            self.requests.pop_front();
        }
    }

    /// Compares a request with the one that it names; `None` if it names none. `is_missed` says that
    /// less was read than that one had left.
    pub(super) fn diagnose(
        &self,
        root: Value<'_>,
        now: &Sections,
        usage: &Usage,
        is_missed: bool,
    ) -> Option<Diagnostics> {
        let id = named(root)?;
        let found = self.requests.iter().rfind(|it| it.0 == id);
        let Some((_, then)) = found else {
            return Some(Diagnostics::ComparisonResponseNotFound);
        };
        let mut pairs = now.parameters.iter().zip(&then.parameters);
        let reason = match pairs.position(|(now, then)| now != then) {
            Some(index) => PARAMETERS[index].2.as_str(),
            None if now.input.get(then.input.len() - 1) != then.input.last() => "input_changed",
            None if is_missed => return Some(Diagnostics::Unavailable),
            None => return Some(Diagnostics::CacheHit),
        };
        Some(Diagnostics::CacheMiss { reason, cache_missed_tokens: usage.input() - usage.read })
    }
}
