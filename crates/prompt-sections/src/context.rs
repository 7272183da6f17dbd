use serde::{Deserialize, Serialize};

use crate::date::SessionDate;
use crate::name::names;
use crate::outside_text::{OutsideText, line};
use crate::prompt::SystemPrompt;
use crate::segment::{Lifetime, Segment, Zone};

/// A fact about a session, to put after everything that sessions share.
///
/// ```
/// use aside_prompt_sections::{ContextEntry, system_context};
///
/// let entries = [
///     ContextEntry::git_status("Current branch: main"),
///     ContextEntry::current_date("2026-02-28".parse()?),
/// ];
/// let text = system_context(&entries).expect("there are entries");
/// assert!(text.starts_with("gitStatus: Current branch: main\n"));
/// # Ok::<(), aside_prompt_sections::InvalidDate>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextEntry {
    /// The name, such as `gitStatus`, written on one line.
    pub name: String,
    /// The text, on any number of lines.
    pub text: OutsideText,
}

impl ContextEntry {
    /// Creates an entry.
    pub fn new(name: impl Into<String>, text: impl Into<OutsideText>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Creates the entry `gitStatus`: the git snapshot.
    pub fn git_status(snapshot: impl Into<OutsideText>) -> Self {
        Self::new("gitStatus", snapshot)
    }

    /// Creates the entry `currentDate`: the day on which the session began.
    pub fn current_date(date: SessionDate) -> Self {
        Self::new("currentDate", format!("Today's date is {date}."))
    }

    /// Creates the entry `cacheBreaker`: any value that differs from the last
    /// one, to measure cache misses. Nothing adds it by default.
    pub fn cache_breaker(value: impl Into<OutsideText>) -> Self {
        Self::new("cacheBreaker", value)
    }
}

/// Renders the system context for the classic layout: `key: value`, one entry
/// per line. Returns `None` without entries.
pub fn system_context(entries: &[ContextEntry]) -> Option<String> {
    let lines: Vec<String> = entries
        .iter()
        .filter(|entry| !entry.text.is_blank())
        .map(|entry| format!("{}: {}", line(&entry.name), entry.text.neutralized()))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Renders the session context for the layered layout: first the entries, then
/// the environment and the prompt's other session-lifetime sections, each as a
/// heading `# <name>` with its text below. Returns `None` without any of them.
///
/// This is the body of a reminder. Wrap it in the tag, and leave the
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

/// Returns every section in the form in which [`session_context`] shows session
/// sections. To find the sections that changed, compare two such lists.
pub fn comparable_sections(prompt: &SystemPrompt) -> Vec<ContextEntry> {
    let segments = prompt.segments();
    segments
        .map(|segment| ContextEntry::new(segment.name(), without_heading(segment).trim_end()))
        .collect()
}

fn session_segments(prompt: &SystemPrompt) -> impl Iterator<Item = (&str, &str)> {
    let of_session = prompt.segments().filter(|segment| segment.lifetime() == Lifetime::Session);
    let (environment, others): (Vec<_>, Vec<_>) =
        of_session.partition(|segment| segment.name() == names::ENVIRONMENT);
    let all = environment.into_iter().chain(others);
    all.map(|segment| (segment.name(), without_heading(segment)))
}

/// Drops a first line that only repeats the section's name, such as `# Token
/// budget` in `token_budget`: the name is its heading already.
fn without_heading(segment: &Segment) -> &str {
    let text = segment.text();
    let Some((heading, rest)) = text.strip_prefix("# ").and_then(|rest| rest.split_once('\n'))
    else {
        return text;
    };
    let same = heading.trim().replace(' ', "_").eq_ignore_ascii_case(segment.name());
    if same { rest.trim_start_matches('\n') } else { text }
}

impl SystemPrompt {
    /// Appends the [`system_context`] for these entries as the last segment;
    /// without entries, returns the same prompt.
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
