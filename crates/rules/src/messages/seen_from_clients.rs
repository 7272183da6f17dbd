//! Betas, keys and shapes that real clients send.
//!
//! Some are in no public list, and the API accepts them all the same. No rule
//! may refuse one: every row has a body, which a test checks. To add one, add a
//! row with the client, its version and the smallest body.

use aside_models::Wire;

/// Something that a client was observed to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenFromClient {
    /// The client's name.
    pub client: &'static str,
    /// The client version that was observed.
    pub version: &'static str,
    /// The wire that its requests are for.
    pub wire: Wire,
    /// The key or shape in the body.
    pub sends: &'static str,
    /// Keys that the SDK's types lack, as paths without indexes:
    /// `input.caller`.
    pub keys: &'static [&'static str],
    /// The betas sent with it.
    pub betas: &'static [&'static str],
    /// A small body that has it.
    pub sample: &'static str,
}

const TURN_SCOPED: &[&str] =
    &["mid-conversation-system-2026-04-07", "mid-conversation-system-clear-at-2026-08-21"];
const PER_TURN_CONTROL: &[&str] = &["per-turn-control-2026-07-01"];

/// Returns a row of a client that sends nothing yet.
const fn from(client: &'static str, version: &'static str, wire: Wire) -> SeenFromClient {
    SeenFromClient { client, version, wire, sends: "", keys: &[], betas: &[], sample: "" }
}

/// What real clients were observed to send; no rule refuses any of it.
pub const SEEN_FROM_CLIENTS: &[SeenFromClient] = &[
    SeenFromClient {
        sends: "a beta with its own name",
        betas: &["claude-code-20250219"],
        sample: r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[
            {"role":"user","content":"Hi"}]}"#,
        ..from("claude-code", "2.1.332", Wire::Messages)
    },
    SeenFromClient {
        sends: "output_config on a system message with content",
        betas: PER_TURN_CONTROL,
        sample: r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[
            {"role":"user","content":"Hi"},
            {"role":"system","content":[{"type":"text","text":"Be brief."}],
             "output_config":{"effort":"low"}}]}"#,
        ..from("claude-code", "2.1.330", Wire::Messages)
    },
    SeenFromClient {
        sends: "output_config on a system message without content",
        betas: PER_TURN_CONTROL,
        sample: r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[
            {"role":"user","content":"Hi"},
            {"role":"system","content":[],"output_config":{"effort":"low"}}]}"#,
        ..from("claude-code", "2.1.330", Wire::Messages)
    },
    SeenFromClient {
        sends: "a turn-scoped reminder as a system message",
        betas: TURN_SCOPED,
        sample: r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[
            {"role":"user","content":"Hi"},
            {"role":"system","content":"Be brief.","clear_at":"next_user_message"}]}"#,
        ..from("claude-code", "2.1.291", Wire::Messages)
    },
    SeenFromClient {
        sends: "content as a text and as a list of one text in one session",
        sample: r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[
            {"role":"user","content":[{"type":"text","text":"Hi"}]},
            {"role":"assistant","content":[{"type":"text","text":"Hello."}]},
            {"role":"user","content":"Bye"}]}"#,
        ..from("claude-code", "2.1.330", Wire::Messages)
    },
    SeenFromClient {
        sends: "a message of a response as it came",
        keys: &["messages.annotations"],
        sample: r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"},
            {"role":"assistant","content":"Hello.","refusal":null,"annotations":[],"audio":null},
            {"role":"user","content":"Bye"}]}"#,
        ..from("openai (Python)", "3.54.0", Wire::ChatCompletions)
    },
    SeenFromClient {
        sends: "nulls of a printed message and of unset parameters",
        sample: r#"{"model":"gpt-4.1","tools":null,"tool_choice":null,"response_format":null,
            "stream_options":null,"parallel_tool_calls":null,"stop":null,"user":null,
            "messages":[{"role":"user","content":"Hi","name":null},
            {"role":"assistant","content":"Hello.","refusal":null,"audio":null,"name":null,
             "function_call":null,"tool_calls":null},
            {"role":"user","content":"Bye"}]}"#,
        ..from("openai (Python)", "3.54.0", Wire::ChatCompletions)
    },
    SeenFromClient {
        sends: "the name of the function in its result",
        keys: &["messages.name"],
        sample: r#"{"model":"gpt-4.1","tools":[{"type":"function","function":{"name":"f"}}],
            "messages":[{"role":"user","content":"Hi"},
            {"role":"assistant","content":null,"tool_calls":[
             {"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c","name":"f","content":"x"}]}"#,
        ..from("crewai", "1.15.30", Wire::ChatCompletions)
    },
    SeenFromClient {
        sends: "nulls of a printed content",
        sample: r#"{"systemInstruction":null,"tools":null,"generationConfig":{"topK":null},
            "contents":[{"role":"user","parts":[{"text":"Hi","thought":null,
             "functionCall":null,"functionResponse":null,"inlineData":null}]}]}"#,
        ..from("google-genai (Python)", "3.4.0", Wire::GenerateContent)
    },
    SeenFromClient {
        sends: "client_metadata",
        keys: &["client_metadata"],
        sample: r#"{"model":"gpt-6-sol","instructions":"Be brief.","store":false,"stream":true,
            "client_metadata":{"session_id":"0199"},
            "input":[{"type":"message","role":"user",
                      "content":[{"type":"input_text","text":"Hi"}]}]}"#,
        ..from("codex", "0.169.0", Wire::Responses)
    },
    SeenFromClient {
        sends: "keys of its own on messages and on web search",
        keys: &["input.internal_chat_message_metadata_passthrough", "tools.search_content_types"],
        sample: r#"{"model":"gpt-5.5","store":false,"stream":true,
            "tools":[{"type":"web_search","external_web_access":true,
                      "search_content_types":["text","image"]}],
            "input":[{"type":"message","role":"user",
                      "content":[{"type":"input_text","text":"Hi"}],
                      "internal_chat_message_metadata_passthrough":{
                          "content_item_kinds":["user.text"],"create_time":1795710128.5}}]}"#,
        ..from("codex", "0.171.0", Wire::Responses)
    },
    SeenFromClient {
        sends: "reasoning without content",
        sample: r#"{"model":"gpt-5.5","store":false,"input":[{"role":"user","content":"Hi"},
            {"type":"reasoning","id":"rs_1","summary":[],"content":null,"encrypted_content":"x"},
            {"role":"assistant","content":[{"type":"output_text","text":"Hello."}]}]}"#,
        ..from("codex", "0.171.0", Wire::Responses)
    },
    SeenFromClient {
        sends: "keys of a response's items",
        keys: &["input.status", "input.created_by", "input.async"],
        sample: r#"{"model":"gpt-5.5","input":[{"role":"user","content":"Hi"},
            {"type":"custom_tool_call","id":"ctc_1","status":"completed","call_id":"c",
             "name":"apply_patch","input":"x","created_by":"user_1"},
            {"type":"custom_tool_call_output","call_id":"c","output":"ok",
             "status":"completed","created_by":"user_1"}]}"#,
        ..from("openai (Python)", "3.54.0", Wire::Responses)
    },
    SeenFromClient {
        sends: "the call's id in the output of a local shell",
        keys: &["input.call_id"],
        sample: r#"{"model":"gpt-5.6","input":[{"role":"user","content":"Hi"},
            {"type":"local_shell_call","id":"lsh_1","call_id":"c","status":"completed",
             "action":{"type":"exec","command":["true"],"env":{}}},
            {"type":"local_shell_call_output","call_id":"c","output":"x"}]}"#,
        ..from("openai-agents (Python)", "0.24.0", Wire::Responses)
    },
    SeenFromClient {
        sends: "keys of the beta responses_multi_agent=v1, which has types of its own",
        keys: &["multi_agent", "input.agent"],
        sample: r#"{"model":"gpt-5.6","multi_agent":{"enabled":true},"input":[
            {"role":"user","content":"Hi"},
            {"type":"message","role":"assistant","agent":{"agent_name":"root"},
             "content":[{"type":"output_text","text":"Hello."}]}]}"#,
        ..from("openai (Python)", "3.57.0", Wire::Responses)
    },
];
