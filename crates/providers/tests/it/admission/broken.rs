//! A request to break each rule that is checked before sending.

use aside_rules::ApiVersion;

use super::{BEDROCK, FIRST_PARTY, Target};

/// For each rule, a target and a request that breaks it.
pub(super) fn broken() -> Vec<(&'static str, Target, String)> {
    let new = Target { version: ApiVersion::V2026_10_21, ..FIRST_PARTY };
    let keys = |keys: &str| {
        format!(
            r#"{{"model":"m","max_tokens":2000,{keys},"messages":[{{"role":"user","content":"Hi"}}]}}"#
        )
    };
    let messages =
        |messages: &str| format!(r#"{{"model":"m","max_tokens":2000,"messages":[{messages}]}}"#);
    let user = |blocks: &str| messages(&format!(r#"{{"role":"user","content":[{blocks}]}}"#));
    let call = r#"{"type":"tool_use","id":"a","name":"n","input":{}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"a"}"#;
    let calls = |calls: &str, results: &str| {
        messages(&format!(
            r#"{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}"#
        ))
    };
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let marked = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#;
    let hour = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}"#;
    let schema = r#""input_schema":{"type":"object"}"#;
    vec![
        ("no-message", FIRST_PARTY, messages("")),
        ("empty-content", FIRST_PARTY, user("")),
        ("blank-text", FIRST_PARTY, user(r#"{"type":"text","text":" "}"#)),
        (
            "result-order",
            FIRST_PARTY,
            calls(call, &format!(r#"{{"type":"text","text":"b"}},{result}"#)),
        ),
        ("unanswered-call", FIRST_PARTY, calls(call, image)),
        ("orphaned-result", FIRST_PARTY, user(result)),
        ("doubled-result", FIRST_PARTY, calls(call, &format!("{result},{result}"))),
        ("doubled-call", FIRST_PARTY, calls(&format!("{call},{call}"), result)),
        (
            "error-content",
            FIRST_PARTY,
            calls(
                call,
                &format!(
                    r#"{{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{image}]}}"#
                ),
            ),
        ),
        (
            "prefill",
            FIRST_PARTY,
            messages(r#"{"role":"user","content":"a"},{"role":"assistant","content":"b"}"#),
        ),
        ("media-limit", FIRST_PARTY, user(&vec![image; 601].join(","))),
        ("tool-name", FIRST_PARTY, keys(&format!(r#""tools":[{{"name":"a b",{schema}}}]"#))),
        (
            "doubled-tool",
            FIRST_PARTY,
            keys(&format!(r#""tools":[{{"name":"a",{schema}}},{{"name":"a",{schema}}}]"#)),
        ),
        ("tool-choice", FIRST_PARTY, keys(r#""tool_choice":{"type":"auto"}"#)),
        (
            "marker-form",
            FIRST_PARTY,
            user(r#"{"type":"text","text":"a","cache_control":{"type":"x"}}"#),
        ),
        (
            "global-scope",
            FIRST_PARTY,
            user(
                r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","scope":"global"}}"#,
            ),
        ),
        ("marker-limit", FIRST_PARTY, user(&[marked; 5].join(","))),
        ("marker-ttl", FIRST_PARTY, user(&format!("{marked},{hour}"))),
        (
            "marker-automatic",
            BEDROCK,
            user(hour).replacen('{', r#"{"cache_control":{"type":"ephemeral"},"#, 1),
        ),
        (
            "marker-place",
            FIRST_PARTY,
            user(
                r#"{"type":"thinking","thinking":"t","signature":"s","cache_control":{"type":"ephemeral"}}"#,
            ),
        ),
        (
            "thinking-budget",
            FIRST_PARTY,
            keys(r#""thinking":{"type":"enabled","budget_tokens":2000}"#),
        ),
        ("sampling-range", FIRST_PARTY, keys(r#""top_p":1.1"#)),
        ("null-system", FIRST_PARTY, keys(r#""system":null"#)),
        ("sampling", new, keys(r#""temperature":1.0"#)),
        (
            "assistant-document",
            new,
            messages(
                r#"{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}]}"#,
            ),
        ),
        ("user-citations", new, user(r#"{"type":"text","text":"a","citations":[]}"#)),
        ("platform-key", BEDROCK, keys(r#""container":"c""#)),
        (
            "inline-tools-platform",
            BEDROCK,
            user(&format!(
                r#"{{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"a",{schema}}}}}}}"#
            )),
        ),
        (
            "tool-change-reference",
            FIRST_PARTY,
            user(r#"{"type":"tool_addition","tool":{"type":"tool_reference","name":"a"}}"#),
        ),
        (
            "tool-change-conflict",
            FIRST_PARTY,
            messages(&format!(
                r#"{{"role":"user","content":[
                {{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"a",{schema}}}}}}},
                {{"type":"tool_removal","tool":{{"type":"tool_reference","name":"a"}}}},
                {{"type":"tool_removal","tool":{{"type":"mcp_toolset_reference","server_name":"a"}}}}]}}"#
            )),
        ),
    ]
}
