//! A body's blocks in cache order.

use aside_cache_model::{Body, CacheRules, Level, Relation, compare, outline};

/// Returns a request with these tools, all marked where a wire has markers.
fn body(wire: &str, tools: &[&str]) -> Body {
    let tools = tools.join(",");
    let json = match wire {
        "messages" => format!(
            r#"{{"model":"claude-opus-5-5","tools":[{tools}],"system":"s","cache_control":{{"type":"ephemeral","ttl":"1h"}},"messages":[{{"role":"user","content":"Hi"}}]}}"#
        ),
        "responses" => format!(
            r#"{{"model":"gpt-5.5","tools":[{tools}],"instructions":"s","input":[{{"role":"user","content":"Hi"}}]}}"#
        ),
        _ => format!(
            r#"{{"model":"gpt-5.5","tools":[{tools}],"n":1,"messages":[{{"role":"user","content":"Hi"}}]}}"#
        ),
    };
    Body::parse(json.as_bytes()).unwrap()
}

const TOOLS: [&str; 2] = [
    r#"{"type":"function","name":"a","input_schema":{}}"#,
    r#"{"type":"function","name":"b","input_schema":{}}"#,
];
const SEARCH: &str = r#"{"type":"web_search_20250305","name":"web_search"}"#;

/// Web search ends after all other tools on the Messages API, wherever it is in the list.
#[test]
fn every_block_has_a_position_wherever_web_search_is() {
    for (wire, index) in
        ["messages", "responses", "chat"].iter().flat_map(|it| [(it, 0), (it, 1), (it, 2)])
    {
        let mut tools = TOOLS.to_vec();
        tools.insert(index, SEARCH);
        let request = body(wire, &tools);
        let rules = CacheRules::of_wire(request.wire());
        let blocks = outline(&request, &rules);
        let positions: Vec<_> = blocks.iter().map(|it| it.position).collect();
        assert_eq!(positions, (1..=blocks.len()).map(Some).collect::<Vec<_>>(), "{wire} {index}");
        assert!(blocks.iter().all(|it| it.is_shown && it.prefix.is_some()));
        let third = if *wire == "messages" { index } else { 2 };
        assert_eq!(blocks[2].path(&request).to_string(), format!("tools[{third}]"));
        assert_eq!(blocks.last().unwrap().marker.is_some(), *wire == "messages");
    }
}

/// Instructions that are billed anew in each request are in the prompt, and no prefix ends there.
#[test]
fn uncached_instructions_are_shown() {
    let json = r#"{"model":"gpt-6.2-sol","instructions":"s","input":"Hi"}"#;
    let blocks = |json: &str| {
        let request = Body::parse(json.as_bytes()).unwrap();
        let blocks = outline(&request, &CacheRules::openai()).into_iter();
        let facts = |it: aside_cache_model::OutlineBlock| {
            (it.path(&request).to_string(), it.position, it.is_shown)
        };
        blocks.map(facts).collect::<Vec<_>>()
    };
    let [instructions, input] = ["instructions", "input"].map(str::to_owned);
    let expected = [(input.clone(), Some(1), true), (instructions.clone(), None, true)];
    assert_eq!(blocks(json), expected);
    let cached = [(instructions, Some(1), true), (input, Some(2), true)];
    assert_eq!(blocks(&json.replace("6.2-sol", "5.5")), cached);
}

/// Only the Messages API keeps web search out of the tools level; a place among the tools counts on
/// every wire.
#[test]
fn a_moved_web_search_loses_its_level() {
    for (wire, level) in [("messages", "system"), ("responses", "tools"), ("chat", "tools")] {
        let [first, last] = [[SEARCH, TOOLS[0]], [TOOLS[0], SEARCH]].map(|it| body(wire, &it));
        let rules = CacheRules::of_wire(first.wire());
        let found = compare(&first, &last, &rules);
        assert_eq!(found.relation, Relation::Broken, "{wire}");
        assert_eq!(found.lost_level.map(Level::as_str), Some(level), "{wire}");
        // Other tools around it change the tools level first.
        let more = body(wire, &[SEARCH, TOOLS[0], TOOLS[1]]);
        let found = compare(&first, &more, &rules);
        assert_eq!(found.lost_level.map(Level::as_str), Some("tools"), "{wire}");
    }
}
