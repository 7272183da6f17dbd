//! Assertions: each holds when all is right, and fails for a seeded fault.

use aside_bindings_core::call;

use super::{MORE, body, message};

#[test]
fn a_refused_body_names_rule_byte_and_both_values() {
    assert_eq!(message("accepted", &[&body("Be kind.", "")], ""), "");
    let bad = body("Be kind.", r#",{"role":"assistant","content":"Yes","x":1}"#);
    let message = message("accepted", &[&bad], "");
    let at = bad.find(r#"1}"#).unwrap();
    assert!(message.contains(&format!("messages[1].x at byte {at}")), "{message}");
    assert!(message.contains("    found   : "), "{message}");
    assert!(message.contains("    expected: "), "{message}");
}

#[test]
fn a_clock_in_the_system_text_is_found_in_short_and_long_prompts() {
    let long = "Be kind. ".repeat(1_000);
    for rules in ["Be kind.", &long] {
        let at = |time: &str, more: &str| body(&format!("It is {time}. {rules}"), more);
        let first = at("10:59:01", "");
        let same = at("10:59:01", MORE);
        assert_eq!(message("no_cache_miss", &[&first, &same], ""), "");
        assert_eq!(message("prefix_stable", &[&first, &same], ""), "");
        let late = at("11:00:07", MORE);
        let byte = late.find("1:00:07").unwrap();
        for name in ["no_cache_miss", "prefix_stable"] {
            let message = message(name, &[&first, &late], "");
            let place = format!("system[0].text at byte {byte} (byte 7 of the value)");
            assert!(message.contains(&place), "{message}");
            assert!(message.contains("date or clock"), "{message}");
            assert!(message.contains("fix   : "), "{message}");
        }
    }
}

#[test]
fn an_expired_entry_is_a_miss() {
    let rules = "Be kind. ".repeat(1_000);
    let (first, second) = (body(&rules, ""), body(&rules, MORE));
    let requests = [first.as_str(), second.as_str()];
    assert_eq!(message("no_cache_miss", &requests, r#"{"every":60}"#), "");
    let late = message("no_cache_miss", &requests, r#"{"every":600}"#);
    assert!(late.contains("expired after 10m"), "{late}");
}

/// A request to another API in between has another cache.
#[test]
fn a_request_is_compared_with_the_one_that_it_continues() {
    let chat = r#"{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}]}"#;
    let [first, same, other] =
        [("kind", ""), ("kind", MORE), ("brief", MORE)].map(|(rules, more)| body(rules, more));
    assert_eq!(message("no_cache_miss", &[chat, &first, &same], ""), "");
    let changed = message("no_cache_miss", &[chat, &first, &other], "");
    let start = "request 3 changes the prefix that request 2 would leave in the cache:";
    assert!(changed.starts_with(start), "{changed}");
}

#[test]
fn a_result_in_a_cassette_is_a_list_of_one_text() {
    let bodies = |result: &str, text: &str| {
        [
            format!(
                r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{result}}}]}}]}}"#
            ),
            format!(
                r#"{{"model":"m","input":[{{"type":"function_call_output","call_id":"t","output":{result}}}]}}"#
            ),
        ]
        .map(|it| it.replace("TYPE", text))
    };
    let list = |text: &str| format!(r#"[{{"type":"TYPE","text":"{text}"}}]"#);
    for kind in ["text", "input_text"] {
        let recorded = bodies("\"ok\"", kind);
        for (sent, is_same) in [(list("ok"), true), (list("no"), false)] {
            for (recorded, sent) in recorded.iter().zip(bodies(&sent, kind)) {
                let message = message("same_meaning", &[recorded, &sent], "");
                assert_eq!(message.is_empty(), is_same, "{message}");
            }
        }
    }
}

#[test]
fn a_cassette_is_stale_if_the_meaning_differs() {
    let recorded = r#"{"model":"m","system":"Be kind.","tools":[{"name":"Read","input_schema":{"type":"object","properties":{}}}],"metadata":{"user_id":"u1"},"messages":[{"role":"user","content":"It is 10:59"}]}"#;
    let check = |sent: &str, options: &str, expected: &str| {
        let message = message("same_meaning", &[recorded, sent], options);
        assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
        assert!(message.contains(expected), "{message}");
    };
    check(recorded, "", "");
    // A string against a list with one block, and keys in another order.
    let list = recorded.replace(r#""Be kind.""#, r#"[{"type":"text","text":"Be kind."}]"#);
    check(&list, "", "");
    let turned = recorded
        .replace(r#""model":"m","system":"Be kind.""#, r#""system":"Be kind.","model":"m""#);
    check(&turned, "", "");
    // A schema's key order reaches the model.
    let schema = recorded
        .replace(r#""type":"object","properties":{}"#, r#""properties":{},"type":"object""#);
    check(&schema, "", "tools[0].input_schema");
    let kind = recorded.replace("Be kind.", "Be brief.");
    let byte = kind.find("brief").unwrap();
    check(&kind, "", &format!("system at byte {byte}"));
    let clock = recorded.replace("10:59", "11:02");
    check(&clock, "", "messages[0].content");
    let ignored = r#"{"ignore_text":["\\d\\d:\\d\\d"]}"#;
    check(&clock, ignored, "");
    let changed = clock.replace("It is", "Now");
    check(&changed, ignored, "messages[0]");
    // The clock is ignored, so it is no use to leave it out.
    let stale = message("same_meaning", &[recorded, &changed], ignored);
    assert!(!stale.contains("fix"), "{stale}");
    let user = recorded.replace("u1", "u2");
    check(&user, "", "metadata.user_id");
    check(&user, r#"{"ignore":["metadata.user_id"]}"#, "");
    check(&recorded.replace(r#""metadata":{"user_id":"u1"},"#, ""), "", "sent    : nothing");
    let more = recorded.replace(r#""messages":["#, r#""messages":[{"role":"user","content":"a"},"#);
    check(&more, "", "messages[0].content");
}

#[test]
fn equal_requests_of_every_wire_have_one_meaning() {
    let check = |before: &str, after: &str| {
        for (recorded, sent) in [(before, after), (after, before)] {
            assert_eq!(message("same_meaning", &[recorded, sent], ""), "");
        }
    };
    let responses = r#"{"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]}"#;
    let list = responses.replace(r#""Hi""#, r#"[{"type":"input_text","text":"Hi"}]"#);
    check(responses, &list);
    check(responses, r#"{"input":[{"content":"Hi","role":"user"}],"model":"gpt-5.5"}"#);
    check(
        r#"{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"A"}]}]}"#,
        r#"{"model":"m","messages":[{"content":[{"tool_use_id":"t","type":"tool_result","content":[{"text":"A","type":"text"}]}],"role":"user"}]}"#,
    );
    check(
        r#"{"thinking":{"type":"enabled","budget_tokens":1024}}"#,
        r#"{"thinking":{"budget_tokens":1024,"type":"enabled"}}"#,
    );
    let turned = |before: &str| check(before, &before.replace(r#""a":1,"b":2"#, r#""b":2,"a":1"#));
    let pair = r#"{"a":1,"b":2}"#;
    let parts = |part: &str| format!(r#"{{"contents":[{{"parts":[{part}]}}]}}"#);
    let block = |part: &str| format!(r#"{{"messages":[{{"content":[{part}]}}]}}"#);
    turned(&block(&format!(r#"{{"type":"image","source":{pair}}}"#)));
    turned(&block(&format!(r#"{{"type":"image_url","image_url":{pair}}}"#)));
    turned(&format!(r#"{{"tools":[{{"type":"function","function":{pair}}}]}}"#));
    turned(&format!(r#"{{"messages":[{{"tool_calls":[{{"function":{pair}}}]}}]}}"#));
    turned(&parts(&format!(r#"{{"inlineData":{pair}}}"#)));
    turned(&parts(&format!(r#"{{"functionCall":{pair}}}"#)));
    turned(&format!(r#"{{"generationConfig":{{"thinkingConfig":{pair}}}}}"#));
    turned(&format!(r#"{{"tools":[{{"functionDeclarations":[{pair}]}}]}}"#));
}

#[test]
fn key_order_that_reaches_the_model_counts() {
    let check = |before: &str, path: &str| {
        let after = before.replace(r#""a":1,"b":2"#, r#""b":2,"a":1"#);
        let message = message("same_meaning", &[before, &after], "");
        assert!(message.contains(&format!("\n  {path} at byte ")), "{before}: {message}");
    };
    let pair = r#"{"a":1,"b":2}"#;
    check(
        &format!(r#"{{"output_config":{{"format":{{"schema":{pair}}}}}}}"#),
        "output_config.format.schema",
    );
    check(&format!(r#"{{"text":{{"format":{{"schema":{pair}}}}}}}"#), "text.format.schema");
    check(
        &format!(r#"{{"response_format":{{"json_schema":{{"schema":{pair}}}}}}}"#),
        "response_format.json_schema.schema",
    );
    check(
        &format!(r#"{{"generationConfig":{{"responseSchema":{pair}}}}}"#),
        "generationConfig.responseSchema",
    );
    check(
        &format!(r#"{{"tools":[{{"function":{{"parameters":{pair}}}}}]}}"#),
        "tools[0].function.parameters",
    );
    check(
        &format!(r#"{{"contents":[{{"parts":[{{"functionCall":{{"args":{pair}}}}}]}}]}}"#),
        "contents[0].parts[0].functionCall.args",
    );
    check(&format!(r#"{{"tools":[{{"input_examples":[{pair}]}}]}}"#), "tools[0].input_examples[0]");
    check(
        &format!(r#"{{"contents":[{{"parts":[{{"functionCall":{{"args":{pair}}}}}]}}]}}"#),
        "contents[0].parts[0].functionCall.args",
    );
    check(
        &format!(r#"{{"contents":[{{"parts":[{{"functionResponse":{{"response":{pair}}}}}]}}]}}"#),
        "contents[0].parts[0].functionResponse.response",
    );
    check(
        &format!(
            r#"{{"messages":[{{"content":[{{"type":"tool_use","input":{{"content":[{pair}]}}}}]}}]}}"#
        ),
        "messages[0].content[0].input.content[0]",
    );
}

#[test]
fn values_are_equal_to_the_last_digit_and_half() {
    let body = |value: &str| {
        format!(r#"{{"messages":[{{"content":[{{"type":"tool_use","input":{value}}}]}}]}}"#)
    };
    let differs = |before: &str, after: &str| {
        let [before, after] = [body(before), body(after)];
        !message("same_meaning", &[&before, &after], "").is_empty()
    };
    for (before, after) in [
        ("1e400", "2e400"),
        ("9007199254740993.0", "9007199254740992.0"),
        (r#""\ud800""#, r#""\udfff""#),
        (r#""\ud800""#, r#""\ufffd""#),
        (r#"{"\ud800":1}"#, r#"{"\udfff":1}"#),
        (r#"[{"\ud800":1}]"#, "[{\"\u{fffd}\":1}]"),
        ("1", "1.0"),
    ] {
        assert!(differs(before, after), "{before} {after}");
    }
    for (before, after) in [
        ("1.5", "1.50"),
        ("1e400", "10.0E+399"),
        (r#""\ud800""#, r#""\uD800""#),
        (r#""\ud83c\udf88""#, r#""🎈""#),
        (r#"{"\u0061":1}"#, r#"{"a":1}"#),
    ] {
        assert!(!differs(before, after), "{before} {after}");
    }
    // An ignored text does not hide half a pair next to it.
    let texts = [r#""10:59 \ud800""#, r#""11:02 \udfff""#, r#""11:02 \ud800""#].map(body);
    let ignored = r#"{"ignore_text":["\\d\\d:\\d\\d"]}"#;
    assert_ne!(message("same_meaning", &[&texts[0], &texts[1]], ignored), "");
    assert_eq!(message("same_meaning", &[&texts[0], &texts[2]], ignored), "");
}

#[test]
fn the_keys_of_a_marker_have_no_order() {
    let body = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}"#;
    let turned =
        body.replace(r#""type":"ephemeral","ttl":"1h""#, r#""ttl":"1h","type":"ephemeral""#);
    assert_eq!(message("same_meaning", &[body, &turned], ""), "");
    let short = turned.replace("1h", "5m");
    let message = message("same_meaning", &[body, &short], "");
    assert!(message.contains("messages[0].content[0].cache_control.ttl"), "{message}");
}

#[test]
fn only_a_text_block_stands_for_a_string() {
    let text = r#"{"messages":[{"role":"assistant","content":"Hi"}]}"#;
    for block in [
        r#"{"type":"refusal","text":"Hi"}"#,
        r#"{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}"#,
    ] {
        let list = text.replace(r#""Hi""#, &format!("[{block}]"));
        let message = message("same_meaning", &[text, &list], "");
        assert!(message.contains("messages[0].content at byte"), "{message}");
    }
}

#[test]
fn a_removed_key_or_item_is_missing_before_the_end() {
    let check = |after: &str, place: &str| {
        let message = message("same_meaning", &[r#"{"a":[1,2],"b":3}"#, after], "");
        assert!(message.contains(&format!("\n  {place}\n")), "{message}");
    };
    check(r#"{"a":[1,2]}"#, "b at byte 10");
    check(r#"{"a":[1],"b":3}"#, "a[1] at byte 7");
}

#[test]
fn a_parameter_after_the_last_marker_loses_nothing() {
    let first = body("Be kind.", "");
    let grown = body("Be kind.", MORE);
    for parameter in [r#""thinking":{"display":"summarized"}"#, r#""tool_choice":{"type":"any"}"#] {
        let other = grown.replacen('{', &format!("{{{parameter},"), 1);
        assert_eq!(message("no_cache_miss", &[&first, &other], ""), "");
        let stable = |options| message("prefix_stable", &[&first, &other], options);
        assert_eq!(stable(r#"{"allow_after_marker":true}"#), "");
        assert!(stable("").contains("the parameter "), "{}", stable(""));
        // A marker in the messages leaves an entry there, which is lost.
        let marked = first.replace(
            r#""content":"Hi""#,
            r#""content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]"#,
        );
        let lost = message("no_cache_miss", &[&marked, &other], "");
        assert!(lost.contains("the parameter "), "{lost}");
    }
}

#[test]
fn a_golden_file_may_end_its_lines_in_any_way() {
    let body = body("Be kind.", MORE);
    let text = call("readable", &[body.as_bytes()], b"").unwrap().body.unwrap();
    let text = String::from_utf8(text).unwrap();
    let check = |file: &str, expected: &str| {
        let message = message("golden", &[&body, file], "");
        assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
        assert!(message.ends_with(expected), "{message}");
    };
    check(&text, "");
    check(&text.replace('\n', "\r\n"), "");
    check(text.trim_end(), "");
    let byte = body.find("Be kind.").unwrap();
    check(&text.replace("kind", "brief"), &format!(" at system[0].text, byte {byte}:"));
    check(&format!("{text}| more\n"), &format!(" after byte {}:", body.len()));
    check("", "byte 0:");
}

#[test]
fn many_findings_are_placed_at_once() {
    let wrong = r#",{"role":"users","content":"a"}"#.repeat(1_000);
    let start = std::time::Instant::now();
    let message = message("accepted", &[&body("Be kind.", &wrong)], "");
    assert!(message.contains("messages[1000].role at byte "), "{message}");
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
