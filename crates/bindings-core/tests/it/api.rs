//! The strict Messages API in process.

use aside_bindings_core::BindingErrorKind;
use aside_bindings_core::local::StrictApi;

const BODY: &str =
    r#"{"model":"claude-haiku-4-5","max_tokens":8,"messages":[{"role":"user","content":"Hi"}]}"#;

fn answer(api: &mut StrictApi, body: &str, options: &str) -> (serde_json::Value, String) {
    let output = api.answer(body.as_bytes(), options.as_bytes()).unwrap();
    let head = serde_json::from_slice(&output.json).unwrap();
    (head, String::from_utf8(output.body.unwrap()).unwrap())
}

#[test]
fn it_accepts_refuses_streams_and_counts() {
    let mut api = StrictApi::default();
    api.reply(
        br#"[{"type":"text","text":"Hello"},{"type":"tool_use","name":"Read","input":{"a":1}}]"#,
    )
    .unwrap();
    let (head, text) = answer(&mut api, BODY, "");
    assert_eq!(head["status"], 200);
    assert!(
        text.contains(r#""text":"Hello""#) && text.contains(r#""stop_reason":"tool_use""#),
        "{text}"
    );
    let stream = BODY.replace(r#""max_tokens""#, r#""stream":true,"max_tokens""#);
    let (head, text) = answer(&mut api, &stream, "");
    assert_eq!(head["content_type"], "text/event-stream");
    assert!(text.starts_with("event: message_start"), "{text}");
    let (head, text) = answer(&mut api, &BODY.replace("user", "users"), "");
    assert_eq!(head["status"], 400);
    assert!(text.contains("invalid_request_error"), "{text}");
    let count = BODY.replace(r#""max_tokens":8,"#, "");
    let (_, text) = answer(&mut api, &count, r#"{"path":"/v1/messages/count_tokens"}"#);
    assert!(text.contains(r#""input_tokens":"#), "{text}");
}

#[test]
fn a_reply_that_cannot_be_sent_is_refused() {
    let mut api = StrictApi::default();
    let mut check = |blocks: &str, expected: &str| {
        let error = api.reply(blocks.as_bytes()).unwrap_err();
        assert_eq!(error.kind, BindingErrorKind::Option);
        assert!(error.message.starts_with(expected), "{error}");
    };
    check(r#""Hello""#, "reply: invalid type");
    check("[5]", "reply[0]: invalid type");
    check("[null]", "reply[0]: invalid type");
    check(r#"[{"type":"text","text":"A"},{"text":"B"}]"#, "reply[1]: missing field `type`");
    check(r#"[{"type":"text"}]"#, "reply[0]: a text block without text");
    check(r#"[{"type":"thinking"}]"#, "reply[0]: a thinking block without thinking");
    check(r#"[{"type":"tool_use"}]"#, "reply[0]: a tool_use block without name");
    check(r#"[{"type":"tool_use","name":"Read","input":[]}]"#, "reply[0]: input: expected");
    let (_, text) = answer(&mut api, BODY, "");
    assert!(text.contains("This answer is fixed"), "{text}");
}

#[test]
fn a_refused_request_leaves_the_reply_to_the_next_one() {
    let mut api = StrictApi::default();
    api.reply(br#"[{"type":"tool_use","name":"Read"}]"#).unwrap();
    api.reply(b"[]").unwrap();
    let (head, _) = answer(&mut api, &BODY.replace("user", "users"), "");
    assert_eq!(head["status"], 400);
    let count = BODY.replace(r#""max_tokens":8,"#, "");
    answer(&mut api, &count, r#"{"path":"/v1/messages/count_tokens"}"#);
    for expected in [r#""name":"Read","input":{}"#, r#""content":[]"#, "This answer is fixed"] {
        let (_, text) = answer(&mut api, BODY, "");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn what_the_api_does_not_serve_is_refused() {
    let mut api = StrictApi::default();
    let mut check = |options: &str, status: u16, expected: &str| {
        let (head, text) = answer(&mut api, BODY, options);
        assert_eq!(head["status"], status, "{text}");
        assert!(text.contains(expected), "{text}");
    };
    check(r#"{"path":"/v1/messages","version":"2023-06-01"}"#, 200, "end_turn");
    check(r#"{"path":"/v1/messages","version":""}"#, 400, "anthropic-version: header is required");
    check(r#"{"path":"/v1/models"}"#, 404, "not_found_error");
    check(r#"{"path":"/v1/complete"}"#, 404, "not_found_error");
}
