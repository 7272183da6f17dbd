//! Conversations as JSON Lines: one entry per line; a fault has its line.
//! Unknown kinds of entries are kept, so that a newer file survives an older
//! program.

use std::collections::HashSet;
use std::fmt;

use uuid::Uuid;

use super::Conversation;
use super::entry::Entry;
use super::entry_id::EntryId;
use super::read::Line;
use crate::wire::{Parsed, ReadError, document};

/// A line that is no entry in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// 1-based, blank lines included.
    line: usize,
    kind: LineErrorKind,
}

/// The kinds of [`LineError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineErrorKind {
    /// It cannot be read.
    Unreadable(ReadError),
    /// An earlier entry has the same id.
    SameId(EntryId),
}

impl Entry {
    /// Reads a line as [`Entry::to_json_line`] writes it. An entry without an
    /// id gets the one for the conversation's next position.
    ///
    /// Linear. Lone surrogates become U+FFFD and are reported in
    /// [`Parsed::diagnostics`].
    ///
    /// # Errors
    /// Returns the JSON path, the expected shape and what was found.
    pub fn parse_line(json: &str, conversation: &Conversation) -> Result<Parsed<Self>, ReadError> {
        let Parsed { value, diagnostics } = document(json.as_bytes())?;
        let Line { id, mut entry } = value;
        entry.id = id.unwrap_or_else(|| conversation.entry_id(conversation.entries().len()));
        Ok(Parsed { value: entry, diagnostics })
    }
}

impl Conversation {
    /// Reads a conversation from JSON Lines, an entry per line. Skips blank
    /// lines. Keys, kinds and origins that this version does not know are kept,
    /// and written again.
    ///
    /// If their lines have no ids, the entries get them from `id` and their
    /// positions.
    ///
    /// # Errors
    /// Returns the first line that cannot be read, or that shares its id with
    /// an earlier entry.
    pub fn from_json_lines(id: Uuid, text: &str) -> Result<Parsed<Self>, LineError> {
        let mut conversation = Self::new(id);
        let mut ids = HashSet::new();
        let mut diagnostics = Vec::new();
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        for (json, line) in lines {
            let of = |kind| LineError { line, kind };
            let parsed = Entry::parse_line(json, &conversation)
                .map_err(|error| of(LineErrorKind::Unreadable(error)))?;
            if !ids.insert(parsed.value.id) {
                return Err(of(LineErrorKind::SameId(parsed.value.id)));
            }
            let repairs = parsed.diagnostics.into_iter();
            diagnostics.extend(repairs.map(|repair| repair.in_line(line)));
            conversation.push_with_id(parsed.value);
        }
        Ok(Parsed { value: conversation, diagnostics })
    }

    /// Returns the conversation as JSON Lines, each with its newline.
    ///
    /// An empty conversation is an empty text.
    ///
    /// ```
    /// use aside_messages::conversation::{Conversation, EntryDraft};
    ///
    /// let id = uuid::Uuid::nil();
    /// let mut conversation = Conversation::new(id);
    /// conversation.push(EntryDraft::human("Hi"));
    /// let lines = conversation.to_json_lines();
    /// assert_eq!(Conversation::from_json_lines(id, &lines)?.value, conversation);
    /// # Ok::<(), aside_messages::conversation::LineError>(())
    /// ```
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        let lines = self.entries.iter().map(|entry| entry.to_json_line() + "\n");
        lines.collect()
    }
}

impl LineError {
    /// Returns the 1-based line number.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &LineErrorKind {
        &self.kind
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            LineErrorKind::Unreadable(error) => error.fmt(f),
            LineErrorKind::SameId(id) => write!(f, "id: an entry before it has the id {id} too"),
        }
    }
}

impl std::error::Error for LineError {}
