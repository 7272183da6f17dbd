use aside_messages::conversation::EntryDraft;
use aside_messages::estimate_tokens;
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::draft::reminder;
use crate::line::one_line;

/// The most estimated tokens of one skill.
pub const INVOKED_SKILL_TOKENS: u64 = 5_000;

/// The most estimated tokens of all skills together.
pub const INVOKED_SKILLS_TOKENS: u64 = 25_000;

/// What the model learnt from skills before the conversation was compacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvokedSkills {
    /// The one that was used last comes first.
    pub skills: Vec<InvokedSkill>,
}

/// A skill that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvokedSkill {
    /// What the Skill tool calls it.
    pub name: String,
    /// Where it is kept.
    pub path: String,
    /// What it says.
    pub content: String,
}

impl InvokedSkills {
    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        if self.skills.is_empty() {
            return None;
        }
        let mut body = "These skills were used in this session. Go on following them where they \
                        concern what you do."
            .to_owned();
        let mut room = INVOKED_SKILLS_TOKENS;
        let mut left_out = Vec::new();
        for skill in &self.skills {
            let text = skill.text();
            let tokens = estimate_tokens(&text);
            if tokens > room || !left_out.is_empty() {
                left_out.push(skill.reference());
                continue;
            }
            room -= tokens;
            body.push_str("\n\n");
            body.push_str(&text);
        }
        if !left_out.is_empty() {
            body.push_str("\n\n[… too long to be given here as well; read them where needed:\n");
            body.push_str(&left_out.join("\n"));
            body.push(']');
        }
        Some(reminder(kind, body))
    }
}

impl InvokedSkill {
    fn reference(&self) -> String {
        format!("{} ({})", one_line(&self.name), one_line(&self.path))
    }

    fn text(&self) -> String {
        let heading = format!("### Skill {}\n\n", self.reference());
        let mark = "\n[… the rest of the skill is left out; read its file where you need it]";
        let whole = format!("{heading}{}", self.content);
        if estimate_tokens(&whole) <= INVOKED_SKILL_TOKENS {
            return whole;
        }
        let room = INVOKED_SKILL_TOKENS - estimate_tokens(mark).min(INVOKED_SKILL_TOKENS);
        format!("{}{mark}", to_tokens(&whole, room))
    }
}

/// The longest start of `text` that is estimated at no more than `max` tokens.
fn to_tokens(text: &str, max: u64) -> &str {
    let (mut fits, mut too_long) = (0, text.len());
    while too_long - fits > 1 {
        let middle = fits + (too_long - fits) / 2;
        if estimate_tokens(cut::at_bytes(text, middle)) <= max {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    cut::at_bytes(text, fits)
}
