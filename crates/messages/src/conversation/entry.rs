//! Entries: an item in a conversation with its kind, author, audience and
//! parts.
//!
//! An entry is never changed. An edit is another entry: a boundary, a snip or
//! an abort changes which earlier entries later requests send, and how.

use std::sync::Arc;

use super::delivery::Delivery;
use super::entry_id::EntryId;
use super::part::Part;
use super::prefix_change::PrefixChange;
use crate::layer::Layer;
use crate::wire::{Extra, Other, RawJson, Role, Text, ToolChange};

/// One entry in a conversation.
///
/// In a file, it is one line ([`Entry::to_json_line`]):
///
/// ```json
/// {"id":"…","kind":"message","role":"user","visibility":"shown","origin":{"type":"human"},
///  "parts":[{"type":"text","text":"Hi"}]}
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The id, unique in the conversation; it follows from the position.
    pub id: EntryId,
    /// A message, or an event between messages.
    pub kind: EntryKind,
    /// Who sees it: the user, the model, or both.
    pub visibility: Visibility,
    /// Who wrote it. Only assistant messages with the origin `model` count as
    /// the model's own text; all other text is neutralized.
    pub origin: Origin,
    /// The content blocks and reminders, in order. Only messages are sent with
    /// them.
    pub parts: Vec<Part>,
    /// The text for the user, if it differs from the model's.
    pub display: Option<Arc<str>>,
    /// Unknown keys in the line that it was read from.
    pub unknown: Unknown,
}

/// Unknown contents in a conversation's line. They are written back unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The entry's keys.
    pub entry: Extra,
    /// Its origin's keys.
    pub origin: Extra,
    /// Its reminders' keys, each with the part's index.
    pub reminders: Vec<(usize, Extra)>,
}

/// An [`Entry`] before it has a place, and so an id, in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryDraft {
    /// A message, or an event between messages.
    pub kind: EntryKind,
    /// Who sees it: the user, the model, or both.
    pub visibility: Visibility,
    /// Who wrote it.
    pub origin: Origin,
    /// The content blocks and reminders, in order.
    pub parts: Vec<Part>,
    /// The text for the user, if it differs from the model's.
    pub display: Option<Arc<str>>,
}

/// What an [`Entry`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A message, or a part of one: consecutive entries in one role become one
    /// message on the wire.
    Message {
        /// The message's role.
        role: Role,
    },
    /// A system message that the next user message clears from the model's
    /// view. Its bytes stay in every later request.
    TurnScoped,
    /// Tools that the model may call from this entry on, or may no longer call.
    /// All tools in one request change together.
    ToolChange {
        /// The changes, in order of arrival.
        changes: Vec<ToolChange>,
    },
    /// How the session delivers from this entry on.
    Delivery(Box<Delivery>),
    /// The prefix changed, and earlier thinking is lost.
    PrefixChange(PrefixChange),
    /// Entries before it are no longer sent.
    Boundary(Boundary),
    /// These entries are no longer sent.
    Snip {
        /// The entries to leave out.
        ids: Vec<EntryId>,
    },
    /// The user's last message got no response. The user's next message is a
    /// separate one.
    Aborted,
    /// A kind that this version does not know; never sent.
    Other {
        /// The line's `kind`.
        kind: String,
    },
}

impl EntryKind {
    /// Returns true for a message by the model.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Message { role: Role::Assistant })
    }
}

impl Entry {
    /// Returns true for a message with a text that the user sees: with
    /// [`LowerOptions::tag_ids`](crate::lower::LowerOptions::tag_ids), this text ends with the id.
    #[must_use]
    pub fn has_tag(&self) -> bool {
        matches!(self.kind, EntryKind::Message { .. })
            && self.visibility == Visibility::Shown
            && self.parts.iter().any(|part| matches!(part, Part::Text(_)))
    }

    /// Returns true for a boundary.
    #[must_use]
    pub fn is_boundary(&self) -> bool {
        matches!(self.kind, EntryKind::Boundary(_))
    }
}

/// A boundary: the model does not see the entries before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The conversation was cleared.
    Clear,
    /// A summary replaces the entries before.
    Compact {
        /// The summary for the model; the user does not see it.
        summary: Arc<str>,
    },
    /// The provider's own summary replaces the entries before.
    CompactBlock {
        /// The `compaction` block, sent unchanged as the first assistant
        /// message.
        block: Other,
    },
}

aside_text::names! {
    /// Who sees an [`Entry`].
    ///
    /// Written as `shown`, `meta` and `display_only`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Visibility {
        /// User and model.
        Shown = "shown",
        /// The model only.
        Meta = "meta",
        /// The user only: never sent.
        DisplayOnly = "display_only",
    }
}

/// Who wrote an [`Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The user.
    Human,
    /// A background task that ended.
    ///
    /// Its text is from outside.
    TaskNotification,
    /// The agent that coordinates this one.
    Coordinator,
    /// A message from a channel, such as a chat server.
    Channel {
        /// The server that delivered it, by name.
        server: String,
    },
    /// A hook.
    Hook {
        /// The hook's name, such as `style`.
        name: String,
    },
    /// Text that the harness adds by itself, such as the diff of a changed
    /// file.
    Attachment {
        /// The attachment's kind.
        kind: String,
        /// Data that the harness needs later and that is not in the text, such
        /// as the announced names: a JSON object, typed by the crate that makes
        /// attachments. Never sent.
        detail: Option<RawJson>,
    },
    /// A persistent reminder.
    Reminder {
        /// The reminder's id, as in its definition.
        id: String,
    },
    /// Context for the model.
    ///
    /// It precedes the user's first message, and is appended again after a
    /// compaction.
    Context {
        /// Which requests share it.
        layer: Layer,
    },
    /// The model.
    Model {
        /// The provider that served the model, such as `first-party`.
        provider: String,
        /// The provider's id for the model, such as `claude-opus-5-5`.
        name: String,
    },
    /// An origin that this version does not know.
    Other(RawJson),
}

impl From<Entry> for EntryDraft {
    /// Returns a draft with the same contents.
    fn from(entry: Entry) -> Self {
        let Entry { kind, visibility, origin, parts, display, .. } = entry;
        Self { kind, visibility, origin, parts, display }
    }
}

impl EntryDraft {
    /// Creates a message that the user sees.
    #[must_use]
    pub fn message(role: Role, origin: Origin, parts: Vec<Part>) -> Self {
        Self {
            kind: EntryKind::Message { role },
            visibility: Visibility::Shown,
            origin,
            parts,
            display: None,
        }
    }

    /// Creates a user message.
    ///
    /// It has one text part; the text may be empty.
    pub fn human(text: impl Into<Arc<str>>) -> Self {
        Self::message(Role::User, Origin::Human, vec![Part::text(text)])
    }

    /// Creates an entry with a reminder, which the user does not see.
    pub fn reminder(origin: Origin, body: impl Into<Arc<str>>) -> Self {
        let parts = vec![Part::Reminder { body: body.into() }];
        Self { visibility: Visibility::Meta, ..Self::message(Role::User, origin, parts) }
    }

    /// Creates a system message in mid-conversation. Use it only for the
    /// harness's own text.
    pub fn system(origin: Origin, text: impl Into<Arc<str>>) -> Self {
        let parts = vec![Part::text(text)];
        Self::message(Role::System, origin, parts).with_visibility(Visibility::Meta)
    }

    /// Turns the entry into a system message: a reminder in it becomes text
    /// without tags.
    #[must_use]
    pub fn into_system(self) -> Self {
        let parts = self.parts.into_iter().map(|part| match part {
            Part::Reminder { body } => Part::Text(Text::new(body)),
            part => part,
        });
        Self { kind: EntryKind::Message { role: Role::System }, parts: parts.collect(), ..self }
    }

    /// Turns the entry into a system message that the next user message clears
    /// from the model's view.
    #[must_use]
    pub fn into_turn_scoped(self) -> Self {
        Self { kind: EntryKind::TurnScoped, ..self.into_system() }
    }

    /// Creates a change to the tools that the model may call.
    #[must_use]
    pub fn tool_change(changes: Vec<ToolChange>) -> Self {
        Self::event(EntryKind::ToolChange { changes })
    }

    /// Records another form of delivery.
    #[must_use]
    pub fn delivery(delivery: Delivery) -> Self {
        Self::event(EntryKind::Delivery(Box::new(delivery)))
    }

    /// Records that the prefix changed.
    #[must_use]
    pub fn prefix_change(change: PrefixChange) -> Self {
        Self::event(EntryKind::PrefixChange(change))
    }

    /// Creates a boundary, after which the model starts over.
    #[must_use]
    pub fn boundary(boundary: Boundary) -> Self {
        Self::event(EntryKind::Boundary(boundary))
    }

    /// Creates a snip: these entries are no longer sent.
    ///
    /// Ids without an entry have no effect.
    #[must_use]
    pub fn snip(ids: Vec<EntryId>) -> Self {
        Self::event(EntryKind::Snip { ids })
    }

    /// Records that the user's last message has no response.
    ///
    /// It also keeps that message apart from the user's next one.
    #[must_use]
    pub fn aborted() -> Self {
        Self::event(EntryKind::Aborted)
    }

    /// Creates an entry that is no message: it has no parts, and counts as the
    /// user's.
    fn event(kind: EntryKind) -> Self {
        Self { kind, ..Self::message(Role::User, Origin::Human, Vec::new()) }
    }

    /// Sets another visibility.
    #[must_use]
    pub fn with_visibility(self, visibility: Visibility) -> Self {
        Self { visibility, ..self }
    }

    /// Sets another text to display to the user.
    #[must_use]
    pub fn with_display(self, display: impl Into<Arc<str>>) -> Self {
        Self { display: Some(display.into()), ..self }
    }

    /// Returns the entry with this id, which no other entry in the conversation may have.
    #[must_use]
    pub fn with_id(self, id: EntryId) -> Entry {
        let Self { kind, visibility, origin, parts, display } = self;
        Entry { id, kind, visibility, origin, parts, display, unknown: Unknown::default() }
    }
}
