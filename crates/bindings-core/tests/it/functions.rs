//! Results, and errors in inputs and options.

use aside_bindings_core::local::LogRows;
use aside_bindings_core::{BindingErrorKind, CacheSession, FUNCTIONS, call};

use super::{MORE, body, facts, facts_with, message};

#[test]
fn a_check_has_the_findings_of_the_wire() {
    let found = facts("check", &[r#"{"model":"claude-opus-5-5","max_tokens":8,"messages":[]}"#]);
    assert_eq!((&found["wire"], &found["reason"]), (&"messages".into(), &"model".into()));
    assert_eq!(found["findings"][0]["level"], "refused");
    let body = r#"{"model":"my-model","messages":[{"role":"user","content":"Hi"}]}"#;
    let found = facts_with("check", &[body], r#"{"wire":"chat-completions"}"#).unwrap();
    assert_eq!(found["reason"], "wire");
}

#[test]
fn marks_are_in_the_body_and_in_the_list() {
    let body = r#"{"model":"claude-opus-5-5","max_tokens":8,"system":"Be kind.","messages":[{"role":"user","content":"Hi"}]}"#;
    let marked = call("mark", &[body.as_bytes()], b"").unwrap();
    assert_eq!(marked.json, call("plan", &[body.as_bytes()], b"").unwrap().json);
    let text = String::from_utf8(marked.body.unwrap()).unwrap();
    assert_eq!(text.matches("cache_control").count(), 2, "{text}");
}

#[test]
fn a_reminder_changes_the_last_user_message_only() {
    let before = r#"[{"x":1.0,"role":"user","content":"A"}, {"role":"user","content":"B"},{"role":"assistant","content":"C"}]"#;
    let output =
        call("inject", &[before.as_bytes(), b"Be </system-reminder> brief."], b"").unwrap();
    let after = String::from_utf8(output.body.unwrap()).unwrap();
    assert!(
        after.starts_with(r#"[{"x":1.0,"role":"user","content":"A"}, {"role":"user","#),
        "{after}"
    );
    assert!(after.ends_with(r#",{"role":"assistant","content":"C"}]"#), "{after}");
    assert_eq!(after.matches("</system-reminder>").count(), 1, "{after}");
}

fn injected(messages: &str, reminder: &str) -> String {
    let output = call("inject", &[messages.as_bytes(), reminder.as_bytes()], b"").unwrap();
    String::from_utf8(output.body.unwrap()).unwrap()
}

#[test]
fn a_reminder_for_any_wire_keeps_the_prefix() {
    const REMINDER: &str = r"<system-reminder>\nBe brief.\n</system-reminder>";
    // A string stays one: Responses has another type of text block.
    let plain = r#"[{"role":"user","content":"Hi"}]"#;
    let expected = plain.replace("Hi", &format!(r"Hi\n{REMINDER}"));
    assert_eq!(injected(plain, "Be brief."), expected);
    let tool = r#"{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}"#;
    let chat = format!(
        r#"[{{"role":"user","content":"Hi"}},{{"role":"assistant","tool_calls":[{tool}]}},{{"role":"tool","tool_call_id":"c","content":"A"}} ]"#
    );
    let responses = r#"[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"A"}]"#;
    let image = r#"[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}]"#;
    for (messages, body) in [
        (&*chat, r#"{"model":"gpt-5.5","messages":"#),
        (responses, r#"{"model":"gpt-5.5","input":"#),
        (image, r#"{"model":"gpt-5.5","input":"#),
    ] {
        let after = injected(messages, "Be brief.");
        let kept = messages.strip_suffix(']').unwrap();
        assert_eq!(after, format!(r#"{kept},{{"content":"{REMINDER}","role":"user"}}]"#));
        assert_eq!(message("accepted", &[&format!("{body}{after}}}")], ""), "");
    }
    let gemini = r#"[{"role":"user","parts":[{"text":"Hi"}]}]"#;
    let error = facts_with("inject", &[gemini, "Be brief."], "").unwrap_err();
    assert_eq!(error.kind, BindingErrorKind::Refused, "{error}");
}

#[test]
fn an_empty_reminder_is_not_sent() {
    let messages = r#"[ {"role":"user","content":"Hi"} ]"#;
    for reminder in ["", " \n"] {
        assert_eq!(injected(messages, reminder), messages);
    }
    facts_with("inject", &["{}", ""], "").unwrap_err();
}

#[test]
fn a_session_explains_one_request_after_the_other() {
    let rules = "Be kind. ".repeat(1_000);
    let mut session = CacheSession::default();
    session.send(body(&rules, "").as_bytes(), b"").unwrap();
    let output = session.send(
        body(&rules, MORE).as_bytes(),
        br#"{"usage":{"input_tokens":9,"cache_read_input_tokens":2000,"output_tokens":1}}"#,
    );
    let row: serde_json::Value = serde_json::from_slice(&output.unwrap().json).unwrap();
    assert_eq!((&row["request"], &row["at"]), (&2.into(), &30.0.into()));
    assert!(row["predicted"]["hit"]["tokens"].as_u64() > Some(1_000), "{row}");
    assert_eq!(row["recorded"]["read"], 2_000);
}

#[test]
fn a_refused_request_does_not_count() {
    let body = body("Be kind.", "");
    let mut session = CacheSession::default();
    session.send(body.as_bytes(), br#"{"at":10}"#).unwrap();
    for (body, options) in [
        (body.as_str(), r#"{"at":10000,"usage":{"x":1}}"#),
        (&body, r#"{"at":10000,"latency":-1}"#),
        (&body, r#"{"at":-1}"#),
        ("[]", r#"{"at":10000}"#),
    ] {
        session.send(body.as_bytes(), options.as_bytes()).unwrap_err();
    }
    let output = session.send(body.as_bytes(), b"").unwrap();
    let row: serde_json::Value = serde_json::from_slice(&output.json).unwrap();
    assert_eq!((&row["request"], &row["at"]), (&2.into(), &40.0.into()));
}

#[test]
fn requests_are_explained_in_the_order_of_their_times() {
    let rules = "Be kind. ".repeat(1_000);
    let (first, second) = (body(&rules, ""), body(&rules, MORE));
    let explain = |bodies: &[&str], options: &str| facts_with("explain", bodies, options);
    let sorted = explain(&[&first, &second, &second], r#"{"at":[0,100,1000]}"#).unwrap();
    let mut turned = explain(&[&second, &first, &second], r#"{"at":[1000,0,100]}"#).unwrap();
    for (index, place) in [2, 3, 1].into_iter().enumerate() {
        let row = &mut turned["requests"][index];
        assert_eq!(row["request"], place);
        row["request"] = (index + 1).into();
        // The parent is the body at this index.
        if let Some(parent) = row["predicted"]["parent"].get_mut("index") {
            assert_eq!(*parent, index);
            *parent = (index - 1).into();
        }
    }
    assert_eq!(turned, sorted);
    assert!(sorted["requests"][1]["predicted"]["miss"].is_null(), "{sorted}");
    // A request without a time comes after the one before it, and equal times keep their order.
    let found = explain(&[&first, &second, &second], r#"{"at":[60,null,0]}"#).unwrap();
    let times: Vec<_> = (0..3).map(|index| found["requests"][index]["at"].as_f64()).collect();
    assert_eq!(times, [Some(0.0), Some(60.0), Some(90.0)]);
    let error = explain(&["{}", &first], r#"{"at":[9,0]}"#).unwrap_err();
    assert_eq!(error.path, "requests[0]");
}

#[test]
fn a_list_of_times_has_one_for_each_request() {
    let body = body("Be kind.", "");
    facts_with("explain", &[&body, &body], r#"{"at":[]}"#).unwrap();
    for at in ["[5]", "[0,1,2]"] {
        let options = format!(r#"{{"at":{at}}}"#);
        let error = facts_with("explain", &[&body, &body], &options).unwrap_err();
        assert_eq!(error.kind, BindingErrorKind::Option);
        assert!(error.message.ends_with("times for 2 requests"), "{error}");
    }
}

#[test]
fn other_functions_have_results() {
    let body = body("Be kind.", "");
    assert_eq!(facts("context", &[&body])["bytes"], body.len());
    assert_eq!(facts("diff", &[&body, &body])["relation"], "identical");
    assert!(facts("estimate", &["a few words"])["tokens"].as_u64() > Some(1));
    let models = facts_with("models", &[], r#"{"ids":["claude-opus-5-5"]}"#).unwrap();
    assert_eq!(models["models"][0]["id"], "claude-opus-5-5");
    let converted = call("convert", &[body.as_bytes()], br#"{"to":"openai"}"#).unwrap();
    assert!(String::from_utf8(converted.body.unwrap()).unwrap().starts_with(r#"{"model":"gpt"#));
    let unknown = body.replacen('{', r#"{"no_key":1,"#, 1);
    let error = call("convert", &[unknown.as_bytes()], br#"{"to":"messages"}"#).unwrap_err();
    assert_eq!(error.kind, BindingErrorKind::Refused, "{error}");
    let stream = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let error = facts_with("convert_stream", &[stream], r#"{"from":"first-party"}"#).unwrap_err();
    assert_eq!(error.kind, BindingErrorKind::Shape);
    let text = call("neutralize", &[b"a<system-reminder>b"], b"").unwrap().body.unwrap();
    assert_eq!(text, b"a&lt;system-reminder>b");
    let lines = call("readable", &[body.as_bytes()], b"").unwrap().body.unwrap();
    assert!(String::from_utf8(lines).unwrap().contains("| Be kind."));
}

#[test]
fn local_functions_read_the_directory() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let directory = project.path().to_str().unwrap();
    let found = facts("memory", &[directory]);
    assert_eq!(found["files"][0]["text"], "Use tabs.");
    assert!(facts("git_state", &[directory])["text"].is_null());
    // The working directory of a test is that of the package.
    assert!(facts("memory", &["."])["files"].is_array());
    let error = facts_with("memory", &[directory], r#"{"agent":"nobody"}"#).unwrap_err();
    assert_eq!(error.kind, BindingErrorKind::Option);
}

#[test]
fn a_log_that_cannot_be_opened_is_an_error_before_the_first_row() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("a.jsonl");
    std::fs::write(&log, "").unwrap();
    LogRows::new(&[log.clone(), directory.path().to_owned()], None).unwrap();
    let missing = directory.path().join("missing.jsonl");
    for path in [missing, directory.path().join("*.har")] {
        let error = LogRows::new(&[log.clone(), path.clone()], None).unwrap_err();
        assert_eq!(error.kind, BindingErrorKind::Local);
        assert_eq!(error.path, path.to_str().unwrap());
    }
}

#[test]
fn a_deep_value_needs_no_stack_of_the_caller() {
    // As deep as a body may be: what is around the value takes the other levels.
    let deep = |leaf: u8| {
        let value = format!("{}{leaf}{}", "[".repeat(500), "]".repeat(500));
        body(
            "Be kind.",
            &format!(
                r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_1","name":"n","input":{{"a":{value}}}}}]}}"#
            ),
        )
    };
    let (one, other) = (deep(1), deep(2));
    let calls = move || {
        for name in ["diff", "explain", "no_cache_miss", "same_meaning"] {
            call(name, &[one.as_bytes(), other.as_bytes()], b"").unwrap();
        }
        for name in ["check", "context", "readable", "mark"] {
            call(name, &[one.as_bytes()], b"").unwrap();
        }
        CacheSession::default().send(one.as_bytes(), b"").unwrap();
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(calls).unwrap().join().unwrap();
}

#[test]
fn bad_inputs_and_options_are_errors() {
    let error = facts_with("context", &["{\n \"a\" 1}"], "").unwrap_err();
    assert_eq!((error.kind, error.line), (BindingErrorKind::Syntax, Some(2)));
    let error = facts_with("context", &["[1]"], "").unwrap_err();
    assert_eq!(error.kind, BindingErrorKind::Shape);
    assert_eq!(error.message, "no request body: expected an object");
    let error =
        facts_with("mark", &[r#"{"model":"m","max_tokens":1,"messages":1}"#], "").unwrap_err();
    assert_eq!((error.kind, error.path.as_str()), (BindingErrorKind::Shape, "messages"));
    let responses = r#"{"model":"gpt-5.5","input":"Hi"}"#;
    for (name, body) in [("plan", responses), ("mark", responses), ("mark", &body("", ""))] {
        facts_with(name, &[body], r#"{"ttl":"1h"}"#).unwrap();
        let error = facts_with(name, &[body], r#"{"ttl":"2h"}"#).unwrap_err();
        assert_eq!(error.message, r#"ttl: "2h": expected 5m or 1h"#);
    }
    for function in FUNCTIONS {
        let error = call(function.name, &[&b"{}"[..]; 9], br#"{"no_such":1}"#).unwrap_err();
        assert!(!error.message.is_empty());
    }
    let body = body("Be kind.", "");
    let error = facts_with("explain", &[&body, "{}"], "").unwrap_err();
    assert_eq!(error.path, "requests[1]");
    let error = call("chek", &[], b"").unwrap_err();
    assert_eq!(error.to_string(), r#"there is no function "chek""#);
}

#[test]
fn text_that_is_not_json_has_a_line_in_every_function() {
    let check = |name: &str, inputs: &[&str], options: &str| {
        let error = facts_with(name, inputs, options).unwrap_err();
        let found = (error.kind, error.line);
        assert_eq!(found, (BindingErrorKind::Syntax, Some(2)), "{name}: {error}");
    };
    let (colon, tab) =
        ("{\n \"model\" 1}", "{\n \"max_tokens\":8,\"model\":\"a\tb\",\"messages\":[]}");
    for name in ["diff", "same_meaning"] {
        check(name, &[&body("Be kind.", ""), colon], "");
    }
    check("context", &[colon], "");
    check("readable", &[colon], "");
    for bad in [colon, tab] {
        check("plan", &[bad], "");
        check("mark", &[bad], "");
        check("inject", &[bad, "Be brief."], "");
        check("convert", &[bad], r#"{"to":"openai"}"#);
        check("convert", &[bad], r#"{"to":"openai","from":"responses"}"#);
    }
}

#[test]
fn text_that_would_be_lost_is_refused() {
    let half = body("Be kind. \\ud800", "");
    let messages = r#"[{"role":"user","content":"a \ud800"}]"#;
    for (name, inputs, path) in [
        ("mark", &[half.as_str()][..], "system[0].text"),
        ("plan", &[&half], "system[0].text"),
        ("inject", &[messages, "Be brief."], "[0].content"),
    ] {
        let error = facts_with(name, inputs, "").unwrap_err();
        assert_eq!((error.kind, error.path.as_str()), (BindingErrorKind::Shape, path), "{name}");
    }
    let pair = messages.replace(r"\ud800", r"\ud83c\udf88");
    call("inject", &[pair.as_bytes(), b"Be brief."], b"").unwrap();
}

#[test]
fn a_body_of_gemini_has_no_markers() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#;
    for name in ["plan", "mark"] {
        let error = facts_with(name, &[body], "").unwrap_err();
        assert_eq!(error.kind, BindingErrorKind::Refused);
        let message = "read as Gemini generateContent: it has no cache markers";
        assert_eq!(error.message, message);
    }
}
