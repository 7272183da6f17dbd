//! Which betas a body needs, by the features in it.
//!
//! They belong in the header `anthropic-beta`; a body without them is refused.
//! The list has a fixed order, so that equal bodies have equal headers.

use super::body::Body;
use super::features::{
    CLEAR_AT, COMPACTION, FALLBACK, Features, OUTPUT_CONFIG, THRESHOLD_COMPACTION, TOOL_CHANGES,
};
use crate::wire::CacheControl;

/// The beta for `clear_at`.
///
/// Without it: `messages.3.clear_at: Extra inputs are not permitted` (observed,
/// October 2026).
pub const CLEAR_AT_BETA: &str = "mid-conversation-system-clear-at-2026-08-21";
/// The beta for tools added and removed by reference.
pub const TOOL_CHANGES_BETA: &str = "mid-conversation-tool-changes-2026-07-01";
/// The beta for settings that a system message changes.
///
/// Without it: `messages.3.output_config: Extra inputs are not permitted`
/// (observed, October 2026).
pub const OUTPUT_CONFIG_BETA: &str = "mid-conversation-output-config-2026-07-01";
/// The beta for a compaction on demand, and for every request with its block.
pub const COMPACTION_BETA: &str = "compact-2026-09-04";
/// The beta for every request with the block of a compaction by threshold, which has no signature.
const THRESHOLD_COMPACTION_BETA: &str = "compact-2026-01-12";
/// The beta for context edits, such as clearing tool results.
const CONTEXT_EDITING_BETA: &str = "context-management-2025-06-27";
/// The beta to send back a response that another model completed.
const FALLBACK_BETA: &str = "server-side-fallback-2026-07-01";
/// The beta for `"scope":"global"`.
///
/// `scope` is in no public API type.
const GLOBAL_SCOPE_BETA: &str = "prompt-caching-scope-2026-01-05";

impl Body {
    /// Returns the `anthropic-beta` values that the API requires for these
    /// messages and cache markers, in a fixed order. Does not search the
    /// history.
    #[must_use]
    pub fn betas(&self) -> Vec<&'static str> {
        let parts = self.parts();
        let tail = parts.tail.iter().map(|message| message.features());
        let features = tail.fold(parts.history.features(), Features::and);
        let is_global = |control: &CacheControl| {
            matches!(control, CacheControl::Ephemeral { global: true, .. })
        };
        let is_global = parts.markers.iter().any(|it| is_global(&it.control));
        let mut parameters = parts.parameters.extra.0.iter();
        let is_compaction = parameters.any(|(key, _)| key == "compaction");
        let betas = [
            (CLEAR_AT_BETA, features.has(CLEAR_AT)),
            (TOOL_CHANGES_BETA, features.has(TOOL_CHANGES)),
            (OUTPUT_CONFIG_BETA, features.has(OUTPUT_CONFIG)),
            (COMPACTION_BETA, is_compaction || features.has(COMPACTION)),
            (THRESHOLD_COMPACTION_BETA, features.has(THRESHOLD_COMPACTION)),
            (CONTEXT_EDITING_BETA, parts.parameters.context_management.is_some()),
            (FALLBACK_BETA, features.has(FALLBACK)),
            (GLOBAL_SCOPE_BETA, is_global),
        ];
        let needed = betas.into_iter().filter(|(_, is_needed)| *is_needed);
        needed.map(|(beta, _)| beta).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Request;

    #[test]
    fn a_compaction_block_needs_the_beta_of_its_kind() {
        let check = |signature: &str, expected: &str| {
            let block = format!(r#"{{"type":"compaction","content":"A summary."{signature}}}"#);
            let message = format!(r#"{{"role":"assistant","content":[{block}]}}"#);
            let json = format!(r#"{{"model":"m","max_tokens":9,"messages":[{message}]}}"#);
            let request = Request::parse(json.as_bytes()).unwrap().value;
            assert_eq!(Body::verbatim(&request).betas(), [expected], "{json}");
        };
        check(r#","signature":"s""#, COMPACTION_BETA);
        check(r#","signature":null"#, THRESHOLD_COMPACTION_BETA);
        check("", THRESHOLD_COMPACTION_BETA);
    }
}
