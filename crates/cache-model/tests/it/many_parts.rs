//! Requests with many parts: to compare each with all others would take minutes.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Effect, thinking_lost};

const PARTS: usize = 20_000;

/// A run of tool results is one unit for the look-back, however many markers are in it.
#[test]
fn a_run_of_marked_tool_results_is_looked_at_once() {
    let list = |part: &dyn Fn(usize) -> String| (0..PARTS).map(part).collect::<Vec<_>>().join(",");
    let body = |question: &str| {
        let calls =
            list(&|it| format!(r#"{{"type":"tool_use","id":"t{it}","name":"read","input":{{}}}}"#));
        let results = list(&|it| {
            format!(
                r#"{{"type":"tool_result","tool_use_id":"t{it}","content":"x","cache_control":{{"type":"ephemeral"}}}}"#
            )
        });
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"{question}"}},
            {{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let mut cache = CacheModel::new(CacheRules::anthropic());
    for (second, question, effect) in
        [(0, "a", Effect::Wrote), (10, "a", Effect::Hit), (20, "b", Effect::Wrote)]
    {
        let verdict = cache.send(&body(question), Duration::from_secs(second));
        let all = verdict.markers.iter().filter(|it| it.effect != Effect::BelowMinimum);
        assert!(all.clone().count() > PARTS / 2);
        assert!(all.clone().all(|it| it.effect == effect), "{second} s");
        assert_eq!(verdict.hit.is_some(), effect == Effect::Hit);
    }
}

#[test]
fn thinking_is_looked_up() {
    let body = |block: &dyn Fn(usize) -> usize, count: usize, last: &str| {
        let block = |it| {
            let it = block(it);
            format!(r#"{{"type":"thinking","thinking":"t{it}","signature":"s{it}"}},"#)
        };
        let blocks: String = (0..count).map(block).collect();
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"x"}},
            {{"role":"assistant","content":[{blocks}{{"type":"text","text":"{last}"}}]}},
            {{"role":"user","content":"y"}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    // Each block is known; a text after them changed.
    let (one, two) = (body(&|it| it, PARTS, "one"), body(&|it| it, PARTS, "two"));
    assert_eq!(thinking_lost(&one, &two), None);
    // A run of equal blocks does not end with another one.
    let equal = body(&|_| 0, PARTS, "one");
    let other = body(&|it| it / (PARTS / 2), PARTS / 2 + 1, "one");
    let lost = thinking_lost(&equal, &other).unwrap();
    assert_eq!(lost.first, format!("messages[1].content[{}]", PARTS / 2));
    assert_eq!(thinking_lost(&equal, &body(&|_| 0, PARTS / 2, "one")), None);
}
