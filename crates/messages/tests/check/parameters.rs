//! Tools and parameters, and what a version of the API changes.

use super::{HI, PUBLIC, Rules, check, violations};

pub(crate) fn tools() {
    let hi = format!("[{HI}]");
    check(
        &hi,
        r#","tools":[{"type":"x_1","name":"a b"},{"type":"x_1","name":"a"},{"type":"x_1","name":"a"},{"type":"x_1","name":""}]"#,
        &[
            r#"tool-name: tools[0].name: "a b""#,
            r#"tool-name: tools[3].name: """#,
            r#"doubled-tool: tools[2].name: "a" again"#,
        ],
    );
    check(
        &hi,
        r#","tool_choice":{"type":"any"}"#,
        &[r#"tool-choice: tool_choice: "any" without tools"#],
    );
}

/// A tool of the caller's own says what its input is.
pub(crate) fn schemas() {
    let check = |tool: &str, expected: &[&str]| {
        let tools = format!(r#","tools":[{{"name":"t"{tool}}}]"#);
        check(&format!("[{HI}]"), &tools, expected);
    };
    check("", &["tool-schema: tools[0].input_schema: none"]);
    check(
        r#","input_schema":null"#,
        &["tool-schema: tools[0].input_schema: none"],
    );
    check(
        r#","type":"custom","input_schema":[]"#,
        &["tool-schema: tools[0].input_schema: []"],
    );
    check(
        r#","input_schema":{"properties":{}}"#,
        &[r#"tool-schema: tools[0].input_schema: {"properties":{}}, without the type "object""#],
    );
    check(
        r#","input_schema":{"type":["object"]}"#,
        &[r#"tool-schema: tools[0].input_schema: {"type":["object"]}, without the type "object""#],
    );
    check(
        r#","type":null,"input_schema":{ "type" : "object", "x": 1 }"#,
        &[],
    );
    // Of a tool that the provider runs, the provider knows it.
    check(r#","type":"web_search_20250305""#, &[]);
    check(
        r#","type":"mine_1","input_schema":"x""#,
        &[r#"tool-schema: tools[0].input_schema: "x""#],
    );
}

pub(crate) fn values_of_parameters() {
    let check = |keys: &str, expected: &[&str]| {
        let json = format!(r#"{{{keys},"max_tokens":8,"messages":[{HI}]}}"#);
        assert_eq!(violations(&PUBLIC, &json), expected, "{json}");
    };
    check(r#""model":"""#, &[r#"model-name: model: """#]);
    check(r#""model":" \n""#, &[r#"model-name: model: " \n""#]);
    for (value, is_taken) in [
        ("7", false),
        ("-0.1", false),
        ("1.0001", false),
        ("0", true),
        ("1.0", true),
        ("0.5", true),
        ("null", true),
    ] {
        for key in ["temperature", "top_p"] {
            let told = format!("sampling-range: {key}: {value}");
            let told = [told.as_str()];
            let expected = if is_taken { &[][..] } else { &told };
            check(&format!(r#""model":"m","{key}":{value}"#), expected);
        }
    }
    check(
        r#""model":"m","system":null"#,
        &["null-system: system: null"],
    );
    check(r#""model":"m","tools":[],"system":[]"#, &[]);
}

pub(crate) fn parameters_and_versions() {
    let hi = format!("[{HI}]");
    check(
        &hi,
        r#","thinking":{"type":"enabled","budget_tokens":8}"#,
        &["thinking-budget: thinking.budget_tokens: 8, and max_tokens is 8"],
    );
    check(&hi, r#","thinking":{"type":"adaptive"}"#, &[]);
    check(
        &hi,
        r#","temperature":0.5,"top_k":5"#,
        &["sampling: temperature: 0.5", "sampling: top_k: 5"],
    );
    check(&hi, r#","temperature":null,"top_p":null"#, &[]);
    // What is found can be shown.
    check(
        &hi,
        ",\"top_p\":\"\u{9b}2J\"",
        &[r#"sampling: top_p: "\u{9b}2J""#],
    );
    check(
        r#"[{"role":"user","content":[{"type":"text","text":"a","citations":[]}]},
            {"role":"assistant","content":[{"type":"document","source":{"type":"url","url":"u"}}]},
            {"role":"user","content":"b"}]"#,
        "",
        &[
            "assistant-document: messages[1].content[0]: a document",
            "user-citations: messages[0].content[0]: citations",
        ],
    );
    // The older version takes all of these.
    let json = r#"{"model":"m","max_tokens":8,"temperature":0.5,"messages":[{"role":"user","content":[{"type":"text","text":"a","citations":[]}]}]}"#;
    assert_eq!(violations(&Rules::default(), json), Vec::<String>::new());
}
