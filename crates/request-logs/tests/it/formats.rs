//! One log for each format.

use std::time::Duration;

use aside_request_logs::{Agent, Exchange, Format, ReadOptions, RecordedBody, read, read_with};

#[track_caller]
pub(crate) fn all(log: &str, expected: Format) -> Vec<Exchange> {
    let mut exchanges = read(log.as_bytes(), None);
    let all: Vec<Exchange> = exchanges.by_ref().map(|it| it.unwrap()).collect();
    let is_document = exchanges.format().is_none();
    assert!(is_document || exchanges.format() == Some(expected), "{:?}", exchanges.format());
    // Naming the format gives the same exchanges.
    let given: Vec<Exchange> = read(log.as_bytes(), Some(expected)).map(|it| it.unwrap()).collect();
    assert_eq!(all, given);
    all
}

const BODY: &str = r#"{"model": "m","messages":[{"role":"user","content":"é"}]}"#;

fn bytes(body: &str) -> RecordedBody {
    RecordedBody::Bytes(body.as_bytes().to_vec().into())
}

#[test]
fn bodies_are_lists_lines_or_alone() {
    for log in [BODY.to_owned(), format!("\u{feff}{BODY}\n"), format!("\n[{BODY}]\n")] {
        assert_eq!(all(&log, Format::Bodies)[0].request, bytes(BODY));
    }
    let pretty = "{\n  \"model\": \"m\",\n  \"messages\": []\n}";
    assert_eq!(all(pretty, Format::Bodies)[0].request, bytes(pretty));
    let every = ReadOptions::default().with_every(Duration::from_secs(30));
    let log = format!("{BODY}\n\n{BODY}\n");
    let times: Vec<_> = read_with(log.as_bytes(), every)
        .map(|it| it.unwrap())
        .map(|it| (it.line, it.at.unwrap().as_secs()))
        .collect();
    assert_eq!(times, [(1, 0), (3, 30)]);
}

/// A request that no response followed, and one that was refused.
#[test]
fn plain_lines_can_be_failures() {
    let read = |keys: &str| {
        let log = format!(r#"{{"t":1764028800,"body":{BODY}{keys}}}"#);
        all(&log, Format::Plain).remove(0)
    };
    let unanswered = read(r#","complete":false"#);
    assert_eq!(unanswered.error.as_deref(), Some("no response"));
    assert!(unanswered.is_failed());
    let refused = read(r#","complete":true,"status":429,"error":"rate_limit_error: slow down""#);
    assert_eq!(refused.error.as_deref(), Some("rate_limit_error: slow down"));
    assert!(!read(r#","complete":false,"status":200"#).is_failed());
    // Keys of another program, with other types.
    let other = read(r#","complete":"yes","status":200,"error":{"code":1}"#);
    assert!(!other.is_failed());
    let path = |path: &str| read(&format!(r#","url":"https://api.openai.com/v1/{path}?a=b""#));
    assert!(path("embeddings").is_foreign() && !path("responses").is_foreign());
    assert!(path("responses/input_tokens").is_count() && !path("responses").is_count());
}

#[test]
fn plain_lines_keep_the_bytes_of_the_body() {
    let log = format!(
        r#"{{"t":"2026-11-22T00:00:01Z","body":{BODY},"platform":"bedrock-invoke","model":"x","session":"s","id":"i","prev":"p","workspace":"w","status":200,"usage":{{"input_tokens":3,"cache_read_input_tokens":4}}}}"#
    );
    let it = &all(&log, Format::Plain)[0];
    assert_eq!(it.request, bytes(BODY));
    assert_eq!((it.session.as_deref(), it.previous.as_deref()), (Some("s"), Some("p")));
    assert_eq!((it.id.as_deref(), it.workspace.as_deref()), (Some("i"), Some("w")));
    assert_eq!((it.provider.as_deref(), it.model.as_deref()), (Some("bedrock-invoke"), Some("x")));
    assert_eq!(it.at.unwrap().as_secs(), 1_795_305_601);
    assert_eq!(it.usage.unwrap().input(), 7);

    // Without a platform, the address decides.
    let log =
        log.replace(r#""platform":"bedrock-invoke","#, r#""url":"https://aiplatform.test/x","#);
    let it = &all(&log, Format::Plain)[0];
    assert_eq!((it.provider.as_deref(), it.model.as_deref()), (Some("google-cloud"), Some("x")));
}

#[test]
fn plain_lines_have_other_names() {
    let log = format!(
        r#"{{"timestamp":"2026-11-22T00:00:01Z","request":{BODY},"response":{{"type":"message","id":"m","usage":{{"input_tokens":3}}}}}}"#
    );
    for log in [&log, &format!("[{log}]")] {
        let it = &all(log, Format::Plain)[0];
        assert_eq!((it.request.clone(), it.at.unwrap().as_secs()), (bytes(BODY), 1_795_305_601));
        assert_eq!((it.id.as_deref(), it.usage.map(|it| it.uncached)), (Some("m"), Some(3)));
    }
    // An id of the request does not hide its body.
    let log = format!(r#"{{"request":"r_1","time":5,"t":4,"body":{BODY}}}"#);
    let it = &all(&log, Format::Plain)[0];
    assert_eq!((it.request.clone(), it.at.unwrap().as_secs()), (bytes(BODY), 4));
}

/// A record has the usage next to the response; other logs have it inside.
#[test]
fn the_tokens_of_reasoning_are_read() {
    let usage = r#""usage":{"input_tokens":5,"output_tokens":30,"output_tokens_details":{"reasoning_tokens":20}}"#;
    let output = r#""object":"response","output":[{"type":"reasoning","id":"rs_1","summary":[]}]"#;
    for log in [
        format!(r#"{{"body":{BODY},{usage},"response":{{{output}}}}}"#),
        format!(r#"{{"body":{BODY},"response":{{{output},{usage}}}}}"#),
    ] {
        let it = &all(&log, Format::Plain)[0];
        assert_eq!(it.reasoning_tokens, Some(20), "{log}");
        assert!(it.answer_output.as_deref().is_some_and(|it| it.contains("rs_1")), "{log}");
    }
    let log = format!(r#"{{"body":{BODY},"response":{{{output}}}}}"#);
    assert_eq!(all(&log, Format::Plain)[0].reasoning_tokens, None);
}

#[test]
fn proxies_of_both_shapes() {
    let sse = r#"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":10,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\"}}\n\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":9}}\n"#;
    let first = format!(
        r#"{{"request":{{"timestamp":10.0,"method":"POST","url":"https://api.anthropic.com/v1/messages","headers":{{"X-Session-Id":"s"}},"body":{BODY}}},"response":{{"timestamp":12.5,"status_code":200,"body_raw":"{sse}"}}}}"#
    );
    let it = &all(&first, Format::Proxy)[0];
    assert_eq!((it.at.unwrap().as_secs(), it.duration.unwrap().as_millis()), (10, 2_500));
    assert_eq!((it.id.as_deref(), it.answer_text.as_deref()), (Some("msg_1"), Some("Hi")));
    assert_eq!(it.answer_tool_ids, ["toolu_1"]);
    assert_eq!(it.usage.map(|it| (it.uncached, it.read, it.output)), Some((3, 10, 9)));
    assert_eq!((it.session.as_deref(), it.request.clone()), (Some("s"), bytes(BODY)));

    let second = r#"{"timestamp":100.0,"request_id":"r","turn":1,"duration_ms":4000,"request":{"method":"POST","path":"/v1/models/gemini-2.5-pro:generateContent","headers":{},"body":"{\"contents\":[]}"},"response":{"status":429,"headers":{},"body":{"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4}}}}"#;
    let it = &all(second, Format::Proxy)[0];
    assert_eq!(it.at.unwrap().as_secs(), 96);
    assert_eq!(
        (it.model.as_deref(), it.provider.as_deref()),
        (Some("gemini-2.5-pro"), Some("gemini"))
    );
    assert_eq!(it.request, bytes(r#"{"contents":[]}"#));
    assert!(it.is_failed());
    assert_eq!(it.usage.map(|it| (it.uncached, it.read)), Some((5, 4)));

    // A list of them is one document; a profile's id has a slash.
    let third = second.replace(
        "/v1/models/gemini-2.5-pro:generateContent",
        "/model/arn%3Aaws%3Abedrock%3Aa%3A1%3Ainference-profile%2Fus.anthropic.claude-sonnet-5/invoke",
    );
    let found = all(&format!("[\n{first},\n{third}\n]"), Format::Proxy);
    assert_eq!((found[0].line, found[1].line), (1, 2));
    let model = "arn:aws:bedrock:a:1:inference-profile/us.anthropic.claude-sonnet-5";
    assert_eq!(found[1].model.as_deref(), Some(model));
}

#[test]
fn har() {
    let body = serde_json::to_string(BODY).unwrap();
    let log = format!(
        r#"{{"log":{{"version":"1.2","entries":[{{"startedDateTime":"2026-11-22T00:00:00.000Z","time":1500,"request":{{"method":"GET","url":"https://a.example"}},"response":{{}}}},
        {{"startedDateTime":"2026-11-22T00:00:00.000Z","time":1500,"request":{{"method":"POST","url":"https://api.openai.com/v1/responses","headers":[{{"name":"A","value":"b"}}],"postData":{{"text":{body}}}}},"response":{{"status":200,"content":{{"encoding":"base64","text":"eyJ1c2FnZSI6eyJpbnB1dF90b2tlbnMiOjEwfX0="}}}}}}]}}}}"#
    );
    let found = all(&log, Format::Har);
    assert_eq!(found.len(), 1);
    let it = &found[0];
    assert_eq!((it.line, it.duration.unwrap().as_millis()), (2, 1_500));
    assert_eq!((it.provider.as_deref(), it.headers[0].0.as_str()), (Some("openai"), "a"));
    assert_eq!((it.request.clone(), it.usage.unwrap().uncached), (bytes(BODY), 10));
}

/// `{"model":"m","messages":[]}` and `{"usage":{"input_tokens":10}}`, compressed.
#[cfg(feature = "compressed")]
const GZIP_REQUEST: &str = "H4sIAAAAAAAC/6tWys1PSc1RslLKVdJRyk0tLk5MTy1WsoqOrQUAtiIpWhsAAAA=";
#[cfg(feature = "compressed")]
const GZIP_RESPONSE: &str = "H4sIAAAAAAAC/6tWKi1OTE9VsqpWyswrKC2JL8nPTs0rVrIyNKitBQDhvyggHQAAAA==";

#[cfg(feature = "compressed")]
#[test]
fn compressed_bodies_are_read() {
    let har = format!(
        r#"{{"log":{{"entries":[{{"request":{{"url":"https://api.anthropic.com/v1/messages","postData":{{"text":"{GZIP_REQUEST}"}}}},"response":{{"status":200,"content":{{"encoding":"base64","text":"{GZIP_RESPONSE}"}}}}}}]}}}}"#
    );
    let cassette = format!(
        "interactions:\n- request:\n    body: !!binary |\n      {GZIP_REQUEST}\n    uri: https://api.anthropic.com/v1/messages\n  response:\n    body:\n      string: !!binary |\n        {GZIP_RESPONSE}\n    status: {{code: 200, message: OK}}\n"
    );
    for (log, format) in [(har, Format::Har), (cassette, Format::Cassette)] {
        let found = all(&log, format);
        let request = bytes(r#"{"model":"m","messages":[]}"#);
        let usage = found[0].usage.map(|usage| usage.uncached);
        assert_eq!((&found[0].request, usage), (&request, Some(10)), "{format:?}");
    }
}

#[test]
fn cassettes_of_both_shapes() {
    let vcr = r#"
interactions:
- request:
    body: '{"model":"m","messages":[]}'
    uri: https://api.anthropic.com/v1/messages
  response:
    parsed_body:
      id: msg_1
      usage: {input_tokens: 3, cache_creation_input_tokens: 5, cache_read_input_tokens: 0}
    status: {code: 200, message: OK}
- request:
    parsed_body: {model: m, messages: []}
  response:
    body:
      string: '{"usage":{"prompt_tokens":7}}'
"#;
    let found = all(vcr, Format::Cassette);
    assert_eq!(found[0].request, bytes(r#"{"model":"m","messages":[]}"#));
    assert_eq!(found[0].usage.map(|it| (it.uncached, it.write_5m)), Some((3, 5)));
    assert!(matches!(found[1].request, RecordedBody::Reserialized(_)));
    assert_eq!(found[1].usage.unwrap().uncached, 7);

    let mock = "when:\n  path: /v1/messages\n  body: '{\"model\":\"m\",\"messages\":[]}'\nthen:\n  status: 200\n  body: '{\"usage\":{\"input_tokens\":2,\"cache_read_input_tokens\":1}}'\n---\nwhen:\n  path: /v1/messages\n  body: '{}'\nthen:\n  status: 500\n";
    let found = all(mock, Format::Cassette);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].usage.map(|it| it.read), Some(1));
    assert!(found[1].is_failed());
}

#[test]
fn traces_have_sections_only() {
    let span = r#"{"traceId":"t","spanId":"s","startTimeUnixNano":"1795305600000000000","attributes":[
        {"key":"gen_ai.request.model","value":{"stringValue":"claude-opus-5-5"}},
        {"key":"gen_ai.system_instructions","value":{"stringValue":"[{\"type\":\"text\",\"content\":\"Be kind.\"}]"}},
        {"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[]}]"}},
        {"key":"gen_ai.usage.input_tokens","value":{"intValue":"100"}},
        {"key":"gen_ai.usage.cache_read.input_tokens","value":{"intValue":"60"}}]}"#
        .replace('\n', "");
    let export = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#);
    for log in [span, export] {
        let it = &all(&log, Format::OpenTelemetry)[0];
        assert!(matches!(it.request, RecordedBody::Sections(_)));
        assert_eq!(it.usage.map(|it| (it.uncached, it.read)), Some((40, 60)));
        assert_eq!(it.at.unwrap().as_secs(), 1_795_305_600);
    }
}

#[test]
fn litellm() {
    let log = r#"{"id":"chatcmpl-1","trace_id":"t","call_type":"acompletion","model":"gpt-4o","api_base":"https://api.openai.com","messages":[{"role":"user","content":"Hi"}],"model_parameters":{"temperature":0},"response":{"id":"x","usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":64}}},"prompt_tokens":100,"completion_tokens":5,"startTime":1795305600.5,"endTime":1795305602.5}"#;
    let it = &all(log, Format::LiteLlm)[0];
    assert!(matches!(it.request, RecordedBody::Reserialized(_)));
    assert_eq!((it.id.as_deref(), it.session.as_deref()), (Some("chatcmpl-1"), Some("t")));
    assert_eq!(it.usage.map(|it| (it.uncached, it.read)), Some((36, 64)));
    assert_eq!(it.duration.unwrap().as_secs(), 2);
}

#[test]
fn transcripts_have_usage_and_no_bodies() {
    let log = r#"{"type":"user","sessionId":"s","timestamp":"2026-11-22T00:00:00Z","message":{"role":"user","content":"Hi"}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:05Z","message":{"id":"msg_1","model":"claude-opus-5-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":1}}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:06Z","message":{"id":"msg_1","model":"claude-opus-5-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":50}}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:09:06Z","message":{"id":"msg_2","model":"claude-opus-5-5","diagnostics":{"cache_miss_reason":{"type":"system_changed"}},"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":990,"output_tokens":2}}}"#;
    let found = all(log, Format::Transcript);
    let outputs: Vec<_> = found.iter().map(|it| it.usage.unwrap().output).collect();
    assert_eq!(outputs, [50, 2]);
    assert_eq!((found[0].line, found[0].at.unwrap().as_secs()), (2, 1_795_305_605));
    assert_eq!(found[1].diagnostics.as_deref(), Some("system_changed"));
    assert_eq!(found[0].request, RecordedBody::Missing);
    assert_eq!(found[0].agent, Some(Agent::ClaudeCode));
}

/// Reads a session; returns its project, and for each request the model, how much input was read
/// and not, the output, and whether a compaction came before it.
#[track_caller]
fn session(log: &str, agent: Agent) -> Vec<(Option<String>, u64, u64, u64, bool)> {
    let found = all(log, Format::Transcript);
    assert!(found.iter().all(|it| it.agent == Some(agent) && it.session.as_deref() == Some("s")));
    assert!(found.iter().all(|it| it.project.as_deref() == Some("/src/app")));
    let row = |it: &Exchange| {
        let usage = it.usage.unwrap();
        let input = usage.written() + usage.uncached;
        (it.model.clone(), usage.read, input, usage.output, it.is_compacted)
    };
    found.iter().map(row).collect()
}

#[test]
fn codex_writes_a_counter_twice() {
    let log = r#"{"timestamp":"2026-11-22T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/src/app","source":"cli"}}
{"timestamp":"2026-11-22T00:00:01Z","type":"turn_context","payload":{"model":"gpt-5.5","cwd":"/src/app"}}
{"timestamp":"2026-11-22T00:00:05Z","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"2026-11-22T00:00:06Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":103},"last_token_usage":{"input_tokens":100,"cached_input_tokens":64,"output_tokens":3}}}}
{"timestamp":"2026-11-22T00:00:07Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":103},"last_token_usage":{"input_tokens":100,"cached_input_tokens":64,"output_tokens":3}}}}
{"timestamp":"2026-11-22T00:00:08Z","type":"compacted","payload":{"message":""}}
{"timestamp":"2026-11-22T00:00:09Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":206},"last_token_usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":3}}}}"#;
    let model = || Some("gpt-5.5".to_owned());
    assert_eq!(
        session(log, Agent::Codex),
        [(model(), 64, 36, 3, false), (model(), 0, 100, 3, true)]
    );
}

#[test]
fn sessions_of_other_agents() {
    let gemini = r#"{"sessionId":"s","projectHash":"/src/app","startTime":"2026-11-22T00:00:00Z","kind":"main"}
{"id":"1","timestamp":"2026-11-22T00:00:01Z","type":"user","content":"Hi"}
{"id":"2","timestamp":"2026-11-22T00:00:05Z","type":"gemini","content":"","tokens":null,"model":"gemini-3-pro"}
{"id":"2","timestamp":"2026-11-22T00:00:06Z","type":"gemini","content":"Hi","tokens":{"input":100,"output":5,"cached":60,"thoughts":2,"tool":0,"total":107},"model":"gemini-3-pro"}
{"$set":{"lastUpdated":"2026-11-22T00:00:06Z"}}"#;
    let expected = |model: &str, output| [(Some(model.to_owned()), 60, 40, output, false)];
    assert_eq!(session(gemini, Agent::GeminiCli), expected("gemini-3-pro", 7));

    let document = r#"{
 "sessionId":"s","projectHash":"/src/app","messages":[{"id":"1","type":"user","content":"Hi"},
 {"id":"2","type":"gemini","content":"Hi","tokens":{"input":100,"output":5,"cached":60},"model":"m"}]}"#;
    assert_eq!(session(document, Agent::GeminiCli), expected("m", 5));

    let qwen = r#"{"uuid":"1","sessionId":"s","type":"user","cwd":"/src/app","message":{"role":"user","parts":[]}}
{"uuid":"2","sessionId":"s","timestamp":"2026-11-22T00:00:05Z","type":"assistant","cwd":"/src/app","model":"qwen3-coder-plus","usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5}}"#;
    assert_eq!(session(qwen, Agent::QwenCode), expected("qwen3-coder-plus", 5));

    let opencode = r#"{
 "id":"msg_1","sessionID":"s","role":"assistant","modelID":"m","providerID":"anthropic",
 "time":{"created":1795305600000},"path":{"cwd":"/src/app","root":"/"},
 "tokens":{"input":30,"output":5,"reasoning":2,"cache":{"read":60,"write":10}}}"#;
    assert_eq!(session(opencode, Agent::OpenCode), expected("m", 7));
}

/// It has the figure from Anthropic's models only.
#[test]
fn a_zero_of_opencode_says_nothing_of_writes() {
    for (model, written, is_missing) in
        [("gpt-6.1-sol", 0, true), ("gpt-6.1-sol", 10, false), ("claude-opus-5-5", 0, false)]
    {
        let message = format!(
            r#"{{"id":"msg_1","sessionID":"s","role":"assistant","modelID":"{model}",
                "time":{{"created":1795305600000}},"tokens":{{"input":30,"output":5,"reasoning":2,
                "cache":{{"read":60,"write":{written}}}}}}}"#
        );
        let exchange = read(message.as_bytes(), None).next().unwrap().unwrap();
        assert_eq!(exchange.is_write_missing, is_missing, "{model} {written}");
    }
}

/// A command may change the directory.
#[test]
fn a_session_is_of_the_project_that_it_began_in() {
    let response = |id: u64, cwd: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"s","cwd":"{cwd}","message":{{"id":"m{id}","usage":{{"input_tokens":40}}}}}}"#
        )
    };
    let other = response(3, "/other").replace(r#""s""#, r#""t""#);
    let log = [response(1, "/src/app"), response(2, "/tmp/build"), other].join("\n");
    let projects: Vec<_> =
        read(log.as_bytes(), None).filter_map(|it| it.unwrap().project).collect();
    assert_eq!(projects, ["/src/app", "/src/app", "/other"]);
}

#[test]
fn half_a_surrogate_pair_hides_no_format() {
    let log = r#"{"type":"user","sessionId":"s","message":{"content":"cut \ud83d"}}
{"type":"assistant","sessionId":"s","cwd":"/src/app","message":{"id":"m","model":"x","content":"\ud83d","usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":1}}}"#;
    let expected = [(Some("x".to_owned()), 60, 40, 1, false)];
    assert_eq!(session(log, Agent::ClaudeCode), expected);
}

#[test]
fn lines_before_the_first_response_hide_no_format() {
    let log = r#"{"type":"summary","summary":"A title"}
{"type":"permission-mode","permissionMode":"default"}
{"type":"assistant","sessionId":"s","cwd":"/src/app","message":{"id":"m","model":"x","usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":1}}}"#;
    let expected = [(Some("x".to_owned()), 60, 40, 1, false)];
    assert_eq!(session(log, Agent::ClaudeCode), expected);
}

#[test]
fn failures_have_a_status_and_a_message() {
    let log = r#"{"type":"system","subtype":"api_error","sessionId":"s","uuid":"1","error":{"status":529,"message":"overloaded"}}
{"type":"assistant","sessionId":"s","uuid":"2","isApiErrorMessage":true,"message":{"id":"2","model":"<synthetic>","usage":{"input_tokens":0},"content":[{"type":"text","text":"API Error: 500 broken"}]}}"#;
    let found = all(log, Format::Transcript);
    let failures: Vec<_> = found.iter().map(|it| (it.status, it.error.as_deref())).collect();
    assert_eq!(
        failures,
        [(Some(529), Some("overloaded")), (Some(500), Some("API Error: 500 broken"))]
    );
    assert!(found.iter().all(Exchange::is_failed));

    let claude = |keys: &str, shown: &str| {
        let log = format!(
            r#"{{"type":"assistant","sessionId":"s","uuid":"2","isApiErrorMessage":true{keys},"message":{{"id":"2","model":"<synthetic>","usage":{{"input_tokens":0}},"content":[{{"type":"text","text":"{shown}"}}]}}}}"#
        );
        let found = all(&log, Format::Transcript);
        (found[0].status, found[0].error.clone().unwrap())
    };
    let keys = r#","apiErrorStatus":429,"error":"rate_limit""#;
    let limited = (Some(429), "rate_limit: API Error: Request rejected".to_owned());
    assert_eq!(claude(keys, "API Error: Request rejected"), limited);
    let keys = r#","apiErrorStatus":400,"error":"invalid_request","errorDetails":"400 {\"type\":\"error\",\"error\":{\"message\":\"prompt is too long: 215000 tokens\"}}""#;
    let long = (Some(400), "invalid_request: prompt is too long: 215000 tokens".to_owned());
    assert_eq!(claude(keys, "Prompt is too long"), long);
    let keys = r#","apiErrorStatus":null,"error":"unknown","errorDetails":"Connection error.""#;
    assert_eq!(claude(keys, "No network"), (None, "unknown: Connection error.".to_owned()));
    let log = r#"{"type":"system","subtype":"api_error","sessionId":"s","uuid":"1","error":{"status":529,"headers":{},"error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}},"apiMessage":"Overloaded","type":"overloaded_error"}}"#;
    let found = all(log, Format::Transcript);
    assert_eq!((found[0].status, found[0].error.as_deref()), (Some(529), Some("Overloaded")));

    let opencode = |error: &str| {
        let log = format!(
            r#"{{"id":"m","sessionID":"s","role":"assistant","modelID":"m","tokens":{{"input":0}},"error":{error}}}"#
        );
        let found = all(&log, Format::Transcript);
        let [failure] = &found[..] else { panic!("{found:?}") };
        (failure.status, failure.error.clone().unwrap())
    };
    let overloaded = r#"{"name":"APIError","data":{"message":"Overloaded","statusCode":529}}"#;
    assert_eq!(opencode(overloaded), (Some(529), "Overloaded".to_owned()));
    let aborted = r#"{"name":"MessageAbortedError","data":{}}"#;
    assert_eq!(opencode(aborted), (None, "MessageAbortedError".to_owned()));
}

/// Claude Code before 2.0.3x wrote sub-agents into the session's file, without their names.
#[test]
fn a_line_of_a_sub_agent_follows_its_parent() {
    let line = |kind: &str, uuid: &str, parent: &str, keys: &str| {
        format!(
            r#"{{"type":"{kind}","sessionId":"s","uuid":"{uuid}","parentUuid":{parent},"isSidechain":true{keys}}}"#
        )
    };
    let response = |uuid: &str, parent: &str, output: u64| {
        let id = &uuid[..2];
        let keys = format!(
            r#","message":{{"id":"{id}","model":"m","usage":{{"input_tokens":9,"output_tokens":{output}}}}}"#
        );
        line("assistant", uuid, parent, &keys)
    };
    let mut lines = Vec::new();
    for task in 0..10 {
        lines.push(line("user", &format!("u{task}"), "null", ""));
        lines.push(response(&format!("a{task}"), &format!(r#""u{task}""#), 1));
    }
    // Ten responses are written at the same time.
    for task in 0..10 {
        lines.push(response(&format!("a{task}-2"), &format!(r#""a{task}""#), 50));
    }
    // A tool result, and the response to it.
    lines.push(line("user", "u0-2", r#""a0-2""#, ""));
    lines.push(response("b0", r#""u0-2""#, 7));
    // The log begins after its parent.
    lines.push(response("c0", r#""x""#, 7));
    lines.push(r#"{"type":"assistant","sessionId":"s","uuid":"m","parentUuid":null,"isSidechain":false,"message":{"id":"m","model":"m","usage":{"input_tokens":9,"output_tokens":8}}}"#.to_owned());
    let found = all(&lines.join("\n"), Format::Transcript);
    let found: Vec<_> =
        found.iter().map(|it| (it.subagent.as_deref(), it.usage.unwrap().output)).collect();
    let names: Vec<String> = (0..10).map(|task| format!("u{task}")).collect();
    let mut expected: Vec<_> = names.iter().map(|it| (Some(it.as_str()), 50)).collect();
    expected.extend([(Some("u0"), 7), (Some("x"), 7), (None, 8)]);
    assert_eq!(found, expected);
}

#[test]
fn a_directory_of_raw_bodies_is_read_by_the_caller() {
    let line = br#"{"timestamp":"2026-11-22T00:00:00Z","session_id":"s","query_source":"repl","model":"m","request_id":"r","message_id":"msg_1","request_file":"a.request.json","response_file":"r.response.json"}"#;
    let entry = aside_request_logs::raw_body_index(line, 1).unwrap();
    assert_eq!(
        (entry.request_file.as_str(), entry.response_file.as_deref()),
        ("a.request.json", Some("r.response.json"))
    );
    let response = r#"{"type":"message","usage":{"input_tokens":1,"cache_read_input_tokens":2}}"#;
    let it = aside_request_logs::raw_body_exchange(entry, BODY.into(), Some(response));
    assert!(!it.request.is_exact());
    assert_eq!((it.session.as_deref(), it.usage.unwrap().read), (Some("s/repl"), 2));
}

#[test]
fn cassettes_with_lists_and_binary_values() {
    let log = "requests:\n- body: !!binary |\n    eyJtb2RlbCI6Im0iLCJtZXNzYWdlcyI6W119\n  \
               headers: {anthropic-beta: [a, b]}\n  uri: https://api.anthropic.com/v1/messages\n\
               responses:\n- status: {code: 200}\n";
    let all: Vec<_> = read(log.as_bytes(), None).collect();
    assert_eq!(all.len(), 1);
    let exchange = all[0].as_ref().unwrap();
    let body = br#"{"model":"m","messages":[]}"#;
    assert_eq!(exchange.request.as_bytes(), Some(&body[..]));
    assert_eq!(exchange.status, Some(200));
    assert_eq!(exchange.headers, [("anthropic-beta".to_owned(), "a,b".to_owned())]);
    let url = exchange.url.as_deref();
    assert_eq!(url, Some("https://api.anthropic.com/v1/messages"));
}

#[test]
fn a_record_of_the_proxy_names_its_endpoint() {
    let log = concat!(
        r#"{"t":1,"body":{"model":"m","messages":[]},"path":"/v1/messages/count_tokens?beta=true"}"#,
        "\n",
        r#"{"t":2,"body":"","path":"/v1/models?limit=1"}"#,
        "\n",
        r#"{"t":3,"body":{"model":"m","messages":[]},"path":7}"#,
        "\n",
        r#"{"t":4,"body":{"model":"m","messages":[]},"path":"/v1/publishers/anthropic/models/count-tokens:rawPredict"}"#,
        "\n",
        r#"{"t":5,"body":{"messages":[]},"path":"/v1/publishers/anthropic/models/m:rawPredict"}"#,
    );
    let all: Vec<_> = read(log.as_bytes(), None).map(Result::unwrap).collect();
    let found: Vec<_> =
        all.iter().map(|it| (it.is_count(), it.request.as_bytes().is_some())).collect();
    let expected = [(true, true), (false, false), (false, true), (true, true), (false, true)];
    assert_eq!(found, expected);
    let models: Vec<_> = all.iter().map(|it| it.model.as_deref()).collect();
    assert_eq!(models, [None, None, None, None, Some("m")]);
}

/// The sessions that a proxy records overlap, and share a cache.
#[cfg(feature = "files")]
#[test]
fn logs_that_overlap_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, times: &[u64]| {
        let line = |at: &u64| format!("{{\"t\":{at},\"session\":\"{name}\",\"body\":{BODY}}}\n");
        let lines: String = times.iter().map(line).collect();
        std::fs::write(folder.path().join(format!("{name}.jsonl")), lines).unwrap();
    };
    let read = || {
        let mut logs =
            aside_request_logs::LogFiles::new(&[folder.path().to_owned()], ReadOptions::default());
        let mut found = Vec::new();
        while let Some(it) = logs.next() {
            let it = it.unwrap();
            let name = logs.path().file_stem().unwrap().to_owned();
            assert_eq!(it.session.as_deref(), name.to_str());
            found.push(it.at.unwrap().as_secs() % 1_000);
        }
        found
    };
    let day = 1_795_000_000;
    write("a", &[day, day + 600]);
    write("b", &[day + 200, day + 400]);
    write("c", &[day + 500, day + 700]);
    assert_eq!(read(), [0, 200, 400, 500, 600, 700]);
    // Times of their own begin at 0 in each.
    write("a", &[0, 600]);
    write("b", &[200, 400]);
    write("c", &[300]);
    assert_eq!(read(), [0, 600, 200, 400, 300]);
}
