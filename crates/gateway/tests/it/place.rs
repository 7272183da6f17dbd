//! Markers placed in the bytes of requests.

mod accepted;
mod cost;
mod openai;
mod tail;
mod traces;

use aside_gateway::place::{PlaceErrorKind, place};

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn placed(body: &str) -> String {
    String::from_utf8(place(body.as_bytes()).unwrap().body()).unwrap()
}

fn request(messages: &str) -> String {
    format!(r#"{{"model":"claude-opus-5","max_tokens":9,"messages":[{messages}]}}"#)
}

const TALK: &str = r#"{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"s"},{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}"#;

#[test]
fn the_last_block_and_the_anchor_are_marked() {
    let expected = TALK
        .replace(r#""text":"a""#, &format!(r#""text":"a"{MARKER}"#))
        .replace(r#""text":"c""#, &format!(r#""text":"c"{MARKER}"#));
    assert_eq!(placed(&request(TALK)), request(&expected));
}

#[test]
fn only_markers_of_messages_are_replaced() {
    let body = format!(
        r#"{{"system":[{{"type":"text","text":"s","cache_control":{{"type":"ephemeral"}}}}],{}"#,
        &request(TALK)[1..]
    );
    let marked = body.replace(r#""text":"b""#, &format!(r#""text":"b"{MARKER}"#));
    let placed = placed(&marked);
    assert!(placed.contains(&format!(r#""text":"s"{MARKER}"#)));
    assert!(placed.contains(&format!(r#""text":"c"{MARKER}"#)));
    assert!(!placed.contains(&format!(r#""text":"b"{MARKER}"#)));
}

#[test]
fn an_edit_removes_a_member_with_one_comma() {
    let body = request(&TALK.replace(
        r#"{"type":"text","text":"c"}"#,
        "{ \"cache_control\" : {\"type\":\"ephemeral\"} , \"type\" : \"text\",\n \"text\":\"c\\u00e9\" }",
    ));
    let placed = placed(&body);
    let end = format!("{{  \"type\" : \"text\",\n \"text\":\"c\\u00e9\" {MARKER}}}]}}]}}");
    assert!(placed.ends_with(&end), "{placed}");
}

/// Whatever it is, also on a block of an unknown type.
#[test]
fn a_replaced_marker_has_no_say_in_the_plan() {
    let last = r#""type":"text","text":"c""#;
    for last in [last, r#""type":"later","x":1"#] {
        let talk = TALK.replace(r#""type":"text","text":"c""#, last);
        let expected = placed(&request(&talk));
        assert!(expected.ends_with(&format!("{{{last}{MARKER}}}]}}]}}")));
        for marker in ["null", "7", "{}", r#"{"type":"ephemeral","ttl":"2h"}"#] {
            let marked = format!(r#"{last},"cache_control":{marker}"#);
            let body = request(&talk.replace(last, &marked));
            assert_eq!(placed(&body), expected, "{body}");
        }
    }
}

#[test]
fn content_that_is_a_string_is_unchanged() {
    let body = request(&TALK.replace(r#"[{"type":"text","text":"c"}]"#, r#""c""#));
    let placed = placed(&body);
    assert!(placed.contains(r#"{"role":"user","content":"c"}]"#), "{placed}");
    assert!(placed.ends_with(&format!("]{MARKER}}}")), "{placed}");
}

#[test]
fn the_lifetime_of_the_agent_is_kept() {
    let hour = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;
    let marked = |text: &str| request(&TALK.replace(text, &format!("{text}{hour}")));
    let placed = placed(&marked(r#""text":"c""#));
    assert_eq!(placed.matches("\"ttl\":\"1h\"").count(), placed.matches("cache_control").count());
    // What the agent does not keep for an hour is kept for five minutes.
    let placed = self::placed(&marked(r#""text":"b""#));
    assert!(placed.ends_with(&format!(r#""text":"c"{MARKER}}}]}}]}}"#)), "{placed}");
}

#[test]
fn a_body_that_cannot_be_planned_is_unchanged() {
    let kind = |body: &str| place(body.as_bytes()).err().map(|it| it.kind());
    assert_eq!(kind("x"), Some(PlaceErrorKind::Unreadable));
    assert_eq!(kind("{}"), Some(PlaceErrorKind::Unreadable));
    let single = request(r#"{"role":"user","content":[{"type":"text","text":"a title"}]}"#);
    assert_eq!(kind(&single), Some(PlaceErrorKind::SingleCall));
    let thread = r#"{"thread":{"type":"continue","previous_message_id":"msg_1"},"#;
    let continued = format!("{thread}{}", &request(TALK)[1..]);
    assert_eq!(kind(&continued), Some(PlaceErrorKind::Thread));
    let doubled =
        request(&TALK.replace(r#""text":"b""#, &format!(r#""text":"b"{MARKER}{MARKER}"#)));
    assert_eq!(kind(&doubled), Some(PlaceErrorKind::Unreadable));
}

/// The plan does not see markers inside the definitions of added tools.
#[test]
fn an_edit_that_the_api_would_refuse_is_left_out() {
    let additions: Vec<_> = (0..4)
        .map(|it| {
            format!(
                r#"{{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"n{it}","input_schema":{{"type":"object"}}{MARKER}}}}}}}"#
            )
        })
        .collect();
    let body = format!(
        r#"{{"model":"claude-opus-5","max_tokens":9,"messages":[{{"role":"user","content":"a"}},{{"role":"system","content":[{}]}},{{"role":"assistant","content":"b"}},{{"role":"user","content":[{{"type":"text","text":"c"}}]}}]}}"#,
        additions.join(",")
    );
    let error = place(body.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), PlaceErrorKind::WouldBeRefused);
    assert!(error.to_string().contains("marker-limit"), "{error}");
}
