//! Every rule of the API, broken once.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeSet;
use std::sync::Mutex;

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, RULES, Rules};

/// The rules that some check below has seen broken.
static BROKEN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

const NEW: Rules = Rules {
    version: ApiVersion::V2026_10_21,
    media_limit: 2,
    ..PUBLIC
};

const PUBLIC: Rules = Rules {
    version: ApiVersion::V2023_06_01,
    media_limit: 100,
    global_scope: false,
};

fn violations(rules: &Rules, json: &str) -> Vec<String> {
    let found = Request::parse(json.as_bytes()).unwrap().value.check(rules);
    BROKEN
        .lock()
        .unwrap()
        .extend(found.iter().map(|violation| violation.rule));
    found.iter().map(ToString::to_string).collect()
}

/// A request with these messages and further keys.
fn check(messages: &str, keys: &str, expected: &[&str]) {
    let json = format!(r#"{{"model":"m","max_tokens":8{keys},"messages":{messages}}}"#);
    assert_eq!(violations(&NEW, &json), expected, "{json}");
}

const HI: &str = r#"{"role":"user","content":"hi"}"#;
const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;

#[test]
fn the_rules() {
    clean();
    roles();
    content();
    calls_and_results();
    calls_of_others();
    tools();
    markers();
    markers_on_other_blocks();
    parameters_and_versions();
    schemas();
    forms_of_markers();
    values_of_parameters();
    let all: BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(all.len(), RULES.len(), "names are unique");
    assert_eq!(*BROKEN.lock().unwrap(), all, "a rule has no example");
}

fn clean() {
    check(
        r#"[{"role":"user","content":"a"},
            {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"text","text":"b"}]}]"#,
        r#","tools":[{"name":"t","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"}"#,
        &[],
    );
}

fn roles() {
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

fn content() {
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

fn calls_and_results() {
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
fn calls_of_others() {
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

fn tools() {
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
fn schemas() {
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

fn forms_of_markers() {
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

fn values_of_parameters() {
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

fn markers() {
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

fn markers_on_other_blocks() {
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

fn parameters_and_versions() {
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
