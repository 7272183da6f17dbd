//! Where the bytes of a request come from that Aside built: from which section,
//! entry, tool or file, and why they are in the request.
//!
//! A report works without this, from the bytes alone; with it, parts have a
//! [`Source`] and an origin.

mod converted;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use aside_messages::conversation::{Entry, EntryId, Origin};
use aside_messages::encode::{Body, SourceSpan};
use aside_messages::{Layer, Source};

/// Where the bytes of a request come from that Aside built.
///
/// The spans come from the encoder ([`Body::source_spans`]); you add the
/// reasons, in words.
#[derive(Clone, Debug, Default)]
pub struct BodySources {
    /// The spans, in body order.
    spans: Vec<SourceSpan>,
    /// Who wrote each conversation entry.
    entries: HashMap<EntryId, Arc<str>>,
    /// The reminders that are entries: they stay in the conversation.
    kept_reminders: HashSet<String>,
    /// Why each section is there, by name.
    sections: HashMap<String, Arc<str>>,
    /// Why each tool is there, by name.
    tools: HashMap<String, Arc<str>>,
    /// Why each instruction file is there, and how many lines it has, by path.
    files: HashMap<String, (Arc<str>, usize)>,
    /// The entries with instruction files.
    files_in: HashMap<EntryId, FilesIn>,
}

/// Which instruction files an entry's reminder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesIn {
    /// Some of those that are listed.
    Listed,
    /// One, whose header is the first line.
    FirstLine,
}

/// The attachment with an instruction file for a path that the model read.
const NESTED_FILE: &str = "nested_memory";

impl BodySources {
    /// Collects a body's sources.
    ///
    /// Add origins with `with_entries`, `with_section`, `with_tool` and
    /// `with_file`; without them, parts have a source and no origin.
    #[must_use]
    pub fn of(body: &Body) -> Self {
        Self { spans: body.source_spans(), ..Self::default() }
    }

    /// Adds who wrote the entries, so that a report's parts have it. Include
    /// those that the request appends: only they tell a reminder that stays.
    #[must_use]
    pub fn with_entries(mut self, entries: &[Entry]) -> Self {
        for entry in entries {
            let origin = describe(&entry.origin);
            self.entries.insert(entry.id, origin.into());
            let files_in = match &entry.origin {
                Origin::Context { .. } => FilesIn::Listed,
                Origin::Attachment { kind, .. } if kind == NESTED_FILE => FilesIn::FirstLine,
                Origin::Reminder { id } => {
                    self.kept_reminders.insert(id.clone());
                    continue;
                }
                _ => continue,
            };
            self.files_in.insert(entry.id, files_in);
        }
        self
    }

    /// Says why a system prompt section is there.
    #[must_use]
    pub fn with_section(mut self, name: impl Into<String>, why: impl Into<Arc<str>>) -> Self {
        self.sections.insert(name.into(), why.into());
        self
    }

    /// Says why a tool is there.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>, why: impl Into<Arc<str>>) -> Self {
        self.tools.insert(name.into(), why.into());
        self
    }

    /// Says why an instruction file is there, by its path in the request. `text` is the one that the
    /// model gets: a line in it that looks like another file's header is not one.
    #[must_use]
    pub fn with_file(
        mut self,
        path: impl Into<String>,
        text: &str,
        why: impl Into<Arc<str>>,
    ) -> Self {
        let lines = 1 + text.matches('\n').count();
        self.files.insert(path.into(), (why.into(), lines));
        self
    }

    /// Returns the spans, in body order. Bytes that none covers have no source
    /// of their own.
    #[must_use]
    pub fn into_spans(self) -> Vec<SourceSpan> {
        self.spans
    }

    /// Returns the spans that overlap a range, cut to it.
    ///
    /// The cost is logarithmic in all spans, and linear in those that are
    /// found.
    pub(crate) fn spans(&self, range: &Range<usize>) -> impl Iterator<Item = SourceSpan> {
        let first = self.spans.partition_point(|span| span.range.end <= range.start);
        let (start, end) = (range.start, range.end);
        let overlapping = self.spans[first..].iter().take_while(move |span| span.range.start < end);
        overlapping.map(move |span| {
            let mut span = span.clone();
            span.range = span.range.start.max(start)..span.range.end.min(end);
            span
        })
    }

    /// Returns true if the next request does not have these bytes.
    pub(crate) fn is_volatile(&self, range: &Range<usize>) -> bool {
        self.spans(range).any(|span| span.volatile)
    }

    /// Returns a source's origin, in words.
    pub(crate) fn origin(&self, source: &Source) -> Option<Arc<str>> {
        match source {
            Source::Entry { id, .. } => self.entries.get(id).cloned(),
            Source::Section { name } => self.sections.get(&**name).cloned(),
            Source::Tool { name } => self.tools.get(&**name).cloned(),
            Source::Reminder { id } if self.kept_reminders.contains(&**id) => {
                Some("a reminder, which later requests repeat".into())
            }
            Source::Reminder { .. } => Some("a reminder for this request alone".into()),
            _ => None,
        }
    }

    pub(crate) fn file(&self, path: &str) -> Option<Arc<str>> {
        self.files.get(path).map(|(why, _)| Arc::clone(why))
    }

    pub(crate) fn lines_of_file(&self, path: &str) -> Option<usize> {
        self.files.get(path).map(|(_, lines)| *lines)
    }

    /// Returns which instruction files a reminder has; `None` for none.
    pub(crate) fn files_in(&self, reminder: &Range<usize>) -> Option<FilesIn> {
        self.spans(reminder).find_map(|span| match span.source {
            Source::Entry { id, .. } => self.files_in.get(&id).copied(),
            _ => None,
        })
    }
}

/// Says in words who wrote an entry.
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
            Layer::Project | Layer::User => "instruction files".to_owned(),
            _ => "the context of the session".to_owned(),
        },
        Origin::Model { provider, name } => format!("{name} ({provider})"),
        _ => "another origin".to_owned(),
    }
}
