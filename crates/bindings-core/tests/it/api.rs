//! The strict Messages API in process.

use aside_bindings_core::local::StrictApi;

fn answer(api: &mut StrictApi, body: &str, options: &str) -> (serde_json::Value, String) {
    let output = api.answer(body.as_bytes(), options.as_bytes()).unwrap();
    let head = serde_json::from_slice(&output.json).unwrap();
    (head, String::from_utf8(output.body.unwrap()).unwrap())
}

#[test]
fn it_accepts_refuses_streams_and_counts() {
    let mut api = StrictApi::default();
    let body = r#"{"model":"claude-haiku-4-5","max_tokens":8,"messages":[{"role":"user","content":"Hi"}]}"#;
    let (head, text) = answer(
        &mut api,
        body,
        r#"{"reply":[{"type":"text","text":"Hello"},{"type":"tool_use","name":"Read","input":{"a":1}}]}"#,
    );
    assert_eq!(head["status"], 200);
    assert!(
        text.contains(r#""text":"Hello""#) && text.contains(r#""stop_reason":"tool_use""#),
        "{text}"
    );
    let stream = body.replace(r#""max_tokens""#, r#""stream":true,"max_tokens""#);
    let (head, text) = answer(&mut api, &stream, "");
    assert_eq!(head["content_type"], "text/event-stream");
    assert!(text.starts_with("event: message_start"), "{text}");
    let (head, text) = answer(&mut api, &body.replace("user", "users"), "");
    assert_eq!(head["status"], 400);
    assert!(text.contains("invalid_request_error"), "{text}");
    let count = body.replace(r#""max_tokens":8,"#, "");
    let (_, text) = answer(&mut api, &count, r#"{"path":"/v1/messages/count_tokens"}"#);
    assert!(text.contains(r#""input_tokens":"#), "{text}");
}

#[test]
fn what_the_api_does_not_serve_is_refused() {
    let mut api = StrictApi::default();
    let body = r#"{"model":"claude-haiku-4-5","max_tokens":8,"messages":[{"role":"user","content":"Hi"}]}"#;
    let mut check = |options: &str, status: u16, expected: &str| {
        let (head, text) = answer(&mut api, body, options);
        assert_eq!(head["status"], status, "{text}");
        assert!(text.contains(expected), "{text}");
    };
    check(r#"{"path":"/v1/messages","version":"2023-06-01"}"#, 200, "end_turn");
    check(r#"{"path":"/v1/messages","version":""}"#, 400, "anthropic-version: header is required");
    check(r#"{"path":"/v1/models"}"#, 404, "not_found_error");
    check(r#"{"path":"/v1/complete"}"#, 404, "not_found_error");
}
