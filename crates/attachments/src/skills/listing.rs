//! Listing skills within a character limit.

use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use super::Skill;
use crate::announcement::Announcement;
use crate::deltas::delta;
use crate::truncate::first_chars;

const DEFAULT_MAX_CHARS: usize = 8_000;

/// Rather than truncate a description to fewer characters, leave it out.
const MIN_DESCRIPTION_CHARS: usize = 20;

/// The available skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillListing {
    /// The skills, in the order to list them.
    pub skills: Vec<Skill>,
    /// How many characters the list may have, 8,000 by default. Descriptions
    /// are truncated to fit; names are always kept.
    #[serde(default = "default_max_chars")]
    pub characters: usize,
    /// The skills that are no longer available.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

fn default_max_chars() -> usize {
    DEFAULT_MAX_CHARS
}

impl SkillListing {
    /// Creates a listing with the default limit.
    #[must_use]
    pub fn new(skills: Vec<Skill>) -> Self {
        Self { skills, characters: DEFAULT_MAX_CHARS, removed: Vec::new() }
    }

    /// Returns no entry if no skill is listed or removed.
    pub(crate) fn into_draft(self) -> Option<(Announcement, String)> {
        let texts = self.skills.iter().map(Skill::named_text);
        let announcement = Announcement::of_texts(texts);
        let is_read = self.skills.iter().any(|skill| skill.path.is_some());
        let heading = if is_read {
            "These skills are available. If one fits your task, read its file first:"
        } else {
            "These skills can be used with the Skill tool:"
        };
        let list = self.list();
        delta(
            announcement,
            (heading, list),
            ("These skills are no longer available:", self.removed),
        )
    }

    /// Returns one line per skill: `- release: Cuts a release.`, or `- release
    /// (/p/SKILL.md): Cuts a release.`
    ///
    /// Descriptions share the characters that the names leave. When each share
    /// is very small, long descriptions are left out; a last line counts those
    /// cut or left out.
    fn list(&self) -> Vec<String> {
        let names: Vec<_> = self.skills.iter().map(Skill::listed_name).collect();
        let descriptions: Vec<_> = self.skills.iter().map(|it| folded(&it.description)).collect();
        let lengths: Vec<usize> = descriptions.iter().map(|it| it.chars().count()).collect();
        // `- name` and a line feed; a description follows after `: `.
        let fixed: usize = names.iter().map(|name| name.chars().count() + 3).sum();
        let room = self.characters.saturating_sub(fixed);
        let share = fair_share(&lengths, room, 2);
        let mut lines = Vec::new();
        let mut shortened = 0;
        for (name, description) in names.iter().zip(&descriptions) {
            let kept = first_chars(description, share);
            shortened += usize::from(kept.is_some());
            lines.push(match kept {
                _ if description.is_empty() => format!("- {name}"),
                None => format!("- {name}: {description}"),
                Some(_) if share < MIN_DESCRIPTION_CHARS => format!("- {name}"),
                Some(_) => {
                    let kept = first_chars(description, share - 1).unwrap_or(description);
                    format!("- {name}: {}…", kept.trim_end())
                }
            });
        }
        if shortened > 0 {
            lines.push(format!(
                "[… descriptions that are cut or left out to save room: {shortened}]"
            ));
        }
        lines
    }
}

impl Skill {
    pub(crate) fn named_text(&self) -> (&str, &str) {
        (&self.name, &self.description)
    }

    fn listed_name(&self) -> String {
        let name = one_line(&self.name);
        match &self.path {
            Some(path) => format!("{name} ({})", one_line(path)),
            None => name.into_owned(),
        }
    }
}

/// Returns how long each text may be for all of them, with `extra` for each, to
/// fit into `room`: short texts leave their share to the others.
fn fair_share(lengths: &[usize], room: usize, extra: usize) -> usize {
    let mut sorted: Vec<usize> = lengths.iter().copied().filter(|it| *it > 0).collect();
    sorted.sort_unstable();
    let mut room = room.saturating_sub(extra * sorted.len());
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
    fn short_texts_leave_room_to_the_others() {
        assert_eq!(fair_share(&[5, 5], 100, 2), usize::MAX);
        assert_eq!(fair_share(&[2, 50, 50], 66, 2), 29);
        assert_eq!(fair_share(&[10, 10], 4, 2), 0);
        assert_eq!(fair_share(&[], 0, 2), usize::MAX);
    }
}
