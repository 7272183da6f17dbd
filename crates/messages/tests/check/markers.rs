//! Cache markers.

use super::{HI, MARK, PUBLIC, Rules, check, violations};

pub(crate) fn markers() {
    let marked = format!(r#"{{"type":"text","text":"a",{MARK}}}"#);
    let system = format!(r#","system":[{marked},{marked}]"#);
    let messages = format!(r#"[{{"role":"user","content":[{marked},{marked}]}}]"#);
    check(&messages, &system, &[]);
    check(
        &messages,
        &format!("{system},{MARK}"),
        &[
            "marker-limit: cache_control: 5, at system[0], system[1], messages[0].content[0], messages[0].content[1], cache_control",
        ],
    );
    let hour = marked.replace(r#""ephemeral""#, r#""ephemeral","ttl":"1h""#);
    check(
        &format!(r#"[{{"role":"user","content":[{hour}]}}]"#),
        &system,
        &["marker-ttl: messages[0].content[0]: an hour, behind five minutes at system[0]"],
    );
    check(&messages, &format!(r#","system":[{hour}]"#), &[]);
    let thinking = format!(r#"{{"type":"thinking","thinking":"t","signature":"s",{MARK}}}"#);
    check(
        &format!(r#"[{HI},{{"role":"assistant","content":[{thinking}]}},{HI}]"#),
        &format!(r#","tools":[{{"type":"x_1","name":"t","defer_loading":true,{MARK}}}]"#),
        &[
            "marker-place: tools[0]: a marker on a deferred tool",
            "marker-place: messages[1].content[0]: a marker on thinking or on empty text",
        ],
    );
}

pub(crate) fn markers_on_other_blocks() {
    let marked = format!(r#"{{"type":"search_result",{MARK}}}"#);
    check(
        &format!(r#"[{{"role":"user","content":[{marked}]}}]"#),
        "",
        &[],
    );
    let empty = format!(r#"{{"type":"text","text":"",{MARK}}}"#);
    check(
        &format!(r#"[{{"role":"user","content":[{marked},{empty}]}}]"#),
        "",
        &[
            "blank-text: messages[0].content[1]: blank text",
            "marker-place: messages[0].content[1]: a marker on thinking or on empty text",
        ],
    );
    // The automatic marker stands on the last block.
    check(
        &format!(r#"[{{"role":"user","content":[{marked},{{"type":"text","text":"a"}}]}}]"#),
        r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        &["marker-ttl: cache_control: an hour, behind five minutes at messages[0].content[0]"],
    );
}

pub(crate) fn forms_of_markers() {
    let marked = |control: &str| {
        format!(
            r#"[{{"role":"user","content":[{{"type":"text","text":"a","cache_control":{control}}}]}}]"#
        )
    };
    let hi = format!("[{HI}]");
    for form in [
        r#"{"type":"ephemeral","ttl":"9h"}"#,
        r#"{"type":"eternal"}"#,
        r#"{"type":"ephemeral","scope":"galaxy"}"#,
        r#"{"type":"ephemeral","ttl":null,"x":1}"#,
    ] {
        check(
            &marked(form),
            "",
            &[&format!("marker-form: messages[0].content[0]: {form}")],
        );
        check(
            &hi,
            &format!(r#","cache_control":{form}"#),
            &[&format!("marker-form: cache_control: {form}")],
        );
    }
    for form in [
        "null",
        r#"{"type":"ephemeral"}"#,
        r#"{"ttl":"5m","type":"ephemeral"}"#,
        r#"{"type":"ephemeral","ttl":"1h"}"#,
        r#"{"type":"ephemeral","ttl":null}"#,
    ] {
        check(&marked(form), "", &[]);
    }
    let global = r#"{"type":"ephemeral","scope":"global"}"#;
    let result = format!(
        r#"[{HI},{{"role":"assistant","content":[{{"type":"tool_use","id":"1","name":"t","input":{{}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"1","content":[{{"type":"text","text":"a","cache_control":{global}}}]}}]}}]"#
    );
    let system = format!(
        r#","cache_control":{global},"tools":[{{"name":"t","input_schema":{{"type":"object"}},"cache_control":{global}}}],"system":[{{"type":"text","text":"a","cache_control":{global}}}]"#
    );
    check(
        &result,
        &system,
        &[
            r#"global-scope: tools[0]: "scope":"global""#,
            r#"global-scope: system[0]: "scope":"global""#,
            r#"global-scope: messages[2].content[0].content[0]: "scope":"global""#,
            r#"global-scope: cache_control: "scope":"global""#,
        ],
    );
    let json = format!(r#"{{"model":"m","max_tokens":8{system},"messages":{result}}}"#);
    let shared = Rules {
        global_scope: true,
        ..PUBLIC
    };
    assert_eq!(violations(&shared, &json), Vec::<String>::new());
}
