use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use aside_attachments::{Attachment, QueuedCommand, QueuedOrigin};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{ContentBlock, Role, ToolResult};
use aside_prompt_sections::SessionDate;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::format::ToolSpec;
use crate::schema::scenario as schema;

/// Something that happens before a request: exactly one of its keys.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
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
    #[schemars(with = "Option<schema::AttachmentForm>")]
    pub attachment: Option<Attachment>,
    /// Entries as they stand on disk, a JSON object a line.
    pub entries: Option<String>,
    /// What was said is no longer sent: the indices of entries, from 0.
    pub snip: Option<Vec<usize>>,
    /// Time passes, such as `90s` or `5m`.
    pub wait: Option<String>,
    /// Tools came or went: these are the tools from now on.
    pub tools: Option<Vec<ToolSpec>>,
    /// Sections of the scenario come to something else from now on: name and
    /// text, or null for nothing.
    pub sections: Option<BTreeMap<String, Option<String>>>,
    /// The user says something, and what it mentions is looked up.
    pub prompt: Option<String>,
    /// How things stand from now on, as JSON text.
    pub state: Option<String>,
    /// The date from now on.
    #[schemars(with = "Option<schema::DateForm>")]
    pub date: Option<SessionDate>,
    /// The model is shown this file, seen from the working directory.
    pub read: Option<String>,
    /// Somebody writes files, and the session looks for what changed: path in
    /// `tree`, and text.
    pub write: Option<BTreeMap<String, String>>,
    /// The conversation is compacted, to this summary.
    pub compact: Option<String>,
    /// The conversation is cleared.
    #[serde(default)]
    pub clear: bool,
    /// The process ends, and another one takes the session up again.
    #[serde(default)]
    pub resume: bool,
}

/// A piece of an answer: exactly one of its keys.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssistantPart {
    /// Text.
    pub text: Option<String>,
    /// The call of a tool.
    pub tool_use: Option<ToolUseSpec>,
}

/// The call of a tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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

    /// Whether it has exactly one key.
    pub(crate) fn check(&self) -> Result<()> {
        let keys = [
            ("user", self.user.is_some()),
            ("assistant", self.assistant.is_some()),
            ("tool_result", self.tool_result.is_some()),
            ("queued", self.queued.is_some()),
            ("reminder", self.reminder.is_some()),
            ("attachment", self.attachment.is_some()),
            ("entries", self.entries.is_some()),
            ("snip", self.snip.is_some()),
            ("wait", self.wait.is_some()),
            ("tools", self.tools.is_some()),
            ("sections", self.sections.is_some()),
            ("prompt", self.prompt.is_some()),
            ("state", self.state.is_some()),
            ("date", self.date.is_some()),
            ("read", self.read.is_some()),
            ("write", self.write.is_some()),
            ("compact", self.compact.is_some()),
            ("clear", self.clear),
            ("resume", self.resume),
        ];
        if keys.iter().filter(|(_, is_given)| *is_given).count() == 1 {
            return Ok(());
        }
        let names = keys.map(|(name, _)| name);
        bail!("an event has exactly one of {}", names.join(", "));
    }

    /// The entries that it appends: one, or none for an attachment that has
    /// nothing to say, or those that it spells out.
    pub(crate) fn entries(&self, conversation: &Conversation) -> Result<Vec<EntryDraft>> {
        if let Some(attachment) = &self.attachment {
            return Ok(attachment.clone().into_entries());
        }
        if let Some(lines) = &self.entries {
            let parsed = Conversation::from_json_lines(conversation.id(), lines)?;
            let entries = parsed.value.entries().iter().cloned();
            return Ok(entries.map(EntryDraft::from).collect());
        }
        if let Some(indices) = &self.snip {
            return Ok(vec![snip(indices, conversation)?]);
        }
        self.said()
    }

    /// What somebody says.
    fn said(&self) -> Result<Vec<EntryDraft>> {
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
                provider: "first-party".into(),
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
        Ok(entries)
    }
}

fn snip(indices: &[usize], conversation: &Conversation) -> Result<EntryDraft> {
    let entries = conversation.entries();
    let id = |index: &usize| {
        let entry = entries.get(*index);
        entry.map(|entry| entry.id).ok_or_else(|| {
            anyhow!(
                "snip: expected an index below {}, found {index}",
                entries.len()
            )
        })
    };
    let ids = indices.iter().map(id).collect::<Result<_>>()?;
    Ok(EntryDraft::snip(ids))
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
