use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use aside_attachments::Attachment;
use aside_prompt_sections::SessionDate;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::ToolSpec;
use crate::schema::scenario as schema;

/// What happens before a request: an object with one key.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ScenarioEvent {
    /// The user sends a message.
    User(String),
    /// The model responds.
    Assistant(Vec<AssistantPart>),
    /// A tool returns its result.
    ToolResult(ToolResultSpec),
    /// A message arrives while the model works.
    Queued(QueuedSpec),
    /// A hook adds a persistent reminder.
    Reminder(String),
    /// The harness adds an attachment.
    Attachment(#[schemars(with = "schema::AttachmentForm")] Attachment),
    /// Entries in their form on disk, one JSON object per line.
    Entries(String),
    /// Entries are snipped, by index, from 0.
    Snip(Vec<usize>),
    /// Time passes, such as `90s` or `5m`.
    Wait(String),
    /// The session gets these tools.
    Tools(Vec<ToolSpec>),
    /// Some of the scenario's sections change: name and text, or null for no
    /// text.
    Sections(BTreeMap<String, Option<String>>),
    /// The user sends a message whose mentions are resolved.
    Prompt(String),
    /// The session's state changes to this JSON text.
    State(String),
    /// The date changes.
    Date(#[schemars(with = "schema::DateForm")] SessionDate),
    /// The model reads this file, relative to the working directory.
    Read(String),
    /// Another program writes files, and the session detects the changes: path
    /// in `tree`, and text.
    Write(BTreeMap<String, String>),
    /// The conversation is compacted to this summary.
    Compact(String),
    /// The conversation is cleared.
    Clear(True),
    /// The process ends, and another one resumes the session.
    Resume(True),
}

/// The value `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
pub struct True(#[schemars(extend("const" = true))] bool);

/// Part of a response: an object with one key.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum AssistantPart {
    /// Text.
    Text(String),
    /// A tool call.
    ToolUse(ToolUseSpec),
}

/// A tool call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolUseSpec {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The input, as JSON text.
    pub input: String,
}

/// A tool's result.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResultSpec {
    /// The call's id.
    pub id: String,
    /// The result's text; without it, the result is empty.
    pub text: Option<String>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}

/// A message that arrives while the model works.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuedSpec {
    /// The text.
    pub text: String,
    /// `human`, `task_notification`, `coordinator`, or `channel` with a
    /// `server`; by default the human.
    pub origin: Option<String>,
    /// The channel's server.
    pub server: Option<String>,
}

/// An enum written as an object with one key, the variant's name.
trait Variants: Sized {
    const EXPECTED: &'static str;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Reads such an object.
struct OneKey<T>(PhantomData<T>);

impl<'de, T: Variants> Visitor<'de> for OneKey<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: an object with one key", T::EXPECTED)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let value = T::read(MapAccessDeserializer::new(&mut map))?;
        match map.next_key::<String>()? {
            None => Ok(value),
            Some(key) => Err(Error::custom(format_args!(
                "expected {} with one key, found also {key:?}",
                T::EXPECTED
            ))),
        }
    }
}

impl Variants for ScenarioEvent {
    const EXPECTED: &'static str = "an event";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The derived function, for the variants themselves.
        Self::deserialize(deserializer)
    }
}

impl Variants for AssistantPart {
    const EXPECTED: &'static str = "a part of an answer";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for ScenarioEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneKey(PhantomData))
    }
}

impl<'de> Deserialize<'de> for AssistantPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneKey(PhantomData))
    }
}

impl<'de> Deserialize<'de> for True {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = bool::deserialize(deserializer)?;
        if value {
            Ok(Self(true))
        } else {
            Err(Error::invalid_value(Unexpected::Bool(false), &"true"))
        }
    }
}
