//! Markers placed in the bytes of requests.

#![expect(clippy::unwrap_used, reason = "a test fails on the spot")]

mod accepted;
mod tail;

use std::time::Duration;

use aside_cache_model::{CacheModel, CacheRules, RequestBytes};
use aside_gateway::place::{PlaceErrorKind, place};
use proptest::prelude::*;

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn placed(body: &str) -> String {
    String::from_utf8(place(body.as_bytes()).unwrap().body).unwrap()
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

#[test]
fn content_that_is_a_string_is_unchanged() {
    let body = request(&TALK.replace(r#"[{"type":"text","text":"c"}]"#, r#""c""#));
    let placed = placed(&body);
    assert!(
        placed.contains(r#"{"role":"user","content":"c"}]"#),
        "{placed}"
    );
    assert!(placed.ends_with(&format!("]{MARKER}}}")), "{placed}");
}

#[test]
fn the_lifetime_of_the_agent_is_kept() {
    let hour = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;
    let body = request(&TALK.replace(r#""text":"b""#, &format!(r#""text":"b"{hour}"#)));
    let placed = placed(&body);
    assert_eq!(
        placed.matches("\"ttl\":\"1h\"").count(),
        placed.matches("cache_control").count()
    );
}

#[test]
fn a_body_that_cannot_be_planned_is_unchanged() {
    let kind = |body: &str| place(body.as_bytes()).err().map(|it| it.kind());
    assert_eq!(kind("x"), Some(PlaceErrorKind::Unreadable));
    assert_eq!(kind("{}"), Some(PlaceErrorKind::Unreadable));
    let single = request(r#"{"role":"user","content":[{"type":"text","text":"a title"}]}"#);
    assert_eq!(kind(&single), Some(PlaceErrorKind::SingleCall));
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

/// The way in which an agent marks its requests.
#[derive(Clone, Copy, Debug)]
enum Style {
    Nothing,
    Automatic,
    Last,
    LastTwoUsers,
    SystemAndLast,
}

/// One request: the tokens that it adds, parallel calls, seconds since the
/// preceding one.
type Step = (usize, usize, u64);

/// Returns the bodies of a session, as the agent sends them.
fn session(style: Style, steps: &[Step]) -> Vec<String> {
    let marker = |is_marked: bool| if is_marked { MARKER } else { "" };
    let mut history: Vec<Vec<String>> = Vec::new();
    let mut bodies = Vec::new();
    for (number, (size, calls, _)) in steps.iter().enumerate() {
        let words = "word ".repeat(*size);
        match calls {
            0 => history.push(vec![format!(r#"{{"type":"text","text":"{number} {words}"#)]),
            calls => {
                let part = "word ".repeat(size / calls);
                history.push(
                    (0..*calls)
                        .map(|call| format!(r#"{{"type":"tool_result","tool_use_id":"t{number}x{call}","content":"{part}"#))
                        .collect(),
                );
            }
        }
        let users = history.len();
        let mut messages = Vec::new();
        for (index, blocks) in history.iter().enumerate() {
            let is_marked = match style {
                Style::Nothing | Style::Automatic => false,
                Style::Last | Style::SystemAndLast => index + 1 == users,
                Style::LastTwoUsers => index + 2 >= users,
            };
            if index > 0 {
                let calls: Vec<_> = blocks
                    .iter()
                    .filter(|it| it.contains("tool_result"))
                    .enumerate()
                    .map(|(call, _)| format!(r#"{{"type":"tool_use","id":"t{index}x{call}","name":"a","input":{{}}}}"#))
                    .collect();
                let response = match calls.is_empty() {
                    true => format!(r#"{{"type":"text","text":"said {index}"}}"#),
                    false => calls.join(","),
                };
                messages.push(format!(r#"{{"role":"assistant","content":[{response}]}}"#));
            }
            let last = blocks.len() - 1;
            let blocks: Vec<_> = blocks
                .iter()
                .enumerate()
                .map(|(block, it)| format!("{it}\"{}}}", marker(is_marked && block == last)))
                .collect();
            messages.push(format!(
                r#"{{"role":"user","content":[{}]}}"#,
                blocks.join(",")
            ));
        }
        let automatic = match style {
            Style::Automatic => r#""cache_control":{"type":"ephemeral"},"#,
            _ => "",
        };
        let system = marker(matches!(style, Style::SystemAndLast));
        let rules = "rule ".repeat(300);
        bodies.push(format!(
            r#"{{"model":"claude-opus-5","max_tokens":9,{automatic}"tools":[{{"name":"a","input_schema":{{"type":"object"}}}}],"system":[{{"type":"text","text":"{rules}"{system}}}],"messages":[{}]}}"#,
            messages.join(",")
        ));
    }
    bodies
}

fn cost<'a>(bodies: impl Iterator<Item = &'a [u8]>, steps: &[Step]) -> u64 {
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let mut at = Duration::ZERO;
    let mut sum = 0;
    for (body, (_, _, pause)) in bodies.zip(steps) {
        at += Duration::from_secs(*pause);
        let request = RequestBytes::parse(body).unwrap();
        sum += cache.send(&request, at).cost.unwrap().nanodollars();
    }
    sum
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        Just(Style::Nothing),
        Just(Style::Automatic),
        Just(Style::Last),
        Just(Style::LastTwoUsers),
        Just(Style::SystemAndLast),
    ]
}

/// Generates requests at most four minutes apart, each of which adds no more
/// than the system prompt and everything before it, so that every written
/// prefix is read again.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let first = (50..800_usize, Just(0), 1..240_u64);
    let later = (1..300_usize, 0..25_usize, 1..240_u64);
    (first, proptest::collection::vec(later, 2..10)).prop_map(|(first, later)| {
        let mut steps = vec![first];
        steps.extend(later);
        steps
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_session_costs_no_more_with_placed_markers(style in style(), steps in steps()) {
        let bodies = session(style, &steps);
        let placed: Vec<_> = bodies.iter().map(|body| place(body.as_bytes()).unwrap().body).collect();
        for (body, placed) in bodies.iter().zip(&placed) {
            let placed = String::from_utf8(placed.clone()).unwrap();
            let plain = |text: &str| {
                let automatic = format!("{},", &MARKER[1..]);
                text.replace(MARKER, "").replace(&automatic, "")
            };
            prop_assert_eq!(plain(&placed), plain(body));
            prop_assert!(placed.matches("cache_control").count() <= 4);
        }
        let as_sent = cost(bodies.iter().map(String::as_bytes), &steps);
        let as_placed = cost(placed.iter().map(|body| &**body), &steps);
        prop_assert!(as_placed <= as_sent, "{as_placed} > {as_sent}");
    }
}
