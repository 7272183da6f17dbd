//! Explaining plans.

use aside_cache_split::{PlanOptions, plan_request};
use aside_messages::wire::Request;

fn check(model: &str, blocks: &str, expected: &str) {
    let json = format!(
        r#"{{"model":"{model}","max_tokens":1,
        "tools":[{{"name":"Read"}},{{"name":"Search","defer_loading":true,"cache_control":{{"type":"ephemeral"}}}}],
        "system":[{{"type":"text","text":"{}"}}],
        "messages":[{blocks}]}}"#,
        "You are careful. ".repeat(300)
    );
    let request = Request::parse(json.as_bytes()).unwrap().value;
    let plan = plan_request(&request, PlanOptions::default()).unwrap();
    assert_eq!(plan.explain(&request).to_string(), expected);
}

const CONVERSATION: &str = r#"
    {"role":"user","content":[{"type":"text","text":"Explain the build, please.","cache_control":{"type":"ephemeral"}}]},
    {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"It is easy."}]},
    {"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},{"type":"text","text":""}]},
    {"role":"assistant","content":[{"type":"text","text":"I see."}]},
    {"role":"user","content":[{"type":"text","text":"And now?"}]}"#;

#[test]
fn each_marker_has_a_reason_and_a_number_of_tokens() {
    check(
        "claude-sonnet-4-5",
        CONVERSATION,
        "\
system[0]: 5m, ~1215 tokens: end of the prefix before the messages
messages[0].content[0]: 5m, ~1222 tokens: set by the caller
messages[2].content[0]: 5m, ~2802 tokens: end of the previous user message, where the previous request wrote
messages[4].content[0]: 5m, ~2815 tokens: last block that the next request contains unchanged
tools[1]: no marker (set by the caller): the block cannot have a marker
messages[2].content[1]: no marker (end of the previous user message, where the previous request wrote): the block cannot have a marker
",
    );
}

#[test]
fn a_short_prefix_is_reported() {
    check(
        "claude-haiku-4-5",
        r#"{"role":"user","content":"Hi"}"#,
        "\
tools[0]: 5m, ~6 tokens: last tool, for tools that arrive later; probably too short to be cached
system[0]: 5m, ~1215 tokens: end of the prefix before the messages; probably too short to be cached
messages[0].content[0]: 5m, ~1218 tokens: last block that the next request contains unchanged; probably too short to be cached
tools[1]: no marker (set by the caller): the block cannot have a marker
",
    );
}

#[test]
fn a_plan_is_serialized_with_paths_and_reasons() {
    let json = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}"#;
    let request = Request::parse(json.as_bytes()).unwrap().value;
    let plan = plan_request(&request, PlanOptions::default()).unwrap();
    let plan = serde_json::to_value(&plan).unwrap();
    let expected = serde_json::json!({
        "marker": {"at": "messages[0].content[0]", "control": {"type": "ephemeral"}},
        "reason": "last_stable",
    });
    assert_eq!(plan["markers"], serde_json::json!([expected]));
    assert_eq!(plan["lifetime"], "policy");
}
