//! What hooks say.

use aside_messages::conversation::{EntryDraft, Origin};
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::draft::reminder;

/// The most characters of what a hook adds.
pub const HOOK_CHARACTERS: usize = 10_000;

/// A hook stopped the model from going on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookStoppedContinuation {
    /// The name of the hook.
    pub hook: String,
    /// Why.
    pub message: String,
}

/// What a hook has to say on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookAdditionalContext {
    /// The name of the hook.
    pub hook: String,
    /// What it says.
    pub texts: Vec<String>,
}

/// What a hook says that answered later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AsyncHookResponse {
    /// What the hook says to everybody.
    pub system_message: Option<String>,
    /// What the hook says to the model.
    pub additional_context: Option<String>,
}

impl HookStoppedContinuation {
    pub(crate) fn entry(self) -> EntryDraft {
        let hook = one_line(&self.hook);
        let body = format!("{hook} hook stopped continuation: {}", self.message);
        EntryDraft::reminder(Origin::Hook { name: self.hook }, body)
    }
}

impl HookAdditionalContext {
    pub(crate) fn entry(self) -> Option<EntryDraft> {
        let text = self.texts.join("\n");
        if text.trim().is_empty() {
            return None;
        }
        let hook = one_line(&self.hook);
        let text = cut::to_chars(&text, HOOK_CHARACTERS);
        let body = format!("{hook} hook additional context:\n{text}");
        Some(EntryDraft::reminder(Origin::Hook { name: self.hook }, body))
    }
}

impl AsyncHookResponse {
    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        let texts = [self.system_message, self.additional_context];
        let texts: Vec<String> = texts
            .into_iter()
            .flatten()
            .filter(|text| !text.trim().is_empty())
            .collect();
        (!texts.is_empty()).then(|| reminder(kind, texts.join("\n")))
    }
}
