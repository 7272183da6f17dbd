//! The skills in use, repeated after a compaction.

use aside_messages::{TokenEstimate, Tokenizer, estimate_tokens, one_line, prefix_within};
use serde::{Deserialize, Serialize};

/// For one skill.
const MAX_SKILL_TOKENS: TokenEstimate = TokenEstimate::of_tokens(5_000);

/// For all skills together.
const MAX_TOTAL_TOKENS: TokenEstimate = TokenEstimate::of_tokens(25_000);

/// The skills that the model used before a compaction, with their text: up to
/// 5,000 estimated tokens each and 25,000 in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvokedSkills {
    /// The skills, last used first.
    pub skills: Vec<InvokedSkill>,
}

/// A skill that the model has used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InvokedSkill {
    /// The name by which the Skill tool invokes it.
    pub name: String,
    /// Its file's path.
    pub path: String,
    /// Its text.
    pub content: String,
}

impl InvokedSkills {
    /// Once a skill does not fit, it and all that were used before it are
    /// listed by name and path.
    pub(crate) fn into_draft(self) -> Option<String> {
        if self.skills.is_empty() {
            return None;
        }
        let mut body =
            "These skills were used in this session. Continue to follow them where they \
                        apply."
                .to_owned();
        let mut used = TokenEstimate::ZERO;
        let mut left_out = Vec::new();
        for skill in &self.skills {
            let text = skill.text();
            let with_it = used + estimate_tokens(&text);
            if with_it > MAX_TOTAL_TOKENS || !left_out.is_empty() {
                left_out.push(skill.reference());
                continue;
            }
            used = with_it;
            body.push_str("\n\n");
            body.push_str(&text);
        }
        if !left_out.is_empty() {
            body.push_str("\n\n[… too long to be repeated here; read them if needed:\n");
            body.push_str(&left_out.join("\n"));
            body.push(']');
        }
        Some(body)
    }
}

impl InvokedSkill {
    /// Such as `release (/p/.claude/skills/release/SKILL.md)`.
    fn reference(&self) -> String {
        format!("{} ({})", one_line(&self.name), one_line(&self.path))
    }

    /// Returns the skill's heading and text, cut to its token limit.
    fn text(&self) -> String {
        let heading = format!("### Skill {}\n\n", self.reference());
        let whole = format!("{heading}{}", self.content);
        if estimate_tokens(&whole) <= MAX_SKILL_TOKENS {
            return whole;
        }
        let mark = "\n[… the rest of the skill is left out; read its file if you need it]";
        let mut room = MAX_SKILL_TOKENS - estimate_tokens(mark);
        loop {
            let kept = prefix_within(&whole, Tokenizer::default(), room);
            let text = format!("{kept}{mark}");
            let tokens = estimate_tokens(&text);
            if tokens <= MAX_SKILL_TOKENS || kept.is_empty() {
                return text;
            }
            // Where two texts meet there are additional tokens.
            room = room - (tokens - MAX_SKILL_TOKENS) - TokenEstimate::of_tokens(1);
        }
    }
}
