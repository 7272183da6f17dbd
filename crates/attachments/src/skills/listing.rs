use aside_messages::conversation::EntryDraft;
use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use super::Skill;
use crate::announced::Announced;
use crate::cut;
use crate::draft::announcing;

/// The most characters of a list of skills, unless its names alone are longer.
pub const SKILL_LISTING_CHARACTERS: usize = 8_000;

/// The fewest characters of a description that are worth having.
const SHORTEST_DESCRIPTION: usize = 20;

/// The skills that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillListing {
    /// In the order in which they are to be listed.
    pub skills: Vec<Skill>,
    /// The most characters of the list. Names are kept in any case.
    #[serde(default = "characters")]
    pub characters: usize,
}

fn characters() -> usize {
    SKILL_LISTING_CHARACTERS
}

impl SkillListing {
    /// A list of the usual length.
    #[must_use]
    pub fn new(skills: Vec<Skill>) -> Self {
        Self {
            skills,
            characters: SKILL_LISTING_CHARACTERS,
        }
    }

    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        if self.skills.is_empty() {
            return None;
        }
        let announced = Announced::named(self.skills.iter().map(|skill| skill.name.as_str()));
        let body = format!(
            "These skills can be used with the Skill tool:\n{}",
            self.list()
        );
        Some(announcing(kind, &announced, body))
    }

    fn list(&self) -> String {
        let names: Vec<_> = self.skills.iter().map(|it| one_line(&it.name)).collect();
        let descriptions: Vec<_> = self
            .skills
            .iter()
            .map(|it| folded(&it.description))
            .collect();
        let lengths: Vec<usize> = descriptions.iter().map(|it| it.chars().count()).collect();
        // `- name` and a line feed; a description stands behind `: `.
        let fixed: usize = names.iter().map(|name| name.chars().count() + 3).sum();
        let room = self.characters.saturating_sub(fixed);
        let share = fair_share(&lengths, room, 2);
        let mut lines = Vec::new();
        let mut cut = 0;
        for (name, description) in names.iter().zip(&descriptions) {
            let kept = cut::at_chars(description, share);
            cut += usize::from(kept.is_some());
            lines.push(match kept {
                _ if description.is_empty() => format!("- {name}"),
                None => format!("- {name}: {description}"),
                Some(_) if share < SHORTEST_DESCRIPTION => format!("- {name}"),
                Some(_) => {
                    let kept = cut::at_chars(description, share - 1).unwrap_or(description);
                    format!("- {name}: {}…", kept.trim_end())
                }
            });
        }
        if cut > 0 {
            lines.push(format!(
                "[… descriptions that are cut or left out to save room: {cut}]"
            ));
        }
        lines.join("\n")
    }
}

/// The most that each may take so that all of them together, with `beside`
/// each, take no more than `room`: short ones leave what they do not need to
/// the others.
fn fair_share(lengths: &[usize], room: usize, beside: usize) -> usize {
    let mut sorted: Vec<usize> = lengths.iter().copied().filter(|it| *it > 0).collect();
    sorted.sort_unstable();
    let mut room = room.saturating_sub(beside * sorted.len());
    for (index, length) in sorted.iter().enumerate() {
        let share = room / (sorted.len() - index);
        if *length > share {
            return share;
        }
        room -= length;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ones_leave_room_to_the_others() {
        assert_eq!(fair_share(&[5, 5], 100, 2), usize::MAX);
        assert_eq!(fair_share(&[2, 50, 50], 66, 2), 29);
        assert_eq!(fair_share(&[10, 10], 4, 2), 0);
        assert_eq!(fair_share(&[], 0, 2), usize::MAX);
    }
}
