//! A request's bytes with the source of each: a section, a tool, an instruction
//! file, an entry.

use std::collections::HashMap;

use aside_cache_model::Body;
use aside_messages::conversation::{Entry, EntryId, Origin as Author};
use aside_messages::encode::SourceSpan;
use aside_messages::{Layer, Source, one_line};

use crate::pin::{Pin, SECTIONS_OF_SETTINGS};
use crate::stand_ins::Shift;

/// The label for texts about a session, each under a heading.
pub(crate) const CONTEXT: &str = "context";

/// The label for text around instruction files.
pub(crate) const INSTRUCTIONS: &str = "instruction files";

/// A body with `/scenario` in place of the real directory.
#[derive(Clone, Debug)]
pub(crate) struct SourcedBody {
    pub(crate) bytes: Vec<u8>,
    /// Sources for the bytes with real paths; those without one are the
    /// envelope.
    spans: Vec<SourceSpan>,
    /// From the bytes to those with real paths.
    shifts: Vec<Shift>,
    authors: Authors,
    /// Its model, if the bytes may not name it.
    model: Option<String>,
}

/// Who wrote a conversation's entries, except for the user and the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Authors(HashMap<EntryId, String>);

impl Authors {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let author = |entry: &Entry| {
            let author = match &entry.origin {
                Author::Attachment { kind, .. } => format!("attachment {kind}"),
                Author::Hook { name } => format!("hook {name}"),
                Author::Context { layer: Layer::Project | Layer::User } => {
                    "instruction files".to_owned()
                }
                Author::Context { .. } => CONTEXT.to_owned(),
                _ => return None,
            };
            Some((entry.id, author))
        };
        Self(entries.iter().filter_map(author).collect())
    }

    /// Returns who wrote an entry; `None` for the user, the model and what is no
    /// entry.
    pub(crate) fn of_source(&self, source: &Source) -> Option<&str> {
        match source {
            Source::Entry { id, .. } => self.0.get(id).map(String::as_str),
            _ => None,
        }
    }
}

/// Where a byte comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    source: &'a Source,
    author: Option<&'a str>,
    /// Which requests share the block; `None` for the envelope.
    pub(crate) layer: Option<Layer>,
}

impl SourcedBody {
    pub(crate) fn new(
        (bytes, shifts): (Vec<u8>, Vec<Shift>),
        spans: Vec<SourceSpan>,
        authors: Authors,
    ) -> Self {
        Self { bytes, spans, shifts, authors, model: None }
    }

    /// Creates a body without sources.
    pub(crate) fn bare(bytes: Vec<u8>) -> Self {
        Self::new((bytes, Vec::new()), Vec::new(), Authors::default())
    }

    pub(crate) fn with_model(self, model: Option<String>) -> Self {
        Self { model, ..self }
    }

    /// Returns the request; `None` if the bytes are none.
    pub(crate) fn request(&self) -> Option<Body> {
        self.read(&self.bytes)
    }

    /// Returns another request to the same model, such as the expected one.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<Body> {
        let request = Body::parse(bytes).ok()?;
        Some(match &self.model {
            Some(model) => request.with_model(model),
            None => request,
        })
    }

    pub(crate) fn origin(&self, offset: usize) -> Origin<'_> {
        let at = Shift::before(&self.shifts, offset);
        let index = self.spans.partition_point(|it| it.range.end <= at);
        let span = self.spans.get(index).filter(|it| it.range.contains(&at));
        let source = span.map_or(&Source::Envelope, |it| &it.source);
        let author = self.authors.of_source(source);
        Origin { source, author, layer: span.map(|it| it.layer) }
    }
}

impl Origin<'_> {
    /// Returns what the margin says: a path in the project, `conversation`, or
    /// the source's name; empty for the envelope.
    pub(crate) fn label(&self) -> String {
        let label = match self.source {
            Source::Entry { .. } => self.author.unwrap_or("conversation").to_owned(),
            Source::Envelope => String::new(),
            source => source.to_string(),
        };
        one_line(&label).into_owned()
    }

    /// Returns true if many sessions send the text, rather than a person having
    /// written it.
    pub(crate) fn is_ours(&self) -> bool {
        match self.source {
            Source::Entry { .. } => self.author.is_some(),
            source => !matches!(source, Source::Envelope),
        }
    }

    /// Returns true if a pin selects lines with this origin.
    pub(crate) fn is_pinned(&self, pins: &[Pin]) -> bool {
        let pinned = |pin| pins.contains(&pin);
        match self.source {
            Source::Reminder { .. } => pinned(Pin::Reminders),
            Source::Section { name } => {
                pinned(Pin::Settings) && SECTIONS_OF_SETTINGS.contains(&&**name)
            }
            _ => false,
        }
    }
}
