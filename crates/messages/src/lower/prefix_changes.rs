//! Prefix changes, and the entries that lose their thinking by them.
//!
//! A model with preserved thinking refuses thinking produced under another
//! prefix (documented). For example, when entry 7 records a snip of entry 2:
//!
//! ```text
//! entry   1     2       3         4         5     6         7
//!         user  answer  thinking  thinking  user  thinking  prefix_change {snip, from 2}
//! sent    yes   no      without   without   yes   without   –
//! ```
//!
//! Thinking after the change is kept: it was produced under the new prefix. A
//! change is *open* until the caller appends its entry.

use std::collections::HashSet;

use super::options::{LowerOptions, ModelName};
use super::passes::{Medium, ReplacedMedia, add_media};
use crate::conversation::{
    ChangeStart, Entry, EntryId, EntryKind, Origin, Part, PrefixChange, PrefixReset,
};

/// The prefix changes that entries record, from the last boundary on.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixChanges {
    /// In entry order.
    recorded: Vec<Change>,
    /// The first snipped entry for which no change is recorded.
    open_snip: Option<Change>,
    /// The change for images and documents that this request replaces, until it
    /// is recorded.
    open_media: Option<Change>,
}

/// A request's entries.
#[derive(Clone, Copy)]
pub(super) struct Entries<'a> {
    /// In the conversation.
    pub(super) recorded: &'a [Entry],
    /// To append once the request was sent.
    pub(super) pending: &'a [Entry],
}

impl<'a> Entries<'a> {
    fn iter(self) -> impl Iterator<Item = (usize, &'a Entry)> {
        self.recorded.iter().chain(self.pending).enumerate()
    }

    /// From the last boundary on.
    fn sent(self) -> impl Iterator<Item = (usize, &'a Entry)> {
        let start = self.recorded.iter().rposition(Entry::is_boundary);
        self.iter().skip(start.unwrap_or(0))
    }
}

/// A change, and the index of the entry that records it or will do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) change: PrefixChange,
    /// Thinking from this index on is kept.
    pub(super) end: usize,
}

/// What changes do to earlier entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exclusion {
    /// The entries whose thinking, or whose tool changes, are not sent.
    pub(super) entries: HashSet<EntryId>,
    /// How many thinking blocks they have.
    pub(super) thinking: u64,
}

impl PrefixChanges {
    /// Records the changes in new entries. `first` is the first one's index.
    ///
    /// A boundary forgets all changes: no earlier entry is sent.
    pub(super) fn note(&mut self, entries: &[Entry], first: usize) {
        let mut snipped: HashSet<EntryId> = HashSet::new();
        let mut last_snip = None;
        for (index, entry) in entries.iter().enumerate().skip(first) {
            match &entry.kind {
                EntryKind::Boundary(_) => {
                    *self = Self::default();
                    snipped.clear();
                    last_snip = None;
                }
                EntryKind::Snip { ids } => {
                    snipped.extend(ids);
                    last_snip = Some(index);
                }
                EntryKind::PrefixChange(change) => {
                    match change.reason {
                        PrefixReset::Snip => {
                            self.open_snip = None;
                            snipped.clear();
                            last_snip = None;
                        }
                        PrefixReset::MediaLimit => self.open_media = None,
                        _ => {}
                    }
                    let change = change.clone();
                    self.recorded.push(Change { change, end: index });
                }
                _ => {}
            }
        }
        if let Some(end) = last_snip {
            self.note_snips(&entries[..end], snipped, end);
        }
    }

    /// Notes snips. Looks through the entries once, however many there are.
    ///
    /// Notes one change from the first snipped entry on.
    fn note_snips(&mut self, before: &[Entry], mut ids: HashSet<EntryId>, end: usize) {
        if let Some(ChangeStart::Entry(id)) = self.open_snip.as_ref().map(|it| it.change.from) {
            ids.insert(id);
        }
        let Some(first) = before.iter().find(|entry| ids.contains(&entry.id)) else {
            return;
        };
        let change = PrefixChange {
            from: ChangeStart::Entry(first.id),
            ..PrefixChange::from_start(PrefixReset::Snip)
        };
        self.open_snip = Some(Change { change, end });
    }

    /// Returns how many images and documents an earlier request replaced.
    pub(super) fn replaced_media(&self) -> usize {
        let recorded = self.recorded.iter().rev();
        let mut replaced = recorded.filter_map(|it| it.change.replaced_media);
        replaced.next().map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Returns the changes that neither an entry nor a pending one records yet.
    pub(super) fn open(&self) -> impl Iterator<Item = &Change> {
        self.open_snip.iter().chain(&self.open_media)
    }

    /// Returns all changes: recorded, open and pending.
    pub(super) fn with_open(&self, all: Entries<'_>) -> Vec<Change> {
        let end = all.recorded.len();
        let pending = all.pending.iter().filter_map(|entry| match &entry.kind {
            EntryKind::PrefixChange(change) => Some(Change { change: change.clone(), end }),
            _ => None,
        });
        let known = self.recorded.iter().chain(self.open()).cloned();
        known.chain(pending).collect()
    }

    /// Notes that this request, which has `media` images and documents,
    /// replaces the first `replaced` of them.
    ///
    /// `replaced` and `media` count over the whole request. If no more are
    /// replaced than recorded, there is no open change.
    pub(super) fn replace_media(
        &mut self,
        all: Entries<'_>,
        replaced: usize,
        media: usize,
        options: &LowerOptions,
    ) {
        let recorded = self.replaced_media();
        self.open_media = (replaced > recorded).then(|| {
            let mut seen = ReplacedMedia::new(options);
            let (mut from, mut end) = (None, None);
            for (index, entry) in all.sent() {
                let mut media = Vec::new();
                entry.parts.iter().for_each(|part| add_media_of(part, &mut media));
                if media.is_empty() {
                    continue;
                }
                media.into_iter().for_each(|medium| seen.push(medium));
                if from.is_none() && seen.seen() > recorded {
                    from = Some(entry.id);
                }
                if end.is_none() && seen.count >= replaced {
                    end = Some(index + 1);
                }
            }
            // Thinking produced after the last of these media is kept. When
            // some media were left out as a repair, that place is not known.
            let end = end.filter(|_| seen.seen() == media);
            Change {
                change: PrefixChange {
                    from: from.map_or(ChangeStart::Start, ChangeStart::Entry),
                    replaced_media: Some(replaced as u64),
                    ..PrefixChange::from_start(PrefixReset::MediaLimit)
                },
                end: end.unwrap_or(all.recorded.len() + all.pending.len()),
            }
        });
    }

    pub(super) fn recorded(&self) -> &[Change] {
        &self.recorded
    }
}

/// Returns the entries since the last boundary that the changes exclude.
///
/// These are the entries whose thinking is lost, and, when a change writes the
/// tools again, the tool changes before it. Linear in the entries if there is a
/// change, constant otherwise.
pub(super) fn exclude(all: Entries<'_>, changes: &[Change], options: &LowerOptions) -> Exclusion {
    let mut excluded = Exclusion::default();
    if changes.is_empty() {
        return excluded;
    }
    let ranges: Vec<_> = changes.iter().map(|it| first_of(all.recorded, it)..it.end).collect();
    let rewritten = changes
        .iter()
        .filter(|it| it.change.reason.rewrites_tools())
        .map(|it| it.end)
        .max()
        .unwrap_or(0);
    for (index, entry) in all.sent() {
        let is_old_tools = index < rewritten && matches!(entry.kind, EntryKind::ToolChange { .. });
        let thinking = if options.binds_thinking && ranges.iter().any(|it| it.contains(&index)) {
            count_thinking(entry, options)
        } else {
            0
        };
        if is_old_tools || thinking > 0 {
            excluded.entries.insert(entry.id);
            excluded.thinking += thinking;
        }
    }
    excluded
}

/// Counts thinking of the model that answered last, which another model cannot
/// read. Thinking that the `recorded` changes exclude was lost before.
pub(super) fn lost_with_model(
    all: Entries<'_>,
    recorded: &[Change],
    options: &LowerOptions,
) -> u64 {
    let previous = all.recorded.iter().rev().find_map(|entry| match &entry.origin {
        Origin::Model { provider, name } if !options.keeps_thinking(&entry.origin) => {
            Some(Some(ModelName { provider: provider.clone(), name: name.clone() }))
        }
        Origin::Model { .. } => Some(None),
        _ => None,
    });
    let Some(model) = previous.flatten() else {
        return 0;
    };
    let options = LowerOptions { model: Some(model), ..options.clone() };
    let sent: u64 = all.sent().map(|(_, entry)| count_thinking(entry, &options)).sum();
    sent.saturating_sub(exclude(all, recorded, &options).thinking)
}

/// Returns the index of the first entry that the change concerns.
fn first_of(entries: &[Entry], change: &Change) -> usize {
    match &change.change.from {
        ChangeStart::Start => 0,
        // If the entry does not exist any more, everything is concerned.
        ChangeStart::Entry(id) => {
            let found = entries.iter().position(|entry| entry.id == *id);
            found.unwrap_or(0)
        }
    }
}

/// Counts thinking in an entry that could be sent otherwise.
fn count_thinking(entry: &Entry, options: &LowerOptions) -> u64 {
    if !options.keeps_thinking(&entry.origin) {
        return 0;
    }
    let is_signed = |part: &&Part| match part {
        Part::Thinking(thinking) => !thinking.signature.is_empty(),
        Part::RedactedThinking(thinking) => !thinking.data.is_empty(),
        _ => false,
    };
    entry.parts.iter().filter(is_signed).count() as u64
}

/// Must agree with how the pass `limit_media` lists blocks on the wire.
fn add_media_of(part: &Part, media: &mut Vec<Medium>) {
    match part {
        Part::Image(image) => media.push(Medium::from_image(image)),
        Part::Document(document) => media.push(Medium::from_document(document)),
        Part::ToolResult(result) => {
            result.content.blocks().iter().for_each(|block| add_media(block, media));
        }
        _ => {}
    }
}
