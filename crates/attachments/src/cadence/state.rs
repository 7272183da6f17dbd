//! What the model has received, folded from a conversation's entries.

use std::collections::{BTreeMap, BTreeSet};

use aside_messages::Tokenizer;
use aside_messages::conversation::{Boundary, Entry, EntryId, EntryKind, Origin, Part, Visibility};
use aside_messages::wire::Role;

use super::delivered::Delivered;
use super::message_ids::MessageIds;
use super::mode::ModeState;
use super::todo_list::WrittenTodos;
use super::token_count::TokenCount;
use crate::NestedMemory;
use crate::announcement::{Announcement, digest};
use crate::attachment::Kind;
use crate::cadence_class::{CadenceClass, SessionMode, TaskList};

/// In place of a digest: the section's removal was announced.
pub(super) const REMOVED: &str = "";

/// What the model has received and done, according to a conversation's entries.
///
/// A fold over the entries: the state is the same whether you add them all at
/// once or one by one. To add entries takes work proportional to their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CadenceState {
    last_author: Author,
    pub(super) responses: u64,
    /// How the TodoWrite list is used.
    pub(super) todos: ListState,
    /// The list that the model wrote last with TodoWrite.
    pub(super) written_todos: WrittenTodos,
    /// How the TaskCreate and TaskUpdate list is used.
    pub(super) tasks: ListState,
    pub(super) plan: ModeState,
    pub(super) auto: ModeState,
    /// The estimated tokens in entries that are sent. The growth is that since
    /// the last `context_efficiency`, snip or boundary.
    pub(super) tokens: TokenCount,
    /// The messages that the model can name.
    pub(super) ids: MessageIds,
    /// True once `compaction_reminder` was sent.
    pub(super) large_window_announced: bool,
    /// The last date announced since the last boundary.
    pub(super) date: Option<String>,
    /// The digests announced since the last boundary, by kind and name.
    announced: BTreeMap<Kind, BTreeMap<String, String>>,
    /// The instruction files announced as changed since the last boundary.
    changed_files: BTreeSet<String>,
    /// The texts sent since the last boundary.
    pub(super) delivered: Delivered,
}

/// Who wrote the last entry, by which turns and responses are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Author {
    /// The harness; also before the first entry.
    #[default]
    Harness,
    /// The user, perhaps followed by attachments.
    User,
    /// The model. All entries in one response count as one.
    Model,
}

/// How a task list is used, counted in responses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListState {
    /// The response that last wrote the list.
    written: u64,
    /// The response before the last reminder.
    reminded: u64,
}

impl ListState {
    /// Returns how many responses passed since the list was last written or
    /// reminded of, whichever came later.
    pub(super) fn responses_since(&self, responses: u64) -> u64 {
        responses - self.written.max(self.reminded)
    }
}

impl CadenceState {
    /// Creates the state for an empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Estimates tokens with this tokenizer instead of the one in the newest
    /// Claude models. Set it before you add entries.
    #[must_use]
    pub fn with_tokenizer(mut self, family: Tokenizer) -> Self {
        self.tokens = TokenCount::of("", family);
        self
    }

    /// Adds entries that follow those added before.
    pub fn extend(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.apply(entry);
        }
    }

    /// Returns the digests that a kind announced since the last boundary, by
    /// name.
    pub(super) fn announced(&self, kind: Kind) -> Option<&BTreeMap<String, String>> {
        self.announced.get(&kind)
    }

    /// Returns true if this text of the file is the last one announced since the last boundary.
    #[must_use]
    pub fn has_announced(&self, file: &NestedMemory) -> bool {
        let announced = self.announced(Kind::NestedMemory).and_then(|it| it.get(&file.path));
        announced.is_some_and(|announced| *announced == digest(&file.content))
    }

    /// Returns true if a skill of this name was announced since the last boundary, and not withdrawn.
    #[must_use]
    pub fn has_announced_skill(&self, name: &str) -> bool {
        self.announced(Kind::SkillListing).is_some_and(|announced| announced.contains_key(name))
    }

    /// Returns the paths of the instruction files that were announced as changed since the last
    /// boundary.
    pub fn changed_files(&self) -> impl Iterator<Item = &str> {
        self.changed_files.iter().map(String::as_str)
    }

    fn apply(&mut self, entry: &Entry) {
        self.written_todos.apply(entry);
        match &entry.kind {
            // The model does not see it.
            EntryKind::Message { .. } if entry.visibility == Visibility::DisplayOnly => {}
            EntryKind::Message { role } => self.apply_message(entry, role),
            EntryKind::TurnScoped => self.apply_message(entry, &Role::System),
            EntryKind::Boundary(Boundary::CompactBlock { block }) => {
                self.apply_compaction(block.raw().get());
            }
            EntryKind::Boundary(Boundary::Clear) => {
                *self = Self::new().with_tokenizer(self.tokens.family());
            }
            EntryKind::Boundary(Boundary::Compact { summary }) => self.apply_compaction(summary),
            EntryKind::Snip { ids } => self.apply_snip(ids),
            EntryKind::Aborted => self.last_author = Author::Harness,
            // An unknown kind of entry makes nothing due.
            _ => {}
        }
    }

    /// Counts a message's tokens, and its effect by role.
    fn apply_message(&mut self, entry: &Entry, role: &Role) {
        let is_first = matches!(entry.origin, Origin::Context { .. });
        self.tokens.add(entry, !is_first);
        self.ids.add(entry);
        match role {
            Role::Assistant => self.apply_response(entry),
            Role::User => self.apply_user_message(entry),
            Role::System => self.apply_delivered(entry),
            Role::Other(_) => {}
        }
    }

    /// Counts a response, and records the task lists that its calls write.
    fn apply_response(&mut self, entry: &Entry) {
        if self.last_author != Author::Model {
            self.responses += 1;
        }
        self.last_author = Author::Model;
        for part in &entry.parts {
            let Part::ToolUse(call) = part else { continue };
            for list in [TaskList::Todos, TaskList::Tasks] {
                if list.tools().contains(&&*call.name) {
                    self.list_mut(list).written = self.responses;
                }
            }
        }
    }

    /// Counts a user turn for the modes, if the message has text by the user.
    fn apply_user_message(&mut self, entry: &Entry) {
        if self.last_author == Author::Model {
            self.last_author = Author::Harness;
        }
        if is_user_text(entry) && self.last_author != Author::User {
            self.last_author = Author::User;
            self.plan.record_user_turn();
            self.auto.record_user_turn();
        }
        self.apply_delivered(entry);
    }

    /// Records an attachment, whatever its role.
    fn apply_delivered(&mut self, entry: &Entry) {
        self.delivered.record(entry);
        if let Origin::Attachment { kind, .. } = &entry.origin
            && let Some(kind) = Kind::from_name(kind)
        {
            self.apply_attachment(kind, &entry.origin);
        }
    }

    /// Records an attachment by its cadence class.
    fn apply_attachment(&mut self, kind: Kind, origin: &Origin) {
        match kind.cadence() {
            CadenceClass::ListReminder(list) => self.list_mut(list).reminded = self.responses,
            CadenceClass::Mode(mode) => self.mode_mut(mode).record_reminder(),
            CadenceClass::ModeExit(mode) => self.mode_mut(mode).record_exit(),
            CadenceClass::ContextGrowth => self.tokens.reset_growth(),
            CadenceClass::LargeWindow => self.large_window_announced = true,
            CadenceClass::NewDate => {
                let announcement = Announcement::from_origin(origin);
                self.date = announcement.added.into_keys().next();
            }
            CadenceClass::SectionChange => {
                let Announcement { added, removed, .. } = Announcement::from_origin(origin);
                let known = self.announced.entry(kind).or_default();
                known.extend(added);
                // The removal is recorded, since the first entries may still
                // have the section.
                known.extend(removed.into_iter().map(|name| (name, REMOVED.to_owned())));
            }
            CadenceClass::Announcement => {
                let Announcement { added, removed, changed } = Announcement::from_origin(origin);
                if changed {
                    self.changed_files.extend(added.keys().cloned());
                }
                let known = self.announced.entry(kind).or_default();
                for name in &removed {
                    known.remove(name);
                }
                known.extend(added);
            }
            // `Delivered` records these, or nothing has to be recorded.
            CadenceClass::Latest
            | CadenceClass::Once
            | CadenceClass::ModeReentry(_)
            | CadenceClass::OnRequest => {}
        }
    }

    /// Starts again from a summary: everything announced before it is due
    /// again, and the context has the summary's tokens.
    fn apply_compaction(&mut self, summary: &str) {
        self.last_author = Author::Harness;
        self.plan.compact();
        self.auto.compact();
        self.tokens = TokenCount::of(summary, self.tokens.family());
        self.ids = MessageIds::default();
        self.date = None;
        self.announced.clear();
        self.changed_files.clear();
        self.delivered = Delivered::default();
    }

    /// Subtracts the tokens of messages that the model removed.
    fn apply_snip(&mut self, ids: &[EntryId]) {
        self.tokens.remove(ids);
        self.ids.remove(ids);
        self.tokens.reset_growth();
    }

    fn list_mut(&mut self, list: TaskList) -> &mut ListState {
        match list {
            TaskList::Todos => &mut self.todos,
            TaskList::Tasks => &mut self.tasks,
        }
    }

    fn mode_mut(&mut self, mode: SessionMode) -> &mut ModeState {
        match mode {
            SessionMode::Plan => &mut self.plan,
            SessionMode::Auto => &mut self.auto,
        }
    }
}

/// Returns true for a message by the user: more than tool results, which have
/// the same origin, and not queued while the model worked.
fn is_user_text(entry: &Entry) -> bool {
    let is_text = |part: &Part| !matches!(part, Part::ToolResult(_) | Part::Reminder { .. });
    let is_queued = matches!(entry.parts.first(), Some(Part::Reminder { .. }));
    entry.origin == Origin::Human && !is_queued && entry.parts.iter().any(is_text)
}
