//! Whether the clearing of tool results pays, by the price of a read.

use aside_cache_model::CacheRules;
use aside_messages::wire::{ContentBlock, Request, ResultContent};
use aside_session::ClearToolUses;

use crate::traces::price::{READ_PRICES, Sent, parse, price_of};
use crate::traces::project;
use crate::traces::replay::{Played, RESULT_TOKENS};
use crate::traces::trace::looped;

const CALLS: u64 = 60;

/// The latest results, which stay.
const KEPT: u64 = 3;

/// The change of the cost in percent, by the price of a read: with the minimum that the session
/// chooses, with 600 tokens, and with none. docs/cache-policy.md has these figures.
const EXPECTED: [[f64; 3]; 3] = [[-13.3, 4.6, 37.2], [-8.8, 31.3, 86.1], [-5.3, 63.0, 144.2]];

/// Plays a loop of calls on a model, and returns its requests.
fn play(model: &str, calls: usize, clearing: Option<ClearToolUses>) -> Vec<Sent> {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().join("project");
    project::make(&cwd);
    let mut config = project::config(&cwd, None, model);
    config.clear_tool_uses = clearing;
    looped(Played::open(config, "a", std::time::Duration::ZERO), calls)
}

/// Clears results as the API does, which leaves them out of what the model reads.
fn clear(sent: &[Sent], clearing: ClearToolUses) -> Vec<Sent> {
    let mut cleared = 0;
    let clear = |sent: &Sent| {
        let mut request = Request::parse(&sent.body).unwrap().value;
        let blocks = request.messages.iter_mut().flat_map(|it| &mut it.content);
        let results = blocks.filter_map(|block| match block {
            ContentBlock::ToolResult(result) => Some(&mut result.content),
            _ => None,
        });
        let results: Vec<_> = results.collect();
        let old = results.len().saturating_sub(clearing.kept as usize);
        let tokens = (old.saturating_sub(cleared)) as u64 * RESULT_TOKENS;
        if tokens > 0 && tokens >= clearing.at_least_tokens.unwrap_or(0) {
            cleared = old;
        }
        for content in results.into_iter().take(cleared) {
            *content = ResultContent::Text("[cleared]".into());
        }
        Sent { body: serde_json::to_vec(&request).unwrap().into(), ..sent.clone() }
    };
    sent.iter().map(clear).collect()
}

/// Calculates what the loop costs with a clearing of at least so many tokens, without the cache
/// model: a clearing leaves nothing in the cache but the head.
fn calculate(read: f64, at_least: u64) -> f64 {
    let (head, call, placeholder) = (26_000, 40, 10);
    let conversation = |calls: u64, cleared: u64| {
        300 + calls * call + (calls - cleared) * RESULT_TOKENS + cleared * placeholder
    };
    let (mut cost, mut cleared) = (1.25 * (head + conversation(0, 0)) as f64, 0);
    for calls in 1..=CALLS {
        let before = conversation(calls - 1, cleared);
        let old = calls.saturating_sub(KEPT);
        let is_cleared = old > cleared && (old - cleared) * RESULT_TOKENS >= at_least;
        let known = if is_cleared { 0 } else { before };
        cleared = if is_cleared { old } else { cleared };
        let new = conversation(calls, cleared) - known;
        cost += read * (head + known) as f64 + 1.25 * new as f64;
    }
    cost
}

/// A session chooses a minimum that pays, and asks for no clearing of less. Without one, each
/// call clears a result, which costs more at every price. Both ways to calculate agree.
#[test]
fn a_clearing_is_asked_for_if_it_pays() {
    let sent = play(READ_PRICES[0].model, CALLS as usize, None);
    for (read, expected) in READ_PRICES.iter().zip(EXPECTED) {
        let cost = |sent: &[Sent]| {
            let entries = parse(sent, read.model);
            price_of(&entries, *read, &CacheRules::anthropic()).cost
        };
        let clearing = |at_least_tokens| ClearToolUses {
            trigger_tokens: 10_000,
            kept: KEPT as u32,
            at_least_tokens,
        };
        let asked = |at_least_tokens| {
            let first = play(read.model, 0, Some(clearing(at_least_tokens))).remove(0);
            String::from_utf8(first.body.to_vec()).unwrap()
        };
        let body = asked(None);
        let key = r#""clear_at_least":{"type":"input_tokens","value":"#;
        let value = body.split(key).nth(1).unwrap().split('}').next().unwrap();
        let minima = [value.parse().unwrap(), 600, 0];
        let (usual, calculated) = (cost(&sent), calculate(read.share, u64::MAX));
        for (minimum, expected) in minima.into_iter().zip(expected) {
            let percent = |cost: f64, usual: f64| 100.0 * (cost / usual - 1.0);
            let found = percent(cost(&clear(&sent, clearing(Some(minimum)))), usual);
            println!("{read:?} at least {minimum}: {found:+.1} %");
            assert!((found - expected).abs() < 0.5, "{read:?} {minimum}: {found}");
            let other = percent(calculate(read.share, minimum), calculated);
            let ratio = (100.0 + found) / (100.0 + other);
            assert!((0.99..1.08).contains(&ratio), "{read:?} {minimum}: {found} {other}");
        }
        assert!(!asked(Some(600)).contains("context_management"));
    }
}
