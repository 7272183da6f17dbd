//! Complete responses, and their round trip.

use aside_messages::wire::{ContentBlock, Message, Request, ResultContent, Role, ToolResult};
use aside_providers::{
    Collector, Names, Options, Provider, ServerKind, Stream, WireDialect, answer, convert,
    remove_foreign_thinking,
};
use proptest::prelude::*;

/// Returns the wire to test: Chat Completions if the provider has it.
fn wire(provider: Provider) -> WireDialect {
    provider.spec().wire_on("", ServerKind::Compatible).wire
}

fn check(provider: Provider, body: &str, expected: &str) {
    let found = match answer(wire(provider), body.as_bytes(), &Names::default()) {
        Ok(answer) => serde_json::to_string(&answer).unwrap(),
        Err(error) => format!("error: {error}"),
    };
    assert_eq!(found, expected);
}

#[test]
fn anthropic() {
    let body = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hi","citations":null},{"type":"tool_use","id":"t","name":"Now","input":{ }}],"stop_reason":"tool_use","stop_sequence":null,"container":{"id":"c"},"usage":{"input_tokens":3,"cache_creation_input_tokens":null,"cache_read_input_tokens":1,"output_tokens":2,"service_tier":"standard"}}"#;
    check(
        Provider::Bedrock,
        body,
        r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hi","citations":null},{"type":"tool_use","id":"t","name":"Now","input":{ }}],"stop_reason":"tool_use","stop_sequence":null,"container":{"id":"c"},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":1,"output_tokens":2,"service_tier":"standard"}}"#,
    );
    check(
        Provider::FirstParty,
        r#"{"type":"error","error":{"type":"api_error","message":"m"}}"#,
        "error: the provider reported api_error: m",
    );
    check(Provider::FirstParty, "[]", "error: expected an object, found []");
}

/// Returns the blocks that these deltas make of a streamed block.
fn streamed(start: &str, deltas: &[&str]) -> String {
    let mut stream = Stream::new(Provider::FirstParty, Names::default());
    let mut events = Vec::new();
    let mut push = |data: String| {
        let event = format!("data: {data}\n\n");
        stream.push(event.as_bytes(), &mut events).unwrap();
    };
    push(r#"{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#.to_owned());
    push(format!(r#"{{"type":"content_block_start","index":0,"content_block":{start}}}"#));
    for delta in deltas {
        push(format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#));
    }
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    serde_json::to_string(&collector.finish().content).unwrap()
}

#[test]
fn deltas_complete_a_block_of_every_type() {
    for (start, deltas, expected) in [
        (
            r#"{"type":"text","text":"","citations":[]}"#,
            &[
                r#"{"type":"text_delta","text":"a"}"#,
                r#"{"type":"citations_delta","citation":{"type":"page_location"}}"#,
                r#"{"type":"text_delta","text":"b"}"#,
            ][..],
            r#"[{"type":"text","text":"ab","citations":[{"type":"page_location"}]}]"#,
        ),
        (
            r#"{"type":"thinking","thinking":"","signature":""}"#,
            &[
                r#"{"type":"thinking_delta","thinking":"Hm"}"#,
                r#"{"type":"signature_delta","signature":"s"}"#,
            ],
            r#"[{"type":"thinking","thinking":"Hm","signature":"s"}]"#,
        ),
        (
            r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{},"caller":{"type":"direct"}}"#,
            &[
                r#"{"type":"input_json_delta","partial_json":"{\"query\": "}"#,
                r#"{"type":"input_json_delta","partial_json":"1.50}"}"#,
            ],
            r#"[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query": 1.50},"caller":{"type":"direct"}}]"#,
        ),
        (
            r#"{"type":"compaction","content":null}"#,
            &[r#"{"type":"compaction_delta","content":"A summary.","encrypted_content":"E=="}"#],
            r#"[{"type":"compaction","content":"A summary.","encrypted_content":"E=="}]"#,
        ),
        (
            r#"{"type":"later","parts":[]}"#,
            &[r#"{"type":"later_delta","parts":[1]}"#],
            r#"[{"type":"later","parts":[]}]"#,
        ),
        (
            r#"{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}"#,
            &[r#"{"type":"input_json_delta","partial_json":"{\"a\":"}"#],
            "[]",
        ),
    ] {
        assert_eq!(streamed(start, deltas), expected);
    }
}

#[test]
fn a_later_report_takes_the_place_of_an_earlier_one() {
    let events = [
        r#"{"type":"message_start","message":{"id":"msg_1","model":"claude-fable-5-1","context_management":null,"usage":{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":1}}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"fallback","from":{"model":"claude-fable-5-1"},"to":{"model":"claude-opus-5-5"}}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2,"server_tool_use":null},"context_management":{"applied_edits":[]}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let mut stream = Stream::new(Provider::FirstParty, Names::default());
    let (mut collector, mut read) = (Collector::default(), Vec::new());
    for event in events {
        stream.push(format!("data: {event}\n\n").as_bytes(), &mut read).unwrap();
    }
    stream.finish(&mut read).unwrap();
    read.iter().for_each(|event| collector.push(event));
    let answer = collector.finish();
    assert_eq!(answer.model, "claude-opus-5-5");
    let named: Vec<_> = answer.extra.0.iter().map(|(key, it)| (key.as_str(), it.get())).collect();
    assert_eq!(named, [("context_management", r#"{"applied_edits":[]}"#)]);
    let usage = serde_json::to_string(&answer.usage).unwrap();
    assert!(usage.contains(r#""server_tool_use":{"web_search_requests":1}"#), "{usage}");
}

#[test]
fn a_gemini_stream_may_be_one_array() {
    let chunk = |text: &str, end: &str| {
        format!(
            r#"{{"responseId":"g","modelVersion":"m","candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}{end}}}]}}"#
        )
    };
    let body = format!("[{},\n{}]", chunk("H", ""), chunk("i", r#","finishReason":"STOP""#));
    let found = answer(wire(Provider::Gemini), body.as_bytes(), &Names::default()).unwrap();
    let [ContentBlock::Text(text)] = &found.content[..] else {
        panic!("one text");
    };
    assert_eq!(&*text.text, "Hi");
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    answer(wire(Provider::Gemini), deep.as_bytes(), &Names::default()).expect_err("no chunk");
    let deep = format!(
        r#"{{"choices":[{{"message":{{"content":[{}{}]}}}}]}}"#,
        r#"{"thinking":["#.repeat(20_000),
        "]}".repeat(20_000)
    );
    let _ = answer(wire(Provider::OpenAi), deep.as_bytes(), &Names::default());
    let cut = format!("[{}]", chunk("H", ""));
    answer(wire(Provider::Gemini), cut.as_bytes(), &Names::default()).expect_err("it has no end");
}

#[test]
fn a_call_has_every_key_once() {
    let body = r#"{"id":"r","model":"m","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\":1,\"b\":{\"c\":1,\"c\":2},\"a\":3}"}}]},"finish_reason":"tool_calls"}]}"#;
    let found = answer(wire(Provider::OpenAi), body.as_bytes(), &Names::default());
    let [ContentBlock::ToolUse(call)] = &found.expect("it can be read").content[..] else {
        panic!("one call");
    };
    assert_eq!(call.input.get(), r#"{"b":{"c":2},"a":3}"#);
}

#[test]
fn openai() {
    check(
        Provider::OpenAi,
        r#"{"id":"c1","object":"chat.completion","created":1,"model":"gpt-5.5","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"Read","arguments":"{\"b\":1, \"a\":1e3}"}},{"id":"call_2","type":"function","function":{"name":"Bad","arguments":"{\"b"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2}}}"#,
        r#"{"id":"c1","type":"message","role":"assistant","model":"gpt-5.5","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"call_1","name":"Read","input":{"b":1, "a":1e3}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":3}}"#,
    );
    let called = |message: &str, input: &str| {
        let body = format!(
            r#"{{"id":"c1","model":"gpt-5.5","choices":[{{"index":0,"message":{{"role":"assistant",{message}}},"finish_reason":"stop"}}]}}"#
        );
        let found = answer(wire(Provider::OpenAi), body.as_bytes(), &Names::default()).unwrap();
        let found = serde_json::to_string(&found).unwrap();
        assert!(found.contains(&format!(r#""name":"sh","input":{input}}}"#)), "{found}");
    };
    let custom =
        r#""tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"a\"\n"}}]"#;
    called(custom, r#"{"input":"a\"\n"}"#);
    called(r#""function_call":{"name":"sh","arguments":"{\"a\":1}"}"#, r#"{"a":1}"#);
    check(Provider::OpenAi, r#"{"error":"no"}"#, "error: the provider reported no");
    check(Provider::Grok, "{}", "error: expected choices, found none");
    let unsaid = r#"{"id":"","model":"","choices":[]}"#;
    check(Provider::OpenAi, unsaid, "error: the response broke off");
}

#[test]
fn gemini() {
    check(
        Provider::Gemini,
        r#"{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"Hi"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"toolUsePromptTokenCount":1},"modelVersion":"gemini-2.5-pro","responseId":"r1"}"#,
        r#"{"id":"r1","type":"message","role":"assistant","model":"gemini-2.5-pro","content":[{"type":"thinking","thinking":"Hm.","signature":""},{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":8}}"#,
    );
    check(Provider::Gemini, r#"{"candidates":[]}"#, "error: the response broke off");
    check(
        Provider::Gemini,
        r#"{"promptFeedback":{"blockReason":"OTHER"}}"#,
        r#"{"id":"","type":"message","role":"assistant","model":"","content":[],"stop_reason":"refusal","stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}"#,
    );
}

/// Converts a request as the model takes it on this wire.
fn on(provider: Provider, model: &str, request: &Request) -> (String, Names) {
    on_server(provider, model, request, ServerKind::Compatible)
}

fn on_server(
    provider: Provider,
    model: &str,
    request: &Request,
    server: ServerKind,
) -> (String, Names) {
    let options = Options { server, ..Options::for_model(model) };
    let converted = convert(request, provider, &options).unwrap();
    (String::from_utf8(converted.body()).unwrap(), converted.names)
}

/// Reasoning goes back only to the provider that produced it, item for item, directly before its
/// item.
#[test]
fn reasoning_comes_back_with_its_items() {
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}],"encrypted_content":"gAAA="}"#;
    let bare = r#"{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gBBB="}"#;
    let call = r#"{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"a\": 1e1}","call_id":"call_1","name":"Now"}"#;
    let text = r#"{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Hi","annotations":[]}]}"#;
    let body = format!(
        r#"{{"id":"resp_1","object":"response","status":"completed","model":"gpt-6.2-sol","output":[{reasoning},{text},{bare},{call}],"usage":{{"input_tokens":5,"output_tokens":2}}}}"#
    );
    let own = Provider::OpenAi.spec().wire("gpt-6.2-sol").wire;
    let received = answer(own, body.as_bytes(), &Names::default()).unwrap();
    assert_eq!(received.stop_reason.unwrap().as_str(), "tool_use");
    let result = ToolResult::new("call_1", vec![ContentBlock::text("12:00")]);
    let request = Request {
        model: "m".into(),
        max_tokens: Some(99),
        messages: vec![
            Message::new(Role::User, vec![ContentBlock::text("Hi")]),
            Message::new(Role::Assistant, received.content),
            Message::new(Role::User, vec![ContentBlock::ToolResult(result)]),
        ],
        ..Request::default()
    };
    let (sent, _) = on_server(Provider::OpenAi, "gpt-6.2-sol", &request, ServerKind::Own);
    let items = format!(
        r#",{reasoning},{{"type":"message","role":"assistant","content":"Hi","phase":"commentary"}},{bare},{{"type":"function_call","call_id":"call_1","name":"Now","arguments":"{{\"a\": 1e1}}"}},{{"type":"function_call_output","call_id":"call_1","output":[{{"type":"input_text","text":"12:00"}}]}}]}}"#
    );
    assert!(sent.ends_with(&items), "{sent}");
    let others = [
        on_server(Provider::Grok, "grok-4.5", &request, ServerKind::Own),
        on(Provider::OpenAi, "gpt-4.1", &request),
        on(Provider::Gemini, "gemini-3-pro", &request),
    ];
    let mut own = request.clone();
    let losses = remove_foreign_thinking(&mut own.messages);
    let back = convert(&own, Provider::FirstParty, &Options::default()).unwrap();
    let places: Vec<_> = losses.iter().map(|loss| loss.path.as_str()).collect();
    // Two items, and the text's phase.
    let expected = [0, 1, 3].map(|place| format!("messages[1].content[{place}]"));
    assert_eq!(places, expected);
    let back = (String::from_utf8(back.body()).unwrap(), back.names);
    for (sent, _) in others.into_iter().chain([back]) {
        assert!(!sent.contains("gAAA") && !sent.contains("gBBB"), "{sent}");
    }
}

#[test]
fn a_response_that_is_none() {
    let own = Provider::OpenAi.spec().wire("gpt-6.2-sol").wire;
    for (body, expected) in [
        (
            r#"{"id":"r","object":"response","status":"failed","error":{"code":"server_error","message":"No."}}"#,
            "the provider reported server_error: No.",
        ),
        (
            r#"{"error":{"message":"No.","type":"invalid_request_error"}}"#,
            "the provider reported invalid_request_error: No.",
        ),
        (
            r#"{"id":"r","object":"response","status":"queued","output":[]}"#,
            "the response broke off",
        ),
        ("{}", "expected a response, found none"),
    ] {
        let error = answer(own, body.as_bytes(), &Names::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// Parts that Gemini signed are sent back to it one by one.
#[test]
fn signatures_come_back_with_their_parts() {
    let parts = r#"[{"text":"A","thought":true,"thoughtSignature":"QQ=="},{"text":"","thoughtSignature":"Qg=="},{"text":"C","thoughtSignature":"Qw=="},{"text":"D"},{"functionCall":{"id":"f1","name":"Now","args":{}},"thoughtSignature":"RQ=="},{"functionCall":{"id":"f2","name":"Now","args":{"x":1}}}]"#;
    let body = format!(
        r#"{{"candidates":[{{"content":{{"parts":{parts},"role":"model"}},"finishReason":"STOP"}}]}}"#
    );
    let received = answer(wire(Provider::Gemini), body.as_bytes(), &Names::default()).unwrap();
    let results = received.content.iter().filter_map(|block| match block {
        ContentBlock::ToolUse(call) => Some(ContentBlock::ToolResult(ToolResult {
            tool_use_id: call.id.clone(),
            content: ResultContent::default(),
            is_error: None,
            extra: aside_messages::wire::Extra::default(),
            cache_control: None,
        })),
        _ => None,
    });
    let mut request = Request { model: "m".into(), max_tokens: Some(1), ..Request::default() };
    let results = results.collect();
    request.messages = vec![
        Message::new(Role::User, vec![ContentBlock::text("Hi")]),
        Message::new(Role::Assistant, received.content),
        Message::new(Role::User, results),
    ];
    let (sent, _) = on(Provider::Gemini, "gemini-3-pro", &request);
    assert!(sent.contains(&format!(r#"{{"role":"model","parts":{parts}}}"#)), "{sent}");
    // Other models do not get them.
    let (sent, _) = on(Provider::OpenAi, "gpt-4.1", &request);
    assert!(!sent.contains("QQ==") && !sent.contains("RQ=="));
}

proptest! {
    /// When you call any tool under any name, the call comes back under its own name.
    #[test]
    fn names_come_back(names in proptest::collection::btree_set("[a-zA-Z0-9_./é-]{1,90}", 1..6)) {
        for provider in [Provider::OpenAi, Provider::Gemini] {
            let tools: Vec<String> = names
                .iter()
                .map(|name| format!(r#"{{"name":"{name}","input_schema":{{"type":"object"}}}}"#))
                .collect();
            let json = format!(
                r#"{{"model":"m","max_tokens":1,"tools":[{}],"messages":[{{"role":"user","content":"a"}}]}}"#,
                tools.join(",")
            );
            let request = Request::parse(json.as_bytes()).unwrap().value;
            let (sent, back) = on(provider, "a-model", &request);
            let sent: serde_json::Value = serde_json::from_str(&sent).unwrap();
            let tools = match provider {
                Provider::OpenAi => &sent["tools"],
                _ => &sent["tools"][0]["functionDeclarations"],
            };
            for (tool, name) in tools.as_array().unwrap().iter().zip(&names) {
                let short = match provider {
                    Provider::OpenAi => &tool["function"]["name"],
                    _ => &tool["name"],
                };
                let short = short.as_str().unwrap();
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
                prop_assert!(short.len() <= 64 && short.bytes().all(is_plain));
                let chunk = match provider {
                    Provider::OpenAi => format!(r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"1","function":{{"name":"{short}","arguments":"{{}}"}}}}]}},"finish_reason":"stop"}}]}}"#),
                    _ => format!(r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"{short}"}}}}]}},"finishReason":"STOP"}}]}}"#),
                };
                let answer = answer(wire(provider), chunk.as_bytes(), &back).unwrap();
                let ContentBlock::ToolUse(call) = &answer.content[0] else { panic!("no call") };
                prop_assert_eq!(&*call.name, name);
            }
        }
    }

    /// Any bytes, in any two pieces: no panic, and the same answer.
    #[test]
    fn any_bytes_are_borne(bytes in "(data: |\\{|\\}|\"|choices|delta|:|,|\n|\r|[a-z]|é){0,60}", at in 0usize..60) {
        for provider in Provider::ALL {
            let read = |pieces: &[&[u8]]| {
                let mut stream = Stream::new(provider, Names::default());
                let mut events = Vec::new();
                let pushed = pieces.iter().try_for_each(|piece| stream.push(piece, &mut events));
                let result = pushed.and_then(|()| stream.finish(&mut events));
                let mut collector = Collector::default();
                events.iter().for_each(|event| collector.push(event));
                (events, result, collector.finish())
            };
            let (before, after) = bytes.as_bytes().split_at(at.min(bytes.len()));
            prop_assert_eq!(read(&[bytes.as_bytes()]), read(&[before, after]));
        }
    }
}
