//! What is summarized, moved or marked elsewhere: nothing was edited.

use aside_cache_model::Cause;

use crate::causes::{body, check, difference, messages};

/// The API summarizes by threshold: the conversation stays in the body, unread.
#[test]
fn a_summary_by_the_api_begins_a_prefix() {
    let asked = r#"{"role":"user","content":"Hi"}"#;
    let answered = |summary: &str| {
        let text = r#"{"type":"text","text":"Yes?"}"#;
        format!(r#"{asked},{{"role":"assistant","content":[{summary}{text}]}},{asked}"#)
    };
    let new = answered(r#"{"type":"compaction","content":"A greeting."},"#);
    messages(asked, &new, "messages[1].content[0]", Cause::Compaction);
    let whole = |messages: &str| body("\"s\"", "", messages);
    assert_eq!(difference(&whole(asked), &whole(&answered(""))), None);
    assert_eq!(difference(&whole(&new), &whole(&format!("{new},{asked}"))), None);
}

/// An item that is named by its id is the model's.
#[test]
fn a_summary_replaces_turns_of_stored_items() {
    let body = |input: &[&str]| {
        format!(r#"{{"model":"gpt-6-sol","store":true,"input":[{}]}}"#, input.join(","))
    };
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let (one, two, three) = (user("One."), user("Two."), user("Three."));
    let thought = r#"{"type":"item_reference","id":"rs_1"}"#;
    for [said, again] in [
        [r#"{"type":"item_reference","id":"msg_1"}"#, r#"{"type":"item_reference","id":"msg_2"}"#],
        [r#"{"id":"msg_1"}"#, r#"{"id":"msg_2","type":null}"#],
    ] {
        let before = body(&[&one, thought, said, &two, again, &three]);
        let found = difference(&before, &body(&[&user("Summary of both.")])).unwrap();
        assert_eq!(found.cause, Cause::Compaction, "{found:#?}");
    }
}

#[test]
fn reminders_that_change_places_are_moved() {
    let body = |texts: [&str; 2]| {
        let blocks = texts.map(|it| {
            let text = format!("<system-reminder>{it}</system-reminder>");
            serde_json::json!({"type": "text", "text": text}).to_string()
        });
        format!(
            r#"{{"model":"claude-opus-5","messages":[{{"role":"user","content":[{},{{"type":"text","text":"Go"}}]}},{{"role":"assistant","content":"Yes"}},{{"role":"user","content":"On"}}]}}"#,
            blocks.join(",")
        )
    };
    let cause = |before, after| difference(&body(before), &body(after)).unwrap().cause;
    assert_eq!(cause(["a", "b"], ["b", "a"]), Cause::ReminderMovedOrRemoved);
    assert_eq!(cause(["a", "b"], ["b", "c"]), Cause::ReminderMovedOrRemoved);
    assert_eq!(cause(["a", "b"], ["c", "b"]), Cause::TextEdited);
    assert_eq!(cause(["a", "b"], ["a", "c"]), Cause::TextEdited);
}

/// A marker on an element of a result is one like any other.
#[test]
fn a_marker_in_a_result_is_at_its_element() {
    let messages = |mark: &str| {
        format!(
            r#"{{"model":"claude-opus-5","messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":[{{"type":"text","text":"a"{mark}}},{{"type":"text","text":"b"}}]}}]}}]}}"#
        )
    };
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let path = "messages[0].content[0].content[0].cache_control";
    check(&messages(""), &messages(mark), path, Cause::MarkerOnly);
    check(&messages(mark), &messages(""), path, Cause::MarkerOnly);
    // A string has no element: the marker is missing at the end of the result.
    let result = |content: &str| {
        format!(
            r#"{{"model":"claude-opus-5","messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{content}}}]}}]}}"#
        )
    };
    let string = result(r#""a""#);
    let marked = result(&format!(r#"[{{"type":"text","text":"a"{mark}}}]"#));
    let end = string.find(r#""a"}"#).unwrap() + 3;
    let found = difference(&string, &marked).unwrap();
    assert_eq!((found.path.as_str(), found.byte_offset_before), (path, Some(end)));
    assert_eq!(difference(&marked, &string).unwrap().byte_offset, Some(end));
    let responses = |mark: &str| {
        format!(
            r#"{{"model":"gpt-6-sol","input":[{{"type":"function_call_output","call_id":"c","output":[{{"type":"input_text","text":"a"}},{{"type":"input_text","text":"b"{mark}}}]}}]}}"#
        )
    };
    let mark = r#","prompt_cache_breakpoint":{"mode":"explicit"}"#;
    let path = "input[0].output[1].prompt_cache_breakpoint";
    check(&responses(""), &responses(mark), path, Cause::MarkerOnly);
}
