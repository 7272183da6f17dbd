//! A scenario's tools.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::MarkerTtl;

/// A session's tools.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ToolsSpec {
    /// Those of `aside run`, in a session without a user who responds: written
    /// `own`. With `tag_ids` this includes the tool that removes messages, and
    /// in coordinator mode the one that starts workers.
    Own,
    /// The same with `--allow-edits`: written `own_with_edits`.
    OwnWithEdits,
    /// A list of tools.
    #[schemars(untagged)]
    List(Vec<ToolSpec>),
}

/// A tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema for its input, as JSON text.
    pub input_schema: Option<String>,
    /// Whether an MCP server has it.
    #[serde(default)]
    pub mcp: bool,
    /// Whether it is loaded on demand.
    pub defer_loading: Option<bool>,
    /// Your cache marker: `5m` or `1h`.
    pub cache: Option<MarkerTtl>,
}

impl<'de> Deserialize<'de> for ToolsSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToolsVisitor)
    }
}

struct ToolsVisitor;

impl<'de> Visitor<'de> for ToolsVisitor {
    type Value = ToolsSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("own, own_with_edits, or a list of tools")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ToolsSpec, E> {
        match text {
            "own" => Ok(ToolsSpec::Own),
            "own_with_edits" => Ok(ToolsSpec::OwnWithEdits),
            other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<ToolsSpec, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(ToolsSpec::List)
    }
}
