//! No placement of markers costs less than the bound.

use std::time::Duration;

use aside_cache_model::{
    Body, Bound, CacheModel, CacheRules, Choice, Cost, Timed, Usage, lower_bound,
};
use proptest::prelude::*;

/// A request in a random log: the conversation, how many of its blocks, when,
/// and where it is marked.
#[derive(Clone, Debug)]
struct Step {
    conversation: u8,
    blocks: usize,
    pause: u64,
    marks: Vec<(usize, bool)>,
}

fn step() -> impl Strategy<Value = Step> {
    let pauses = prop_oneof![0..3_u64, 10..200_u64, 290..400_u64, 1_000..4_000_u64];
    let marks = proptest::collection::vec((0..12_usize, any::<bool>()), 0..5);
    (0..3_u8, 1..12_usize, pauses, marks).prop_map(|(conversation, blocks, pause, marks)| Step {
        conversation,
        blocks,
        pause,
        marks,
    })
}

fn log(steps: &[Step]) -> Vec<Timed> {
    let mut at = Duration::ZERO;
    let entry = |step: &Step| {
        at += Duration::from_secs(step.pause);
        let block = |index: usize| {
            // All conversations begin with the same four blocks.
            let conversation = if index < 4 { 9 } else { step.conversation };
            let text = format!("{conversation} {index} ").repeat(300);
            let mark =
                step.marks.iter().find(|it| it.0 == index).map_or(String::new(), |(_, is_long)| {
                    let ttl = if *is_long { "1h" } else { "5m" };
                    format!(r#","cache_control":{{"type":"ephemeral","ttl":"{ttl}"}}"#)
                });
            format!(r#"{{"type":"text","text":"{text}"{mark}}}"#)
        };
        let content: Vec<String> = (0..step.blocks).map(block).collect();
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":[{}]}}]}}"#,
            content.join(",")
        );
        Timed::new(Body::parse(json.as_bytes()).unwrap(), at)
    };
    steps.iter().map(entry).collect()
}

fn cost(log: &[Timed], rules: &CacheRules) -> Cost {
    let mut model = CacheModel::new(rules.clone());
    log.iter().map(|it| model.send_timed(it).cost.unwrap()).sum()
}

proptest! {
    #[test]
    fn the_bound_is_never_above_the_cost(
        steps in proptest::collection::vec(step(), 1..25),
        flip in proptest::option::of(0..Choice::ALL.len()),
    ) {
        let rules = CacheRules::anthropic();
        let rules = flip.map_or(rules.clone(), |it| rules.flipped(Choice::ALL[it]));
        let log = log(&steps);
        let bound = lower_bound(&log, &rules).unwrap();
        let cost = cost(&log, &rules);
        prop_assert!(bound <= cost, "bound {bound}, cost {cost}");
        prop_assert!(bound > Cost::ZERO);
    }
}

/// What conversations share lives for an hour only if it is written for an hour: the first one
/// continues within five minutes, and keeps its own blocks for an hour, but not the shared end.
#[test]
fn a_shared_end_is_kept_by_its_own_entry() {
    let step =
        |conversation, blocks, pause| Step { conversation, blocks, pause, marks: Vec::new() };
    let bound = |other| {
        let steps = [step(0, 5, 0), step(0, 6, 60), step(other, 6, 1_200)];
        lower_bound(&log(&steps), &CacheRules::anthropic()).unwrap()
    };
    let (same, other) = (bound(0), bound(1));
    // The other conversation sends its fifth block instead of reading it, at 0.05, and the
    // fourth one is written for an hour.
    let block = {
        let request = &log(&[step(0, 1, 0)])[0];
        let mut model = CacheModel::new(CacheRules::anthropic());
        model.send_timed(request).cost.unwrap()
    };
    let more = (other.dollars() - same.dollars()) / block.dollars();
    assert_eq!((more * 100.0).round(), 95.0 + 75.0, "{more}");
}

#[test]
fn a_conversation_without_pauses_is_written_once() {
    let step =
        |blocks, pause| Step { conversation: 0, blocks, pause, marks: vec![(blocks - 1, false)] };
    // Each prefix is written when it is new and read afterwards: the markers
    // are as good as can be, except for the last write, which nothing reads.
    let steps: Vec<Step> = (1..10).map(|it| step(it, 60)).collect();
    let log = log(&steps);
    let mut rules = CacheRules::anthropic();
    rules.minimum = Some(0);
    let (bound, cost) = (lower_bound(&log, &rules).unwrap(), cost(&log, &rules));
    let ratio = cost.dollars() / bound.dollars();
    assert!((1.0..1.05).contains(&ratio), "{ratio}");
}

/// The provider counts half the estimate, which changes the predictions after
/// the first one: the bound is in the same tokens.
#[test]
fn the_bound_follows_the_counts_of_the_provider() {
    let step =
        |blocks| Step { conversation: 0, blocks, pause: 60, marks: vec![(blocks - 1, false)] };
    let log = log(&[step(3), step(3), step(4)]);
    let mut rules = CacheRules::anthropic();
    rules.minimum = Some(0);
    let mut model = CacheModel::new(rules);
    let (mut bound, mut cost) = (Bound::new(), Cost::ZERO);
    for entry in &log {
        let verdict = model.send_timed(entry);
        bound.add(&model, entry);
        cost += verdict.cost.unwrap();
        let counted = verdict.usage.input() / 2;
        if verdict.hit.is_none() {
            model.observe(Usage::from_input(0, counted, 0, 0));
        }
    }
    let ratio = cost.dollars() / bound.cost().unwrap().dollars();
    assert!((1.0..1.05).contains(&ratio), "{ratio}");
}

/// The provider counts more or fewer tokens than estimated, from the first request on.
#[test]
fn the_bound_is_in_the_tokens_of_the_recorded_usage() {
    let step =
        |blocks| Step { conversation: 0, blocks, pause: 60, marks: vec![(blocks - 1, false)] };
    let steps: Vec<Step> = (1..6).map(step).collect();
    for percent in [80, 117, 140] {
        let mut model = CacheModel::new(CacheRules::anthropic());
        let counted = |estimate: u64| estimate * percent / 100;
        let (mut bound, mut paid, mut estimates) = (Bound::new(), Cost::ZERO, Vec::new());
        for entry in &mut log(&steps) {
            // Estimates: a model that never sees a usage.
            let one = CacheModel::new(CacheRules::anthropic()).send(&entry.request, entry.at);
            let read = estimates.last().copied().unwrap_or_default();
            let usage =
                Usage::from_input(counted(read), counted(one.usage.input()) - counted(read), 0, 0);
            estimates.push(one.usage.input());
            entry.usage = Some(usage);
            model.replay(entry);
            bound.add(&model, entry);
            paid += usage.cost(aside_cache_model::models::find("claude-opus-5-5").facts).unwrap();
        }
        let ratio = paid.dollars() / bound.cost().unwrap().dollars();
        assert!((1.0..1.1).contains(&ratio), "{percent} %: {ratio}");
    }
}

/// Nothing can cache a prompt below the minimum, which is billed plainly each time.
#[test]
fn a_request_below_the_minimum_is_plain() {
    let rules = CacheRules::anthropic();
    let over = |words: usize| {
        let text = "word ".repeat(words);
        let body = format!(
            r#"{{"model":"claude-opus-5-5","cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":"{text}"}}]}}"#
        );
        let request = Body::parse(body.as_bytes()).unwrap();
        let log: Vec<_> =
            (0..9).map(|at| Timed::new(request.clone(), Duration::from_secs(60 * at))).collect();
        let plain = aside_cache_model::models::find("claude-opus-5-5").facts;
        let mut model = CacheModel::new(rules.clone());
        let usage = model.send_timed(&log[0]).usage;
        let plain = Usage::from_input(0, 0, 0, 9 * usage.input()).cost(plain).unwrap();
        lower_bound(&log, &rules).unwrap().dollars() / plain.dollars()
    };
    assert!((over(80) - 1.0).abs() < 1e-9, "{}", over(80));
    assert!(over(9_000) < 0.3, "{}", over(9_000));
}

/// What the provider keeps is counted once, also if the body has nothing after it.
#[test]
fn a_body_without_blocks_costs_at_most_what_was_paid() {
    for body in [
        r#"{"model":"gpt-5.5","prompt":{"id":"pmpt_1"}}"#,
        r#"{"model":"gpt-5.5","prompt":{"id":"pmpt_1"},"input":"Hi"}"#,
    ] {
        let mut entry = Timed::new(Body::parse(body.as_bytes()).unwrap(), Duration::ZERO);
        entry.usage = Some(Usage::from_input(0, 0, 0, 5_000));
        entry.is_partial = true;
        let mut model = CacheModel::new(CacheRules::openai());
        model.replay(&entry);
        let mut bound = Bound::new();
        bound.add(&model, &entry);
        let facts = aside_cache_model::models::find("gpt-5.5").facts;
        let paid = Usage::from_input(0, 0, 0, 5_000).cost(facts).unwrap();
        assert!(bound.cost().unwrap() <= paid, "{body}");
    }
}

/// A fallback costs what the model that answered does, in the log and in the bound.
#[test]
fn the_model_that_answered_is_priced() {
    let body = br#"{"model":"claude-sonnet-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    let mut entry = Timed::new(Body::parse(body).unwrap(), Duration::ZERO);
    let costs = |entry: &Timed| {
        let mut model = CacheModel::new(CacheRules::anthropic());
        let verdict = model.send_timed(entry);
        let mut bound = Bound::new();
        bound.add(&model, entry);
        [verdict.cost, bound.cost()].map(Option::unwrap)
    };
    let cost = |model: &str, entry: &Timed| {
        let usage = CacheModel::new(CacheRules::anthropic()).send_timed(entry).usage;
        usage.cost(aside_cache_model::models::find(model).facts).unwrap()
    };
    assert_eq!(costs(&entry), [cost("claude-sonnet-5-5", &entry); 2]);
    entry.answered = Some("claude-opus-5".to_owned());
    assert_eq!(costs(&entry), [cost("claude-opus-5", &entry); 2]);
}

/// What was read before any request in the log wrote it was cached before: the bound is not above
/// the bill.
#[test]
fn a_log_can_begin_with_a_warm_cache() {
    let step =
        |blocks| Step { conversation: 0, blocks, pause: 60, marks: vec![(blocks - 1, false)] };
    let steps: Vec<Step> = (3..6).map(step).collect();
    let ratio = |warm: u64| {
        let mut model = CacheModel::new(CacheRules::anthropic());
        let (mut bound, mut paid, mut before) = (Bound::new(), Cost::ZERO, warm);
        for entry in &mut log(&steps) {
            let all = CacheModel::new(CacheRules::anthropic()).send(&entry.request, entry.at);
            let all = all.usage.input();
            let usage = Usage::from_input(before, all - before, 0, 0);
            before = all;
            entry.usage = Some(usage);
            model.replay(entry);
            bound.add(&model, entry);
            paid += usage.cost(aside_cache_model::models::find("claude-opus-5-5").facts).unwrap();
        }
        paid.dollars() / bound.cost().unwrap().dollars()
    };
    for warm in [0, 700, 1_500] {
        assert!((1.0..1.1).contains(&ratio(warm)), "{warm}: {}", ratio(warm));
    }
}
