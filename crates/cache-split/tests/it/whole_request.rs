//! Plans for whole requests with the caller's markers.

use aside_cache_split::{
    Caching, Continuation, PlanErrorKind, PlanOptions, TtlPolicy, plan_request,
};
use aside_messages::wire::Request;
use aside_models::ThinkingKept;
use aside_rules::{Context, Wire};
use proptest::prelude::*;

const SHORT: &str = r#","cache_control":{"type":"ephemeral"}"#;
const LONG: &str = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;

/// Creates a request from one letter for each block, followed by `5` or `1` for a marker that lives
/// five minutes or one hour. `t` is a tool, `d` a deferred tool, `s` the system prompt, `u` a user
/// text, `e` an empty one, `r` a tool result, `n` one with a marker inside, `a` a model text and
/// `h` thinking; `/` begins the next message. `=` is the automatic marker.
fn request(short: &str) -> Request {
    let (mut tools, mut system, mut messages) = (Vec::new(), Vec::new(), vec![Vec::new()]);
    let mut automatic = "";
    let mut letters = short.chars().peekable();
    while let Some(letter) = letters.next() {
        let mark = match letters.peek() {
            Some('5') => SHORT,
            Some('1') => LONG,
            _ => "",
        };
        if !mark.is_empty() {
            letters.next();
        }
        let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"{mark}}}"#);
        let result = |inner: &str| {
            format!(
                r#"{{"type":"tool_result","tool_use_id":"i","content":[{{"type":"text","text":"x"{inner}}}]{mark}}}"#
            )
        };
        match letter {
            '=' => automatic = mark,
            't' => tools.push(format!(r#"{{"name":"t{}"{mark}}}"#, tools.len())),
            'd' => tools.push(format!(r#"{{"name":"d","defer_loading":true{mark}}}"#)),
            's' => system.push(text("s")),
            '/' => messages.push(Vec::new()),
            other => messages.last_mut().unwrap().push(match other {
                'u' | 'a' => text("x"),
                'e' => text(""),
                'r' => result(""),
                'n' => result(LONG),
                'h' => r#"{"type":"thinking","thinking":"x","signature":"y"}"#.to_owned(),
                _ => unreachable!("{other}"),
            }),
        }
    }
    let message = |(index, blocks): (usize, &Vec<String>)| {
        let role = if index.is_multiple_of(2) { "user" } else { "assistant" };
        format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
    };
    let messages: Vec<_> = messages.iter().enumerate().map(message).collect();
    let json = format!(
        r#"{{"model":"m","max_tokens":1{automatic},"tools":[{}],"system":[{}],"messages":[{}]}}"#,
        tools.join(","),
        system.join(","),
        messages.join(",")
    );
    Request::parse(json.as_bytes()).unwrap().value
}

/// Lists the request's markers by place and lifetime.
fn markers(request: &Request) -> String {
    let json: serde_json::Value = serde_json::to_value(request).unwrap();
    let mut found = Vec::new();
    visit(&json["tools"], "tools", &mut found);
    visit(&json["system"], "system", &mut found);
    for (index, message) in json["messages"].as_array().unwrap().iter().enumerate() {
        visit(&message["content"], &format!("{index}"), &mut found);
    }
    if let Some(control) = json.get("cache_control") {
        found.push(format!("={}", ttl(control)));
    }
    found.join(" ")
}

fn visit(blocks: &serde_json::Value, place: &str, found: &mut Vec<String>) {
    for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
        let place = format!("{place}.{index}");
        visit(&block["content"], &place, found);
        if let Some(control) = block.get("cache_control") {
            found.push(format!("{place}:{}", ttl(control)));
        }
    }
}

fn ttl(control: &serde_json::Value) -> &str {
    control.get("ttl").and_then(|ttl| ttl.as_str()).unwrap_or("5m")
}

fn check_with(options: PlanOptions<'_>, short: &str, expected: &str) {
    let mut request = request(short);
    let plan = plan_request(&request, options).unwrap();
    plan.apply(&mut request);
    assert_eq!(markers(&request), expected, "{short}");
    assert_eq!(faults(&request), Vec::<String>::new(), "{short}");
    // To plan again does not change the markers.
    let before = markers(&request);
    if options.caching == Caching::On {
        plan_request(&request, options).unwrap().apply(&mut request);
        assert_eq!(markers(&request), before, "{short}");
    }
}

fn check(short: &str, expected: &str) {
    check_with(PlanOptions::default(), short, expected);
}

/// With one-hour checkpoints, a turn's first request looks for the previous turn's start if earlier
/// thinking is gone from the prefix, else for the last checkpoint.
#[test]
fn an_option_says_which_thinking_is_kept_if_the_model_does_not() {
    let looks_at = |model: &str, thinking| {
        let mut request = request("u/ha/u/ha/u");
        request.model = model.into();
        let options =
            PlanOptions { ttl: TtlPolicy::Checkpoints, thinking, ..PlanOptions::default() };
        plan_request(&request, options).unwrap().apply(&mut request);
        markers(&request)
    };
    let (all, last) = (Some(ThinkingKept::All), Some(ThinkingKept::LastTurn));
    assert_ne!(looks_at("our-model", all), looks_at("our-model", last));
    assert_eq!(looks_at("our-model", None), looks_at("our-model", all));
    assert_eq!(looks_at("claude-haiku-4-5", None), looks_at("claude-haiku-4-5", last));
    assert_eq!(looks_at("claude-haiku-4-5", all), looks_at("our-model", all));
}

fn refused(short: &str, kind: PlanErrorKind, expected: &str) {
    let error = plan_request(&request(short), PlanOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected));
}

#[test]
fn a_request_without_markers() {
    check("u", "0.0:5m");
    check("ttsu", "tools.1:5m system.0:5m 0.0:5m");
    check("ttdu", "tools.1:5m 0.0:5m");
    check("du", "0.0:5m");
    check("su/a/uu", "system.0:5m 0.0:5m 2.1:5m");
    check("su/ha/r", "system.0:5m 0.0:5m 2.0:5m");
}

#[test]
fn the_callers_markers_are_kept_and_count() {
    check("t5su/a/u", "tools.0:5m system.0:5m 0.0:5m 2.0:5m");
    check("t5s5s5u/a/u", "tools.0:5m system.0:5m system.1:5m 2.0:5m");
    check("t5s5u5/a5/u", "tools.0:5m system.0:5m 0.0:5m 1.0:5m");
    check("su5/a/u5", "system.0:5m 0.0:5m 2.0:5m");
    // A marker inside a result stays there.
    check("su/a/nu/a/u", "system.0:1h 2.0.0:1h 2.1:5m 4.0:5m");
}

#[test]
fn an_error_has_the_places_of_more_than_four_markers() {
    let kind = PlanErrorKind::TooMany;
    refused(
        "t5s5u5/a5/u5",
        kind,
        "found 5 cache markers, expected at most 4: tools[0], system[0], messages[0].content[0], messages[1].content[0], messages[2].content[0]",
    );
    refused(
        "=5t5s5u5/a5/u",
        kind,
        "found 5 cache markers, expected at most 4: tools[0], system[0], messages[0].content[0], messages[1].content[0], cache_control",
    );
    refused(
        "t1s1u1/a/nr5",
        kind,
        "found 5 cache markers, expected at most 4: tools[0], system[0], messages[0].content[0], messages[2].content[0].content[0], messages[2].content[1]",
    );
}

#[test]
fn markers_of_one_hour_come_first() {
    let kind = PlanErrorKind::Order;
    refused(
        "t5s1u",
        kind,
        "the cache marker of one hour at system[0] comes after one of five minutes at tools[0]",
    );
    refused(
        "=1tsu5/a/u",
        kind,
        "the cache marker of one hour at cache_control comes after one of five minutes at messages[0].content[0]",
    );
    refused(
        "su5/a/n",
        kind,
        "the cache marker of one hour at messages[2].content[0].content[0] comes after one of five minutes at messages[0].content[0]",
    );
    // Planned markers are adapted.
    check("su1/a/u", "system.0:1h 0.0:1h 2.0:5m");
    let long = PlanOptions { ttl: TtlPolicy::Long, ..PlanOptions::default() };
    check_with(long, "su/a/u", "system.0:1h 0.0:1h 2.0:1h");
    check_with(long, "su5/a/u", "system.0:1h 0.0:5m 2.0:5m");
}

#[test]
fn the_automatic_marker_counts_and_covers_the_last_block() {
    check("=5su/a/u", "system.0:5m 0.0:5m =5m");
    check("=1su/a/u", "system.0:1h 0.0:1h =1h");
    check("=5t5s5u5/a/u", "tools.0:5m system.0:5m 0.0:5m =5m");
    check("=5su/a/u5", "system.0:5m 0.0:5m 2.0:5m =5m");
    refused(
        "=5su1",
        PlanErrorKind::Automatic,
        "the cache marker at messages[0].content[0], the last block, has another lifetime than the automatic one at cache_control",
    );
}

#[test]
fn a_marker_on_a_block_that_cannot_have_one_is_removed() {
    check("d5su", "system.0:5m 0.0:5m");
    check("sue5", "system.0:5m 0.0:5m");
    check("sue5/a/u", "system.0:5m 0.0:5m 2.0:5m");
    let plan = plan_request(&request("d5su"), PlanOptions::default()).unwrap();
    let dropped: Vec<_> =
        plan.dropped().map(|it| (it.at.to_string(), it.why.to_string())).collect();
    assert_eq!(dropped, [("tools[0]".to_owned(), "the block cannot have a marker".to_owned())]);
}

#[test]
fn caching_off_removes_all_markers() {
    let off = PlanOptions { caching: Caching::Off, ..PlanOptions::default() };
    check_with(off, "=5t5s5u5/a/nu5", "");
    // Even more markers than the API accepts.
    check_with(off, "t5s1u5/a5/u5", "");
    let plan = plan_request(&request("t5su5"), off).unwrap();
    let dropped: Vec<_> = plan.dropped().map(|it| it.at.to_string()).collect();
    assert_eq!(dropped, ["tools[0]", "messages[0].content[0]"]);
}

#[test]
fn a_one_shot_request_marks_no_message() {
    let one_shot = PlanOptions { continuation: Continuation::OneShot, ..PlanOptions::default() };
    check_with(one_shot, "tsu/a/u", "system.0:5m");
    check_with(one_shot, "su5/a/u", "system.0:5m 0.0:5m");
}

/// Returns what the API's rules say against the markers.
fn faults(request: &Request) -> Vec<String> {
    let body = serde_json::to_vec(request).unwrap();
    let checked = aside_rules::check(&body, Wire::Messages, &Context::default());
    let of_markers = checked.findings.into_iter();
    let of_markers = of_markers.filter(|it| it.rule.starts_with("marker"));
    of_markers.map(|it| it.to_string()).collect()
}

/// Generates requests with markers anywhere.
fn any_request() -> impl Strategy<Value = String> {
    let block = "[tdsu]|[uernah/]";
    let marked = (block, prop_oneof![4 => Just(""), 1 => Just("5"), 1 => Just("1")]);
    let blocks = proptest::collection::vec(marked, 0..14);
    let automatic = prop_oneof![3 => Just(""), 1 => Just("=5"), 1 => Just("=1")];
    (automatic, blocks).prop_map(|(automatic, blocks)| {
        let blocks = blocks.into_iter().map(|(block, mark)| match block.as_str() {
            "/" | "h" => block,
            _ => block + mark,
        });
        automatic.to_owned() + &blocks.collect::<String>()
    })
}

proptest! {
    #[test]
    fn a_valid_request_is_valid_with_a_plan(
        short in any_request(),
        ttl in prop_oneof![Just(TtlPolicy::Short), Just(TtlPolicy::LongPrefix), Just(TtlPolicy::Long)],
        continuation in prop_oneof![Just(Continuation::Expected), Just(Continuation::OneShot)],
    ) {
        let mut request = request(&short);
        let was_valid = faults(&request).is_empty();
        let options = PlanOptions { ttl, continuation, ..PlanOptions::default() };
        match plan_request(&request, options) {
            Ok(plan) => {
                plan.apply(&mut request);
                if was_valid {
                    prop_assert_eq!(faults(&request), Vec::<String>::new());
                }
                // To plan again does not change the markers.
                let before = request.clone();
                plan_request(&request, options).unwrap().apply(&mut request);
                prop_assert_eq!(markers(&request), markers(&before));
            }
            Err(error) => prop_assert!(
                !was_valid || error.kind() == PlanErrorKind::Automatic
                    || error.places().contains(&"cache_control".to_owned()),
                "{}", error
            ),
        }
        let off = PlanOptions { caching: Caching::Off, ..options };
        plan_request(&request, off).unwrap().apply(&mut request);
        prop_assert_eq!(markers(&request), "");
    }
}
