//! Rules that only a conversion checks.

use aside_models::Wire;

use crate::rule::Rule;

/// Their ids, with the wires.
const OF_CONVERSIONS: [(&str, &[Wire]); 15] = [
    ("base64-only", &Wire::ALL),
    ("document", &Wire::ALL),
    ("schema", &[Wire::GenerateContent]),
    ("doubled-short-name", &ELSEWHERE),
    ("model-endpoint", &[Wire::Messages]),
    ("prefill", &[Wire::ChatCompletions, Wire::Responses]),
    ("doubled-result", &ELSEWHERE),
    ("doubled-call", &ELSEWHERE),
    ("doubled-tool", &[Wire::ChatCompletions, Wire::Responses]),
    ("model-name", &ELSEWHERE),
    ("media-limit", &ELSEWHERE),
    ("max-tokens", &[Wire::ChatCompletions, Wire::GenerateContent]),
    ("thinking-mode", &[Wire::ChatCompletions, Wire::Responses]),
    ("system-model", &[Wire::ChatCompletions, Wire::GenerateContent]),
    ("first-turn", &[Wire::GenerateContent]),
];

const ELSEWHERE: [Wire; 3] = [Wire::ChatCompletions, Wire::Responses, Wire::GenerateContent];

impl Rule {
    /// Returns true if the rule is checked on a wire by conversions only, on what they convert, and
    /// not in bodies that are on the wire already.
    ///
    /// ```
    /// use aside_rules::{Wire, find};
    ///
    /// let rule = find("doubled-result").unwrap();
    /// assert!(rule.is_of_conversions(Wire::Responses));
    /// assert!(!rule.is_of_conversions(Wire::Messages));
    /// ```
    #[must_use]
    pub fn is_of_conversions(&self, wire: Wire) -> bool {
        let own = OF_CONVERSIONS.iter().filter(|it| it.0 == self.id);
        own.flat_map(|it| it.1).any(|it| *it == wire)
    }
}
