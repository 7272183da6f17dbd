//! Entries that earlier calls added to a caller's history, recognized by their blocks' hashes.
//!
//! A `--messages` caller stores Messages API messages, and gets what a request adds (reminders,
//! mentioned files) in that form. In the next call these are blocks in its messages that do not
//! show where they came from. So the context file has each appended block's hash and the entry that
//! it belongs to:
//!
//! ```text
//! call 1: appends the entry E, as the blocks b1 b2      context: [hash(b1), hash(b2)] -> E
//! call 2: user message with the blocks a b1 b2 c        read as: a (caller), E, c (caller)
//! ```
//!
//! Thus an addition keeps its type and its bytes, and if a caller changes a block, it becomes a
//! text of its own.

use std::collections::HashMap;

use aside_messages::conversation::{Conversation, Entry, EntryDraft, EntryKind};
use aside_messages::encode::BodyHash;
use aside_messages::lower::{LowerOptions, Tail, lower};
use aside_messages::wire::{ContentBlock, Message, Role};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::CallerError;

/// An entry that a call appended, with its blocks' hashes on the wire.
///
/// ```json
/// {"role": "\"user\"", "hashes": ["16649b492166454c"], "entry": {"kind": "message"}}
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Appended {
    /// Its message's role, as JSON, which includes the quotes.
    role: String,
    /// Each block's hash without its cache marker, in order.
    hashes: Vec<String>,
    /// The entry, as `aside-messages` writes it.
    entry: Box<RawValue>,
}

/// An entry that a call recorded and that has no form on the wire, such as a change of the prefix.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Change {
    /// How many of the caller's messages come before it.
    after: usize,
    entry: Box<RawValue>,
}

/// The messages that earlier calls added to a caller's history.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The appended entries, by role and by their first block's hash.
    entries: HashMap<(String, String), Vec<KnownEntry>>,
    /// Other entries, each with how many messages come before it, in that order.
    changes: Vec<(usize, EntryDraft)>,
}

/// The hashes of all an entry's blocks, and the entry, to be appended again instead of these.
type KnownEntry = (Vec<String>, EntryDraft);

impl Recorded {
    /// Reads a context's records. An appended entry without blocks is ignored.
    ///
    /// # Errors
    /// Fails if an entry in the file is invalid.
    pub(super) fn new(appended: &[Appended], changes: &[Change]) -> Result<Self, CallerError> {
        let mut recorded = Self::default();
        for it in appended {
            let Some(first) = it.hashes.first() else {
                continue;
            };
            let key = (it.role.clone(), first.clone());
            let known = recorded.entries.entry(key).or_default();
            known.push((it.hashes.clone(), draft(&it.entry)?));
        }
        for it in changes {
            recorded.changes.push((it.after, draft(&it.entry)?));
        }
        recorded.changes.sort_by_key(|it| it.0);
        Ok(recorded)
    }

    /// Returns the recorded entries that have no form on the wire and come after so many messages.
    pub(super) fn changes_after(&self, messages: usize) -> impl Iterator<Item = &EntryDraft> {
        let changes = self.changes.iter().filter(move |it| it.0 == messages);
        changes.map(|it| &it.1)
    }

    /// Splits a message's content into the caller's blocks and recorded entries, in order.
    ///
    /// Assistant messages are never split, because the harness adds nothing to them. The time is
    /// linear in the message's bytes, which are hashed once.
    pub(super) fn split(&self, message: &Message) -> Result<Vec<Piece>, CallerError> {
        let mut pieces = Vec::new();
        let is_recorded = !self.entries.is_empty() && message.role != Role::Assistant;
        let blocks = message.content.iter().filter(|_| is_recorded);
        let hashes: Vec<String> = blocks.map(hash_of).collect::<Result<_, _>>()?;
        let role = role_name(&message.role);
        let mut at = 0;
        while at < message.content.len() {
            if let Some((count, entry)) = self.find(&role, hashes.get(at..).unwrap_or_default()) {
                pieces.push(Piece::Recorded(entry.clone()));
                at += count;
                continue;
            }
            let block = message.content[at].clone();
            match pieces.last_mut() {
                Some(Piece::Own(blocks)) => blocks.push(block),
                _ => pieces.push(Piece::Own(vec![block])),
            }
            at += 1;
        }
        Ok(pieces)
    }

    /// Returns the entry whose blocks begin here, and how many they are: the entry with the most
    /// blocks, and the newest of several equal ones.
    fn find(&self, role: &str, hashes: &[String]) -> Option<(usize, &EntryDraft)> {
        let first = hashes.first()?;
        let known = self.entries.get(&(role.to_owned(), first.clone()))?;
        // The longest one, and the newest of those.
        let known = known.iter().filter(|(blocks, _)| hashes.starts_with(blocks));
        let (blocks, entry) = known.max_by_key(|(blocks, _)| blocks.len())?;
        Some((blocks.len(), entry))
    }
}

/// A part of a caller's message.
///
/// The caller's neighbouring blocks are one piece.
pub(super) enum Piece {
    /// The caller's blocks.
    Own(Vec<ContentBlock>),
    /// An entry that an earlier call appended.
    Recorded(EntryDraft),
}

/// Entries that a call appended, as messages and as records.
#[derive(Debug, Default)]
pub(super) struct NewEntries {
    /// The messages that the caller stores before the response.
    pub(super) messages: Vec<Message>,
    /// Records of these messages.
    pub(super) appended: Vec<Appended>,
    /// Records of entries without a form on the wire.
    pub(super) changes: Vec<Change>,
}

impl NewEntries {
    /// Converts the entries that were appended after the caller's `messages` messages. Reminders
    /// stay blocks of their own.
    ///
    /// With `neutralize`, reminder tags in text from outside are escaped, as in the request.
    pub(super) fn of(
        entries: &[Entry],
        messages: usize,
        neutralize: bool,
    ) -> Result<Self, CallerError> {
        let options =
            LowerOptions { smoosh_reminders: false, neutralize, ..LowerOptions::default() };
        let mut new = Self::default();
        for entry in entries {
            let json = RawValue::from_string(entry.to_json_line()).map_err(CallerError::new)?;
            match on_the_wire(entry, &options)? {
                Some(message) => {
                    let hashes = message.content.iter().map(hash_of);
                    new.appended.push(Appended {
                        role: role_name(&message.role),
                        hashes: hashes.collect::<Result<_, CallerError>>()?,
                        entry: json,
                    });
                    new.push(message);
                }
                None => new.changes.push(Change { after: messages, entry: json }),
            }
        }
        Ok(new)
    }

    /// Appends a message. User messages in a row become one, as on the wire.
    fn push(&mut self, message: Message) {
        match self.messages.last_mut() {
            Some(last) if last.role == Role::User && message.role == Role::User => {
                last.content.extend(message.content);
            }
            _ => self.messages.push(message),
        }
    }
}

/// Returns an entry's message alone; `None` if it has no form on the wire.
///
/// The entry is lowered in its own conversation, after a user message whose text is removed again.
fn on_the_wire(entry: &Entry, options: &LowerOptions) -> Result<Option<Message>, CallerError> {
    let is_message = matches!(
        entry.kind,
        EntryKind::Message { .. } | EntryKind::TurnScoped | EntryKind::ToolChange { .. }
    );
    if !is_message {
        return Ok(None);
    }
    // A user message comes first, since a system message needs one.
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("-"));
    conversation.push(entry.clone().into());
    let lowered = lower(&conversation, Tail::default(), options).map_err(|error| {
        CallerError::new(format_args!("failed to write a message to append: {error}"))
    })?;
    let mut messages = lowered.messages().filter_map(|it| it.as_message().cloned());
    let first = messages.next();
    let system = messages.next();
    let user = first.map(|mut it| {
        it.content.remove(0);
        it
    });
    Ok(system.or(user).filter(|it| !it.content.is_empty()))
}

/// Reads a recorded entry, which gets a new id when it is appended again.
fn draft(json: &RawValue) -> Result<EntryDraft, CallerError> {
    let conversation = Conversation::new(Uuid::nil());
    let entry = Entry::parse_line(json.get(), &conversation);
    let entry = entry.map_err(CallerError::new)?;
    Ok(entry.value.into())
}

/// Hashes a block without its cache marker.
///
/// Markers move with each request, and so must not change the hash. A tool change keeps its bytes
/// on the wire: a caller may write other white space, or its keys in another order.
fn hash_of(block: &ContentBlock) -> Result<String, CallerError> {
    let mut block = block.tool_change().map_or_else(|| block.clone(), ContentBlock::from);
    block.unmark();
    Ok(BodyHash::of(&serde_json::to_vec(&block).map_err(CallerError::new)?).to_string())
}

/// Returns the role as JSON.
fn role_name(role: &Role) -> String {
    serde_json::to_string(role).unwrap_or_default()
}
