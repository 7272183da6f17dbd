//! Context editing by the API: clearing older tool results.

use aside_messages::wire::RawJson;
use serde::Serialize;

/// Makes the API clear older tool results as a request grows: the parameter
/// `context_management` with `clear_tool_uses_20250919`.
///
/// The request keeps every result; the API leaves older ones out of what the
/// model reads. To clear invalidates the prompt cache from the first result
/// that is left out.
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
    /// How many tokens must be removed at least to be worth losing the cache;
    /// `None` for the API's default.
    pub at_least_tokens: Option<u64>,
}

impl Default for ClearToolUses {
    /// The API's defaults.
    fn default() -> Self {
        Self {
            trigger_tokens: 100_000,
            kept: 3,
            at_least_tokens: None,
        }
    }
}

#[derive(Serialize)]
struct ContextManagement {
    edits: [Edit; 1],
}

#[derive(Serialize)]
struct Edit {
    #[serde(rename = "type")]
    kind: &'static str,
    trigger: Amount,
    keep: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_at_least: Option<Amount>,
}

#[derive(Serialize)]
struct Amount {
    #[serde(rename = "type")]
    unit: &'static str,
    value: u64,
}

impl ClearToolUses {
    /// Returns the value for `context_management`.
    #[must_use]
    pub fn to_parameter(self) -> RawJson {
        let tokens = |value| Amount {
            unit: "input_tokens",
            value,
        };
        let parameter = ContextManagement {
            edits: [Edit {
                kind: "clear_tool_uses_20250919",
                trigger: tokens(self.trigger_tokens),
                keep: Amount {
                    unit: "tool_uses",
                    value: self.kept.into(),
                },
                clear_at_least: self.at_least_tokens.map(tokens),
            }],
        };
        let json = serde_json::to_string(&parameter)
            .map(|json| RawJson::parse(&json))
            .expect("numbers and strings are written as JSON");
        json.expect("what was written is JSON")
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
            ClearToolUses {
                trigger_tokens: 9,
                kept: 0,
                at_least_tokens: Some(5),
            },
            r#"{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":9},"keep":{"type":"tool_uses","value":0},"clear_at_least":{"type":"input_tokens","value":5}}]}"#,
        );
    }
}
