//! Compares one request with every feature, on every wire, byte for byte. To write the files again,
//! run `ASIDE_BLESS=1 cargo test`; then review them.

use std::fs;
use std::path::PathBuf;

use aside_messages::wire::{Message, RawJson, Request, ThinkingConfig, Tool, ToolChoice};
use aside_providers::{
    AnswerLimit, Options, Outgoing, Provider, Reasoning, ResponseMode, ServerKind, convert,
    count_tokens,
};

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "everything", name].iter().collect()
}

/// Returns the request with tool names that Anthropic accepts.
fn request() -> Request {
    let mut request = raw_request();
    let long = request.tools[1].name.clone();
    let short = &long[..60];
    request.tools[1].name = short.to_owned();
    let json = serde_json::to_string(&request).unwrap().replace(&long, short);
    Request::parse(json.as_bytes()).unwrap().value
}

fn raw_request() -> Request {
    let json = fs::read(file("request.json")).unwrap();
    Request::parse(&json).unwrap().value
}

fn on(model: &str) -> Options {
    Options { session_id: Some("session-1".to_owned()), ..Options::for_model(model) }
}

fn same(name: &str, found: &[u8]) {
    if std::env::var_os("ASIDE_BLESS").is_some() {
        fs::write(file(name), found).unwrap();
    }
    let expected = fs::read(file(name)).unwrap_or_default();
    let at = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let window = |bytes: &[u8]| {
        let end = bytes.len().min(at + 60);
        String::from_utf8_lossy(&bytes[at.saturating_sub(60).min(end)..end]).into_owned()
    };
    assert!(
        expected == found,
        "{name} differs at byte {at}:\n expected …{}\n found    …{}",
        window(&expected),
        window(found)
    );
}

fn check(name: &str, request: &Request, provider: Provider, options: &Options) -> Outgoing {
    let converted = convert(request, provider, options).unwrap();
    same(&format!("{name}.json"), &converted.body());
    let losses: String = converted.losses.iter().map(|loss| format!("{loss}\n")).collect();
    same(&format!("{name}.losses.txt"), losses.as_bytes());
    assert_eq!(convert(request, provider, options).unwrap(), converted);
    converted
}

fn beta_header(outgoing: &Outgoing) -> Option<String> {
    let mut headers = outgoing.headers.iter();
    let found = headers.find(|(name, _)| *name == "anthropic-beta");
    found.map(|(_, value)| value.clone())
}

#[test]
fn first_party() {
    let betas = vec!["context-management-2025-06-27".to_owned()];
    let options = Options { betas, ..Options::default() };
    let converted = check("first-party", &request(), Provider::FirstParty, &options);
    // Unchanged: the request as serde writes it.
    assert_eq!(converted.body(), serde_json::to_vec(&request()).unwrap());
    assert_eq!(beta_header(&converted), Some(options.betas.join(",")));
    check("foundry", &request(), Provider::Foundry, &Options::default());
}

#[test]
fn clouds() {
    let betas = vec!["context-management-2025-06-27".to_owned(), "other-1".to_owned()];
    let options = Options { betas, ..Options::default() };
    let converted = check("bedrock", &request(), Provider::Bedrock, &options);
    assert_eq!(converted.model, "global.anthropic.claude-sonnet-4-5-20250929-v1:0");
    assert_eq!((converted.delivery, beta_header(&converted)), (ResponseMode::Streamed, None));
    let mut own = request();
    own.model = "claude-haiku-4-5".into();
    let converted = check("bedrock-messages", &own, Provider::BedrockMessages, &options);
    assert_eq!(converted.model, "anthropic.claude-haiku-4-5");
    assert_eq!(beta_header(&converted), Some(options.betas.join(",")));
    assert_eq!(converted.path, "/v1/messages");
    let converted = check("vertex", &request(), Provider::Vertex, &options);
    assert_eq!(converted.model, "claude-sonnet-4-5@20250929");
    assert_eq!(beta_header(&converted), Some(options.betas.join(",")));
}

#[test]
fn openai() {
    let converted = check("openai", &raw_request(), Provider::OpenAi, &on("gpt-4.1"));
    assert!(!converted.names.is_empty());
    let mut request = raw_request();
    request.temperature = None;
    request.extra.0.clear();
    request.stream = None;
    request.tool_choice = Some(ToolChoice {
        kind: "tool".into(),
        name: Some(request.tools[1].name.clone()),
        disable_parallel_tool_use: None,
        extra: aside_messages::wire::Extra::default(),
    });
    check("openai-o3", &request, Provider::OpenAi, &on("o3"));
}

/// A request in this wire's words: its own reasoning, a phase, a system message, an answer schema,
/// markers.
fn reasoning_request() -> Request {
    let mut request = raw_request();
    request.temperature = None;
    request.extra.0.clear();
    let raw = |json| RawJson::parse(json).unwrap();
    request.output_config = Some(raw(
        r#"{"effort":"high","format":{"type":"json_schema","schema":{"type":"object"}}}"#,
    ));
    request.thinking = Some(ThinkingConfig {
        kind: "adaptive".into(),
        budget_tokens: None,
        extra: aside_messages::wire::Extra::default(),
    });
    let sealed = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Three calls."}],"encrypted_content":"gAAA="}"#;
    let text = serde_json::to_string(&format!("openai-responses:{sealed}")).unwrap();
    let phase = r#"openai-responses:{\"type\":\"phase\",\"phase\":\"commentary\"}"#;
    let blocks = format!(
        r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"Three calls.","signature":{text}}},{{"type":"redacted_thinking","data":"{phase}"}}]}}"#
    );
    let sealed = Message::parse(blocks.as_bytes()).unwrap().value.content;
    request.messages[1].content.splice(0..0, sealed);
    let marked = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_4","content":"12:00","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"   "},{"type":"container_upload","file_id":"f"}]}"#;
    request.messages[4] = Message::parse(marked.as_bytes()).unwrap().value;
    let system = r#"{"role":"system","content":[{"type":"text","text":"Be quick."}],"output_config":{"effort":"low"}}"#;
    request.messages.push(Message::parse(system.as_bytes()).unwrap().value);
    request
}

#[test]
fn responses() {
    let options =
        Options { comparison_response_id: Some("resp_0".to_owned()), ..on("gpt-6.2-sol") };
    let provider = Provider::OpenAi;
    check("responses", &reasoning_request(), provider, &options);
    // The system prompt goes in the instructions, without breakpoints.
    check("responses-5.5", &raw_request(), provider, &on("gpt-5.5"));
    let mut request = reasoning_request();
    request.thinking.as_mut().unwrap().kind = "disabled".to_owned();
    check("responses-6-luna", &request, provider, &on("gpt-6-luna"));
}

/// One tool is added in the conversation, and one is removed.
#[test]
fn responses_with_changes_of_tools() {
    let added = r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"Later"}},{"type":"text","text":"There is a new tool."}]}"#;
    let removed = r#"{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"Now"}}]}"#;
    let tools = r#"{"name":"Now","input_schema":{"type":"object"}},{"name":"Read","input_schema":{"type":"object"}},{"name":"Later","description":"Waits","input_schema":{"type":"object","properties":{}},"strict":true,"defer_loading":true}"#;
    let (user, model) =
        (r#"{"role":"user","content":"Hi"}"#, r#"{"role":"assistant","content":"Well."}"#);
    let json = format!(
        r#"{{"model":"m","max_tokens":64,"tool_choice":{{"type":"any"}},"tools":[{tools}],"messages":[{user},{added},{model},{user},{removed}]}}"#
    );
    let request = Request::parse(json.as_bytes()).unwrap().value;
    let provider = Provider::OpenAi;
    check("responses-tools", &request, provider, &on("gpt-6.2-sol"));
}

#[test]
fn grok() {
    let mut request = raw_request();
    // It takes no PDF.
    request.messages[0].content.remove(2);
    check("grok", &request, Provider::Grok, &on("grok-4.5"));
    let options = Options {
        answer_limit: AnswerLimit::MaxTokens,
        reasoning: Reasoning::Passed,
        server: ServerKind::Compatible,
        ..on("grok-4")
    };
    check("grok-chat", &request, Provider::Grok, &options);
}

#[test]
fn gemini() {
    check("gemini-3", &raw_request(), Provider::Gemini, &on("gemini-3-pro-preview"));
    let mut request = raw_request();
    request.tool_choice = Some(ToolChoice {
        kind: "any".into(),
        name: None,
        disable_parallel_tool_use: None,
        extra: aside_messages::wire::Extra::default(),
    });
    request.thinking = Some(ThinkingConfig {
        kind: "enabled".into(),
        budget_tokens: Some(2_048),
        extra: aside_messages::wire::Extra::default(),
    });
    check("gemini-2.5", &request, Provider::Gemini, &on("gemini-2.5-flash"));
}

#[test]
fn counting() {
    for provider in [Provider::FirstParty, Provider::Bedrock, Provider::Vertex] {
        let counting = count_tokens(&request(), provider, &Options::default());
        let body = counting.unwrap().unwrap().body();
        same(&format!("{provider}.count.json"), &body);
    }
    for provider in [Provider::OpenAi, Provider::Gemini, Provider::Grok] {
        assert_eq!(count_tokens(&request(), provider, &Options::default()), Ok(None));
    }
}

#[test]
fn a_server_tool_is_left_out_and_reported() {
    let mut request = raw_request();
    let mut tool = Tool::new("web_search", "", request.tools[0].input_schema.clone().unwrap());
    tool.kind = Some("web_search_20250305".to_owned());
    request.tools.push(tool);
    for (provider, model) in [
        (Provider::OpenAi, "gpt-4.1"),
        (Provider::OpenAi, "gpt-5.5"),
        (Provider::Gemini, "gemini-3-pro"),
    ] {
        let converted = convert(&request, provider, &on(model)).unwrap();
        assert!(converted.losses.iter().any(|loss| loss.path == "tools[3]"));
        assert!(!String::from_utf8(converted.body()).unwrap().contains("web_search"));
    }
}

/// On every wire, a request is a prefix of the next one.
#[test]
fn a_conversation_that_grows_keeps_its_prefix() {
    for provider in Provider::ALL {
        let is_anthropic = provider.spec().platform.is_anthropic();
        let mut whole = if is_anthropic { request() } else { raw_request() };
        // An automatic marker moves, and markers are not part of the cached bytes.
        whole.cache_control = None;
        if provider == Provider::Grok {
            whole.messages[0].content.remove(2);
        }
        if provider == Provider::BedrockMessages {
            whole.model = "claude-haiku-4-5".into();
        }
        let options = if is_anthropic { Options::default() } else { on("a-model") };
        let body = |messages: usize| {
            let mut request = whole.clone();
            request.messages.truncate(messages);
            convert(&request, provider, &options).unwrap().body()
        };
        for messages in [1, 3] {
            let (before, after) = (body(messages), body(messages + 2));
            let open = before.strip_suffix(b"]}").unwrap();
            assert!(after.starts_with(open), "{provider}, {messages} messages");
        }
    }
}
