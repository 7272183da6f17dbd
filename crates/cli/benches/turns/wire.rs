//! The variables that choose a wire, and the responses of a server.

use crate::wire_name::Wire;

impl Wire {
    /// Returns the arguments of a run.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Chat | Self::Gemini => &["--compact-at", "off"],
            Self::Messages | Self::Responses => &[],
        }
    }

    /// The variables with which `aside run` finds the server.
    pub(crate) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::Messages => set(&[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", url)]),
            // OpenAI's own server is reached through the server as a proxy:
            // another host would be one of Chat Completions.
            Self::Responses => set(&[
                ("CLAUDE_CODE_USE_OPENAI", "1"),
                ("OPENAI_API_KEY", "k"),
                ("OPENAI_BASE_URL", "http://api.openai.com/v1"),
                ("http_proxy", url),
            ]),
            Self::Chat => set(&[
                ("CLAUDE_CODE_USE_OPENAI", "1"),
                ("OPENAI_API_KEY", "k"),
                ("OPENAI_BASE_URL", url),
            ]),
            Self::Gemini => set(&[
                ("CLAUDE_CODE_USE_GEMINI", "1"),
                ("GEMINI_API_KEY", "k"),
                ("GEMINI_BASE_URL", url),
            ]),
        }
    }

    /// Returns the stream of a response that calls the tool with a path, or of
    /// the last response.
    pub(crate) fn answer(self, turn: usize, path: Option<&str>) -> String {
        let input = path.map(|path| format!(r#"{{"file_path":"{path}"}}"#));
        let input = input.as_deref();
        let events = match self {
            Self::Messages => messages(turn, input),
            Self::Responses => responses(turn, input),
            Self::Chat => chat(turn, input),
            Self::Gemini => gemini(turn, input),
        };
        let lines = events.iter().map(|event| format!("data: {event}\n\n"));
        lines.collect()
    }
}

fn set(variables: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let owned = |(name, value): &(&'static str, &str)| (*name, (*value).to_owned());
    variables.iter().map(owned).collect()
}

fn messages(turn: usize, input: Option<&str>) -> Vec<String> {
    let (block, delta, reason) = match input {
        Some(input) => (
            format!(r#"{{"type":"tool_use","id":"toolu_{turn:024}","name":"Read","input":{{}}}}"#),
            format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, quoted(input)),
            "tool_use",
        ),
        None => (
            r#"{"type":"text","text":""}"#.to_owned(),
            r#"{"type":"text_delta","text":"Done."}"#.to_owned(),
            "end_turn",
        ),
    };
    vec![
        format!(
            r#"{{"type":"message_start","message":{{"id":"msg_{turn}","model":"m","content":[],"usage":{{"input_tokens":1,"output_tokens":1}}}}}}"#
        ),
        format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#),
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":1}}}}"#
        ),
        r#"{"type":"message_stop"}"#.to_owned(),
    ]
}

fn responses(turn: usize, input: Option<&str>) -> Vec<String> {
    let item = match input {
        Some(input) => format!(
            r#"{{"id":"fc_{turn}","type":"function_call","status":"completed","call_id":"call_{turn:024}","name":"Read","arguments":{}}}"#,
            quoted(input)
        ),
        None => format!(
            r#"{{"id":"msg_{turn}","type":"message","status":"completed","role":"assistant","content":[{{"type":"output_text","text":"Done.","annotations":[]}}]}}"#
        ),
    };
    let response = |status: &str, usage: &str| {
        format!(
            r#"{{"id":"resp_{turn}","object":"response","status":"{status}","model":"m","output":[]{usage}}}"#
        )
    };
    let usage = r#","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}"#;
    vec![
        format!(r#"{{"type":"response.created","response":{}}}"#, response("in_progress", "")),
        format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#),
        format!(r#"{{"type":"response.completed","response":{}}}"#, response("completed", usage)),
    ]
}

fn chat(turn: usize, input: Option<&str>) -> Vec<String> {
    let (delta, reason) = match input {
        Some(input) => (
            format!(
                r#"{{"tool_calls":[{{"index":0,"id":"call_{turn:024}","type":"function","function":{{"name":"Read","arguments":{}}}}}]}}"#,
                quoted(input)
            ),
            "tool_calls",
        ),
        None => (r#"{"content":"Done."}"#.to_owned(), "stop"),
    };
    vec![
        format!(
            r#"{{"id":"c{turn}","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":"{reason}"}}]}}"#
        ),
        "[DONE]".to_owned(),
    ]
}

fn gemini(turn: usize, input: Option<&str>) -> Vec<String> {
    let part = match input {
        Some(input) => format!(
            r#"{{"functionCall":{{"name":"Read","args":{input}}},"thoughtSignature":"c2ln"}}"#
        ),
        None => r#"{"text":"Done."}"#.to_owned(),
    };
    vec![format!(
        r#"{{"responseId":"r{turn}","candidates":[{{"content":{{"role":"model","parts":[{part}]}},"finishReason":"STOP"}}]}}"#
    )]
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
