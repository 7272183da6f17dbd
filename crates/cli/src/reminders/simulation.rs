//! How a file describes a session.

use std::fmt;

use aside_reminder::{Definition, RecentCall, UnknownKeys};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A session, as a file describes it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Simulation {
    #[serde(default)]
    pub(super) reminders: Vec<Definition>,
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    /// Messages, as in the Messages API, to inject reminders into.
    pub(super) messages: Option<Box<RawValue>>,
    /// Which reminders to inject, in order.
    pub(super) inject: Option<Vec<String>>,
}

/// Reads the file a second time to find unknown keys, which the reminder reader
/// ignores.
#[derive(serde::Deserialize)]
pub(super) struct Slips {
    #[serde(default)]
    pub(super) reminders: Vec<UnknownKeys>,
    #[serde(default)]
    pub(super) steps: Vec<StepSlips>,
}

#[derive(serde::Deserialize)]
pub(super) struct StepSlips {
    pub(super) register: Option<UnknownKeys>,
}

/// A step that registers or removes a reminder, or is a request.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) register: Option<Definition>,
    pub(super) remove: Option<String>,
    pub(super) turn: Option<u64>,
    pub(super) last_tool_calls: Option<Vec<CallSpec>>,
    pub(super) message_count: Option<u64>,
    pub(super) elapsed_ms: Option<u64>,
    pub(super) repeated: Option<RepeatedSpec>,
}

/// A tool call: its name, or name and input.
pub(super) struct CallSpec(pub(super) RecentCall);

/// A tool called several times in a row with the same input.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepeatedSpec {
    pub(super) tool: String,
    pub(super) times: u64,
}

/// A call's long form; without `input`, it is compared as `null`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NameAndInput {
    name: String,
    #[serde(default)]
    input: serde_json::Value,
}

impl<'de> Deserialize<'de> for CallSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CallReader)
    }
}

struct CallReader;

impl<'de> Visitor<'de> for CallReader {
    type Value = CallSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a tool, or an object with name and input")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<CallSpec, E> {
        Ok(CallSpec(RecentCall::new(name, "")))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CallSpec, A::Error> {
        let NameAndInput { name, input } =
            NameAndInput::deserialize(MapAccessDeserializer::new(map))?;
        // Only compared, never sent.
        Ok(CallSpec(RecentCall::new(name, input.to_string())))
    }
}
