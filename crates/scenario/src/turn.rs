use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use aside_attachments::{Attachment, QueuedCommand, QueuedOrigin};
use aside_messages::conversation::{EntryDraft, Origin, Part};
use aside_messages::wire::{ContentBlock, Role, ToolResult};
use serde::Deserialize;

/// Something that happens before a request: exactly one of its keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The user says something.
    pub user: Option<String>,
    /// The model answers.
    pub assistant: Option<Vec<AssistantPart>>,
    /// A tool answers.
    pub tool_result: Option<ToolResultSpec>,
    /// A message arrives while the model works.
    pub queued: Option<QueuedSpec>,
    /// A hook has something to say, as a reminder that stays.
    pub reminder: Option<String>,
    /// The harness tells the model something.
    pub attachment: Option<Attachment>,
    /// Time passes, such as `90s` or `5m`.
    pub wait: Option<String>,
}

/// A piece of an answer: exactly one of its keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssistantPart {
    /// Text.
    pub text: Option<String>,
    /// The call of a tool.
    pub tool_use: Option<ToolUseSpec>,
}

/// The call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolUseSpec {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The input, as JSON text.
    pub input: String,
}

/// The answer of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResultSpec {
    /// The call.
    pub id: String,
    /// What the tool said; nothing, if left out.
    pub text: Option<String>,
    /// Whether it failed.
    #[serde(default)]
    pub is_error: bool,
}

/// A message that arrives while the model works.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuedSpec {
    /// What is said.
    pub text: String,
    /// `human`, `task_notification`, `coordinator`, or `channel` with a
    /// `server`; by default the human.
    pub origin: Option<String>,
    /// The server of a channel.
    pub server: Option<String>,
}

impl Event {
    /// How long it lets pass, where that is what it is.
    pub(crate) fn wait(&self) -> Result<Option<Duration>> {
        let wait = self.wait.as_deref().map(aside_reminder::parse_duration);
        wait.transpose().map_err(|error| anyhow!("wait: {error}"))
    }

    /// The entries that it appends: one, or none for an attachment that has
    /// nothing to say.
    pub(crate) fn entries(&self) -> Result<Vec<EntryDraft>> {
        let mut entries = Vec::new();
        entries.extend(
            self.user
                .as_ref()
                .map(|text| EntryDraft::human(text.as_str())),
        );
        if let Some(parts) = &self.assistant {
            let parts = parts
                .iter()
                .map(AssistantPart::part)
                .collect::<Result<_>>()?;
            let model = Origin::Model {
                provider: "first_party".into(),
                name: "claude".into(),
            };
            entries.push(EntryDraft::message(Role::Assistant, model, parts));
        }
        if let Some(ToolResultSpec { id, text, is_error }) = &self.tool_result {
            let text = text.iter().map(|text| ContentBlock::text(text.as_str()));
            let part = Part::ToolResult(ToolResult {
                is_error: is_error.then_some(true),
                ..ToolResult::new(id.as_str(), text.collect())
            });
            entries.push(EntryDraft::message(Role::User, Origin::Human, vec![part]));
        }
        if let Some(queued) = &self.queued {
            entries.push(QueuedCommand::new(queued.text.as_str(), queued.origin()?).into_entry());
        }
        if let Some(body) = &self.reminder {
            let hook = Origin::Hook {
                name: "scenario".into(),
            };
            entries.push(EntryDraft::reminder(hook, body.as_str()));
        }
        match (entries.len(), &self.attachment) {
            (1, None) => Ok(entries),
            (0, Some(attachment)) => Ok(attachment.clone().into_entries()),
            _ => bail!(
                "an event has exactly one of user, assistant, tool_result, queued, reminder, \
                 attachment, wait"
            ),
        }
    }
}

impl AssistantPart {
    fn part(&self) -> Result<Part> {
        match (&self.text, &self.tool_use) {
            (Some(text), None) => Ok(Part::text(text.as_str())),
            (None, Some(ToolUseSpec { id, name, input })) => {
                Ok(Part::tool_use(id.as_str(), name.as_str(), input.as_str()))
            }
            _ => bail!("a part of an answer has exactly one of text, tool_use"),
        }
    }
}

impl QueuedSpec {
    fn origin(&self) -> Result<QueuedOrigin> {
        Ok(match (self.origin.as_deref(), &self.server) {
            (None | Some("human"), None) => QueuedOrigin::Human,
            (Some("task_notification"), None) => QueuedOrigin::TaskNotification,
            (Some("coordinator"), None) => QueuedOrigin::Coordinator,
            (Some("channel"), Some(server)) => QueuedOrigin::Channel {
                server: server.clone(),
            },
            (origin, server) => bail!(
                "a queued message comes from human, task_notification, coordinator or channel \
                 (with its server), found {origin:?} with server {server:?}"
            ),
        })
    }
}
