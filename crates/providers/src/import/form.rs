use std::fmt;

use aside_messages::wire::RawJson;

use crate::read::Members;

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

/// More messages than this are not looked at to recognize a history.
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
    #[must_use]
    pub fn of(json: &[u8]) -> Option<Self> {
        let raw: RawJson = serde_json::from_slice(json).ok()?;
        if raw.get().starts_with('[') {
            return Some(of_history(&raw).unwrap_or(Self::Messages));
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
        let of_keys = [
            "max_completion_tokens",
            "response_format",
            "reasoning_effort",
            "stream_options",
            "parallel_tool_calls",
        ];
        let tools = find("tools").and_then(|(_, tools)| of_tools(tools));
        let is_chat = of_keys.iter().any(|key| has(key)) || tools == Some(Self::ChatCompletions);
        // In the Messages API the system prompt is outside the messages.
        let has_system = has("system") || tools == Some(Self::Messages);
        Some(match of_history(messages) {
            Some(form) => form,
            None if is_chat && !has_system => Self::ChatCompletions,
            None => Self::Messages,
        })
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

/// Recognizes tools, which only Chat Completions wrap in `function`.
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
