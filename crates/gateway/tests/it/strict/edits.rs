//! Context edits, as responses and counts report them.

use super::*;

const BETA: &str = "context-management-2025-06-27";

/// A conversation with this many tool uses.
fn messages(uses: usize) -> Vec<String> {
    let mut messages = vec![user("Hi")];
    for index in 0..uses {
        let call = format!(r#"{{"type":"tool_use","id":"t{index}","name":"Read","input":{{}}}}"#);
        messages.push(assistant(&format!("[{call}]")));
        let result = "word ".repeat(1_000);
        messages.push(format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{index}","content":"{result}"}}]}}"#
        ));
    }
    messages
}

fn edits(edits: &str) -> String {
    format!(r#""context_management":{{"edits":[{edits}]}},"#)
}

const AFTER_THREE: &str = r#"{"type":"clear_tool_uses_20250919",
    "trigger":{"type":"tool_uses","value":3},"keep":{"type":"tool_uses","value":1}}"#;

#[test]
fn cleared_results_are_reported() {
    let sent = |members: &str, uses: usize| {
        let body = body(UNBOUND, members, &messages(uses));
        let request = StrictRequest::new(body.as_bytes()).betas(BETA);
        let response = judge().answer(&request).unwrap();
        let counted = body.replace(r#""max_tokens":64,"#, "");
        let counted = StrictRequest::new(counted.as_bytes()).betas(BETA);
        (response, judge().count_tokens(&counted).unwrap().to_json())
    };
    let (whole, count) = sent("", 6);
    let tokens = whole.usage.input_tokens;
    assert_eq!(whole.context_management, None);
    assert_eq!(count, format!(r#"{{"input_tokens":{tokens}}}"#));

    let (cleared, count) = sent(&edits(AFTER_THREE), 6);
    let left = cleared.usage.input_tokens;
    let applied = format!(
        r#""context_management":{{"applied_edits":[{{"type":"clear_tool_uses_20250919","cleared_tool_uses":5,"cleared_input_tokens":{}}}]}}"#,
        tokens - left
    );
    assert!(cleared.to_json().contains(&applied), "{}", cleared.to_json());
    let events = cleared.events();
    let delta = events.iter().find(|it| it.starts_with("event: message_delta")).unwrap();
    assert!(delta.contains(&applied), "{delta}");
    assert!(!events[0].contains("context_management"), "{}", events[0]);
    let original = format!(r#"{{"original_input_tokens":{tokens}}}"#);
    assert_eq!(count, format!(r#"{{"input_tokens":{left},"context_management":{original}}}"#));

    let (kept, _) = sent(&edits(AFTER_THREE), 3);
    assert!(kept.to_json().contains(r#""context_management":{"applied_edits":[]}"#));
}

#[test]
fn cleared_thinking_is_reported() {
    let mut talk = Talk::new(UNBOUND);
    let keep = r#""keep":{"type":"thinking_turns","value":1}"#;
    let edit = edits(&format!(r#"{{"type":"clear_thinking_20251015",{keep}}}"#));
    talk.members = format!(r#"{edit}"thinking":{{"type":"adaptive","display":"summarized"}},"#);
    let mut applied = |text: &str| {
        talk.messages.push(user(text));
        let body = body(UNBOUND, &talk.members, &talk.messages);
        let request = StrictRequest::new(body.as_bytes()).betas(BETA);
        let response = talk.api.answer_with(&request, &Draft::new().thinking("Hm.").text("A"));
        let response = response.unwrap();
        talk.messages.push(assistant(&response.content_json()));
        let json = response.to_json();
        let start = json.find("applied_edits").unwrap();
        json[start..].split(",\"cleared_input").next().unwrap()[15..].to_owned()
    };
    assert!(applied("one").starts_with("[]"));
    let turns = |count: u8| {
        format!(r#"[{{"type":"clear_thinking_20251015","cleared_thinking_turns":{count}"#)
    };
    assert_eq!(applied("two"), turns(1));
    assert_eq!(applied("three"), turns(2));
}
