//! History repair makes any history valid, and does not change a valid one.

use aside_messages::wire::{ContentBlock, Message, Request};
use aside_models::Wire;
use aside_providers::{Destination, Options, convert_body, repair_messages};
use aside_rules::{Context, check};
use proptest::collection::vec;
use proptest::prelude::*;

/// Few different ids, so that pairs, duplicates and orphans are frequent.
const BLOCKS: [&str; 9] = [
    r#"{"type":"text","text":"a"}"#,
    r#"{"type":"text","text":" "}"#,
    r#"{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}"#,
    r#"{"type":"tool_use","id":"toolu_2","name":"Read","input":{}}"#,
    r#"{"type":"tool_result","tool_use_id":"toolu_1","content":"a"}"#,
    r#"{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":""}]}"#,
    r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"a"}}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#,
    r#"{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"b"}]}"#,
];

/// A message that only sets the effort: valid anywhere.
const EFFORT: &str = r#"{"role":"system","content":[],"output_config":{"effort":"low"}}"#;

/// The rules that a repaired history has to keep.
const REPAIRED: [&str; 9] = [
    "blank-text",
    "empty-content",
    "result-order",
    "unanswered-call",
    "orphaned-result",
    "doubled-result",
    "doubled-call",
    "pending-server-call",
    "orphaned-server-result",
];

fn history() -> impl Strategy<Value = Vec<Message>> {
    let user = vec(prop::sample::select(vec![0, 1, 4, 5, 8]), 0..4);
    let model = vec(prop::sample::select(vec![0, 1, 2, 3, 6, 7]), 0..4);
    let message = prop_oneof![
        4 => user.prop_map(|blocks| ("user", blocks)),
        4 => model.prop_map(|blocks| ("assistant", blocks)),
        1 => Just(("system", Vec::new())),
    ];
    vec(message, 1..8).prop_map(|messages| {
        let message = |(role, blocks): (&str, Vec<usize>)| {
            let blocks: Vec<_> = blocks.into_iter().map(|it| BLOCKS[it]).collect();
            let blocks = blocks.join(",");
            let json = match role {
                "system" => EFFORT.to_owned(),
                role => format!(r#"{{"role":"{role}","content":[{blocks}]}}"#),
            };
            Message::parse(json.as_bytes()).unwrap().value
        };
        messages.into_iter().map(message).collect()
    })
}

/// Returns which of the [`REPAIRED`] rules are broken, except by calls that the last message leaves
/// open.
fn broken(messages: &[Message]) -> Vec<String> {
    let request = Request {
        model: "claude-opus-4-5".into(),
        max_tokens: Some(99),
        messages: messages.to_vec(),
        ..Request::default()
    };
    let body = serde_json::to_vec(&request).unwrap();
    let checked = check(&body, Wire::Messages, &Context::default());
    let is_of_user = |it: &Message| it.role == aside_messages::wire::Role::User;
    let last_turn = messages.iter().rposition(is_of_user).map_or(0, |it| it + 1);
    let findings = checked.findings.iter().filter(|finding| {
        let is_open = (last_turn..messages.len())
            .any(|it| finding.path.starts_with(&format!("messages[{it}]")));
        REPAIRED.contains(&finding.rule) && !(finding.rule == "unanswered-call" && is_open)
    });
    findings.map(ToString::to_string).collect()
}

proptest! {
    #[test]
    fn a_repaired_history_breaks_no_rule(messages in history()) {
        let mut repaired = messages.clone();
        let repairs = repair_messages(&mut repaired);
        prop_assert_eq!(broken(&repaired), Vec::<String>::new());
        prop_assert_eq!(repair_messages(&mut repaired.clone()), Vec::new());
        prop_assert_eq!(repairs.is_empty(), broken(&messages).is_empty(), "{:?}", repairs);
        if repairs.is_empty() {
            prop_assert_eq!(repaired, messages);
        }
    }
}

fn parsed(messages: &str) -> Vec<Message> {
    let messages = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(messages).unwrap();
    let messages = messages.into_iter();
    messages.map(|it| Message::parse(it.get().as_bytes()).unwrap().value).collect()
}

#[track_caller]
fn repaired(messages: &str, expected: &str, repairs: &[&str]) {
    let mut after = parsed(messages);
    let found: Vec<_> = repair_messages(&mut after).iter().map(ToString::to_string).collect();
    assert_eq!(found, repairs);
    assert_eq!(serde_json::to_string(&after).unwrap(), expected);
}

#[test]
fn a_late_result_and_a_repeated_id() {
    repaired(
        r#"[{"role":"user","content":"Hi"},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"text","text":"so?"},{"type":"tool_result","tool_use_id":"a"}]},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]"#,
        concat!(
            r#"[{"role":"user","content":[{"type":"text","text":"Hi"}]},"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"so?"}]},"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a_2","name":"f","input":{}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a_2"}]}]"#
        ),
        &[
            "messages[2].content[1]: moved directly behind its call",
            "messages[3].content[0]: an earlier call has this id: sent as a_2",
        ],
    );
}

#[test]
fn pairs_that_cannot_be_kept() {
    let missing = concat!(
        r#"{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"#,
        r#""[No result: the call was interrupted, or its result was lost.]"}],"is_error":true}"#
    );
    let expected = format!(
        concat!(
            r#"[{{"role":"user","content":[{{"type":"text","text":"Hi"}}]}},"#,
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"f","input":{{}}}}]}},"#,
            r#"{{"role":"assistant","content":[{{"type":"text","text":"(no content)"}}]}},"#,
            r#"{{"role":"user","content":[{missing},{{"type":"text","text":"so?"}}]}}]"#
        ),
        missing = missing
    );
    repaired(
        r#"[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"tool_result","tool_use_id":"z"}]},
            {"role":"assistant","content":[
                {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}},
                {"type":"tool_use","id":"a","name":"f","input":{}},
                {"type":"web_search_tool_result","tool_use_id":"srvtoolu_2","content":[]}]},
            {"role":"assistant","content":" "},
            {"role":"user","content":"so?"}]"#,
        &expected,
        &[
            "messages[0].content[1]: left out: no call before it waits for this output",
            "messages[1].content[2]: left out: the call of a server tool and its result are a pair",
            "messages[2].content[0]: left out: the API refuses blank text",
            "messages[2]: no content: a text that says so was added",
            "messages[1].content[0]: left out: the call of a server tool and its result are a pair",
            "messages[1].content[1]: no result: an error result was added",
        ],
    );
}

const HI: &str = r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#;
const CALLS: &str = concat!(
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},"#,
    r#"{"type":"tool_use","id":"b","name":"g","input":{}}]}"#
);
const RESULT_A: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ra"}]}"#;
const RESULT_B: &str = concat!(
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"rb"},"#,
    r#"{"type":"text","text":"so"}]}"#
);

/// Returns the calls in two messages.
fn split_calls() -> [String; 2] {
    let (a, b) = CALLS.split_once("},{").unwrap();
    [format!("{a}}}]}}"), format!(r#"{{"role":"assistant","content":[{{{b}"#)]
}

#[test]
fn a_turn_of_several_messages_is_not_changed() {
    let [call_a, call_b] = &split_calls();
    let both = RESULT_A.replace("}]}", r#"},{"type":"tool_result","tool_use_id":"b"}]}"#);
    for messages in [
        &[HI, CALLS, &both][..],
        &[HI, CALLS, RESULT_A, RESULT_B],
        &[HI, CALLS, RESULT_A, RESULT_B, HI],
        &[HI, CALLS, EFFORT, RESULT_A, EFFORT, RESULT_B, HI],
        &[HI, call_a, call_b, RESULT_A, RESULT_B],
        &[HI, call_a, EFFORT, call_b, &both],
        &[HI, CALLS, EFFORT],
    ] {
        let messages = format!("[{}]", messages.join(","));
        repaired(&messages, &messages, &[]);
    }
}

#[test]
fn a_late_result_moves_behind_the_results_of_its_turn() {
    let [moved, missing] = ["messages[4].content[0]", "messages[1].content[1]"];
    let text = r#"{"role":"user","content":[{"type":"text","text":"so"}]}"#;
    let answer = r#"{"role":"assistant","content":[{"type":"text","text":"ok"}]}"#;
    let given = [HI, CALLS, RESULT_A, answer, RESULT_B].join(",");
    let both =
        RESULT_A.replace("}]}", r#"},{"type":"tool_result","tool_use_id":"b","content":"rb"}]}"#);
    let expected = format!("[{}]", [HI, CALLS, &both, answer, text].join(","));
    let repair = format!("{moved}: moved directly behind its call");
    repaired(&format!("[{given}]"), &expected, &[&repair]);
    // Without it, the error results come first, in the order of the calls.
    let calls =
        CALLS.replace(r#"{}}]}"#, r#"{}},{"type":"tool_use","id":"c","name":"g","input":{}}]}"#);
    let given = format!("[{}]", [HI, &calls, RESULT_A, answer, text].join(","));
    let mut after = parsed(&given);
    let found: Vec<_> = repair_messages(&mut after).iter().map(ToString::to_string).collect();
    assert!(found[0].starts_with(missing), "{found:?}");
    let ids = after[2].content.iter().filter_map(|it| match it {
        ContentBlock::ToolResult(result) => Some(&*result.tool_use_id),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["b", "c", "a"]);
}

/// Returns the messages, converted for a provider.
fn converted(messages: &[&str], to: &str) -> String {
    let tool = |name| {
        format!(r#"{{"name":"{name}","input_schema":{{"type":"object","properties":{{}}}}}}"#)
    };
    let json = format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":9,"tools":[{},{}],"messages":[{}]}}"#,
        tool("f"),
        tool("g"),
        messages.join(",")
    );
    let Destination { provider, server } = to.parse().unwrap();
    let options = Options { server, ..Options::default() };
    let converted = convert_body(json.as_bytes(), None, provider, options).unwrap();
    let body = String::from_utf8(converted.outgoing.unwrap().body()).unwrap();
    let list = body.find(r#""messages":"#).or(body.find(r#""contents":"#)).unwrap();
    body[list..].to_owned()
}

#[test]
fn other_wires_get_the_results_in_one_turn() {
    let image = RESULT_A.replace(
        r#""ra""#,
        r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]"#,
    );
    for result in [RESULT_A, &image] {
        let split = [HI, CALLS, result, EFFORT, RESULT_B];
        let (a, b) = (result.strip_suffix("]}").unwrap(), RESULT_B.split_once('[').unwrap().1);
        let joined = [HI, CALLS, &format!("{a},{b}"), EFFORT];
        for to in ["chat-completions", "gemini"] {
            assert_eq!(converted(&split, to), converted(&joined, to), "{to}");
        }
    }
    let [a, b] = &split_calls();
    for to in ["chat-completions", "gemini"] {
        let split = converted(&[HI, a, b, RESULT_A, RESULT_B], to);
        assert_eq!(split, converted(&[HI, CALLS, RESULT_A, RESULT_B], to), "{to}");
    }
}

/// Google's SDKs keep each chunk of a stream as a content.
#[test]
fn the_contents_of_one_gemini_turn_become_one_message() {
    let [call_a, call_b] = ["a", "b"].map(|it| format!(r#"{{"functionCall":{{"name":"{it}"}}}}"#));
    let read = |model: &str| {
        let body = format!(
            r#"{{"generationConfig":{{"maxOutputTokens":99}},"contents":[{{"role":"user","parts":[{{"text":"Hi"}}]}},{model},{{"role":"user","parts":[{{"functionResponse":{{"name":"b","response":{{"output":"of b"}}}}}},{{"functionResponse":{{"name":"a","response":{{"output":"of a"}}}}}}]}}]}}"#
        );
        let imported = aside_providers::from_gemini(body.as_bytes()).unwrap();
        assert!(imported.losses.is_empty(), "{:?}", imported.losses);
        serde_json::to_string(&imported.request.messages).unwrap()
    };
    let content = |parts: &str| format!(r#"{{"role":"model","parts":[{parts}]}}"#);
    let text = r#"{"text":"Let me see."}"#;
    let whole = content(&[text, &call_a, &call_b].join(","));
    let split = [text, &call_a, &call_b].map(content).join(",");
    assert_eq!(read(&split), read(&whole));
}
