//! Options for lowering: the form of texts, and the forms that the request's
//! model accepts.

use std::collections::BTreeSet;
use std::sync::Arc;

use aside_models::find;

use crate::conversation::Origin;

/// How to lower a conversation.
///
/// ```
/// use aside_messages::lower::{LowerOptions, Lowerer, ModelName};
///
/// let options = LowerOptions {
///     model: Some(ModelName {
///         provider: "anthropic".into(),
///         name: "claude-opus-5-5".into(),
///     }),
///     media_limit: 600,
///     ..LowerOptions::default()
/// };
/// let lowerer = Lowerer::new(options);
/// ```
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Whether to move a user message's reminders into its last tool result. On
    /// by default: the model reads text after a tool result as a new user turn,
    /// and learns to imitate that. Without it, ephemeral reminders are a block
    /// of their own.
    pub smoosh_reminders: bool,
    /// Whether to escape reminder tags in text from outside. On by default;
    /// switch it off if your users edit files with such tags. A reminder's body
    /// is neutralized in any case.
    pub neutralize: bool,
    /// Whether to append the ids of entries to their texts, so that the model
    /// can name entries to snip. Off by default.
    pub tag_ids: bool,
    /// The request's model: thinking by other models is left out. `None` keeps
    /// all thinking.
    pub model: Option<ModelName>,
    /// The names of the request's tools: a `tool_reference` to any other tool
    /// becomes text. `None` keeps all references.
    pub tools: Option<Arc<BTreeSet<String>>>,
    /// How many images and documents a request may hold. 100 by default, the
    /// limit for models with a window of 200,000 tokens.
    pub media_limit: usize,
    /// How much base64 all images and documents of a request may have together.
    /// 24 MiB by default, which leaves a quarter of the Claude API's limit to
    /// the rest of the body.
    pub media_bytes: usize,
    /// True if the API takes smaller images in a request with many, as the
    /// Messages API does. True by default: large ones among many are replaced.
    pub limits_image_sides: bool,
    /// True if the API accepts documents other than plain text, such as PDF. If
    /// not, each becomes a text that reports it. True by default.
    pub documents: bool,
    /// Which forms of system messages the API accepts for the model. All by
    /// default.
    pub forms: SystemForms,
    /// True if the API accepts the `compaction` block with its own summary. If not,
    /// the summary is sent as text. True by default.
    pub compaction_blocks: bool,
    /// True if the model binds its thinking to the prefix, so that thinking
    /// from before a [`PrefixChange`](crate::conversation::PrefixChange) is
    /// left out. True by default.
    pub binds_thinking: bool,
    /// True if the wire takes thinking without a signature, as wires other than
    /// the Messages API do. False by default: unsigned thinking is left out.
    pub unsigned_thinking: bool,
}

/// Which forms of system messages in mid-conversation a model accepts.
///
/// An entry keeps its form; if the model does not accept it, it is sent as a
/// reminder in the preceding user message, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemForms {
    /// True if the API accepts system messages in mid-conversation. If not, the
    /// other forms have no effect.
    pub messages: bool,
    /// Turn-scoped system messages (`clear_at`).
    pub clear_at: bool,
    /// Tools added and removed by reference.
    pub tool_changes: bool,
}

impl SystemForms {
    /// Every form, as the newest Claude models accept them.
    pub const ALL: Self = Self { messages: true, clear_at: true, tool_changes: true };

    /// No form: system messages become reminders.
    pub const NONE: Self = Self { messages: false, clear_at: false, tool_changes: false };
}

/// A model at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// The provider that serves the model, as in
    /// [`Origin::Model`](crate::conversation::Origin::Model).
    pub provider: String,
    /// What this provider calls the model.
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
            media_bytes: 24 << 20,
            limits_image_sides: true,
            documents: true,
            forms: SystemForms::ALL,
            compaction_blocks: true,
            binds_thinking: true,
            unsigned_thinking: false,
        }
    }
}

impl ModelName {
    /// Returns true for the same model at the same provider: an alias and a
    /// dated id are one model.
    #[must_use]
    pub fn is_model(&self, provider: &str, name: &str) -> bool {
        self.provider == provider && is_same_model(&self.name, name)
    }
}

/// Returns true if two ids name one model.
///
/// Ids that the catalogue does not have are compared as text.
fn is_same_model(one: &str, other: &str) -> bool {
    one == other || {
        let (one, other) = (find(one), find(other));
        one.is_known() && other.is_known() && one.facts.id == other.facts.id
    }
}

impl LowerOptions {
    /// With a model in the options, only that model's thinking at the same
    /// provider is kept; without one, all thinking is.
    pub(super) fn keeps_thinking(&self, origin: &Origin) -> bool {
        match (&self.model, origin) {
            (None, _) => true,
            (Some(own), Origin::Model { provider, name }) => own.is_model(provider, name),
            (Some(_), _) => false,
        }
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(name))
    }
}
