//! What providers billed for recorded requests, against the model.
//!
//! Tokens per character are calibrated from the recording itself: a first pass
//! learns them, a second one predicts. A prefix that an earlier request in the
//! recording left is predicted to the token; a prefix that was never counted is
//! within [`TOLERANCE`].

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, ResponseParts, Timed, Usage};
use serde_json::Value;

const PAIRS: &str = include_str!("../../../../fixtures/recorded/usage_pairs.json");

/// How far an estimated prefix may be from the counted one.
const TOLERANCE: f64 = 0.12;

/// Tokens that are not in the body: the recordings show about 40 for thinking,
/// and about 320 for tools, after the system prompt.
const HIDDEN_TOKENS: u64 = 350;

/// The same for a recording that began with a warm cache.
const WARM_TOLERANCE: f64 = 0.005;

/// Replaces `@@fill:SEED:N@@` by N characters that depend on the seed only.
fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, fill)) = rest.split_once("@@fill:") {
        let (spec, after) = fill.split_once("@@").unwrap();
        let (seed, length) = spec.rsplit_once(':').unwrap();
        out.push_str(before);
        let words = format!("{seed} some words of filler ");
        out.extend(words.chars().cycle().take(length.parse().unwrap()));
        rest = after;
    }
    out + rest
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The recorded usage as the vendor means it.
fn usage(recorded: &Value) -> Usage {
    let gross =
        |input: &str, read: u64| Usage::from_input(read, 0, 0, number(recorded, input) - read);
    if recorded.get("promptTokenCount").is_some() {
        return gross("promptTokenCount", number(recorded, "cachedContentTokenCount"));
    }
    if let Some(details) = recorded.get("prompt_tokens_details") {
        return gross("prompt_tokens", number(details, "cached_tokens"));
    }
    if let Some(details) = recorded.get("input_tokens_details") {
        return gross("input_tokens", number(details, "cached_tokens"));
    }
    let hour = number(&recorded["cache_creation"], "ephemeral_1h_input_tokens");
    Usage::from_input(
        number(recorded, "cache_read_input_tokens"),
        number(recorded, "cache_creation_input_tokens") - hour,
        hour,
        number(recorded, "input_tokens"),
    )
}

struct Recorded {
    at: Duration,
    request: Body,
    usage: Usage,
}

fn requests(case: &Value) -> Vec<Recorded> {
    let all = case["input"]["requests"].as_array().unwrap().iter();
    let recorded = all.map(|it| Recorded {
        at: Duration::from_secs_f64(it["t"].as_f64().unwrap()),
        request: Body::parse(expand(&it["body"].to_string()).as_bytes()).unwrap(),
        usage: usage(&it["usage"]),
    });
    recorded.collect()
}

/// Plays a recording; returns what was predicted before each usage was seen.
fn predicted(case: &Value, model: &mut CacheModel) -> Vec<Usage> {
    let mut all = Vec::new();
    for recorded in requests(case) {
        all.push(model.send(&recorded.request, recorded.at).usage);
        model.observe(recorded.usage);
    }
    all
}

#[track_caller]
fn check(name: &str, what: &str, predicted: u64, recorded: u64, tolerance: f64) {
    let most = (recorded as f64 * tolerance).ceil() as u64;
    let is_estimated = tolerance >= TOLERANCE;
    let most = if is_estimated { most.max(HIDDEN_TOKENS) } else { most };
    assert!(
        predicted.abs_diff(recorded) <= most,
        "{name}: {what}: predicted {predicted}, recorded {recorded}"
    );
}

fn cases() -> Vec<Value> {
    serde_json::from_str(PAIRS).unwrap()
}

/// Checks every figure that the recording allows to judge; returns how many
/// reads were compared.
fn judge(case: &Value, rules: CacheRules) -> usize {
    let name = case["id"].as_str().unwrap();
    let is_implicit = rules.name == "openai" || rules.name == "gemini";
    let mut first = CacheModel::new(rules);
    predicted(case, &mut first);
    let found = predicted(case, &mut first.cleared());
    let mut reads = 0;
    let expected = case["expected"]["requests"].as_array().unwrap();
    for ((found, expected), recorded) in found.iter().zip(expected).zip(requests(case)) {
        let judged: Vec<&str> =
            expected["judged"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        if judged.contains(&"read") {
            reads += 1;
            let read = number(expected, "read");
            if is_implicit {
                // Implicit caches promise no figure: a hit or a miss.
                assert_eq!(found.read > 0, read > 0, "{name}: {found:?}");
            } else {
                // It is unknown what a warm cache held before the recording.
                let note = case["note"].as_str().unwrap_or_default();
                let tolerance = if note.contains("warm cache") { WARM_TOLERANCE } else { 0.0 };
                check(name, "read", found.read, read, tolerance);
            }
        }
        if judged.contains(&"write_1h") {
            check(name, "write_1h", found.write_1h, recorded.usage.write_1h, TOLERANCE);
        }
        if judged.contains(&"write_5m") {
            check(name, "write_5m", found.write_5m, recorded.usage.write_5m, TOLERANCE);
        }
    }
    reads
}

#[test]
fn every_read_is_the_recorded_one() {
    let mut reads = 0;
    for case in cases() {
        let preset = case["input"]["preset"].as_str().unwrap();
        reads += judge(&case, CacheRules::preset(preset).unwrap());
    }
    assert!(reads >= 40, "{reads} reads were compared");
}

/// A wrong rule does not agree with the recordings.
#[test]
fn a_wrong_rule_is_seen() {
    let wrong = |change: &dyn Fn(&mut CacheRules)| {
        cases().iter().any(|case| {
            let mut rules = CacheRules::preset(case["input"]["preset"].as_str().unwrap()).unwrap();
            change(&mut rules);
            std::panic::catch_unwind(|| judge(case, rules)).is_err()
        })
    };
    assert!(wrong(&|rules| rules.look_back = 0));
    assert!(wrong(&|rules| rules.minimum = Some(1)));
    assert!(wrong(&|rules| rules.minimum = Some(100_000)));
    assert!(wrong(&|rules| rules.latency = Duration::from_secs(30)));
    assert!(!wrong(&|_| {}));
}

/// A search result that the provider adds is in the usage of one request, and in the body of none.
#[test]
fn a_usage_beyond_its_body_changes_no_other_figure() {
    let body = |text: &str| {
        let body = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"{text}"}}]}}"#
        );
        Body::parse(body.as_bytes()).unwrap()
    };
    let long = body(&"word ".repeat(2_000));
    let mut model = CacheModel::new(CacheRules::anthropic());
    let expected = model.send(&long, Duration::ZERO).usage;
    model.send(&body("search"), Duration::from_secs(1));
    model.observe(Usage::from_input(0, 0, 0, 24_000));
    assert_eq!(model.send(&long, Duration::from_secs(2)).usage, expected);
}

/// A request to Responses whose last item is reasoning.
fn reasoning(before: &str, item: &str) -> Body {
    let long = "word ".repeat(6_000);
    let input = format!(r#"{{"role":"user","content":"{before}"}},{item}"#);
    let body = format!(r#"{{"model":"gpt-5.5","instructions":"{long}","input":[{input}]}}"#);
    Body::parse(body.as_bytes()).unwrap()
}

/// The provider counts reasoning that the body only names, and the body says nothing of its size.
#[test]
fn items_by_id_change_no_other_figure() {
    let by_id = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    let reference = r#"{"type":"item_reference","id":"msg_1"}"#;
    let whole = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AA"}"#;
    for (item, is_learned) in [(by_id, false), (reference, false), (whole, true)] {
        let mut model = CacheModel::new(CacheRules::openai());
        let other = reasoning("other", "{}");
        let expected = model.cleared().send(&other, Duration::ZERO).usage;
        let usage = model.send(&reasoning("Hi", item), Duration::ZERO).usage;
        model.observe(Usage::from_input(0, 0, 0, usage.input() + 3_000));
        let found = model.cleared().send(&other, Duration::ZERO).usage;
        assert_eq!(found != expected, is_learned, "{item}");
    }
}

/// The record of the response that made it has the size of such reasoning.
#[test]
fn reasoning_by_id_has_the_tokens_of_its_response() {
    let by_id = |id: &str| format!(r#"{{"type":"reasoning","id":"{id}","summary":[]}}"#);
    let items = [by_id("rs_1"), by_id("rs_2")].join(",");
    let whole = items.replace(r#""summary""#, r#""encrypted_content":"AA","summary""#);
    let input = |items: &str, ids: &[&str]| {
        let mut model = CacheModel::new(CacheRules::openai());
        let mut first = Timed::new(reasoning("Hi", "{}"), Duration::ZERO);
        let output: Vec<String> = ids.iter().map(|id| by_id(id)).collect();
        let answer = ResponseParts::new(Vec::new(), Some("Yes?".to_owned()));
        first.answer = Some(answer.with_reasoning(&format!("[{}]", output.join(",")), 3_000));
        model.send_timed(&first);
        model.send(&reasoning("Hi", items), Duration::from_secs(9)).usage.input()
    };
    let unknown = input(&items, &[]);
    let more = [&["rs_1"][..], &["rs_1", "rs_2"], &["rs_1", "rs_3"], &["rs_3"]];
    let more = more.map(|ids| input(&items, ids) - unknown);
    assert_eq!(more.map(|it| it / 10), [299, 299, 149, 0]);
    assert_eq!(input(&whole, &["rs_1"]), input(&whole, &[]), "its content is in the body");
}

#[test]
fn no_more_is_lost_than_a_request_has() {
    let body = |clock: &str| {
        let long = "word ".repeat(6_000);
        let input = r#"{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
        let system = format!("It is {clock}. {long}");
        let body = format!(r#"{{"model":"gpt-5.5","instructions":"{system}","input":[{input}]}}"#);
        Body::parse(body.as_bytes()).unwrap()
    };
    let lost = |counted: u64| {
        let mut model = CacheModel::new(CacheRules::openai());
        let replay = |model: &mut CacheModel, body: Body, second: u64, input: u64| {
            let mut entry = Timed::new(body, Duration::from_secs(second));
            entry.session = Some("s".to_owned());
            entry.usage = Some(Usage::from_input(0, 0, 0, input));
            model.replay(&entry)
        };
        replay(&mut model, body("10:53"), 0, 6_000);
        let miss = replay(&mut model, body("10:54"), 20, counted).miss.unwrap();
        (miss.lost_tokens, miss.lost_cost.unwrap())
    };
    let (all, cost) = lost(6_000);
    assert!(all > 5_000, "{all}");
    let (less, cheaper) = lost(4_000);
    assert_eq!(less, 4_000);
    assert!(cheaper < cost);
}
