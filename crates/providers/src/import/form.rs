//! Recognition of a wire by the shape of a body or a history, or by the URL of its requests.
//!
//! A body is recognized by keys that only one wire has (`contents`, `input`,
//! `max_completion_tokens`), then by its tools, its model and its messages. Nothing is validated
//! here: a recognized text may still be refused when it is read.

use std::fmt;

use aside_messages::wire::RawJson;
use aside_models::{Vendor, find};

use crate::read::{Members, Text};

/// The form of a request body or a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's Chat Completions.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Google's `generateContent`.
    GenerateContent,
}

/// Keys of a body that only Chat Completions have.
///
/// One of them is enough, unless the body also has a key of the Messages API (`system`,
/// `anthropic_version`, `stop_sequences`).
const CHAT_KEYS: [&str; 12] = [
    "max_completion_tokens",
    "response_format",
    "reasoning_effort",
    "stream_options",
    "parallel_tool_calls",
    "stop",
    "n",
    "seed",
    "logprobs",
    "logit_bias",
    "frequency_penalty",
    "presence_penalty",
];

/// More messages than this are not looked at to recognize a history.
///
/// The first messages of a conversation show its form; the bound keeps the recognition of a very
/// long history cheap.
const MAX_LOOKED_AT: usize = 64;

impl Form {
    /// Recognizes the form of a body or a history by its shape; `None` if the
    /// text is no JSON object or array.
    ///
    /// ```
    /// use aside_providers::Form;
    ///
    /// let body = br#"{"contents":[{"parts":[{"text":"Hi"}]}]}"#;
    /// assert_eq!(Form::of(body), Some(Form::GenerateContent));
    /// let history = br#"[{"role":"user","content":"Hi"},{"role":"tool","content":""}]"#;
    /// assert_eq!(Form::of(history), Some(Form::ChatCompletions));
    /// ```
    ///
    /// A body that fits both the Messages API and Chat Completions, such as one with texts of the
    /// user only and an unknown model, counts as the Messages API's.
    #[must_use]
    pub fn of(json: &[u8]) -> Option<Self> {
        let raw: RawJson = serde_json::from_slice(json).ok()?;
        if raw.get().starts_with('[') {
            let form = of_history(&raw);
            let is_chat = || begins_with_system(&raw).then_some(Self::ChatCompletions);
            return Some(form.or_else(is_chat).unwrap_or(Self::Messages));
        }
        let Members(members) = serde_json::from_str(raw.get()).ok()?;
        let find = |name: &str| members.iter().find(|(key, _)| key == name);
        let has = |name: &str| find(name).is_some();
        if has("contents") {
            return Some(Self::GenerateContent);
        }
        if has("input") || has("instructions") || has("max_output_tokens") {
            return Some(Self::Responses);
        }
        let (_, messages) = find("messages")?;
        let tools = find("tools").and_then(|(_, tools)| of_tools(tools));
        let vendor = find("model").and_then(|(_, model)| vendor(model));
        let is_chat = CHAT_KEYS.iter().any(|key| has(key))
            || tools == Some(Self::ChatCompletions)
            || matches!(vendor, Some(Vendor::OpenAi | Vendor::Google | Vendor::Xai))
            || (vendor != Some(Vendor::Anthropic) && begins_with_system(messages));
        // In the Messages API the system prompt is outside the messages.
        let is_messages = tools == Some(Self::Messages)
            || ["system", "anthropic_version", "stop_sequences"]
                .iter()
                .any(|key| has(key));
        Some(match of_history(messages) {
            Some(form) => form,
            None if is_chat && !is_messages => Self::ChatCompletions,
            None => Self::Messages,
        })
    }

    /// Returns the form of the requests to an address; `None` if it is none of
    /// the wires' own.
    ///
    /// ```
    /// use aside_providers::Form;
    ///
    /// let of = Form::of_url;
    /// assert_eq!(of("https://api.openai.com/v1/responses?a=b"), Some(Form::Responses));
    /// assert_eq!(of("https://api.openai.com/v1/embeddings"), None);
    /// ```
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let last = path.trim_end_matches('/').rsplit('/').next()?;
        let action = last.rsplit(':').next()?;
        match (last, action) {
            ("completions", _) if path.contains("/chat/") => Some(Self::ChatCompletions),
            ("responses", _) => Some(Self::Responses),
            ("messages" | "count_tokens", _) => Some(Self::Messages),
            (_, "generateContent" | "streamGenerateContent") => Some(Self::GenerateContent),
            _ => None,
        }
    }

    /// Returns the name of the form, as on a command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::GenerateContent => "generate-content",
        }
    }
}

/// Returns the vendor of a model; `None` if it is not known.
///
/// The name is the JSON string of a body, such as `"gpt-5.5"`.
fn vendor(model: &RawJson) -> Option<Vendor> {
    let Text(model) = serde_json::from_str(model.get()).ok()?;
    let vendor = find(&model).facts.vendor;
    (vendor != Vendor::Other).then_some(vendor)
}

/// Returns true for a conversation that begins with a system message, which
/// the Messages API refuses.
fn begins_with_system(history: &RawJson) -> bool {
    let items: Result<Vec<Members>, _> = serde_json::from_str(history.get());
    let first = items.ok().and_then(|items| items.into_iter().next());
    first.is_some_and(|Members(members)| {
        let mut members = members.iter();
        members.any(|(key, value)| key == "role" && value.get() == "\"system\"")
    })
}

/// Recognizes tools, which only Chat Completions wrap in `function`.
///
/// ```text
/// [{"type":"function","function":{"name":"f"}}]   Chat Completions
/// [{"name":"f","input_schema":{}}]                Messages API
/// [{"type":"function","name":"f"}]                none of the two: Responses
/// ```
fn of_tools(tools: &RawJson) -> Option<Form> {
    let tools: Vec<Members> = serde_json::from_str(tools.get()).ok()?;
    let has = |name: &str| {
        tools
            .iter()
            .any(|Members(it)| it.iter().any(|(key, _)| key == name))
    };
    match (has("function"), has("input_schema")) {
        (true, _) => Some(Form::ChatCompletions),
        (false, true) => Some(Form::Messages),
        (false, false) => None,
    }
}

/// Recognizes the first message that has a shape of its own.
fn of_history(history: &RawJson) -> Option<Form> {
    let items: Vec<Members> = serde_json::from_str(history.get()).ok()?;
    items.iter().take(MAX_LOOKED_AT).find_map(of_message)
}

/// Recognizes a message by its keys, its role or the types of its content parts; `None` if several
/// wires have such a message, as `{"role":"user","content":"Hi"}`.
fn of_message(Members(members): &Members) -> Option<Form> {
    let find = |name: &str| {
        let found = members.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.get())
    };
    if find("parts").is_some() {
        return Some(Form::GenerateContent);
    }
    // Only items have a type.
    if find("type").is_some() {
        return Some(Form::Responses);
    }
    if find("tool_calls").is_some() || find("tool_call_id").is_some() {
        return Some(Form::ChatCompletions);
    }
    if let Some("\"tool\"" | "\"developer\"" | "\"function\"") = find("role") {
        return Some(Form::ChatCompletions);
    }
    let parts: Vec<Members> = serde_json::from_str(find("content")?).ok()?;
    parts.iter().find_map(|Members(part)| {
        let (_, kind) = part.iter().find(|(key, _)| key == "type")?;
        match kind.get().trim_matches('"') {
            "input_text" | "output_text" | "input_image" | "input_file" => Some(Form::Responses),
            "image_url" | "file" | "input_audio" | "refusal" => Some(Form::ChatCompletions),
            "image" | "document" | "tool_use" | "tool_result" | "thinking"
            | "redacted_thinking" => Some(Form::Messages),
            _ => None,
        }
    })
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Messages => "Messages API",
            Self::ChatCompletions => "Chat Completions",
            Self::Responses => "Responses",
            Self::GenerateContent => "Gemini generateContent",
        })
    }
}
