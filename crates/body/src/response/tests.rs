use super::*;

fn facts(events: &[&str]) -> Facts {
    let mut facts = Facts::default();
    for event in events {
        facts.add_text(event.as_bytes());
    }
    facts
}

fn ids(facts: &Facts) -> Vec<&str> {
    facts.call_ids.iter().map(String::as_str).collect()
}

#[test]
fn a_stream_of_messages() {
    let facts = facts(&[
        r#"{"type":"message_start","message":{"type":"message","id":"msg_1","model":"claude-opus-5-5",
            "usage":{"input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi "}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"there"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1"}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"text":"no"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},
            "usage":{"input_tokens":0,"cache_read_input_tokens":null,"output_tokens":9}}"#,
    ]);
    assert_eq!(facts.id.as_deref(), Some("msg_1"));
    assert_eq!(facts.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(facts.stop_reason.as_deref(), Some("tool_use"));
    assert_eq!(facts.text(), Some("Hi there"));
    assert_eq!(ids(&facts), ["toolu_1"]);
    let usage = Usage { read: 5, uncached: 7, output: 9, ..Usage::default() };
    assert_eq!(facts.usage(), Some(usage));
    assert_eq!(facts.usage_member("output_tokens"), Some("9"));
}

/// The proxy's record of a response that can be continued.
#[test]
fn content_in_two_forms_counts_once() {
    let output = r#"[{"type":"message","content":[{"text":"Hi"}]},{"type":"function_call","call_id":"call_1"}]"#;
    let facts = facts(&[&format!(
        r#"{{"content":[{{"type":"text","text":"Hi"}},{{"type":"tool_use","id":"call_1"}}],"output":{output}}}"#
    )]);
    assert_eq!((facts.text(), ids(&facts)), (Some("Hi"), vec!["call_1"]));
    assert_eq!(facts.output.as_deref(), Some(output));
}

#[test]
fn responses_of_the_other_wires() {
    let check = |json: &str, id: &str, model: &str, stop: Option<&str>, call: &str| {
        let facts = facts(&[json]);
        assert_eq!(facts.id.as_deref(), Some(id), "{json}");
        assert_eq!(facts.model.as_deref(), Some(model), "{json}");
        assert_eq!(facts.stop_reason.as_deref(), stop, "{json}");
        assert_eq!((facts.text(), ids(&facts)), (Some("Hi"), vec![call]), "{json}");
        let usage = Usage::from_input(4, 0, 0, 5);
        assert_eq!(facts.usage(), Some(usage), "{json}");
    };
    check(
        r#"{"type":"response.completed","id":"evt_1","response":{"object":"response","id":"resp_1",
            "model":"gpt-6.2-sol","output":[{"type":"message","content":[{"text":"Hi"},{"text":"!"}]},
            {"type":"function_call","id":"fc_1","call_id":"call_1"}],
            "usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4}}}}"#,
        "resp_1",
        "gpt-6.2-sol",
        None,
        "call_1",
    );
    check(
        r#"data: {"id":"c","model":"m","choices":[{"delta":{"content":"H","tool_calls":[{"id":"call_1"}]}}],"usage":null}
data: {"id":"c","choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}
data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}}
data: [DONE]
data: {"id":"cut"#,
        "c",
        "m",
        Some("stop"),
        "call_1",
    );
    check(
        r#"[{"responseId":"r","modelVersion":"gemini-3.6-flash","candidates":[{"content":{"parts":[
            {"text":"Hi"},{"functionCall":{"id":"call_1"}}]},"finishReason":"STOP"}],
            "usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4}}]"#,
        "r",
        "gemini-3.6-flash",
        Some("STOP"),
        "call_1",
    );
}

/// As Google's Python SDK prints a response, below the key of a log.
#[test]
fn gemini_may_be_in_snake_case() {
    let facts = facts(&[
        r#"{"response":{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"model_version":"gemini-3.6-flash",
            "usage_metadata":{"prompt_token_count":9,"cached_content_token_count":4}}}"#,
    ]);
    assert_eq!(facts.model.as_deref(), Some("gemini-3.6-flash"));
    assert_eq!(facts.usage(), Some(Usage::from_input(4, 0, 0, 5)));
}

#[test]
fn the_first_text_that_is_not_empty() {
    let check = |json: &str, expected: Option<&str>| {
        assert_eq!(facts(&[json]).text(), expected, "{json}");
    };
    let messages = |content: &str| format!(r#"{{"type":"message","content":[{content}]}}"#);
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    check(&messages(&[text(""), text("B"), text("C")].join(",")), Some("B"));
    check(&messages(&[text("A"), text("")].join(",")), Some("A"));
    check(&messages(&text("")), None);
    for output in [
        r#"{"type":"message","content":[{"text":""},{"text":"Z"}]}"#,
        r#"{"type":"message","content":[{"text":""}]},{"type":"message","content":[{"text":"Z"}]}"#,
    ] {
        check(&format!(r#"{{"object":"response","output":[{output}]}}"#), Some("Z"));
    }
    let choices = |more: &str| {
        format!(
            r#"{{"object":"chat.completion","choices":[{{"message":{{"content":""}}}},{{{more}"message":{{"content":"A"}}}},{{"message":{{"content":"B"}}}}]}}"#
        )
    };
    check(&choices(""), Some("A"));
    check(&choices(r#""index":1,"#), Some("A"));
    check(
        r#"data: {"choices":[{"index":1,"delta":{"content":"A"}}]}
data: {"choices":[{"index":0,"delta":{"content":"x"}}]}
data: {"choices":[{"index":1,"delta":{"content":"B"}}]}"#,
        Some("AB"),
    );
    let parts = |parts: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}}}}]}}"#);
    check(&parts(r#"{"text":"thinking","thought":true},{"text":"Answer"}"#), Some("Answer"));
    check(&parts(r#"{"text":"An","thought":false},{"text":"swer"}"#), Some("Answer"));
}

#[test]
fn errors_and_cache_diagnostics() {
    let error = |json: &str| facts(&[json]).error;
    assert_eq!(
        error(r#"{"type":"error","error":{"type":"overloaded_error"}}"#).as_deref(),
        Some("overloaded_error")
    );
    assert_eq!(
        error(r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#).as_deref(),
        Some("RESOURCE_EXHAUSTED")
    );
    let miss = |json: &str| facts(&[json]).cache_miss;
    for json in [
        r#"{"diagnostics":{"cache_miss_reason":{"type":"tools_changed"}}}"#,
        r#"{"diagnostics":{"cache_miss_reason":"tools_changed"}}"#,
        r#"{"prompt_cache_diagnostics":{"reason":"tools_changed"}}"#,
    ] {
        assert_eq!(miss(json).as_deref(), Some("tools_changed"));
    }
}

/// Logs wrap responses in objects, arrays and strings.
#[test]
fn wrappers_are_looked_into() {
    let inner = r#"{"type":"message","id":"msg_1","content":[]}"#;
    let text = inner.replace('"', "\\\"");
    for wrapped in [
        format!(r#"{{"id":"evt_1","model":"m","data":{inner}}}"#),
        format!(r#"{{"id":"evt_1","data":"{text}"}}"#),
        format!(r#"[[{{"response":{inner}}}]]"#),
        format!("event: message\ndata: {inner}\n\n"),
    ] {
        assert_eq!(facts(&[&wrapped]).id.as_deref(), Some("msg_1"), "{wrapped}");
    }
}

#[test]
fn hostile_responses_are_read_with_limits() {
    let mut facts = Facts::default();
    let part = format!(r#"{{"choices":[{{"delta":{{"content":"{}"}}}}]}}"#, "x".repeat(1 << 20));
    for _ in 0..40 {
        facts.add_text(part.as_bytes());
    }
    assert!(facts.text().is_some_and(|it| it.len() <= MAX_KEPT_BYTES));
    for number in 0..1_000 {
        facts.add_text(format!(r#"{{"usage":{{"k{number}":1}}}}"#).as_bytes());
    }
    assert_eq!(facts.usage_member("k64"), None);
    // Strings in strings, and brackets as deep as they may be.
    let mut nested = r#"{"id":"msg_1","type":"message"}"#.to_owned();
    for _ in 0..8 {
        nested = format!("{:?}", format!("{}{nested}{}", "[".repeat(500), "]".repeat(500)));
    }
    facts.add_text(nested.as_bytes());
    assert_eq!(facts.id, None);
}

#[test]
fn an_error_may_be_the_event_itself() {
    let created = r#"{"type":"response.created","response":{"id":"r1","model":"gpt-5.5"}}"#;
    for event in [
        r#"{"type":"error","code":"context_length_exceeded","message":"too long","param":null}"#,
        r#"{"type":"error","error":{"code":"context_length_exceeded","message":"too long"}}"#,
    ] {
        let facts = facts(&[created, event]);
        assert_eq!(facts.error.as_deref(), Some("context_length_exceeded"));
        assert_eq!(facts.error_message.as_deref(), Some("too long"));
    }
    let facts = facts(&[r#"{"type":"response.completed","code":"c","message":"m"}"#]);
    assert_eq!(facts.error, None);
}

#[test]
fn the_last_fallback_answers() {
    let facts = facts(&[
        r#"{"type":"message_start","message":{"type":"message","id":"msg_1","model":"claude-fable-5-1"}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"fallback",
            "from":{"model":"claude-fable-5-1"},"to":{"model":"claude-opus-5-5"}}}"#,
    ]);
    assert_eq!(facts.model.as_deref(), Some("claude-opus-5-5"));
}

#[test]
fn details_of_several_reports_are_merged() {
    let facts = facts(&[
        r#"{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":3,
            "prompt_tokens_details":{"cached_tokens":600}}}"#,
        r#"{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5,
            "prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0}}}"#,
    ]);
    let usage = Usage { read: 600, uncached: 400, output: 5, ..Usage::default() };
    assert_eq!(facts.usage(), Some(usage));
    let merged = r#"{"prompt_tokens":1000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":600,"audio_tokens":0}}"#;
    assert_eq!(facts.merged_usage().as_deref(), Some(merged));
}
