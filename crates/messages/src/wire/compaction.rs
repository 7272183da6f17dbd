//! Summaries that the API writes in place of a conversation.

use serde::Deserialize;
use serde_json::Value;

use super::Other;

/// What a `compaction` block holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Compaction {
    /// The summary, if it can be read.
    #[serde(deserialize_with = "text")]
    pub content: Option<String>,
    /// True if the API signed it: it was made on demand, and not by a threshold.
    #[serde(rename = "signature", deserialize_with = "is_given")]
    pub is_signed: bool,
}

impl Other {
    /// Returns what the block holds if it is a `compaction`.
    #[must_use]
    pub fn compaction(&self) -> Option<Compaction> {
        let is_compaction = self.kind() == "compaction";
        is_compaction.then(|| serde_json::from_str(self.raw().get()).unwrap_or_default())
    }
}

fn text<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(Value::deserialize(value)?.as_str().map(str::to_owned))
}

fn is_given<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(!Value::deserialize(value)?.is_null())
}
