//! Whether the clearing of tool results pays, by the price of a read.

use aside_cache_model::CacheRules;
use aside_messages::wire::{ContentBlock, Request, ResultContent};
use aside_session::ClearToolUses;

use crate::traces::price::{READ_PRICES, Sent, parse, price_of};
use crate::traces::project;
use crate::traces::replay::{Played, RESULT_TOKENS};

/// Plays a loop of calls on a model, and returns its requests.
fn play(model: &str, calls: usize, clearing: Option<ClearToolUses>) -> Vec<Sent> {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().join("project");
    project::make(&cwd);
    let mut config = project::config(&cwd, None, model);
    config.clear_tool_uses = clearing;
    let mut played = Played::open(config, "a", std::time::Duration::ZERO);
    played.ask(0);
    played.send();
    for _ in 0..calls {
        played.call(1);
        played.send();
    }
    played.sent
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
        Sent {
            body: serde_json::to_vec(&request).unwrap().into(),
            ..sent.clone()
        }
    };
    sent.iter().map(clear).collect()
}

/// A session chooses a minimum that pays, and asks for no clearing of less.
#[test]
fn a_clearing_is_asked_for_if_it_pays() {
    let sent = play(READ_PRICES[0].model, 60, None);
    for read in READ_PRICES {
        let cost = |sent: &[Sent]| {
            let entries = parse(sent, read.model);
            price_of(&entries, read, &CacheRules::anthropic()).cost
        };
        let usual = cost(&sent);
        let clearing = |at_least_tokens| ClearToolUses {
            trigger_tokens: 10_000,
            kept: 3,
            at_least_tokens,
        };
        let asked = |at_least_tokens| {
            let first = play(read.model, 0, Some(clearing(at_least_tokens))).remove(0);
            String::from_utf8(first.body.to_vec()).unwrap()
        };
        let body = asked(None);
        let key = r#""clear_at_least":{"type":"input_tokens","value":"#;
        let value = body.split(key).nth(1).unwrap().split('}').next().unwrap();
        let chosen = cost(&clear(&sent, clearing(Some(value.parse().unwrap()))));
        assert!(chosen < usual, "{read:?} {value}");
        let little = cost(&clear(&sent, clearing(Some(600))));
        assert!(little > usual, "{read:?}");
        assert!(!asked(Some(600)).contains("context_management"));
    }
}
