//! Bodies that the API refuses, each with a neighbour that it takes.

use super::*;

fn refusal(body: &str) -> Option<(u16, String)> {
    let refused = judge().answer(&request(body)).err()?;
    Some((refused.status(), refused.message().to_owned()))
}

#[test]
fn each_refused_body_has_a_neighbour_that_is_accepted() {
    let hi = user("Hi");
    for (refused, phrase, accepted) in [
        (body(BOUND, "", &[]), "at least one message is required", body(BOUND, "", std::slice::from_ref(&hi))),
        (
            body(BOUND, "", &[user(" ")]),
            "must contain non-whitespace text",
            body(BOUND, "", &[user("x ")]),
        ),
        (
            body(BOUND, r#""tools":[{"name":"a.b","input_schema":{"type":"object"}}],"#, std::slice::from_ref(&hi)),
            "String should match pattern",
            body(BOUND, r#""tools":[{"name":"a_b","input_schema":{"type":"object"}}],"#, std::slice::from_ref(&hi)),
        ),
        (
            body(BOUND, "", &[hi.clone(), assistant(r#"[{"type":"tool_use","id":"t","name":"a","input":{}}]"#), hi.clone()]),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t. Each",
            body(BOUND, "", &[hi.clone(), assistant(r#"[{"type":"tool_use","id":"t","name":"a","input":{}}]"#),
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}"#.to_owned()]),
        ),
        (
            body(BOUND, "", &[hi.clone(), r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}"#.to_owned()]),
            "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t. Each",
            body(BOUND, "", &[hi.clone(), hi]),
        ),
    ] {
        let (status, message) = refusal(&refused).expect(phrase);
        assert_eq!(status, 400);
        assert!(message.contains(phrase), "{message}");
        assert_eq!(refusal(&accepted), None);
    }
}

#[test]
fn a_refusal_names_all_calls_of_the_message_without_a_result() {
    let call = |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"a","input":{{}}}}"#);
    let calls = ["t", "u", "v"].map(call).join(",");
    let result = r#"{"type":"tool_result","tool_use_id":"u","content":"x"}"#;
    let refused = |answer: &str| {
        let messages = [
            user("Hi"),
            assistant(&format!("[{calls}]")),
            format!(r#"{{"role":"user","content":[{answer}]}}"#),
        ];
        refusal(&body(BOUND, "", &messages)).expect(answer).1
    };
    let text = "`tool_use` ids were found without `tool_result` blocks immediately after: ";
    let message = refused(result);
    assert!(message.starts_with(&format!("messages.1: {text}t, v. Each")), "{message}");
    let all = ["t", "u", "v"].map(|id| result.replace("\"u\"", &format!("\"{id}\"")));
    let message = refused(&format!(r#"{{"type":"text","text":"a"}},{}"#, all.join(",")));
    assert!(message.starts_with(&format!("messages.2: {text}t, u, v. Each")), "{message}");
}

#[test]
fn a_low_threshold_is_refused_at_its_strategy() {
    let message = |tokens: u32| {
        let keys = format!(
            r#""context_management":{{"edits":[{{"type":"compact_20260112","trigger":{{"type":"input_tokens","value":{tokens}}}}}]}},"#
        );
        let body = body(BOUND, &keys, &[user("Hi")]);
        let request = StrictRequest::new(body.as_bytes()).betas("compact-2026-01-12");
        judge().answer(&request).err().map(|it| it.message().to_owned())
    };
    let expected =
        "context_management.edits.0.compact_20260112: trigger.value must be at least 50000";
    assert_eq!(message(49_999).as_deref(), Some(expected));
    assert_eq!(message(50_000), None);
}

#[test]
fn large_images_are_refused_with_the_limit_and_their_paths() {
    let image = |width: &str| {
        let data = format!("iVBORw0KGgoAAAANSUhEUgAA{width}AAAABCAYAAAA=");
        format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
        )
    };
    let refused = |images: &[&str]| {
        let images: Vec<_> = images.iter().map(|width| image(width)).collect();
        let message = format!(r#"{{"role":"user","content":[{}]}}"#, images.join(","));
        let error = judge().answer(&request(&body(BOUND, "", &[message]))).unwrap_err();
        error.to_json("r")
    };
    // 9,000 pixels; then 21 images, two of them with 3,000.
    let error = refused(&["Iyg", "AAE"]);
    let expected = r#""message":"messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels","details":{"error_code":"image_dimensions_too_large","max_side_length_pixels":8000,"paths":["messages.0.content.0.source.data"]}"#;
    assert!(error.contains(expected), "{error}");
    let error = refused(&[&["C7g"; 2][..], &["AAE"; 19]].concat());
    assert!(error.contains("max allowed size: 2000 pixels"), "{error}");
    let paths = r#""max_side_length_pixels":2000,"paths":["messages.0.content.0.source.data","messages.0.content.1.source.data"]"#;
    assert!(error.contains(paths), "{error}");
    assert!(refused(&["AAA"]).contains("Could not process image"), "no pixels");
}

#[test]
fn only_the_models_and_versions_of_the_api_are_known() {
    for (id, is_known) in [
        ("claude-haiku-4-5", true),
        ("claude-haiku-4-5-20251001", true),
        ("claude-haiku-4-5-20250101", false),
        ("claude-haiku-4-5@20251001", false),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", false),
        ("claude-opus-5[1m]", false),
        ("claude-opus-4-1", false),
    ] {
        let refused = refusal(&body(id, "", &[user("Hi")]));
        let expected = (!is_known).then(|| (404, format!("model: {id}")));
        assert_eq!(refused, expected);
    }
    let hi = body(BOUND, "", &[user("Hi")]);
    for (version, is_known) in [("2026-10-21", true), ("2026-10-20", false)] {
        let answered = judge().answer(&request(&hi).version(version));
        assert_eq!(answered.is_ok(), is_known, "{version}");
    }
}

#[test]
fn an_invalid_body_is_refused() {
    for text in ["", "x", "[]", "\u{feff}{}", "{\"model\":1}", "{\"messages\":{}}"] {
        let (status, _) = refusal(text).expect(text);
        assert_eq!(status, 400, "{text}");
    }
    let deep = "[".repeat(100_000);
    assert!(refusal(&deep).is_some());
    let huge = format!("{{\"model\":\"{}\"}}", "x".repeat(33 << 20));
    assert_eq!(refusal(&huge).map(|(status, _)| status), Some(413));
}

#[test]
fn a_refusal_is_written_in_the_apis_form() {
    let refused = judge().answer(&request("x")).unwrap_err();
    assert_eq!(
        refused.to_json("req_1"),
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"The request body is not valid JSON"},"request_id":"req_1"}"#
    );
}

#[test]
fn a_response_and_its_stream_hold_the_same() {
    let body =
        body(UNBOUND, r#""thinking":{"type":"adaptive","display":"summarized"},"#, &[user("Hi")]);
    let draft = Draft::new()
        .thinking("Täglich ".repeat(9))
        .text("One two three four five six seven")
        .tool_use("Read", r#"{"file_path":"a/very/long/path/to/a/file.md"}"#)
        .unwrap();
    let response = judge().answer_with(&request(&body), &draft).unwrap();
    let events = response.events();
    let read = |key: &str| -> String {
        let data = events.iter().map(|it| it.split_once("data: ").unwrap().1);
        let values = data.map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
        values.filter_map(|it| Some(it["delta"][key].as_str()?.to_owned())).collect()
    };
    assert_eq!(read("thinking"), "Täglich ".repeat(9));
    assert_eq!(read("text"), "One two three four five six seven");
    assert_eq!(read("partial_json"), r#"{"file_path":"a/very/long/path/to/a/file.md"}"#);
    assert!(response.content_json().contains(&read("signature")));
    assert_eq!(read("stop_reason"), "tool_use");
    assert!(
        events[0].contains(r#""content":[],"stop_reason":null,"stop_sequence":null,"usage":{"#),
        "{}",
        events[0]
    );
    assert_eq!(
        events.last().unwrap(),
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
    );
}

#[test]
fn a_path_has_the_types_of_the_objects_on_it() {
    let hi = [user("Hi")];
    let block = |block: &str| {
        let message = format!(r#"{{"role":"user","content":[{block}]}}"#);
        body(BOUND, "", &[message])
    };
    let schema = r#""input_schema":{"type":"object"}"#;
    for (body, expected) in [
        (
            block(r#"{"type":"text","text":"Hi","zzz":1}"#),
            "messages.0.content.0.text.zzz: Extra inputs are not permitted",
        ),
        (
            block(
                r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"","zzz":1}}"#,
            ),
            "messages.0.content.0.image.source.base64.zzz: Extra inputs are not permitted",
        ),
        (
            body(BOUND, &format!(r#""tools":[{{"name":"a.b",{schema}}}],"#), &hi),
            "tools.0.custom.name: String should match pattern",
        ),
        (
            body(BOUND, r#""thinking":{"type":"adaptive","zzz":1},"#, &hi),
            "thinking.adaptive.zzz: Extra inputs are not permitted",
        ),
        (body(BOUND, r#""zzz":1,"#, &hi), "zzz: Extra inputs are not permitted"),
        (
            body(BOUND, "", &[user(" ")]),
            "messages: text content blocks must contain non-whitespace text",
        ),
        (block(r#"{"type":"text","text":""}"#), "messages: text content blocks must be non-empty"),
        (
            body(BOUND, "", &[user(&"word ".repeat(6_000_000))]),
            "prompt is too long: 3360001 tokens > 1000000 maximum",
        ),
        (body(BOUND, r#""temperature":0.5,"#, &hi), "`temperature` is deprecated for this model."),
        (
            block(r#"{"type":"text","text":"","cache_control":{"type":"ephemeral"}}"#),
            "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
        ),
        (
            block(r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"2h"}}"#),
            "messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'",
        ),
        (
            body(
                BOUND,
                "",
                &[
                    user("Hi"),
                    assistant(
                        r#"[{"type":"thinking","thinking":"a","signature":"s","cache_control":{"type":"ephemeral"}}]"#,
                    ),
                ],
            ),
            "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
        ),
        (
            block(
                r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}"#,
            ),
            "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not",
        ),
        (
            body(BOUND, r#""tool_choice":{"type":"auto"},"#, &hi),
            "tool_choice: tool_choice may only be specified while providing tools",
        ),
        (
            body("claude-sonnet-4-5", r#""thinking":{"type":"adaptive"},"#, &hi),
            "adaptive thinking is not supported on this model",
        ),
    ] {
        let (_, message) = refusal(&body).expect(expected);
        assert!(message.starts_with(expected), "{message}, not {expected}");
    }
}

#[test]
fn a_model_without_a_row_is_not_found() {
    for model in ["claude-opus-99", "gpt-4.1", "nothing"] {
        let refused = refusal(&body(model, "", &[user("Hi")]));
        assert_eq!(refused, Some((404, format!("model: {model}"))));
    }
}

#[test]
fn a_refusal_has_the_apis_error_code() {
    let hi = user("Hi");
    let tool = r#"{"name":"t","input_schema":{"type":"object"}}"#;
    let tools = format!(r#""tools":[{tool}],"#);
    let added = |reference: &str| {
        let content = format!(r#"[{{"type":"tool_addition","tool":{reference}}}]"#);
        let change = format!(r#"{{"role":"system","content":{content}}}"#);
        body(BOUND, &tools, &[hi.clone(), change])
    };
    let deferred = |count: usize| {
        let of = |it| format!(r#"{{"name":"d{it}","defer_loading":true,"input_schema":{{}}}}"#);
        let of = |it| of(it).replace("{}", r#"{"type":"object"}"#);
        let deferred: Vec<String> = (0..count).map(of).collect();
        body(
            BOUND,
            &format!(r#""tools":[{tool},{}],"#, deferred.join(",")),
            std::slice::from_ref(&hi),
        )
    };
    let compacted = |last: &str| {
        let call = assistant(r#"[{"type":"tool_use","id":"t","name":"t","input":{}}]"#);
        let members = format!(r#"{tools}"compaction":{{"type":"summarize"}},"#);
        let result = format!(r#"{{"role":"user","content":{last}}}"#);
        let messages = [hi.clone(), call, result];
        body(BOUND, &members, &messages[..if last.is_empty() { 2 } else { 3 }])
    };
    for (refused, code, accepted) in [
        (
            added(r#"{"type":"mcp_toolset_reference","server_name":"t"}"#),
            "tool_name_conflict",
            added(r#"{"type":"tool_reference","name":"t"}"#),
        ),
        (
            added(r#"{"type":"tool_reference","name":"zz"}"#),
            "tool_reference_unresolved",
            added(r#"{"type":"tool_reference","name":"t"}"#),
        ),
        (deferred(10_001), "available_tools_limit_exceeded", deferred(10_000)),
        (
            compacted(""),
            "compaction_incomplete_turn",
            compacted(r#"[{"type":"tool_result","tool_use_id":"t","content":"x"}]"#),
        ),
    ] {
        let error = judge().answer(&request(&refused)).expect_err(code);
        assert_eq!(error.code(), Some(code), "{}", error.message());
        assert_eq!(refusal(&accepted), None);
    }
}

/// Cases of one rule that the API refuses in different words.
#[test]
fn a_rule_has_the_words_of_each_case() {
    let hi = [user("Hi")];
    let summary = |more: &str| {
        let block = format!(r#"[{{"type":"compaction","content":"s"{more}}}]"#);
        body(BOUND, "", &[assistant(&block), user("Hi")])
    };
    let edit = r#""context_management":{"edits":[{"type":"compact_20260112"}]},"#;
    let thinking = |budget: u32, more: &str| {
        let thinking = format!(r#""thinking":{{"type":"enabled","budget_tokens":{budget}}},"#);
        let body = body("claude-haiku-4-5", &format!("{thinking}{more}"), &hi);
        body.replace(r#""max_tokens":64"#, r#""max_tokens":2000"#)
    };
    let effort = |level: &str| {
        let changed =
            format!(r#"{{"role":"system","content":[],"output_config":{{"effort":"{level}"}}}}"#);
        let off = r#""thinking":{"type":"between_tools"},"#;
        body("claude-sonnet-5-5", off, &[user("Hi"), changed])
    };
    let (on_demand, by_threshold) = ("compact-2026-09-04", "compact-2026-01-12");
    for (betas, body, expected) in [
        (
            "",
            summary(r#","signature":"x""#),
            "messages.0.content.0: `compaction` is not one of the expected content block types",
        ),
        (
            "",
            summary(""),
            "messages.0.content.0: `compaction` is not one of the expected content block types",
        ),
        (
            on_demand,
            summary(""),
            "messages.0.content.0: a `compaction` block with `content` requires its `signature`",
        ),
        (by_threshold, summary(""), "`compaction` blocks require a `compact_20260112` strategy"),
        (
            "",
            body(BOUND, r#""compaction":{"type":"summarize"},"#, &hi),
            "compaction: Extra inputs are not permitted",
        ),
        (
            "context-management-2025-06-27",
            body(BOUND, edit, &hi),
            "context_management.edits.0: Input tag 'compact_20260112' found using 'type' does not match",
        ),
        (by_threshold, body(BOUND, edit, &hi), ""),
        (
            BETAS,
            effort("low"),
            "messages.1: output_config.effort 'low' differs from the 'high' in effect before it; effort cannot change",
        ),
        (BETAS, effort("high"), ""),
        ("", thinking(2000, ""), "`max_tokens` must be greater than `thinking.budget_tokens`"),
        ("", thinking(500, ""), "thinking.budget_tokens: 500, expected a budget of at least 1,024"),
        ("", thinking(1024, ""), ""),
        ("", thinking(1024, r#""temperature":0.5,"#), "`temperature` may only be set to 1 when"),
        ("", thinking(1024, r#""top_p":0.5,"#), "top_p: 0.5, with thinking on, expected"),
        ("", thinking(1024, r#""top_p":0.95,"#), ""),
    ] {
        let request = StrictRequest::new(body.as_bytes()).betas(betas);
        let message = judge().answer(&request).err().map(|it| it.message().to_owned());
        let message = message.unwrap_or_default();
        assert!(message.starts_with(expected), "{message}, not {expected}");
        assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
    }
}
