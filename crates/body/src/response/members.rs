use std::borrow::Cow;

use aside_json::Value;

/// What `type` and `object` say in a response, unlike blocks, tool calls and wrappers, which have
/// ids too.
const RESPONSES: &[&str] = &["message", "response", "chat.completion", "chat.completion.chunk"];

/// An object's members that have facts, found in one pass.
#[derive(Default)]
pub(super) struct Members<'t> {
    pub(super) kind: Option<Value<'t>>,
    pub(super) object: Option<Value<'t>>,
    pub(super) id: Option<Value<'t>>,
    pub(super) gemini_id: Option<Value<'t>>,
    pub(super) model: Option<Value<'t>>,
    pub(super) gemini_model: Option<Value<'t>>,
    pub(super) stop_reason: Option<Value<'t>>,
    pub(super) error: Option<Value<'t>>,
    /// An error's own code, when the event is the error.
    pub(super) code: Option<Value<'t>>,
    pub(super) diagnostics: Option<Value<'t>>,
    pub(super) openai_diagnostics: Option<Value<'t>>,
    pub(super) usage: [Option<Value<'t>>; 2],
    /// Responses inside a stream's event, or inside a log of events.
    pub(super) inner: [Option<Value<'t>>; 3],
    pub(super) content: Option<Value<'t>>,
    pub(super) content_block: Option<Value<'t>>,
    pub(super) output: Option<Value<'t>>,
    pub(super) choices: Option<Value<'t>>,
    pub(super) candidates: Option<Value<'t>>,
    pub(super) delta: Option<Value<'t>>,
}

impl<'t> Members<'t> {
    pub(super) fn new(object: Value<'t>) -> Self {
        let mut all = Self::default();
        for (key, value) in object.members() {
            let member = match &*key {
                "type" => &mut all.kind,
                "object" => &mut all.object,
                "id" => &mut all.id,
                "responseId" => &mut all.gemini_id,
                "model" => &mut all.model,
                "modelVersion" | "model_version" => &mut all.gemini_model,
                "stop_reason" => &mut all.stop_reason,
                "error" => &mut all.error,
                "code" => &mut all.code,
                "diagnostics" => &mut all.diagnostics,
                "prompt_cache_diagnostics" => &mut all.openai_diagnostics,
                "usage" => &mut all.usage[0],
                "usageMetadata" | "usage_metadata" => &mut all.usage[1],
                "message" => &mut all.inner[0],
                "response" => &mut all.inner[1],
                "data" => &mut all.inner[2],
                "content" => &mut all.content,
                "content_block" => &mut all.content_block,
                "output" => &mut all.output,
                "choices" => &mut all.choices,
                "candidates" => &mut all.candidates,
                "delta" => &mut all.delta,
                _ => continue,
            };
            *member = Some(value);
        }
        all
    }

    /// Returns true if `id` is a response's. Compatible servers may leave out its type.
    pub(super) fn is_response(&self) -> bool {
        let mut kinds = [self.kind, self.object].into_iter().filter_map(text).peekable();
        if kinds.peek().is_none() {
            return self.model.is_some() || self.choices.is_some();
        }
        kinds.any(|kind| RESPONSES.contains(&&*kind))
    }
}

pub(super) fn text(value: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    value?.text()
}

/// Iterates over an array's elements; over nothing for anything else.
pub(super) fn items<'t>(value: Option<Value<'t>>) -> impl Iterator<Item = Value<'t>> + use<'t> {
    value.into_iter().flat_map(Value::items)
}
