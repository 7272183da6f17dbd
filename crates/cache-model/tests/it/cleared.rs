//! Tool results that the API clears.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, MissDetail, Relation, Usage, compare};

/// A conversation with so many tool uses, and this edit of its context.
fn body(uses: usize, edit: &str) -> Body {
    let long = "Be careful. ".repeat(400);
    let turn = |index: usize| {
        let marker = r#","cache_control":{"type":"ephemeral"}"#;
        let marker = if index + 1 == uses { marker } else { "" };
        format!(
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"t{index}","name":"read","input":{{"long":"{long}"}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{index}","content":"{index} {long}"{marker}}}]}}"#
        )
    };
    let turns: String = (0..uses).map(turn).collect();
    let json = format!(
        r#"{{"model":"claude-opus-5-5"{edit},"system":"{long}","messages":[{{"role":"user","content":"Hi"}}{turns}]}}"#
    );
    Body::parse(json.as_bytes()).unwrap()
}

fn edit(members: &str) -> String {
    format!(r#","context_management":{{"edits":[{{"type":"clear_tool_uses_20250919"{members}}}]}}"#)
}

/// Sends requests with more and more tool uses; returns their usages and misses.
fn played(edit: &str) -> Vec<(Usage, Option<MissDetail>)> {
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let send = |uses: usize| {
        let verdict = cache.send(&body(uses, edit), Duration::from_secs(20 * uses as u64));
        (verdict.usage, verdict.miss.and_then(|it| it.detail))
    };
    (1..7).map(send).collect()
}

/// Which requests miss because tool results were cleared.
fn clears(members: &str) -> Vec<usize> {
    let all = played(&edit(members)).into_iter().enumerate();
    all.filter(|(_, it)| it.1 == Some(MissDetail::ToolResultsCleared)).map(|it| it.0 + 1).collect()
}

const AFTER_THREE: &str =
    r#","trigger":{"type":"tool_uses","value":3},"keep":{"type":"tool_uses","value":1}"#;

#[test]
fn results_are_cleared_once_the_trigger_is_reached() {
    assert_eq!(clears(AFTER_THREE), [4, 5, 6]);
    // By default, three are kept.
    assert_eq!(clears(r#","trigger":{"type":"tool_uses","value":3}"#), [4, 5, 6]);
    assert_eq!(clears(r#","trigger":{"type":"tool_uses","value":4}"#), [5, 6]);
    assert_eq!(clears(r#","trigger":{"type":"input_tokens","value":7000}"#), [4, 5, 6]);
    // 100,000 tokens are the default.
    assert!(clears("").is_empty());
    assert!(played("").iter().all(|it| it.1.is_none()));
    assert!(played(&edit(AFTER_THREE))[5].0.input() < played("")[5].0.input() - 4_000);
}

#[test]
fn less_is_cleared_as_the_edit_says() {
    let with = |more: &str| format!("{AFTER_THREE}{more}");
    assert!(clears(&with(r#","exclude_tools":["read"]"#)).is_empty());
    assert_eq!(clears(&with(r#","exclude_tools":["other"]"#)), [4, 5, 6]);
    let input = |more: &str| played(&edit(&with(more)))[5].0.input();
    let results = input("");
    // The last request clears five results.
    let each = (played("")[5].0.input() - results) / 5;
    let least =
        |tokens: u64| format!(r#","clear_at_least":{{"type":"input_tokens","value":{tokens}}}"#);
    assert_eq!(clears(&with(&least(each * 9 / 2))), [6]);
    assert!(clears(&with(&least(each * 6))).is_empty());
    assert_eq!(input(r#","clear_tool_inputs":false"#), results);
    assert!(input(r#","clear_tool_inputs":true"#) < results - 2_000);
    assert!(input(r#","clear_tool_inputs":["read"]"#) < results - 2_000);
    assert_eq!(input(r#","clear_tool_inputs":["other"]"#), results);
}

#[test]
fn what_the_api_clears_is_not_in_the_bodies() {
    let relation = |edit: &str| {
        let found = compare(&body(4, edit), &body(5, edit), &CacheRules::anthropic());
        (found.relation, found.lost_tokens > 0)
    };
    assert_eq!(relation(&edit(AFTER_THREE)), (Relation::LevelLost, true));
    assert_eq!(relation(""), (Relation::Continues, false));
}
