//! Reading and writing are inverse.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{
    CacheControl, ContentBlock, Message, RawJson, ReadErrorKind, Request, ResultContent, Tool,
};

fn with_block(block: &str) -> String {
    format!(r#"{{"role":"user","content":[{block}]}}"#)
}

/// Checks that a canonical block is written as it was read.
fn canonical(block: &str) {
    let json = with_block(block);
    let message = Message::parse(json.as_bytes()).unwrap().value;
    assert_eq!(serde_json::to_string(&message).unwrap(), json);
    let again = Message::parse(json.as_bytes()).unwrap().value;
    assert_eq!(message, again);
}

/// Not canonical: written as `expected`, which is.
fn becomes(json: &str, expected: &str) {
    let message = Message::parse(json.as_bytes()).unwrap().value;
    assert_eq!(serde_json::to_string(&message).unwrap(), expected);
    let again = Message::parse(expected.as_bytes()).unwrap().value;
    assert_eq!(message, again);
}

fn fails(json: &str, kind: ReadErrorKind, expected: &str) {
    let error = Request::parse(json.as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected));
}

#[test]
fn every_block_survives() {
    let marker = r#""cache_control":{"type":"ephemeral"}"#;
    for block in [
        r#"{"type":"text","text":"a\u0000\"é😀"}"#,
        r#"{"type":"text","text":"","citations":[{"a" : 1}],"x":1,"y":null}"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#,
        r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#,
        r#"{"type":"image","source":{"type":"file","file_id":"file_1"}}"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"","new":1}}"#,
        r#"{"type":"image","source":{"type":"hologram","x": [1, 2]}}"#,
        r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"},"title":"t","context":"c","citations":{"enabled":true}}"#,
        r#"{"type":"document","source":{"type":"content","content":[{"type":"text", "text":"a"}]},"title":null}"#,
        r#"{"type":"tool_use","id":"1","name":"n","input":{ "b":1.0, "a":1e3 }}"#,
        r#"{"type":"tool_result","tool_use_id":"1"}"#,
        r#"{"type":"tool_result","tool_use_id":"1","content":"x","is_error":true}"#,
        r#"{"type":"tool_result","tool_use_id":"1","content":[{"type":"search_result","source":"s","title":"t","content":[]},{"type":"tool_reference","tool_name":"n"}],"is_error":false}"#,
        r#"{"type":"thinking","thinking":"hm","signature":"s=="}"#,
        r#"{"type":"redacted_thinking","data":"x","cache_control":{"type":"ephemeral"}}"#,
        r#"{"type":"server_tool_use", "id" : "1","nested":{"b":[],"a":{}}}"#,
        &format!(r#"{{"type":"text","text":"a","x":1,{marker}}}"#),
        r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h","scope":"global"}}"#,
        r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"5m"}}"#,
        r#"{"type":"text","text":"a","cache_control":{"type":"new","x" : 1}}"#,
    ] {
        canonical(block);
    }
}

#[test]
fn short_forms_become_blocks() {
    becomes(r#"{"content":"a","role":"user"}"#, &with_block(r#"{"type":"text","text":"a"}"#));
    becomes(
        r#"{ "x" : 1, "role" : "system", "content" : [ ] }"#,
        r#"{"role":"system","content":[],"x":1}"#,
    );
    becomes(
        &with_block(r#"{"cache_control":null,"text":"a","type":"text","z":1}"#),
        &with_block(r#"{"type":"text","text":"a","z":1}"#),
    );
    becomes(
        &with_block(r#"{"type":"tool_result","tool_use_id":"1","content":[]}"#),
        &with_block(r#"{"type":"tool_result","tool_use_id":"1"}"#),
    );
}

#[test]
fn a_whole_request_keeps_its_order() {
    let json = concat!(
        r#"{"model":"m","max_tokens":1,"stream":true,"temperature":0.5,"stop_sequences":["x"],"#,
        r#""thinking":{"type":"enabled","budget_tokens":1024,"display":"omitted"},"#,
        r#""tool_choice":{"type":"tool","name":"n","disable_parallel_tool_use":true},"#,
        r#""metadata":{"user_id" : "u"},"service_tier":"auto","output_config":{"effort":"low"},"#,
        r#""context_management":{"edits":[]},"cache_control":{"type":"ephemeral"},"#,
        r#""top_k":5,"container":null,"#,
        r#""tools":[{"type":"custom","name":"n","description":"d","input_schema":{ "type":"object" },"#,
        r#""strict":true,"defer_loading":true,"new":1,"cache_control":{"type":"ephemeral"}}],"#,
        r#""system":[{"type":"text","text":"s"}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}"#,
    );
    let request = Request::parse(json.as_bytes()).unwrap().value;
    assert_eq!(serde_json::to_string(&request).unwrap(), json);

    let short = r#"{"messages":[],"system":"s","max_tokens":1,"model":"m","tools":[]}"#;
    let request = Request::parse(short.as_bytes()).unwrap().value;
    assert_eq!(
        serde_json::to_string(&request).unwrap(),
        r#"{"model":"m","max_tokens":1,"system":[{"type":"text","text":"s"}],"messages":[]}"#
    );
}

#[test]
fn errors_have_the_place_and_the_fault() {
    use ReadErrorKind::{Duplicate, Missing, Shape, Syntax};
    let with = |messages: &str| format!(r#"{{"model":"m","max_tokens":1,"messages":{messages}}}"#);
    fails("[]", Shape, "expected an object, found []");
    fails("{", Syntax, "expected a key at line 1 column 2");
    fails("{}", Missing, "model: expected a string, found nothing");
    fails(
        r#"{"model":"m","max_tokens":"1","messages":[]}"#,
        Shape,
        r#"max_tokens: expected a whole number, found "1""#,
    );
    fails(
        r#"{"model":"m","model":"n","max_tokens":1,"messages":[]}"#,
        Duplicate,
        "model: expected one such key, found a second",
    );
    fails(
        r#"{"model":"m","max_tokens":1,"messages":[],"\ud800":1}"#,
        Syntax,
        r#"expected a key in Unicode, found "\ud800""#,
    );
    fails(&with("{}"), Shape, "messages: expected an array, found {}");
    fails(
        &with(r#"[{"role":"user","content":7}]"#),
        Shape,
        "messages[0].content: expected a string or an array of content blocks, found 7",
    );
    fails(
        &with(r#"[{"role":"user","content":[{"type":"image","source":[]}]}]"#),
        Shape,
        "messages[0].content[0].source: expected an object, found []",
    );
    fails(
        &with(r#"[{"role":"user","content":[{"text":"x"}]}]"#),
        Missing,
        "messages[0].content[0].type: expected a string, found nothing",
    );
    fails(
        &with(&format!(r#"[{{"role":"user","content":{{"a":"{}"}}}}]"#, "\u{9b}".repeat(60))),
        Shape,
        &format!(
            r#"messages[0].content: expected a string or an array of content blocks, found {{"a":"{}…"#,
            r"\u{9b}".repeat(34)
        ),
    );
}

#[test]
fn a_whole_number_has_any_spelling() {
    let of = |max_tokens: &str| {
        let json = format!(r#"{{"model":"m","max_tokens":{max_tokens},"messages":[]}}"#);
        Request::parse(json.as_bytes()).ok()?.value.max_tokens
    };
    for (json, number) in [
        ("8", Some(8)),
        ("8.0", Some(8)),
        ("8e0", Some(8)),
        ("18446744073709551615", Some(u64::MAX)),
        ("8.5", None),
        ("-8", None),
        ("\"8\"", None),
        ("1e300", None),
    ] {
        assert_eq!(of(json), number, "{json}");
    }
}

#[test]
fn a_lone_surrogate_becomes_the_replacement_character() {
    let json = with_block(r#"{"type":"text","text":"a\ud83d b\udc00\ud83d\ude00"}"#);
    let read = Message::parse(json.as_bytes()).unwrap();
    assert_eq!(
        serde_json::to_string(&read.value).unwrap(),
        with_block("{\"type\":\"text\",\"text\":\"a\u{fffd} b\u{fffd}\u{1f600}\"}")
    );
    let reported: Vec<_> = read.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(reported, ["content[0].text: a lone surrogate became U+FFFD"]);
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    canonical(&format!(r#"{{"type":"tool_use","id":"1","name":"n","input":{deep}}}"#));
}

#[test]
fn results_do_not_nest() {
    let open = r#"{"type":"tool_result","tool_use_id":"1","content":["#;
    let block = format!("{}{}", open.repeat(20_000), "]}".repeat(20_000));
    canonical(&block);
}

#[test]
fn a_null_marker_is_none_and_leaves_room_for_one() {
    for block in [
        r#"{"type":"text","text":"a","cache_control":null}"#,
        r#"{"type":"new","cache_control":null}"#,
    ] {
        let mut message = Message::parse(with_block(block).as_bytes()).unwrap().value;
        message.content[0].mark(CacheControl::EPHEMERAL);
        let json = serde_json::to_string(&message).unwrap();
        assert_eq!(json.matches("cache_control").count(), 1, "{json}");
    }
}

#[test]
fn a_list_of_tools() {
    let json = r#"[{"name":"n","input_schema":{"type":"object"}}]"#;
    let tools = Tool::parse_list(json.as_bytes()).unwrap().value;
    assert_eq!(serde_json::to_string(&tools).unwrap(), json);
}

#[test]
fn a_key_next_to_its_own_null_is_a_duplicate() {
    let json = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":null,"is_error":true}]}"#;
    let error = Message::parse(json.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Duplicate);
    assert_eq!(error.path(), "content[0].is_error");
}

#[test]
fn a_block_with_two_markers_keeps_the_last_and_gets_no_third() {
    let block = r#"{"type":"new","cache_control":{"type":"ephemeral"},"cache_control":null}"#;
    let json = with_block(block);
    let mut message = Message::parse(json.as_bytes()).unwrap().value;
    assert!(!message.content[0].is_markable());
    message.content[0].mark(CacheControl::EPHEMERAL);
    let last = with_block(r#"{"type":"new","cache_control":null}"#);
    assert_eq!(serde_json::to_string(&message).unwrap(), last);
}

#[test]
fn blocks_without_the_key_get_no_marker() {
    for (kind, expected) in
        [("fallback", false), ("mcp_tool_listing", false), ("mcp_tool_use", true)]
    {
        let json = with_block(&format!(r#"{{"type":"{kind}"}}"#));
        let message = Message::parse(json.as_bytes()).unwrap().value;
        assert_eq!(message.content[0].is_markable(), expected, "{kind}");
    }
}

#[test]
fn a_null_automatic_marker_leaves_room_for_one() {
    let json = r#"{"model":"m","max_tokens":1,"cache_control":null,"messages":[]}"#;
    let mut request = Request::parse(json.as_bytes()).unwrap().value;
    request.cache_control = Some(CacheControl::EPHEMERAL);
    let json = serde_json::to_string(&request).unwrap();
    assert_eq!(json.matches("cache_control").count(), 1, "{json}");
}

#[test]
fn null_content_reads_as_absent() {
    becomes(
        &with_block(r#"{"type":"tool_result","tool_use_id":"1","content":null,"x":null}"#),
        &with_block(r#"{"type":"tool_result","tool_use_id":"1","x":null}"#),
    );
    becomes(
        r#"{"role":"assistant","content":null,"tool_calls":[]}"#,
        r#"{"role":"assistant","content":[],"tool_calls":[]}"#,
    );
    let error = Message::parse(br#"{"role":"user"}"#).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Missing);
}

/// A null that was read must not double the key when a value is set later.
#[test]
fn no_key_is_written_twice() {
    let json = concat!(
        r#"{"model":"m","max_tokens":1,"metadata":null,"tools":null,"system":null,"#,
        r#""x":1,"x":2,"messages":[{"role":"user","a":1,"a":2,"content":[{"type":"tool_result","#,
        r#""tool_use_id":"1","content":null,"is_error":null}]}]}"#
    );
    let mut request = Request::parse(json.as_bytes()).unwrap().value;
    request.metadata = Some(RawJson::parse("{}").unwrap());
    request.system = vec![ContentBlock::text("s")];
    let message = &mut request.messages[0];
    message.extra.0.push(("role".to_owned(), RawJson::parse("7").unwrap()));
    let ContentBlock::ToolResult(result) = &mut message.content[0] else {
        unreachable!("it was read as a tool result")
    };
    result.content = ResultContent::Text("out".into());
    result.is_error = Some(true);
    let marker = ("cache_control".to_owned(), RawJson::parse("{}").unwrap());
    result.extra.0.push(marker);
    result.cache_control = Some(CacheControl::EPHEMERAL);
    let expected = concat!(
        r#"{"model":"m","max_tokens":1,"metadata":{},"tools":null,"x":2,"#,
        r#""system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"#,
        r#""type":"tool_result","tool_use_id":"1","content":"out","is_error":true,"#,
        r#""cache_control":{"type":"ephemeral"}}],"a":2}]}"#
    );
    assert_eq!(serde_json::to_string(&request).unwrap(), expected);

    // The body is put together from the same parts.
    let mut message = request.messages.remove(0);
    message.content[0].unmark();
    let parameters = Arc::new(request.clone());
    let body = Body::new(BodyParts {
        parameters: &parameters,
        tools: &Arc::new(Encoded::tools(Vec::new())),
        system: &Arc::new(Encoded::system(request.system, Vec::new())),
        history: &History::default(),
        tail: &[Arc::new(Encoded::message(message, Vec::new()))],
        markers: &[Marker {
            at: BlockRef::Message { message: 0, block: 0 },
            control: CacheControl::EPHEMERAL,
        }],
    });
    let body = String::from_utf8(body.unwrap().to_vec()).unwrap();
    assert_eq!(body, expected);
}
