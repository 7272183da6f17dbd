//! Roles, content, calls and their results.

use super::{HI, check};

pub(crate) fn clean() {
    check(
        r#"[{"role":"user","content":"a"},
            {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"text","text":"b"}]}]"#,
        r#","tools":[{"name":"t","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"}"#,
        &[],
    );
}

pub(crate) fn roles() {
    check("[]", "", &["no-message: messages: none"]);
    check(
        r#"[{"role":"assistant","content":"a"}]"#,
        "",
        &[
            r#"first-role: messages[0].role: "assistant""#,
            r#"last-role: messages[0].role: "assistant""#,
        ],
    );
    check(
        &format!(r#"[{HI},{{"role":"system","content":"a"}}]"#),
        "",
        &[r#"last-role: messages[1].role: "system""#],
    );
    check(
        &format!(r#"[{HI},{{"role":"zzz","content":"a"}},{{"role":"system","content":"a"}},{HI}]"#),
        "",
        &[r#"role: messages[1].role: "zzz""#],
    );
}

pub(crate) fn content() {
    check(
        r#"[{"role":"user","content":[]}]"#,
        "",
        &["empty-content: messages[0].content: no block"],
    );
    check(
        r#"[{"role":"user","content":[{"type":"text","text":" \n"}]}]"#,
        r#","system":"""#,
        &[
            "blank-text: system[0]: blank text",
            "blank-text: messages[0].content[0]: blank text",
        ],
    );
    let image = r#"{"type":"image","source":{"type":"url","url":"u"}}"#;
    check(
        &format!(r#"[{{"role":"user","content":[{image},{image},{image}]}}]"#),
        "",
        &["media-limit: messages: 3, at most 2"],
    );
}

pub(crate) fn calls_and_results() {
    let call = r#"{"type":"tool_use","id":"1","name":"t","input":{}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"1","content":"x"}"#;
    let talk = |answer: &str, reply: &str| {
        format!(
            r#"[{HI},{{"role":"assistant","content":[{answer}]}},{{"role":"user","content":[{reply}]}}]"#
        )
    };
    let text = r#"{"type":"text","text":"a"}"#;
    check(
        &talk(call, text),
        "",
        &[r#"unanswered-call: messages[1].content[0]: "1""#],
    );
    check(
        &talk(text, result),
        "",
        &[r#"orphaned-result: messages[2].content[0]: "1""#],
    );
    check(
        &talk(call, &format!("{text},{result}")),
        "",
        &["result-order: messages[2].content[1]: a tool result behind another block, 0"],
    );
    check(
        &talk(call, &format!("{result},{result}")),
        "",
        &[r#"doubled-result: messages[2].content[1]: "1" again"#],
    );
    check(
        &talk(&format!("{call},{call}"), result),
        "",
        &[r#"doubled-call: messages[1].content[1]: "1" again"#],
    );
    let failed = r#"{"type":"tool_result","tool_use_id":"1","is_error":true,"content":[{"type":"text","text":" "},{"type":"image","source":{"type":"url","url":"u"}}]}"#;
    check(
        &talk(call, failed),
        "",
        &[
            "blank-text: messages[2].content[0].content[0]: blank text",
            "error-content: messages[2].content[0].content[1]: no text",
        ],
    );
}

/// Calls are the model's, results the user's.
pub(crate) fn calls_of_others() {
    let call = r#"{"type":"tool_use","id":"1","name":"t","input":{}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"1","content":"x"}"#;
    check(
        &format!(
            r#"[{{"role":"user","content":[{call}]}},{{"role":"assistant","content":[{result}]}},{HI}]"#
        ),
        "",
        &[
            r#"unanswered-call: messages[0].content[0]: "1""#,
            r#"orphaned-result: messages[1].content[0]: "1""#,
        ],
    );
}
