use serde::{Deserialize, Serialize};

use crate::date::SessionDate;
use crate::name::names;
use crate::outside_text::{OutsideText, line};
use crate::prompt::SystemPrompt;
use crate::segment::{Lifetime, Segment, Zone};

/// Something that is true for a session and stands behind all that sessions share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextEntry {
    /// What it is, as in `gitStatus`; written on one line.
    pub name: String,
    /// The text, of any number of lines.
    pub text: OutsideText,
}

impl ContextEntry {
    /// Any entry.
    pub fn new(name: impl Into<String>, text: impl Into<OutsideText>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// `gitStatus`: the git snapshot.
    pub fn git_status(snapshot: impl Into<OutsideText>) -> Self {
        Self::new("gitStatus", snapshot)
    }

    /// `currentDate`: the day on which the session began.
    pub fn current_date(date: SessionDate) -> Self {
        Self::new("currentDate", format!("Today's date is {date}."))
    }

    /// `cacheBreaker`: a value whose only purpose is to be different, for those who measure a
    /// cache that misses. Nothing adds it by default.
    pub fn cache_breaker(value: impl Into<OutsideText>) -> Self {
        Self::new("cacheBreaker", value)
    }
}

/// The classic layout's system context: `key: value`, one entry a line. `None` without entries.
pub fn system_context(entries: &[ContextEntry]) -> Option<String> {
    let lines: Vec<String> = entries
        .iter()
        .filter(|entry| !entry.text.is_blank())
        .map(|entry| format!("{}: {}", line(&entry.name), entry.text.neutralized()))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The layered layout's session context: first the entries, then the prompt's session-lifetime
/// sections, each as a heading `# <name>` with its text below. `None` where there is nothing.
///
/// This is the body of a reminder. Whoever sends it wraps it in the tag, and leaves the
/// session-lifetime sections out of the system prompt.
pub fn session_context(entries: &[ContextEntry], prompt: &SystemPrompt) -> Option<String> {
    let entries = entries
        .iter()
        .filter(|entry| !entry.text.is_blank())
        .map(|entry| (entry.name.as_str(), entry.text.neutralized()));
    let sections = session_segments(prompt).map(|(name, text)| (name, text.into()));
    let bodies: Vec<String> = entries
        .chain(sections)
        .map(|(name, text)| format!("# {}\n{}", line(name), text.trim_end()))
        .collect();
    (!bodies.is_empty()).then(|| bodies.join("\n\n"))
}

/// Returns every section, as those of the session stand in [`session_context`]: the ones that
/// changed since another prompt follow from the difference.
pub fn comparable_sections(prompt: &SystemPrompt) -> Vec<ContextEntry> {
    let segments = prompt.segments();
    segments
        .map(|segment| ContextEntry::new(segment.name(), without_heading(segment).trim_end()))
        .collect()
}

fn session_segments(prompt: &SystemPrompt) -> impl Iterator<Item = (&str, &str)> {
    prompt
        .segments()
        .filter(|segment| segment.lifetime() == Lifetime::Session)
        .map(|segment| (segment.name(), without_heading(segment)))
}

/// The text without a first line that only repeats the section's name, as `# Token budget` does in
/// `token_budget`: the name is its heading already.
fn without_heading(segment: &Segment) -> &str {
    let text = segment.text();
    let Some((heading, rest)) = text
        .strip_prefix("# ")
        .and_then(|rest| rest.split_once('\n'))
    else {
        return text;
    };
    let same = heading
        .trim()
        .replace(' ', "_")
        .eq_ignore_ascii_case(segment.name());
    if same {
        rest.trim_start_matches('\n')
    } else {
        text
    }
}

impl SystemPrompt {
    /// The same prompt with the [`system_context`] of these entries as its last segment. Where
    /// there are none, the prompt stays as it is.
    pub fn with_system_context(self, entries: &[ContextEntry]) -> Self {
        match system_context(entries) {
            Some(text) => self.with_last(Segment::new(
                names::SYSTEM_CONTEXT,
                Zone::Dynamic,
                Lifetime::Session,
                text,
            )),
            None => self,
        }
    }
}
