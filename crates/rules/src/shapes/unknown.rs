//! Keys and types that no shape has.

use aside_json::{Path, Value, excerpt};
use aside_models::Wire;

use super::nearest::nearest;
use super::walk::{MARKER, Walk};
use super::{Object, Union};
use crate::rule::{Rule, RuleLevel};
use crate::table::{
    BLOCK_PLACE, FOREIGN_KIND, MARKER_PLACE, MISSPELLED_KIND, UNKNOWN_KEY, UNKNOWN_KIND,
};

/// Returns block, item, tool and choice types that only other wires have. A client that sends one
/// was only partly ported.
#[rustfmt::skip]
const fn foreign_kinds(wire: Wire) -> &'static [&'static str] {
    match wire {
        Wire::Messages => &[
            "file", "function", "function_call", "function_call_output", "image_url",
            "input_audio", "input_file", "input_image", "input_text", "output_text", "reasoning",
            "refusal",
        ],
        Wire::ChatCompletions => &[
            "any", "auto", "document", "image", "input_file", "input_image", "input_text", "none",
            "output_text", "redacted_thinking", "thinking", "tool", "tool_result", "tool_use",
        ],
        Wire::Responses => &[
            "any", "auto", "document", "image", "image_url", "none", "text", "thinking", "tool",
            "tool_result", "tool_use",
        ],
        _ => &[],
    }
}

impl Walk<'_> {
    fn has(&self, rule: &Rule) -> bool {
        rule.on_wire(self.checker.wire).is_some()
    }

    /// Reports a key that the shape lacks. `cache_control` violates `marker-place` instead: the API
    /// accepts this key on other blocks. The expectation names the nearest known key if it is a
    /// misspelling, and the header if the key is one:
    ///
    /// ```text
    /// unknown-key: maxTokens: 8, expected max_tokens, or no key
    /// unknown-key: betas: ["x"], expected a header instead of a key
    /// ```
    pub(super) fn unknown_key(
        &mut self,
        name: &str,
        value: Value<'_>,
        object: &Object,
        at: Path<'_>,
    ) {
        if value.is_null() && !self.is_messages {
            // Elsewhere, null is the same as no key.
            return;
        }
        let path = at.to_string();
        if name == MARKER && !value.is_null() && self.has(&MARKER_PLACE) {
            return self.checker.add(&MARKER_PLACE, path, "a marker");
        }
        let found = excerpt(value.raw());
        let is_header = matches!(path.as_str(), "betas" | "user_profile_id" | "workspace_id");
        let expected = match nearest(name, object.keys.iter().map(|key| key.name)) {
            _ if is_header => "a header instead of a key".to_owned(),
            Some(near) if near.is_misspelled() => format!("{}, or no key", near.name),
            _ => "no other key".to_owned(),
        };
        self.add(&UNKNOWN_KEY, at, RuleLevel::Refused, found, expected);
    }

    /// Reports a `type` that the union lacks, in one of four ways:
    ///
    /// - `block-place` if the API has this block elsewhere: an image in the system prompt;
    /// - `foreign-kind` if another wire has it: an `image_url`;
    /// - `misspelled-kind` if it is at most two edits from a known one;
    /// - `unknown-kind` otherwise. The level is [`Unknown`](RuleLevel::Unknown), since a later API
    ///   version may have it, or `Refused` on the Claude API if the union is closed.
    pub(super) fn unknown_kind(&mut self, name: &str, union: &Union, at: Path<'_>) {
        let found = excerpt(&format!("{name:?}"));
        let mut blocks = self.shapes.unions().filter(|union| union.is_of_blocks);
        if union.is_of_blocks && blocks.any(|blocks| blocks.variant(name).is_some()) {
            let expected = format!("a {} of a type that is accepted here", union.noun);
            return self.add(&BLOCK_PLACE, at, RuleLevel::Refused, found, expected);
        }
        if let Some(foreign) = FOREIGN_KIND.on_wire(self.checker.wire)
            && foreign_kinds(self.checker.wire).contains(&name)
        {
            return self.add(&FOREIGN_KIND, at, RuleLevel::Refused, found, foreign.expected);
        }
        let near = nearest(name, union.tags());
        let (rule, expected) = match near {
            Some(near) if near.is_misspelled() && self.has(&MISSPELLED_KIND) => {
                (&MISSPELLED_KIND, near.name.to_owned())
            }
            Some(near) => (&UNKNOWN_KIND, format!("a known {}, such as {}", union.noun, near.name)),
            None => (&UNKNOWN_KIND, format!("a known {}", union.noun)),
        };
        if !union.is_closed || is_later(name) || !self.checker.is_closed_api() {
            return self.add(rule, at, RuleLevel::Unknown, found, expected);
        }
        let level = Some(RuleLevel::Refused);
        self.checker.add_at_level(level, rule, at.to_string(), found, expected);
    }
}

/// Returns true for a type dated later than the catalogue: the API may have it by now.
fn is_later(name: &str) -> bool {
    let date = name.rsplit('_').next().unwrap_or_default();
    let today = aside_models::AS_OF.to_string().replace('-', "");
    date.len() == today.len() && date.bytes().all(|it| it.is_ascii_digit()) && *date > *today
}
