//! Packs reasoning items into thinking signatures, and unpacks them on the way back.
//!
//! A signature is the provider's seal and the item's JSON, so the Anthropic form loses nothing. A
//! message's phase is packed the same way, in a block before the message, and so is a summary of
//! the conversation (`compaction`).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A reasoning item. Its fields are written in this order.
///
/// ```json
/// {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA…",
///  "summary": [{"type": "summary_text", "text": "I list the files."}]}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reasoning {
    /// Always `reasoning`.
    pub(super) r#type: ReasoningTag,
    /// Empty if the server gave none; left out then.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) id: String,
    /// The summary, which is the thinking block's text; written even if it is empty.
    #[serde(default)]
    pub(super) summary: Vec<SummaryText>,
    /// The reasoning itself, from servers that return it; left out if it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) content: Vec<ReasoningText>,
    /// State for the server to read; an item without it is never sent.
    #[serde(default)]
    pub(super) encrypted_content: String,
}

/// `"reasoning"`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ReasoningTag {
    #[default]
    #[serde(rename = "reasoning")]
    Reasoning,
}

/// A part of the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "summary_text")]
pub(super) struct SummaryText {
    pub(super) text: String,
}

/// A part of the reasoning itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "reasoning_text")]
pub(super) struct ReasoningText {
    pub(super) text: String,
}

/// The phase of the assistant message that follows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename = "phase")]
struct Phase<'a> {
    /// One of `PHASES`.
    #[serde(borrow)]
    phase: Cow<'a, str>,
}

/// The summary that stands for the conversation before it. Its fields are written in this order.
///
/// ```json
/// {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA…"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "compaction")]
pub(super) struct Compaction {
    /// Empty if the item has none; left out then.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    encrypted_content: String,
}

/// What a signature holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sealed {
    /// An item that can be sent.
    Reasoning(Reasoning),
    /// The following message's phase.
    Phase(&'static str),
    /// The conversation before it.
    Compaction(Compaction),
}

/// The phases that the wire has.
const PHASES: [&str; 2] = ["commentary", "final_answer"];

/// Returns a signature to hold the item. `prefix` names the provider, such as `openai-responses:`.
///
/// ```text
/// openai-responses:{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}
/// ```
pub(crate) fn seal(prefix: &str, item: &Reasoning) -> String {
    packed(prefix, item)
}

/// Returns a signature to hold the following message's phase; `None` if the wire has no such phase.
pub(crate) fn seal_phase(prefix: &str, phase: &str) -> Option<String> {
    let phase = Cow::Borrowed(*PHASES.iter().find(|it| **it == phase)?);
    Some(packed(prefix, &Phase { phase }))
}

/// Returns a signature to hold a summary of the conversation.
pub(crate) fn seal_compaction(
    prefix: &str,
    id: Option<String>,
    encrypted_content: String,
) -> String {
    packed(prefix, &Compaction { id: id.unwrap_or_default(), encrypted_content })
}

fn packed(prefix: &str, value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("an item has string keys only");
    format!("{prefix}{json}")
}

/// Returns what a signature holds; `None` if it has another prefix, or holds nothing that the
/// server could read.
///
/// This is the item that `seal` packed, so the server gets the same bytes in every request.
pub(super) fn unseal(prefix: &str, signature: &str) -> Option<Sealed> {
    let json = signature.strip_prefix(prefix)?;
    if let Ok(item) = serde_json::from_str::<Reasoning>(json) {
        let is_readable = !item.encrypted_content.is_empty();
        return is_readable.then_some(Sealed::Reasoning(item));
    }
    if let Ok(item) = serde_json::from_str(json) {
        return Some(Sealed::Compaction(item));
    }
    let Phase { phase } = serde_json::from_str(json).ok()?;
    let phase = PHASES.iter().find(|it| **it == phase)?;
    Some(Sealed::Phase(phase))
}

impl Reasoning {
    /// Creates an item from its parts' texts.
    ///
    /// A missing id or state becomes an empty text.
    pub(crate) fn new<'a>(
        id: Option<&str>,
        summary: impl Iterator<Item = &'a str>,
        content: impl Iterator<Item = &'a str>,
        encrypted_content: Option<&str>,
    ) -> Self {
        Self {
            r#type: ReasoningTag::Reasoning,
            id: id.unwrap_or_default().to_owned(),
            summary: summary.map(|text| SummaryText { text: text.to_owned() }).collect(),
            content: content.map(|text| ReasoningText { text: text.to_owned() }).collect(),
            encrypted_content: encrypted_content.unwrap_or_default().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAL: &str = "openai-responses:";

    #[test]
    fn an_item_comes_back_and_only_to_its_maker() {
        let item = Reasoning {
            id: "rs_1".into(),
            summary: vec![SummaryText { text: "a\n\"b\"".into() }],
            encrypted_content: "gAAA=".into(),
            ..Reasoning::default()
        };
        let signature = seal(SEAL, &item);
        assert_eq!(
            signature,
            r#"openai-responses:{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a\n\"b\""}],"encrypted_content":"gAAA="}"#
        );
        assert_eq!(unseal(SEAL, &signature), Some(Sealed::Reasoning(item)));
        assert_eq!(unseal("xai-responses:", &signature), None);
        for other in ["", "c2ln", "openai-responses:", "openai-responses:{}"] {
            assert_eq!(unseal(SEAL, other), None, "{other}");
        }
    }

    #[test]
    fn an_item_that_the_server_cannot_read_is_not_sent() {
        let bare = seal(SEAL, &Reasoning { id: "rs_1".into(), ..Reasoning::default() });
        assert_eq!(unseal(SEAL, &bare), None);
    }

    #[test]
    fn a_summary_comes_back() {
        let sealed = seal_compaction(SEAL, None, "gAAA=".into());
        assert_eq!(sealed, r#"openai-responses:{"type":"compaction","encrypted_content":"gAAA="}"#);
        let item = Compaction { id: String::new(), encrypted_content: "gAAA=".into() };
        assert_eq!(unseal(SEAL, &sealed), Some(Sealed::Compaction(item)));
        assert_eq!(unseal("xai-responses:", &sealed), None);
    }

    #[test]
    fn a_phase_comes_back() {
        let sealed = seal_phase(SEAL, "commentary").unwrap();
        assert_eq!(unseal(SEAL, &sealed), Some(Sealed::Phase("commentary")));
        assert_eq!(seal_phase(SEAL, "another"), None);
        assert_eq!(unseal(SEAL, r#"openai-responses:{"type":"phase","phase":"x"}"#), None);
    }
}
