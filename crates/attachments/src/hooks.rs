//! Output from hooks.

use aside_messages::conversation::{EntryDraft, Origin};
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::truncate;

const MAX_CONTEXT_CHARS: usize = 10_000;

/// A hook stopped the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HookStoppedContinuation {
    /// The hook's name.
    pub hook: String,
    /// Why it stopped the model.
    pub message: String,
}

/// Context that a hook adds, up to 10,000 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HookAdditionalContext {
    /// The hook's name.
    pub hook: String,
    /// The texts, sent joined by line feeds.
    pub texts: Vec<String>,
}

/// An asynchronous hook's response, sent unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AsyncHookResponse {
    /// The hook's message for the user and the model.
    pub system_message: Option<String>,
    /// The hook's context for the model.
    pub additional_context: Option<String>,
}

impl HookStoppedContinuation {
    pub(crate) fn into_draft(self) -> EntryDraft {
        let hook = one_line(&self.hook);
        let body = format!("{hook} hook stopped continuation: {}", self.message);
        EntryDraft::reminder(Origin::Hook { name: self.hook }, body)
    }
}

impl HookAdditionalContext {
    pub(crate) fn into_draft(self) -> Option<EntryDraft> {
        let text = self.texts.join("\n");
        if text.trim().is_empty() {
            return None;
        }
        let hook = one_line(&self.hook);
        let text = truncate::to_chars(&text, MAX_CONTEXT_CHARS);
        let body = format!("{hook} hook additional context:\n{text}");
        Some(EntryDraft::reminder(Origin::Hook { name: self.hook }, body))
    }
}

impl AsyncHookResponse {
    pub(crate) fn into_draft(self) -> Option<String> {
        let texts: Vec<String> = [self.system_message, self.additional_context]
            .into_iter()
            .flatten()
            .filter(|text| !text.trim().is_empty())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}
