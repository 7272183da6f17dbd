//! The exits of the proxy other than the record of a request: the response,
//! lines, errors, `Debug`.

use aside_gateway::proxy::{Texts, Upstreams};
use aside_gateway::strict::Enforcement;

use super::record::lines;
use super::upstream::Upstream;
use super::*;

const CANARY: &str = "canary-0123456789abcdefghij";

/// Sends a request to an upstream with this response, and returns the record
/// and all lines.
async fn responded(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let response = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {length}\r\n\r\n{body}");
    let upstream = Upstream::answering(response.leak()).await;
    let folder = tempfile::tempdir().unwrap();
    let proxy = proxy(upstream.address, |options| {
        options.record = Some(folder.path().to_owned());
    })
    .await;
    let request = client().post(proxy.url(path)).body(HI);
    let passed = request.send().await.unwrap().text().await.unwrap();
    assert_eq!(passed, body);
    let printed = proxy.lines.clone();
    proxy.stop().await;
    let printed = printed.lock().unwrap();
    let records = lines(folder.path());
    assert_eq!(records.len(), 1);
    let texts: Vec<_> = printed.iter().map(ToString::to_string).collect();
    format!("{}{}{texts:?}", records[0], serde_json::to_string(&*printed).unwrap())
}

/// Responses repeats the tools of the request, with their headers.
#[tokio::test]
async fn tools_that_a_response_repeats_are_not_recorded() {
    let tools = format!(
        r#"{{"id":"resp_1","model":"m","tools":[{{"type":"mcp","authorization":"{CANARY}"}}],"usage":{{"input_tokens":1}}}}"#
    );
    let json = "content-type: application/json\r\n";
    let found = responded("/v1/responses", json, &tools).await;
    assert!(found.contains("resp_1") && !found.contains(CANARY), "{found}");
    let events = format!("data: {{\"type\":\"response.completed\",\"response\":{tools}}}\n\n");
    let found = responded("/v1/responses", "content-type: text/event-stream\r\n", &events).await;
    assert!(found.contains("resp_1") && !found.contains(CANARY), "{found}");
}

#[tokio::test]
async fn secrets_of_a_response_are_not_recorded() {
    let json = "content-type: application/json\r\n";
    let block = format!(
        r#"{{"type":"mcp_list_tools","server":{{"headers":{{"a":"{CANARY}"}}}},"url":"https://a.example/?k={CANARY}"}}"#
    );
    let message =
        format!(r#"{{"id":"msg_1","type":"message","role":"assistant","content":[{block}]}}"#);
    let found = responded("/v1/messages", json, &message).await;
    assert!(found.contains("mcp_list_tools") && !found.contains(CANARY), "{found}");
    let usage = format!(r#"{{"id":"r","usage":{{"input_tokens":1,"api_key":"{CANARY}"}}}}"#);
    let found = responded("/v1/chat/completions", json, &usage).await;
    assert!(found.contains("input_tokens") && !found.contains(CANARY), "{found}");
    let error = format!(r#"{{"error":{{"type":"no such key: {CANARY}","message":"{CANARY}"}}}}"#);
    let found = responded("/v1/messages", json, &error).await;
    assert!(!found.contains(CANARY), "{found}");
    let headers = format!(
        "{json}set-cookie: a={CANARY}\r\nanthropic-later: {CANARY}\r\nlocation: /?key={CANARY}\r\nrequest-id: req_1\r\n"
    );
    let found = responded("/v1/messages", &headers, "{}").await;
    assert!(found.contains("req_1") && !found.contains(CANARY), "{found}");
}

#[tokio::test]
async fn the_input_of_a_call_is_recorded() {
    let block =
        format!(r#"{{"type":"tool_use","id":"t","name":"a","input":{{"token":"{CANARY}"}}}}"#);
    let message =
        format!(r#"{{"id":"msg_1","type":"message","role":"assistant","content":[{block}]}}"#);
    let found = responded("/v1/messages", "content-type: application/json\r\n", &message).await;
    assert!(found.contains(CANARY), "{found}");
}

/// Sends two requests of one session, and returns the lines of the cache miss, which
/// quote both values of the first difference.
async fn missed(texts: Texts, bodies: [String; 2]) -> String {
    let upstream = Upstream::answering(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    )
    .await;
    let proxy = proxy(upstream.address, |options| options.texts = texts).await;
    send_both(&proxy, bodies).await;
    let printed = proxy.lines.clone();
    assert_eq!(proxy.stop().await.misses, 1);
    serde_json::to_string(&*printed.lock().unwrap()).unwrap()
}

/// Sends a request, and one that continues the other body.
async fn send_both<T>(server: &Running<T>, [first, second]: [String; 2]) {
    let answered =
        r#"}]},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}]}"#;
    let second = second.replace("}]}]}", answered);
    for body in [first, second] {
        assert_eq!(message(server, &body).send().await.unwrap().status(), 200);
    }
}

/// A request with a member in the definition of its tool.
fn body(member: &str) -> String {
    let text = "word ".repeat(3_000);
    format!(
        r#"{{"model":"claude-opus-5","max_tokens":1,"tools":[{{"type":"later_20300101","name":"a",{member}}}],"messages":[{{"role":"user","content":[{{"type":"text","text":"{text}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
    )
}

#[tokio::test]
async fn a_miss_does_not_quote_a_secret() {
    let tool = |secret: &str| body(&format!(r#""api_key":"{secret}""#));
    let bodies = [tool(CANARY), tool(&CANARY.to_uppercase())];
    let found = missed(Texts::Kept, bodies).await;
    assert!(found.contains("tools[0].api_key"), "{found}");
    assert!(!found.to_lowercase().contains(CANARY), "{found}");
}

#[tokio::test]
async fn a_miss_quotes_texts_unless_they_are_redacted() {
    for (texts, is_quoted) in [(Texts::Kept, true), (Texts::Redacted, false)] {
        let tool = |text: &str| body(&format!(r#""description":"{text}""#));
        let found = missed(texts, [tool(CANARY), tool(&CANARY.to_uppercase())]).await;
        assert_eq!(found.contains(CANARY), is_quoted, "{found}");
    }
}

#[tokio::test]
async fn a_redacted_miss_names_no_key_of_a_tool() {
    let text = "word ".repeat(3_000);
    let call = |value: &str| {
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":1,"tools":[{{"name":"a","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"P"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"a","input":{{"vault":{{"client-4711":"{value}"}}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
        )
    };
    for (texts, is_named) in [(Texts::Kept, true), (Texts::Redacted, false)] {
        let found = missed(texts, [call("a"), call("b")]).await;
        assert!(found.contains("messages[1].content[0].input"), "{found}");
        assert_eq!(found.contains("vault"), is_named, "{found}");
        assert_eq!(found.contains("client-4711"), is_named, "{found}");
    }
}

#[tokio::test]
async fn refusals_in_the_report_of_the_server_have_no_secrets() {
    let server = serve(|_| {}).await;
    let long = CANARY.repeat(3);
    let secrets = [CANARY, &long].map(|it| format!("http://user:{it}@files.example/a"));
    let kept = "ftp://files.example/a.png?alt=media";
    for url in [&*secrets[0], &secrets[1], kept] {
        let image = format!(r#"{{"type":"image","source":{{"type":"url","url":"{url}"}}}}"#);
        let body = HI.replace(r#"{"type":"text","text":"Hi"}"#, &image);
        assert_eq!(message(&server, &body).send().await.unwrap().status(), 400);
        let body = body.replace(r#""max_tokens":64,"#, "");
        let count = client().post(server.url("/v1/messages/count_tokens")).body(body);
        let count = count.header("anthropic-version", "2023-06-01");
        assert_eq!(count.send().await.unwrap().status(), 400);
        for (path, input) in [
            ("/v1/responses", r#""input":"Hi""#),
            ("/v1/chat/completions", r#""messages":[{"role":"user","content":"Hi"}]"#),
        ] {
            let body = format!(r#"{{"model":"gpt-6.2-sol","tool_choice":"{url}",{input}}}"#);
            let refused = client().post(server.url(path)).body(body);
            assert_eq!(refused.send().await.unwrap().status(), 400);
        }
    }
    let unknown = client().post(server.url(&format!("/v1/messages;key={CANARY}")));
    assert_eq!(unknown.send().await.unwrap().status(), 404);
    let report = server.stop().await;
    assert_eq!((report.refused, report.not_found.len()), (12, 1));
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(json.matches("http://redacted:").count(), 8, "{json}");
    assert_eq!(json.matches(kept).count(), 4, "{json}");
    assert!(json.contains("POST /v1/messages\""), "{json}");
    assert!(!json.contains("canary"), "{json}");
}

/// A message has other lengths than the JSON that it quotes.
#[tokio::test]
async fn escaped_secrets_are_in_no_refusal() {
    let server = serve(|_| {}).await;
    let url = format!(r#"http://user:p\"w-{CANARY}@files.example/a.png"#);
    let image = format!(r#"{{"type":"image","source":{{"type":"url","url":"{url}"}}}}"#);
    let body = HI.replace(r#"{"type":"text","text":"Hi"}"#, &image);
    assert_eq!(message(&server, &body).send().await.unwrap().status(), 400);
    for id in [format!(r#"{{\"api_key\":\"{CANARY}\"}}"#), "resp_missing".to_owned()] {
        let body =
            format!(r#"{{"model":"gpt-6.2-sol","input":"Hi","previous_response_id":"{id}"}}"#);
        let refused = client().post(server.url("/v1/responses")).body(body);
        assert_eq!(refused.send().await.unwrap().status(), 400);
    }
    let report = server.stop().await;
    assert_eq!(report.refused, 3);
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains("Previous response with id 'resp_missing' not found."), "{json}");
    assert!(!json.contains("canary"), "{json}");
}

#[tokio::test]
async fn misses_in_the_report_of_the_server_have_no_secrets() {
    for (key, is_quoted) in [("api_key", false), ("description", true)] {
        // Longer values are cut.
        for secret in [CANARY.to_owned(), CANARY.repeat(10)] {
            let server = serve(|options| options.enforcement = Enforcement::Off).await;
            let tool = |secret: &str| body(&format!(r#""{key}":"{secret}""#));
            send_both(&server, [tool(&secret), tool(&secret.to_uppercase())]).await;
            let json = serde_json::to_string(&server.stop().await.misses).unwrap();
            assert!(json.contains(&format!("tools[0].{key}")), "{json}");
            assert_eq!(json.to_lowercase().contains(CANARY), is_quoted, "{json}");
        }
    }
}

#[test]
fn upstreams_are_printed_without_secrets() {
    let url = format!("https://user:{CANARY}@a.example/base?key={CANARY}");
    let upstreams = Upstreams::from_arguments([&*format!("messages={url}")]).unwrap();
    let mut options = ProxyOptions::default();
    options.upstreams = upstreams;
    let printed = format!("{options:?}");
    assert!(printed.contains("a.example/base") && !printed.contains(CANARY), "{printed}");
    for argument in [
        format!("mesages={url}"),
        url.clone(),
        format!("messages=ftp://user:{CANARY}@a.example"),
        format!("user:{CANARY}@a.example"),
        format!("messages=http://{CANARY}@a.example"),
    ] {
        let error = Upstreams::from_arguments([&*argument]).unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(!printed.contains(CANARY), "{printed}");
    }
}
