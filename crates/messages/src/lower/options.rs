use std::collections::BTreeSet;
use std::sync::Arc;

/// What lowering may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Fold reminders that stand beside tool results into the last of them.
    /// Text behind a tool result reads to the model like a new turn of the
    /// user, a form that it learns to imitate. On by default.
    pub smoosh_reminders: bool,
    /// Write reminder tags in text from outside as text. On by default; for a
    /// harness whose users edit files that hold such tags. What stands inside
    /// a reminder is neutralized in any case.
    pub neutralize: bool,
    /// Write the ids of entries into their texts, so that the model can name
    /// what may be snipped. Off by default.
    pub tag_ids: bool,
    /// The model of the request: thinking of any other is left out. `None`
    /// keeps all.
    pub model: Option<ModelName>,
    /// The tools of the request: a `tool_reference` to any other becomes text.
    /// `None` keeps all.
    pub tools: Option<Arc<BTreeSet<String>>>,
    /// How many images and documents a request may hold: 100 by default, what
    /// models with a window of 200k tokens take.
    pub media_limit: usize,
}

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Who serves it.
    pub provider: String,
    /// Its name there.
    pub name: String,
}

impl Default for LowerOptions {
    fn default() -> Self {
        Self {
            smoosh_reminders: true,
            neutralize: true,
            tag_ids: false,
            model: None,
            tools: None,
            media_limit: 100,
        }
    }
}

impl LowerOptions {
    /// Whether the request has a tool of that name.
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(tool))
    }
}
