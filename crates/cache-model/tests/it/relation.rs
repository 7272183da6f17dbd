//! The relation of two requests, and the loss.

use aside_cache_model::{Body, CacheRules, Comparison, Relation, compare};

/// A request with a long tool and a long system prompt. A marker of the tool has
/// no effect on the bytes that are compared.
fn request(tool_marker: &str, system: &str, system_marker: &str) -> Body {
    let long = "A long description. ".repeat(200);
    let json = format!(
        r#"{{"model":"claude-opus-5-5","tools":[{{"name":"Read","description":"{long}","input_schema":{{"type":"object"}}{tool_marker}}}],
        "system":[{{"type":"text","text":"{system} {long}"{system_marker}}}],"messages":[{{"role":"user","content":"Hi"}}]}}"#
    );
    Body::parse(json.as_bytes()).unwrap()
}

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn changed(tool_marker: &str, system_marker: &str) -> Comparison {
    let [before, after] = ["a", "b"].map(|system| request(tool_marker, system, system_marker));
    let found = compare(&before, &after, &CacheRules::anthropic());
    assert_eq!(found.relation, Relation::Broken);
    found
}

/// Tools without a marker are the same bytes, and no entry ends after them.
#[test]
fn what_no_entry_holds_is_lost_too() {
    let all = changed("", MARKER).lost_tokens;
    let system = changed(MARKER, MARKER).lost_tokens;
    assert!(all > system + 500 && system > 500, "{all} {system}");
    // Without any marker, the whole request is taken as cached.
    let unmarked = changed("", "").lost_tokens;
    assert!(unmarked < all, "{unmarked} {all}");
}

/// With `previous_response_id` a body has the new messages only; the levels
/// before them are compared.
#[test]
fn the_provider_keeps_the_earlier_messages() {
    let body = |instructions: &str, message: &str, more: &str| {
        let long = "A long instruction. ".repeat(400);
        let json = format!(
            r#"{{"model":"gpt-5.5","instructions":"{instructions} {long}","input":[{{"role":"user","content":"{message}"}}]{more}}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let previous = r#","previous_response_id":"resp_1""#;
    let rules = CacheRules::openai();
    let first = body("a", "Hi", "");
    let found = compare(&first, &body("a", "Go on", previous), &rules);
    assert_ne!(found.relation, Relation::Broken, "{found:#?}");
    assert_eq!(found.lost_tokens, 0);
    let found = compare(&first, &body("b", "Go on", previous), &rules);
    assert_eq!(found.relation, Relation::Broken);
    assert!(found.lost_tokens > 1_000);
    let found = compare(&first, &body("a", "Go on", ""), &rules);
    assert_eq!(found.relation, Relation::Broken);
}
