//! The values of one prompt's sections, in the form in which they are stored.
//!
//! ```json
//! [
//!   {"name": "intro", "zone": "static", "lifetime": "project", "value": {"text": "You are …"}},
//!   {"name": "language", "zone": "dynamic", "lifetime": "project", "value": "absent"}
//! ]
//! ```

use serde::{Deserialize, Serialize};

use crate::diagnostic::PromptDiagnostic;
use crate::error::{SectionError, SectionErrorKind};
use crate::name;
use crate::prompt::SystemPrompt;
use crate::segment::{Lifetime, Segment, StaticBoundary, Zone};

/// The values of all sections: a plain value to store, compare and turn into a
/// prompt.
///
/// When you store it in a transcript and read it back, it gives the same prompt
/// again, even if the program's own texts have changed;
/// [`Registry::restore`](crate::Registry::restore) continues from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ResolvedSection>", into = "Vec<ResolvedSection>")]
pub struct Resolved {
    sections: Vec<ResolvedSection>,
}

/// One section with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedSection {
    /// The section's name.
    pub name: String,
    /// The section's zone.
    pub zone: Zone,
    /// How long its text stays the same.
    pub lifetime: Lifetime,
    /// Its value.
    pub value: Value,
}

/// A section's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Text for the prompt.
    Text(String),
    /// No text: the section is left out.
    Absent,
    /// The computation failed with this message: the section is left out.
    Failed(String),
    /// The computation panicked with this message: the section is left out.
    Panicked(String),
}

impl Resolved {
    /// In the order of the sections.
    pub(crate) fn new(sections: Vec<ResolvedSection>) -> Self {
        Self { sections }
    }

    /// Returns the sections in order, including those without text.
    pub fn sections(
        &self,
    ) -> impl DoubleEndedIterator<Item = &ResolvedSection> + ExactSizeIterator {
        self.sections.iter()
    }

    /// Returns the same sections with their values in `newer`. A section
    /// missing there keeps its value, and one that exists only there stays out:
    /// a program that resumes a session of another version does not change its
    /// prompt.
    #[must_use]
    pub fn renewed(&self, newer: &Self) -> Self {
        let renew = |section: &ResolvedSection| {
            let mut newer = newer.sections.iter();
            let newer = newer.find(|newer| newer.name == section.name);
            let value = newer.map_or(&section.value, |newer| &newer.value);
            ResolvedSection { value: value.clone(), ..section.clone() }
        };
        Self { sections: self.sections.iter().map(renew).collect() }
    }

    /// Builds the prompt from the sections that have text.
    pub fn prompt(&self, boundary: StaticBoundary) -> SystemPrompt {
        let segments = self
            .sections
            .iter()
            .filter_map(|section| match &section.value {
                Value::Text(text) => {
                    Some(Segment::new(&section.name, section.zone, section.lifetime, text))
                }
                Value::Absent | Value::Failed(_) | Value::Panicked(_) => None,
            })
            .collect();
        SystemPrompt::from_segments(segments, boundary)
    }

    /// Returns a diagnostic for each section that failed.
    pub fn diagnostics(&self) -> Vec<PromptDiagnostic> {
        self.sections
            .iter()
            .filter_map(|section| {
                let name = section.name.clone();
                match &section.value {
                    Value::Text(_) | Value::Absent => None,
                    Value::Failed(message) => Some(PromptDiagnostic::SectionFailed {
                        section: name,
                        message: message.clone(),
                    }),
                    Value::Panicked(message) => Some(PromptDiagnostic::SectionPanicked {
                        section: name,
                        message: message.clone(),
                    }),
                }
            })
            .collect()
    }
}

impl TryFrom<Vec<ResolvedSection>> for Resolved {
    type Error = SectionError;

    fn try_from(sections: Vec<ResolvedSection>) -> Result<Self, SectionError> {
        for (at, section) in sections.iter().enumerate() {
            let earlier = sections.iter().take(at);
            name::check(&section.name, earlier.clone().map(|other| other.name.as_str()))?;
            if earlier.into_iter().any(|other| other.zone > section.zone) {
                return Err(SectionError::new(SectionErrorKind::WrongZone, &section.name));
            }
        }
        Ok(Self { sections })
    }
}

impl From<Resolved> for Vec<ResolvedSection> {
    fn from(resolved: Resolved) -> Self {
        resolved.sections
    }
}

impl Value {
    /// Blank text becomes `Absent`, since the API refuses a blank text block.
    pub(crate) fn of(text: Option<String>) -> Self {
        match text {
            Some(text) if !text.trim().is_empty() => Self::Text(text),
            _ => Self::Absent,
        }
    }
}
