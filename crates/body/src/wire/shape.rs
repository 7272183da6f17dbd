//! Recognizing a wire by the keys in a body or a history. Nothing is validated.

use aside_json::scan::{self, Kind, Member, Span, Walk};
use aside_models::{Vendor, Wire, find};

use super::Keys;

/// Keys that only Responses has in a body without messages.
const RESPONSES_KEYS: &[&str] =
    &["input", "instructions", "max_output_tokens", "previous_response_id", "conversation"];

/// Keys that only Chat Completions has, among the wires with messages.
const CHAT_KEYS: &[&str] = &[
    "max_completion_tokens",
    "response_format",
    "reasoning_effort",
    "stream_options",
    "parallel_tool_calls",
    "functions",
    "stop",
    "n",
    "seed",
    "logprobs",
    "logit_bias",
    "frequency_penalty",
    "presence_penalty",
];

/// Keys that only the Messages API has, among the wires with messages.
const MESSAGES_KEYS: &[&str] = &[
    "system",
    "anthropic_version",
    "anthropic_beta",
    "stop_sequences",
    "thinking",
    "cache_control",
];

/// How many messages to look at: the first ones already show the wire.
const MAX_LOOKED_AT: usize = 64;

/// Recognizes the wire that a body or a history is for, by its shape; `None` if the text is
/// neither.
///
/// ```
/// use aside_body::Wire;
/// use aside_body::wire::of_shape;
///
/// let body = br#"{"contents":[{"parts":[{"text":"Hi"}]}]}"#;
/// assert_eq!(of_shape(body), Some(Wire::GenerateContent));
/// let history = br#"[{"role":"user","content":"Hi"},{"role":"tool","content":""}]"#;
/// assert_eq!(of_shape(history), Some(Wire::ChatCompletions));
/// ```
///
/// In this order: the keys of the body that only one wire has without messages, the first message
/// with a form of its own, and then the keys that only the Messages API or only Chat Completions
/// has beside messages, the form of the tools, the vendor of the model, a system message at the start,
/// which the Messages API refuses, and a model other than Claude without `max_tokens`, which it
/// requires. A body that fits both counts as the Messages API's.
#[must_use]
pub fn of_shape(json: &[u8]) -> Option<Wire> {
    Keys::read(json).shape()
}

/// Recognizes the wire of a history by its messages alone: a list, or an object that holds one,
/// whose other keys do not count. `None` if several wires have such messages.
///
/// ```
/// use aside_body::Wire;
/// use aside_body::wire::of_messages;
///
/// let held = br#"{"model":"gpt-5.5","messages":[{"role":"system","content":"Be kind."}]}"#;
/// assert_eq!(of_messages(held), None);
/// let history = br#"[{"role":"user","content":"Hi"},{"role":"tool","content":""}]"#;
/// assert_eq!(of_messages(history), Some(Wire::ChatCompletions));
/// ```
#[must_use]
pub fn of_messages(json: &[u8]) -> Option<Wire> {
    let keys = Keys::read(json);
    match scan::find(json, keys.members(), b"messages") {
        Some(messages) => of_history(json, messages.start),
        None if keys.members().is_empty() => of_history(json, scan::skip_space(json, 0)),
        None => keys.shape(),
    }
}

impl Keys<'_> {
    /// Returns true for a key that only Responses has in a body without messages.
    pub(super) fn is_responses(&self) -> bool {
        self.has_template() || self.has(RESPONSES_KEYS)
    }

    /// Returns true for a `prompt` that the provider keeps (Responses), which has an id; in legacy
    /// completions it is a text.
    pub(crate) fn has_template(&self) -> bool {
        let prompt = scan::find(self.body, self.members(), b"prompt");
        prompt.is_some_and(|it| self.has_id(it.start))
    }

    /// Returns true for a `conversation` that the provider keeps (Responses): its id, or an object
    /// with one.
    pub(super) fn has_conversation(&self) -> bool {
        let value = scan::find(self.body, self.members(), b"conversation");
        value.is_some_and(|it| {
            scan::kind(self.body, it.start) == Kind::String || self.has_id(it.start)
        })
    }

    fn has_id(&self, at: usize) -> bool {
        let members = scan::members(self.body, at).unwrap_or_default();
        scan::find(self.body, &members, b"id")
            .is_some_and(|it| scan::kind(self.body, it.start) == Kind::String)
    }

    /// Returns true for a body that has nothing of the Messages API alone, so that it may be for
    /// Chat Completions as well.
    pub(super) fn fits_chat(&self) -> bool {
        let of = |key: &[u8]| scan::find(self.body, self.members(), key).map(|it| it.start);
        let messages = of(b"messages");
        messages.is_some_and(|it| of_history(self.body, it).is_none())
            && of(b"tools").and_then(|it| of_tools(self.body, it)) != Some(Wire::Messages)
            && !self.has(MESSAGES_KEYS)
            && !self.text("model").is_some_and(|it| it.contains("claude"))
    }

    /// Returns what [`of_shape`] does.
    #[must_use]
    pub fn shape(&self) -> Option<Wire> {
        let json = self.body;
        let start = scan::skip_space(json, 0);
        if scan::kind(json, start) == Kind::Array {
            let is_chat = || begins_with_system(json, start).then_some(Wire::ChatCompletions);
            let wire = of_history(json, start).or_else(is_chat);
            return Some(wire.unwrap_or(Wire::Messages));
        }
        if self.has(&["contents"]) {
            return Some(Wire::GenerateContent);
        }
        let Some(messages) = scan::find(json, self.members(), b"messages") else {
            return self.is_responses().then_some(Wire::Responses);
        };
        if let Some(wire) = of_history(json, messages.start) {
            return Some(wire);
        }
        let tools =
            scan::find(json, self.members(), b"tools").and_then(|it| of_tools(json, it.start));
        if tools == Some(Wire::Messages) || self.has(MESSAGES_KEYS) {
            return Some(Wire::Messages);
        }
        let model = self.text("model");
        let vendor = model.as_deref().map(|model| find(model).facts.vendor);
        let is_claude = vendor == Some(Vendor::Anthropic)
            || model.as_ref().is_some_and(|it| it.contains("claude"));
        // The Messages API requires `max_tokens`.
        let has_no_limit = model.is_some() && !is_claude && !self.has(&["max_tokens"]);
        let is_chat = self.has(CHAT_KEYS)
            || has_no_limit
            || tools == Some(Wire::ChatCompletions)
            || matches!(vendor, Some(Vendor::OpenAi | Vendor::Google | Vendor::Xai))
            || (vendor != Some(Vendor::Anthropic) && begins_with_system(json, messages.start));
        Some(if is_chat { Wire::ChatCompletions } else { Wire::Messages })
    }
}

/// Iterates over the objects in a list, with their members. Stops at the first broken one.
fn objects(json: &[u8], at: usize) -> impl Iterator<Item = Vec<Member>> {
    let is_list = scan::kind(json, at) == Kind::Array;
    let mut walk = is_list.then(|| Walk::new(json, at));
    std::iter::from_fn(move || {
        let walk = walk.as_mut()?;
        let start = walk.step().ok()??;
        walk.passed(scan::value_end(json, start).ok()?);
        match scan::kind(json, start) {
            Kind::Object => scan::members(json, start).ok(),
            _ => Some(Vec::new()),
        }
    })
}

fn raw_text<'a>(json: &'a [u8], members: &[Member], key: &str) -> Option<&'a [u8]> {
    let value = scan::find(json, members, key.as_bytes())?;
    scan::raw_string(json, &value)
}

fn begins_with_system(json: &[u8], history: usize) -> bool {
    let first = objects(json, history).next();
    first.is_some_and(|it| raw_text(json, &it, "role") == Some(b"system"))
}

/// Recognizes tools, which only Chat Completions wraps in `function`.
///
/// ```text
/// [{"type":"function","function":{"name":"f"}}]   Chat Completions
/// [{"name":"f","input_schema":{}}]                Messages API
/// [{"type":"function","name":"f"}]                none of the two: Responses
/// ```
fn of_tools(json: &[u8], tools: usize) -> Option<Wire> {
    let has = |members: &[Member], key: &[u8]| scan::find(json, members, key).is_some();
    objects(json, tools).find_map(|tool| match () {
        () if has(&tool, b"function") => Some(Wire::ChatCompletions),
        () if has(&tool, b"input_schema") => Some(Wire::Messages),
        () => None,
    })
}

/// Recognizes the first message that has a form of its own.
fn of_history(json: &[u8], history: usize) -> Option<Wire> {
    let mut messages = objects(json, history).take(MAX_LOOKED_AT);
    messages.find_map(|message| of_message(json, &message))
}

/// Recognizes a message by its keys, its role or the types in its content; `None` if several wires
/// have such a message, like `{"role":"user","content":"Hi"}`.
fn of_message(json: &[u8], message: &[Member]) -> Option<Wire> {
    let find = |key: &str| scan::find(json, message, key.as_bytes());
    if find("parts").is_some() {
        return Some(Wire::GenerateContent);
    }
    // Only items have a type.
    if find("type").is_some() {
        return Some(Wire::Responses);
    }
    if find("tool_calls").is_some() || find("tool_call_id").is_some() {
        return Some(Wire::ChatCompletions);
    }
    if let Some(b"tool" | b"developer" | b"function") = raw_text(json, message, "role") {
        return Some(Wire::ChatCompletions);
    }
    let content: Span = find("content")?;
    objects(json, content.start).find_map(|part| match raw_text(json, &part, "type")? {
        b"input_text" | b"output_text" | b"input_image" | b"input_file" => Some(Wire::Responses),
        b"image_url" | b"file" | b"input_audio" | b"refusal" => Some(Wire::ChatCompletions),
        b"image" | b"document" | b"tool_use" | b"tool_result" | b"thinking"
        | b"redacted_thinking" => Some(Wire::Messages),
        _ => None,
    })
}
