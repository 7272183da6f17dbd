use std::collections::BTreeSet;

use super::*;
use crate::wire::Message;

#[test]
fn the_blocks_without_a_marker_are_those_of_the_rules() {
    let is_unmarkable = |kind: &&str| {
        let block = serde_json::json!({
            "type": kind, "id": "a", "name": "a", "tool_use_id": "a", "text": "a", "data": "a",
            "thinking": "a", "signature": "a", "input": {}, "content": "a",
            "source": {"type": "url", "url": "https://a.example"},
        });
        let message = serde_json::json!({"role": "user", "content": [block]}).to_string();
        let message = Message::parse(message.as_bytes()).unwrap().value;
        assert_eq!(message.content[0].kind(), *kind);
        !message.content[0].is_markable()
    };
    let kinds = aside_rules::block_kinds();
    let without_key = kinds.iter().filter(|(_, has_key)| !**has_key);
    let without_key: Vec<&str> = without_key.map(|(kind, _)| *kind).collect();
    let all = kinds.keys().copied().chain(UNMARKABLE);
    let unmarkable: BTreeSet<&str> = all.filter(is_unmarkable).collect();
    assert_eq!(Vec::from_iter(unmarkable), without_key);
    assert!(without_key.contains(&"thinking"), "{without_key:?}");
}
