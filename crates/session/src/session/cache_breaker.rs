//! Another cache breaker.

use std::collections::HashSet;

use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Boundary, Conversation, Entry, EntryDraft, EntryId, EntryKind, Origin,
};
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::gather::Instructions;

impl Session {
    /// Sets another `cacheBreaker` from the next request on: instruction files,
    /// sections and the repository's state are gathered again, and everything
    /// after the static zone is written to the cache again. The date stays. The
    /// prefix reset is [`PrefixReset::CacheBreaker`].
    ///
    /// The conversation's entries stay, and are appended once more after the
    /// new context. The same value changes nothing. If you drop the future,
    /// everything stays as it was.
    pub async fn set_cache_breaker(
        &mut self,
        conversation: &mut Conversation,
        value: Option<String>,
    ) -> Vec<Diagnostic> {
        if self.context().cache_breaker == value {
            return Vec::new();
        }
        self.delivery.follow(conversation);
        self.config.cache_breaker = value;
        let diagnostics = self.gather_again(Instructions::Load).await;
        let (boundary, repeated) = repeated(conversation.entries());
        self.restart(conversation, boundary);
        for entry in repeated {
            conversation.push(entry);
        }
        self.context.change().breaker_changed = Some(self.delivery.turn());
        self.reset(PrefixReset::CacheBreaker);
        diagnostics
    }
}

/// Returns the boundary and the entries that have the same effect as these,
/// without the context.
fn repeated(entries: &[Entry]) -> (Boundary, Vec<EntryDraft>) {
    let boundary = entries.iter().rposition(Entry::is_boundary);
    let since = &entries[boundary.map_or(0, |at| at + 1)..];
    let snipped: HashSet<&EntryId> = since.iter().flat_map(snipped).collect();
    let is_repeated = |entry: &&Entry| {
        let is_record = matches!(entry.kind, EntryKind::Snip { .. } | EntryKind::PrefixChange(_));
        let is_context = matches!(entry.origin, Origin::Context { .. });
        !is_record && !is_context && !snipped.contains(&entry.id)
    };
    let repeated = since.iter().filter(is_repeated).cloned();
    let boundary = match boundary.map(|at| &entries[at].kind) {
        Some(EntryKind::Boundary(boundary)) => boundary.clone(),
        _ => Boundary::Clear,
    };
    (boundary, repeated.map(EntryDraft::from).collect())
}

fn snipped(entry: &Entry) -> &[EntryId] {
    match &entry.kind {
        EntryKind::Snip { ids } => ids,
        _ => &[],
    }
}
