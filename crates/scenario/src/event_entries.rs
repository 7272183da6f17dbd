//! The entries that events append to a conversation.

use anyhow::{Result, anyhow, bail};
use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{ContentBlock, Role, ToolResult};

use crate::format::{AssistantPart, QueuedSpec, ToolResultSpec, ToolUseSpec};

pub(crate) fn assistant(parts: &[AssistantPart]) -> EntryDraft {
    let parts = parts.iter().map(|part| match part {
        AssistantPart::Text(text) => Part::text(text.as_str()),
        AssistantPart::ToolUse(ToolUseSpec { id, name, input }) => {
            Part::tool_use(id.as_str(), name.as_str(), input.as_str())
        }
    });
    let model = Origin::Model { provider: "first-party".into(), name: "claude".into() };
    EntryDraft::message(Role::Assistant, model, parts.collect())
}

pub(crate) fn tool_result(spec: &ToolResultSpec) -> EntryDraft {
    let text = spec.text.iter().map(|text| ContentBlock::text(text.as_str()));
    let part = Part::ToolResult(ToolResult {
        is_error: spec.is_error.then_some(true),
        ..ToolResult::new(spec.id.as_str(), text.collect())
    });
    EntryDraft::message(Role::User, Origin::Human, vec![part])
}

/// Returns a message that arrived while the model worked.
pub(crate) fn queued(spec: &QueuedSpec) -> Result<EntryDraft> {
    let origin = match (spec.origin.as_deref(), &spec.server) {
        (None | Some("human"), None) => QueuedOrigin::Human,
        (Some("task_notification"), None) => QueuedOrigin::TaskNotification,
        (Some("coordinator"), None) => QueuedOrigin::Coordinator,
        (Some("channel"), Some(server)) => QueuedOrigin::Channel { server: server.clone() },
        (origin, server) => bail!(
            "a queued message comes from human, task_notification, coordinator or channel \
             (with its server), found {origin:?} with server {server:?}"
        ),
    };
    Ok(QueuedCommand::new(spec.text.as_str(), origin).into_entry())
}

/// Returns a reminder that stays in the conversation.
pub(crate) fn reminder(body: &str) -> EntryDraft {
    let hook = Origin::Hook { name: "scenario".into() };
    EntryDraft::reminder(hook, body)
}

/// Reads entries in their form on disk.
///
/// # Errors
/// A line is no entry.
pub(crate) fn on_disk(lines: &str, conversation: &Conversation) -> Result<Vec<EntryDraft>> {
    let parsed = Conversation::from_json_lines(conversation.id(), lines)?;
    let entries = parsed.value.entries().iter().cloned();
    Ok(entries.map(EntryDraft::from).collect())
}

/// Returns an entry that snips the entries at these indices.
///
/// Indices count the conversation's entries from 0.
///
/// # Errors
/// An index is too large.
pub(crate) fn snip(indices: &[usize], conversation: &Conversation) -> Result<EntryDraft> {
    let entries = conversation.entries();
    let id = |index: &usize| {
        let entry = entries.get(*index);
        entry.map(|entry| entry.id).ok_or_else(|| {
            anyhow!("snip: expected an index below {}, found {index}", entries.len())
        })
    };
    let ids = indices.iter().map(id).collect::<Result<_>>()?;
    Ok(EntryDraft::snip(ids))
}
