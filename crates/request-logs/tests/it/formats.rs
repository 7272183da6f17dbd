//! One log for each format.

use std::time::Duration;

use aside_request_logs::{Exchange, Format, ReadOptions, RecordedBody, read, read_with};

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

/// Reads a session; returns its project, and for each request the model, how much input was read
/// and not, the output, and whether a compaction came before it.
#[track_caller]
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
