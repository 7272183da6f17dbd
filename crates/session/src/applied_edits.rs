use aside_messages::wire::RawJson;
use serde::Deserialize;

/// What the API left out of a request before the model read it (its response's
/// `context_management.applied_edits`), or what one edit of it did. An edit of another type may
/// lack either number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AppliedEdits {
    /// How many calls had their results cleared.
    #[serde(rename = "cleared_tool_uses")]
    pub tool_uses: u64,
    /// How many input tokens were cleared.
    #[serde(rename = "cleared_input_tokens")]
    pub input_tokens: u64,
}

/// `context_management` in a Messages API response:
///
/// ```json
/// {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 8,
///                     "cleared_input_tokens": 50000}]}
/// ```
#[derive(Default, Deserialize)]
struct ContextManagement {
    #[serde(default)]
    applied_edits: Vec<AppliedEdits>,
}

impl AppliedEdits {
    /// Reads a response's `context_management`. An unknown form has no edits.
    #[must_use]
    pub fn read(json: &RawJson) -> Self {
        let read: Option<ContextManagement> = serde_json::from_str(json.get()).ok();
        let mut sum = Self::default();
        read.unwrap_or_default().applied_edits.into_iter().for_each(|edit| sum.add(edit));
        sum
    }

    /// Adds another response's edits.
    pub fn add(&mut self, other: Self) {
        self.tool_uses = self.tool_uses.saturating_add(other.tool_uses);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_summed() {
        let check = |json: &str, tool_uses, input_tokens| {
            let expected = AppliedEdits { tool_uses, input_tokens };
            let json = RawJson::parse(json).unwrap();
            assert_eq!(AppliedEdits::read(&json), expected, "{json:?}");
        };
        check(
            r#"{"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":8,"cleared_input_tokens":50000},{"type":"clear_thinking_20251015","cleared_input_tokens":5}]}"#,
            8,
            50_005,
        );
        check(r#"{"applied_edits":[]}"#, 0, 0);
        check("null", 0, 0);
        check(r#"{"applied_edits":7}"#, 0, 0);
    }
}
