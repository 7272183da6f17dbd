//! The marker at the end of a request.

use super::*;

/// Returns a first request of 0 to 3 marked blocks, one tool and these last
/// messages.
fn first_request(markers: usize, tail: &str) -> String {
    let rules = "rule ".repeat(2_400);
    let marker = |at: usize| if at < markers { MARKER } else { "" };
    format!(
        r#"{{"model":"claude-opus-5","max_tokens":9,"system":[{{"type":"text","text":"{rules}"{}}},{{"type":"text","text":"{rules}"{}}}],"tools":[{{"name":"a","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":[{{"type":"text","text":"q"{}}}]}},{tail}]}}"#,
        marker(0),
        marker(1),
        marker(2)
    )
}

/// Claude Code marks three blocks and ends its first request in a system
/// message, whose content is a string.
#[test]
fn three_markers_and_a_string_at_the_end_are_four_markers() {
    let system = r#"{"role":"system","content":"note"}"#;
    for markers in 0..=3 {
        let placed = placed(&first_request(markers, system));
        assert!(placed.matches(MARKER).count() <= 4, "{placed}");
        assert!(placed.ends_with(&format!("{system}]{MARKER}}}")), "{placed}");
    }
}

#[test]
fn a_string_and_a_list_of_one_text_have_the_same_end() {
    let list = r#"{"role":"system","content":[{"type":"text","text":"note"}]}"#;
    let placed = placed(&first_request(3, list));
    assert!(placed.ends_with(&format!(r#""text":"note"{MARKER}}}]}}]}}"#)), "{placed}");
    assert_eq!(placed.matches(MARKER).count(), 4);
}

#[test]
fn the_marker_of_a_persistent_system_message_stays() {
    let tail = format!(
        r#"{{"role":"assistant","content":"a"}},{{"role":"user","content":[{{"type":"text","text":"b"}}]}},{{"role":"system","content":[{{"type":"text","text":"note"{MARKER}}}]}}"#
    );
    for markers in 0..=3 {
        let placed = placed(&first_request(markers, &tail));
        assert!(placed.ends_with(&format!(r#""text":"note"{MARKER}}}]}}]}}"#)), "{placed}");
    }
}

#[test]
fn a_turn_scoped_message_gets_no_marker() {
    let user = r#"{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}"#;
    for content in [r#""note""#, r#"[{"type":"text","text":"note"}]"#] {
        let scoped =
            format!(r#"{{"role":"system","clear_at":"next_user_message","content":{content}}}"#);
        let placed = placed(&first_request(2, &format!("{user},{scoped}")));
        let end = format!(r#""text":"b"{MARKER}}}]}},{scoped}]}}"#);
        assert!(placed.ends_with(&end), "{placed}");
    }
}

/// Some clients send `null` for no marker.
#[test]
fn a_null_is_no_marker() {
    let body = request(TALK).replace(r#""text":"c""#, r#""text":"c","cache_control":null"#);
    assert_eq!(placed(&body), placed(&request(TALK)));
}
