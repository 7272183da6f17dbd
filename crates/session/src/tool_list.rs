//! A session's list of tools. It is append-only as long as the model binds its
//! thinking to it.
//!
//! ```text
//! tools set        list in the request            effect
//! A, B             A, B                           first list
//! A, B, C          A, B, C (defer_loading)        C is added by a system message
//! A, C             A, B, C                        B is removed by a system message
//! A', C            A, B, C until the next turn    then the list is written again
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aside_messages::conversation::{Conversation, Cursor, EntryKind, ToolForm};
use aside_messages::wire::ToolChange;

use crate::session_context::SessionContext;
use crate::tools::SessionTool;

/// What a change of tools does to the list in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolUpdate {
    /// The same tools are offered.
    Unchanged,
    /// The list keeps its bytes; tools may be appended to it.
    Appended,
    /// The list is written again: the prefix is reset.
    Rewritten,
}

impl SessionContext {
    /// Returns true if the model may call a tool with this name in the next
    /// request.
    #[must_use]
    pub fn offers(&self, name: &str) -> bool {
        let mut tools = self.tools.iter();
        tools.any(|it| it.tool.name == name) && !self.removed_tools.iter().any(|it| it == name)
    }

    /// Returns the tools that the model may call in the next request, in list
    /// order.
    pub fn offered_tools(&self) -> impl Iterator<Item = &SessionTool> {
        let is_offered = |it: &&SessionTool| !self.removed_tools.contains(&it.tool.name);
        self.tools.iter().filter(is_offered)
    }

    /// Returns the tools as requests have them: those that were appended are
    /// deferred.
    pub(crate) fn sent_tools(&self) -> Vec<SessionTool> {
        let tools = self.tools.iter().cloned().map(|mut tool| {
            if self.appended_tools.contains(&tool.tool.name) {
                tool.tool.defer_loading = Some(true);
            }
            tool
        });
        tools.collect()
    }

    /// Offers these sorted tools from the next request on.
    ///
    /// A tool whose definition changed cannot be appended: the old one stays,
    /// and the new list waits in `next_tools` until the list is written again.
    /// Other tools come and go meanwhile.
    pub(crate) fn update_tools(&mut self, now: Vec<SessionTool>, form: ToolForm) -> ToolUpdate {
        if form != ToolForm::Appended || self.tools.iter().all(is_deferred) {
            return self.rewrite_tools(now);
        }
        let known = |tool: &SessionTool| self.tools.iter().find(|it| is_named(it, tool));
        let is_changed = |tool: &SessionTool| known(tool).is_some_and(|it| it != tool);
        let new: Vec<SessionTool> = now.iter().filter(|it| known(it).is_none()).cloned().collect();
        let is_gone = |tool: &&SessionTool| !now.iter().any(|it| is_named(it, tool));
        let removed = self.tools.iter().filter(is_gone).map(|it| it.tool.name.clone());
        let removed: Vec<String> = removed.collect();
        let next = now.iter().any(is_changed).then_some(now);
        if new.is_empty() && removed == self.removed_tools && self.next_tools == next {
            return ToolUpdate::Unchanged;
        }
        self.tools_changed |= !new.is_empty() || removed != self.removed_tools;
        let appended = new.iter().filter(|tool| !is_deferred(tool));
        self.appended_tools.extend(appended.map(|it| it.tool.name.clone()));
        self.tools.extend(new);
        self.removed_tools = removed;
        self.next_tools = next;
        ToolUpdate::Appended
    }

    /// Writes the list again with these tools.
    ///
    /// Appended and removed tools are forgotten: the new list is its prefix's
    /// first.
    fn rewrite_tools(&mut self, now: Vec<SessionTool>) -> ToolUpdate {
        if now == self.tools && self.appended_tools.is_empty() && self.removed_tools.is_empty() {
            self.next_tools = None;
            return ToolUpdate::Unchanged;
        }
        // These tools were announced to the model.
        self.first_tools.append(&mut self.appended_tools);
        self.removed_tools.clear();
        self.next_tools = None;
        self.tools = now;
        self.tools_changed = true;
        ToolUpdate::Rewritten
    }

    /// Writes the list again, with appended tools sorted in and removed ones
    /// left out. Returns true if the list's bytes change.
    ///
    /// If a change of definitions is pending, its list is used.
    pub(crate) fn sort_tools(&mut self) -> bool {
        let next = self.next_tools.take();
        let mut now = next.unwrap_or_else(|| self.offered_tools().cloned().collect());
        now.sort_by(|a, b| (a.origin, &a.tool.name).cmp(&(b.origin, &b.tool.name)));
        self.rewrite_tools(now) == ToolUpdate::Rewritten
    }

    /// Returns the tool changes to announce, in list order. A tool that is
    /// loaded on demand is not among them.
    ///
    /// `is_rewritten` is true if the next request has another list.
    pub(crate) fn tool_changes(
        &self,
        recorded: &RecordedChanges,
        is_rewritten: bool,
    ) -> Vec<ToolChange> {
        let first = self.tools.iter().filter(|it| !self.appended_tools.contains(&it.tool.name));
        let mut known: BTreeSet<&str> = first.map(|it| &*it.tool.name).collect();
        for (name, is_added) in recorded.is_added.iter().filter(|_| !is_rewritten) {
            match is_added {
                true => known.insert(name),
                false => known.remove(&**name),
            };
        }
        let listed = self.tools.iter().filter(|it| !is_deferred(it));
        let names = listed.map(|it| it.tool.name.as_str());
        let change = |name: &str| match (known.contains(name), self.offers(name)) {
            (false, true) => Some(ToolChange::Added(name.into())),
            (true, false) => Some(ToolChange::Removed(name.into())),
            _ => None,
        };
        names.filter_map(change).collect()
    }
}

/// The tool changes that a conversation records since the list was written.
#[derive(Debug, Default)]
pub(crate) struct RecordedChanges {
    /// Up to where the conversation was read.
    cursor: Cursor,
    /// By name, whether the last change added the tool.
    is_added: BTreeMap<Arc<str>, bool>,
}

impl RecordedChanges {
    /// Reads new entries in the conversation.
    ///
    /// After a boundary and after a rewritten list, earlier changes no longer
    /// count.
    pub(crate) fn follow(&mut self, conversation: &Conversation) {
        for entry in self.cursor.follow(conversation, || self.is_added.clear()) {
            match &entry.kind {
                EntryKind::Boundary(_) => self.is_added.clear(),
                EntryKind::PrefixChange(change) if change.reason.rewrites_tools() => {
                    self.is_added.clear();
                }
                EntryKind::ToolChange { changes } => {
                    let changes = changes.iter().map(|change| match change {
                        ToolChange::Added(name) => (Arc::from(&**name), true),
                        ToolChange::Removed(name) => (Arc::from(&**name), false),
                    });
                    self.is_added.extend(changes);
                }
                _ => {}
            }
        }
    }
}

fn is_named(one: &SessionTool, other: &SessionTool) -> bool {
    one.tool.name == other.tool.name
}

fn is_deferred(tool: &SessionTool) -> bool {
    tool.tool.defer_loading == Some(true)
}
