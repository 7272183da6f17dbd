//! Other wires' bodies and histories: when you read them and write them again, you get the same.

use aside_body::wire::of_shape;
use aside_messages::wire::{ContentBlock, Request};
use aside_models::Wire;
use aside_providers::{
    ImportErrorKind, Options, Provider, convert, from_gemini, from_openai, from_responses, import,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Each wire, a model on it, its form, and its reasoning's seal.
const WIRES: [(Provider, &str, Wire, &str); 7] = [
    (Provider::OpenAi, "gpt-5.2", Wire::ChatCompletions, ""),
    (Provider::OpenAi, "gpt-5.5", Wire::Responses, "openai-responses:"),
    (Provider::OpenAi, "gpt-6.2-sol", Wire::Responses, "openai-responses:"),
    (Provider::OpenAi, "gpt-6-luna", Wire::Responses, "openai-responses:"),
    (Provider::Grok, "grok-4.5", Wire::Responses, "xai-responses:"),
    (Provider::Gemini, "gemini-2.5-flash", Wire::GenerateContent, "gemini:"),
    (Provider::Gemini, "gemini-4-argon", Wire::GenerateContent, "gemini:"),
];

fn written(request: &Request, provider: Provider, model: &str) -> String {
    let outgoing = convert(request, provider, &Options::for_model(model)).unwrap();
    String::from_utf8(outgoing.body()).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    "[a-zé<\\\\\" \n]{0,8}[a-z]"
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// One model turn, and the user turn after it.
#[derive(Clone, Debug)]
struct Turn {
    thought: bool,
    reply: Option<String>,
    calls: Vec<(&'static str, String)>,
    output: String,
    is_error: bool,
    has_image: bool,
    asked: String,
}

fn turn() -> impl Strategy<Value = Turn> {
    let id = select(vec!["call_{}", "toolu_{}x", "functions.Read:{}", "a-{}"]);
    (
        any::<bool>(),
        proptest::option::of(text()),
        vec((id, text()), 0..3),
        text(),
        any::<bool>(),
        any::<bool>(),
        text(),
    )
        .prop_map(|(thought, reply, calls, output, is_error, has_image, asked)| Turn {
            thought,
            reply,
            calls,
            output,
            is_error,
            has_image,
            asked,
        })
}

/// Builds a request with these turns. Ids are in the Messages API's form.
fn request(turns: &[Turn], seal: &str, parameters: &str) -> Request {
    let mut messages = vec![r#"{"role":"user","content":"Begin."}"#.to_owned()];
    for (number, turn) in turns.iter().enumerate() {
        let mut blocks = Vec::new();
        if turn.thought && seal.ends_with("responses:") {
            let item = format!(
                r#"{seal}{{"type":"reasoning","id":"rs_{number}","summary":[{{"type":"summary_text","text":"Hm."}}],"encrypted_content":"e{number}"}}"#
            );
            let signature = quoted(&item);
            blocks
                .push(format!(r#"{{"type":"thinking","thinking":"Hm.","signature":{signature}}}"#));
        } else if turn.thought && seal == "gemini:" {
            blocks.push(
                r#"{"type":"thinking","thinking":"Hm.","signature":"gemini:QQ=="}"#.to_owned(),
            );
        }
        let reply =
            turn.reply.clone().or_else(|| turn.calls.is_empty().then(|| "Done.".to_owned()));
        if let Some(reply) = reply {
            blocks.push(format!(r#"{{"type":"text","text":{}}}"#, quoted(&reply)));
        }
        let mut answers = Vec::new();
        for (place, (form, argument)) in turn.calls.iter().enumerate() {
            let plain = form.replace("functions.Read:{}", "xid_functions_2eRead_3a{}");
            let id = plain.replace("{}", &format!("{number}{place}"));
            let argument = quoted(argument);
            blocks.push(format!(
                r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"b": {argument}, "a":1e1}}}}"#
            ));
            let image = if turn.has_image {
                r#",{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}"#
            } else {
                ""
            };
            let (output, is_error) = (quoted(&turn.output), turn.is_error);
            answers.push(format!(
                r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error},"content":[{{"type":"text","text":{output}}}{image}]}}"#
            ));
        }
        answers.push(format!(r#"{{"type":"text","text":{}}}"#, quoted(&turn.asked)));
        messages.push(format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(",")));
        messages.push(format!(r#"{{"role":"user","content":[{}]}}"#, answers.join(",")));
    }
    let json = format!(
        r#"{{"model":"m","max_tokens":99{parameters},"tools":[{{"name":"Read","description":"d","input_schema":{{"type":"object","properties":{{"b":{{"type":"string"}}}}}}}}],"system":"Be brief.","messages":[{}]}}"#,
        messages.join(",")
    );
    Request::parse(json.as_bytes()).unwrap().value
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Every feature of a wire survives being read and written again, byte for byte.
    #[test]
    fn there_and_back_again(turns in vec(turn(), 0..5)) {
        for (provider, model, form, seal) in WIRES {
            let body = written(&request(&turns, seal, ""), provider, model);
            prop_assert_eq!(of_shape(body.as_bytes()), Some(form));
            let imported = import(body.as_bytes()).unwrap();
            prop_assert_eq!(imported.wire, form);
            let again = written(&imported.request, provider, model);
            prop_assert_eq!(&again, &body, "{} {:?}", model, imported.losses);
        }
    }

    /// Any JSON with a likely shape: no panic, and no hang.
    #[test]
    fn anything_is_read_or_refused(json in "(\\{|\\}|\\[|\\]|\"role\":|\"type\":|\"user\"|\"message\"|\"input\":|\"messages\":|\"contents\":|\"parts\":|,|1|null){0,24}") {
        for read in [from_openai, from_responses, from_gemini, import] {
            let _ = read(json.as_bytes());
        }
    }
}

#[test]
fn parameters_come_back() {
    let all = r#","stream":true,"tool_choice":{"type":"tool","name":"Read","disable_parallel_tool_use":true},"metadata":{"user_id":"u"},"service_tier":"standard_only","output_config":{"effort":"high","format":{"type":"json_schema","schema":{"type":"object","properties":{},"additionalProperties":false}}}"#;
    let thinks = format!(r#"{all},"thinking":{{"type":"adaptive"}}"#);
    for (provider, model, _, seal) in WIRES {
        let is_openai = matches!(provider, Provider::OpenAi | Provider::Grok);
        // On Chat Completions, thinking has no parameter of its own.
        let parameters = if seal.is_empty() { all } else { &thinks };
        let body = written(&request(&[], seal, parameters), provider, model);
        let imported = import(body.as_bytes()).unwrap();
        assert_eq!(imported.losses, [], "{model}");
        assert_eq!(written(&imported.request, provider, model), body);
        assert_eq!(imported.request.metadata.is_some(), is_openai);
    }
}

/// Both breakpoint lifetimes, on a text and at an output's end.
#[test]
fn markers_come_back() {
    let marker = |ttl: &str| format!(r#""cache_control":{{"type":"ephemeral"{ttl}}}"#);
    let (short, long) = (marker(""), marker(r#","ttl":"1h""#));
    let json = format!(
        r#"{{"model":"m","max_tokens":99,"messages":[
            {{"role":"user","content":[{{"type":"text","text":"Hi",{long}}}]}},
            {{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"Now","input":{{}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":"12:00",{short}}}]}}]}}"#
    );
    let request = Request::parse(json.as_bytes()).unwrap().value;
    let body = written(&request, Provider::OpenAi, "gpt-6.2-sol");
    assert_eq!(body.matches("prompt_cache_breakpoint").count(), 2);
    assert_eq!(body.matches(r#""ttl":"12h""#).count(), 1);
    let imported = import(body.as_bytes()).unwrap();
    assert_eq!(imported.losses, []);
    let again = written(&imported.request, Provider::OpenAi, "gpt-6.2-sol");
    assert_eq!(again, body);
}

/// Only Responses allows a message between a call and its output.
/// The texts of two messages, or of two parts, are no pieces of one text; those of the Messages
/// API are, if it split them at citations.
#[test]
fn texts_of_the_model_stay_apart() {
    let chat = r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"I will look."},{"role":"assistant","content":"Done."},{"role":"user","content":"b"}]}"#;
    let read = from_openai(chat.as_bytes()).unwrap().request;
    let sent = written(&read, Provider::OpenAi, "gpt-4.1");
    assert!(sent.contains(r#"{"role":"assistant","content":"I will look.\n\nDone."}"#), "{sent}");
    let two = r#"{"type":"message","role":"assistant","content":"I will look."},{"type":"message","role":"assistant","content":"Done."}"#;
    let parts = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will look."},{"type":"output_text","text":"Done."}]}"#;
    let phase = |items: &str| items.replace(r#""}"#, r#"","phase":"commentary"}"#);
    let phased = parts.replace("]}", r#"],"phase":"commentary"}"#);
    for (items, expected) in
        [(two, two), (parts, two), (&phase(two), &phase(two)), (&phased, &phase(two))]
    {
        let body = format!(
            r#"{{"model":"gpt-6.2-sol","input":[{{"type":"message","role":"user","content":"a"}},{items},{{"type":"message","role":"user","content":"b"}}]}}"#
        );
        let read = from_responses(body.as_bytes()).unwrap().request;
        let sent = written(&read, Provider::OpenAi, "gpt-6.2-sol");
        assert!(sent.contains(expected), "{items}: {sent}");
    }
    let cited = r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"It is "},{"type":"text","text":"blue","citations":[]},{"type":"text","text":"."}]},{"role":"user","content":"b"}]}"#;
    let cited = Request::parse(cited.as_bytes()).unwrap().value;
    for model in ["gpt-4.1", "gpt-6.2-sol"] {
        let sent = written(&cited, Provider::OpenAi, model);
        assert!(sent.contains(r#""content":"It is blue.""#), "{sent}");
    }
}

#[test]
fn an_output_is_moved_to_its_call() {
    let history = r#"[
        {"role":"user","content":"Hi"},
        {"type":"function_call","call_id":"a","name":"Now","arguments":"{}"},
        {"type":"message","role":"user","content":[{"type":"input_text","text":"And?"}]},
        {"type":"function_call_output","call_id":"a","output":"12:00"},
        {"type":"function_call_output","call_id":"b","output":"lost"},
        {"type":"web_search_call","id":"ws_1","status":"completed","action":{}}]"#;
    let imported = import(history.as_bytes()).unwrap();
    let messages = serde_json::to_string(&imported.request.messages).unwrap();
    assert_eq!(
        messages,
        r#"[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Now","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"12:00"},{"type":"text","text":"And?"}]}]"#
    );
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "input[5]: left out: the Messages API has no counterpart",
            "input[3].output: moved directly behind its call",
            "input[4].output: left out: no call before it waits for this output",
        ]
    );
}

#[test]
fn late_results_come_directly_after_their_calls() {
    let call = |id: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{id}"}}"#);
    let text = |role: &str| format!(r#"{{"role":"{role}","content":"text"}}"#);
    let messages = [
        text("user"),
        format!(r#"{{"role":"assistant","tool_calls":[{},{}]}}"#, call("a"), call("b")),
        text("system"),
        result("b"),
        text("assistant"),
        format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, call("c")),
        result("a"),
        result("c"),
        text("user"),
        result("c"),
    ];
    let body = format!(r#"{{"model":"m","max_tokens":9,"messages":[{}]}}"#, messages.join(","));
    let imported = from_openai(body.as_bytes()).unwrap();
    let losses: Vec<_> = imported.losses.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(losses, ["messages[3].content", "messages[6].content", "messages[9].content"]);
    let shown = imported.request.messages.iter().map(|message| {
        let blocks = message.content.iter().map(|block| match block {
            ContentBlock::ToolUse(call) => format!(" call {}", call.id),
            ContentBlock::ToolResult(result) => format!(" result {}", result.tool_use_id),
            _ => " text".to_owned(),
        });
        format!("{:?}:{}", message.role, blocks.collect::<String>())
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "User: text",
            "Assistant: call a call b",
            "User: result b result a",
            "System: text",
            "Assistant: text call c",
            "User: result c text",
        ]
    );
}

#[test]
fn of_a_doubled_key_the_last_value_counts() {
    let body = r#"{"model":"a","max_tokens":9,"model":"b","messages":[
        {"role":"user","content":"one","content":"two"}]}"#;
    let imported = from_openai(body.as_bytes()).unwrap();
    assert_eq!(imported.request.model, "b");
    let expected = ContentBlock::text("two");
    assert_eq!(imported.request.messages[0].content, [expected]);
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    let twice = |path: &str| format!("{path}: written twice: the last one is kept");
    assert_eq!(losses, ["messages[0].content", "model"].map(twice));
}

/// Some servers count each response's calls from 0.
#[test]
fn repeated_ids_of_calls_become_different() {
    let calls = |names: &[&str]| {
        let call = |name| {
            format!(
                r#"{{"id":"call_0","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#
            )
        };
        let calls: Vec<_> = names.iter().map(call).collect();
        format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, calls.join(","))
    };
    let result = |text| format!(r#"{{"role":"tool","tool_call_id":"call_0","content":"{text}"}}"#);
    let user = r#"{"role":"user","content":"Hi"}"#.to_owned();
    let messages = [
        calls(&["interrupted"]),
        user,
        calls(&["a", "b"]),
        result("of a"),
        result("of b"),
        calls(&["c"]),
        result("of c"),
    ];
    let body = format!(r#"{{"model":"m","max_tokens":9,"messages":[{}]}}"#, messages.join(","));
    let imported = from_openai(body.as_bytes()).unwrap();
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "messages[2].tool_calls[0]: an earlier call has this id: sent as call_0_2",
            "messages[2].tool_calls[1]: an earlier call has this id: sent as call_0_3",
            "messages[5].tool_calls[0]: an earlier call has this id: sent as call_0_4",
            "messages[0].tool_calls[0]: no result: an error result was added",
        ]
    );
    let blocks = imported.request.messages.iter().flat_map(|it| &it.content);
    let ids = blocks.filter_map(|block| match block {
        ContentBlock::ToolUse(call) => Some(format!("{} {}", call.id, call.name)),
        ContentBlock::ToolResult(result) => {
            let text = serde_json::to_string(&result.content).unwrap();
            Some(format!("{} {text}", result.tool_use_id))
        }
        _ => None,
    });
    assert_eq!(
        ids.collect::<Vec<_>>(),
        [
            "call_0 interrupted",
            r#"call_0 [{"type":"text","text":"[No result: the call was interrupted, or its result was lost.]"}]"#,
            "call_0_2 a",
            "call_0_3 b",
            "call_0_2 \"of a\"",
            "call_0_3 \"of b\"",
            "call_0_4 c",
            "call_0_4 \"of c\"",
        ]
    );
}

/// A Gemini history may mix calls with and without ids.
#[test]
fn an_id_for_a_call_without_one_is_new() {
    let body = r#"{"contents":[
        {"role":"user","parts":[{"text":"Hi"}]},
        {"role":"model","parts":[{"functionCall":{"name":"f","id":"call_1"}},{"functionCall":{"name":"f"}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"second"}}},{"functionResponse":{"name":"f","id":"call_1","response":{"output":"first"}}}]}]}"#;
    let imported = from_gemini(body.as_bytes()).unwrap();
    let messages = serde_json::to_string(&imported.request.messages[1..]).unwrap();
    let id = "call_without_id_1";
    assert_eq!(
        messages,
        format!(
            r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"call_1","name":"f","input":{{}}}},{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"second"}},{{"type":"tool_result","tool_use_id":"call_1","content":"first"}}]}}]"#
        )
    );
}

#[test]
fn a_call_without_an_id_gets_none_at_gemini() {
    let contents = r#"[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"id":"call_1","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"first"}}},{"functionResponse":{"id":"call_1","name":"f","response":{"output":"second"}}}]}]"#;
    let body = format!(r#"{{"contents":{contents}}}"#);
    let imported = from_gemini(body.as_bytes()).unwrap();
    assert_eq!(imported.losses.len(), 1, "{:?}", imported.losses);
    let sent = written(&imported.request, Provider::Gemini, "gemini-2.5-flash");
    assert!(sent.contains(contents), "{sent}");
    let sent = written(&imported.request, Provider::OpenAi, "gpt-4.1");
    assert_eq!(sent.matches("call_without_id_0").count(), 2, "{sent}");
}

#[test]
fn forms_are_recognized() {
    let check = |json: &str, expected| assert_eq!(of_shape(json.as_bytes()), expected, "{json}");
    let user = r#"{"role":"user","content":"Hi"}"#;
    check(&format!("[{user}]"), Some(Wire::Messages));
    check(&format!(r#"{{"model":"m","max_tokens":1,"messages":[{user}]}}"#), Some(Wire::Messages));
    check(
        &format!(r#"{{"model":"m","max_completion_tokens":1,"messages":[{user}]}}"#),
        Some(Wire::ChatCompletions),
    );
    check(
        r#"{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]}"#,
        Some(Wire::ChatCompletions),
    );
    check(r#"{"model":"m","input":"Hi"}"#, Some(Wire::Responses));
    check(r#"[{"type":"message","role":"user","content":"Hi"}]"#, Some(Wire::Responses));
    check(r#"[{"role":"user","parts":[{"text":"Hi"}]}]"#, Some(Wire::GenerateContent));
    check("7", None);
    check("{", None);
}

#[test]
fn faults_have_a_place() {
    let check = |json: &str, kind, expected: &str| {
        let error = import(json.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected));
    };
    check(
        r#"{"input":[{"type":"function_call","call_id":"a","name":"b","arguments":{}}]}"#,
        ImportErrorKind::Shape,
        "input[0].arguments: expected a string",
    );
    check(
        r#"{"contents":[{"parts":[{"functionCall":{"args":{}}}],"role":"model"}]}"#,
        ImportErrorKind::Shape,
        "contents[0].parts[0].functionCall.name: expected a string",
    );
    check(
        r#"{"messages":[{"role":"user","content":"Hi"}]}"#,
        ImportErrorKind::Form,
        "expected a body or a history of Chat Completions, Responses or Gemini",
    );
}

/// The API refuses a second item with the same id.
#[test]
fn an_item_with_the_id_of_an_earlier_one_is_left_out() {
    let item = |id: &str, text: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","role":"assistant","status":"completed","content":[{{"type":"output_text","text":"{text}","annotations":[]}}]}}"#
        )
    };
    let history = format!(
        r#"[{{"role":"user","content":"Hi"}},{},{},{},{}]"#,
        item("msg_1", "a"),
        item("msg_1", "a"),
        item("msg_2", "b"),
        item("msg_1", "c"),
    );
    let imported = import(history.as_bytes()).unwrap();
    let texts = ["a", "b", "c"].map(ContentBlock::text);
    assert_eq!(imported.request.messages[1].content, texts);
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "input[2]: left out: an earlier item is the same",
            "input[4].id: left out: an earlier item has the id"
        ]
    );
    // The id of reasoning is sent again.
    let reasoning = |text: &str| {
        format!(r#"{{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"{text}"}}"#)
    };
    let call = |id: &str| {
        format!(
            r#"{{"type":"function_call","id":"fc_1","call_id":"{id}","name":"f","arguments":"{{}}"}},{{"type":"function_call_output","call_id":"{id}","output":"{id}"}}"#
        )
    };
    let (first, second) = (reasoning("e"), reasoning("f"));
    let history = format!("[{first},{},{second},{}]", call("c1"), call("c2"));
    let request = import(history.as_bytes()).unwrap().request;
    let sent = written(&request, Provider::OpenAi, "gpt-6.2-sol");
    assert_eq!(sent.matches("rs_1").count(), 1, "{sent}");
    for content in [r#""e""#, r#""f""#, r#""text":"c1""#, r#""text":"c2""#] {
        assert!(sent.contains(content), "{sent}");
    }
}

/// Google's servers take both alphabets of base64, the other vendors the standard one with padding.
#[test]
fn data_of_gemini_are_standard_base64() {
    for (given, read) in [("-_8=", "+/8="), ("-_8", "+/8="), ("+/8", "+/8"), ("-!", "+!==")] {
        let part = format!(r#"{{"inlineData":{{"mimeType":"image/png","data":"{given}"}}}}"#);
        let results = format!(
            r#"{{"contents":[{{"role":"user","parts":[{part}]}},
            {{"role":"model","parts":[{{"functionCall":{{"name":"f"}}}}]}},
            {{"role":"user","parts":[{{"functionResponse":{{"name":"f","parts":[{part}]}}}}]}}],
            "generationConfig":{{"maxOutputTokens":9}}}}"#
        );
        let imported = import(results.as_bytes()).unwrap();
        let request = serde_json::to_string(&imported.request).unwrap();
        assert_eq!(request.matches(&format!(r#""data":"{read}""#)).count(), 2, "{request}");
    }
}
