//! The sources of a request that Aside built: which section, entry, tool or
//! file each byte belongs to, and why it is in the request.
//!
//! A report works without them, from the bytes alone; with them, parts have a
//! [`Source`] and an origin.

mod converted;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use aside_messages::conversation::{Entry, EntryId, Origin};
use aside_messages::encode::{Body, SourceSpan};
use aside_messages::{Layer, Source};

/// The sources of the bytes of a request that Aside built.
///
/// The spans come from the encoder ([`Body::source_spans`]); the reasons, in
/// words, from the caller.
#[derive(Clone, Debug, Default)]
pub struct BodySources {
    /// The spans, in the order of the body.
    spans: Vec<SourceSpan>,
    /// The author of each entry of the conversation.
    entries: HashMap<EntryId, Arc<str>>,
    /// The reason for each section, by its name.
    sections: HashMap<String, Arc<str>>,
    /// The reason for each tool, by its name.
    tools: HashMap<String, Arc<str>>,
    /// The reason for each instruction file, by its path.
    files: HashMap<String, Arc<str>>,
}

impl BodySources {
    /// Collects the sources of a body.
    ///
    /// Origins are added with `with_entries`, `with_section`, `with_tool` and
    /// `with_file`; without them, parts have a source and no origin.
    #[must_use]
    pub fn of(body: &Body) -> Self {
        Self {
            spans: body.source_spans(),
            ..Self::default()
        }
    }

    /// Adds the origins of the entries, so that the parts of a report have
    /// them.
    #[must_use]
    pub fn with_entries(mut self, entries: &[Entry]) -> Self {
        for entry in entries {
            let origin = describe(&entry.origin);
            self.entries.insert(entry.id, origin.into());
        }
        self
    }

    /// Adds the reason for a section of the system prompt.
    #[must_use]
    pub fn with_section(mut self, name: impl Into<String>, why: impl Into<Arc<str>>) -> Self {
        self.sections.insert(name.into(), why.into());
        self
    }

    /// Adds the reason for a tool.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>, why: impl Into<Arc<str>>) -> Self {
        self.tools.insert(name.into(), why.into());
        self
    }

    /// Adds the reason for an instruction file, by its path in the request.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<String>, why: impl Into<Arc<str>>) -> Self {
        self.files.insert(path.into(), why.into());
        self
    }

    /// Returns the spans, in the order of the body. Bytes that none of them
    /// covers have no source of their own.
    #[must_use]
    pub fn into_spans(self) -> Vec<SourceSpan> {
        self.spans
    }

    /// Returns the spans that overlap a range, cut to it.
    ///
    /// The cost is logarithmic in the number of spans, and linear in those that
    /// are found.
    pub(crate) fn spans(&self, range: &Range<usize>) -> impl Iterator<Item = SourceSpan> {
        let first = self
            .spans
            .partition_point(|span| span.range.end <= range.start);
        let (start, end) = (range.start, range.end);
        let overlapping = self.spans[first..]
            .iter()
            .take_while(move |span| span.range.start < end);
        overlapping.map(move |span| {
            let mut span = span.clone();
            span.range = span.range.start.max(start)..span.range.end.min(end);
            span
        })
    }

    /// Returns true if the next request does not have the bytes of the range.
    pub(crate) fn is_volatile(&self, range: &Range<usize>) -> bool {
        self.spans(range).any(|span| span.volatile)
    }

    /// Returns the origin of a source, in words.
    pub(crate) fn origin(&self, source: &Source) -> Option<Arc<str>> {
        match source {
            Source::Entry { id, .. } => self.entries.get(id).cloned(),
            Source::Section { name } => self.sections.get(&**name).cloned(),
            Source::Tool { name } => self.tools.get(&**name).cloned(),
            Source::Reminder { .. } => Some("a reminder for this request alone".into()),
            _ => None,
        }
    }

    /// Returns the reason for an instruction file.
    pub(crate) fn file(&self, path: &str) -> Option<Arc<str>> {
        self.files.get(path).cloned()
    }
}

/// Returns the author of an entry in words.
fn describe(origin: &Origin) -> String {
    match origin {
        Origin::Human => "the user".to_owned(),
        Origin::TaskNotification => "a background task".to_owned(),
        Origin::Coordinator => "the coordinator".to_owned(),
        Origin::Channel { server } => format!("a message from {server}"),
        Origin::Hook { name } => format!("hook {name}"),
        Origin::Attachment { kind, .. } => format!("attachment {kind}"),
        Origin::Reminder { id } => format!("reminder {id}"),
        Origin::Context { layer } => match layer {
            Layer::Project => "instruction files".to_owned(),
            _ => "the context of the session".to_owned(),
        },
        Origin::Model { provider, name } => format!("{name} ({provider})"),
        _ => "another origin".to_owned(),
    }
}
