//! One byte in a body changes: path and offsets are exact.

use aside_cache_model::{Body, first_difference};
use serde_json::Value;

use crate::labelled::Random;

/// A body that has every kind of part.
fn body() -> String {
    let result: String = (0..40).map(|it| format!("line {it} of a file\\n")).collect();
    format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":1024,"temperature":0.5,
"tools":[{{"name":"read","description":"Reads a file.","input_schema":{{"type":"object","properties":{{"path":{{"type":"string"}},"limit":{{"type":"integer","maximum":2000}}}}}}}}],
"system":[{{"type":"text","text":"You are an agent."}},{{"type":"text","text":"Be careful, é.","cache_control":{{"type":"ephemeral"}}}}],
"messages":[{{"role":"user","content":"Find the bug."}},
{{"role":"assistant","content":[{{"type":"thinking","thinking":"Look.","signature":"c2ln"}},{{"type":"tool_use","id":"toolu_1","name":"read","input":{{"path":"a.rs","limit":20,"deep":{{"x":[1,2,3]}}}}}}]}},
{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":[{{"type":"text","text":"{result}"}}]}},{{"type":"text","text":"Go on."}}]}}],
"metadata":{{"user_id":"mia"}}}}"#
    )
}

/// A JSON value's leaves: their paths, in text order.
fn leaves(value: &Value, path: &str, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(value, &path, out);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                leaves(value, &format!("{path}[{index}]"), out);
            }
        }
        leaf => out.push((path.to_owned(), leaf.to_string())),
    }
}

#[test]
fn a_thousand_mutants_are_found_exactly() {
    let body = body();
    let before = Body::parse(body.as_bytes()).unwrap();
    let mut all = Vec::new();
    leaves(&serde_json::from_str(&body).unwrap(), "", &mut all);
    // The leaves whose text occurs once in the body.
    all.retain(|(path, text)| {
        body.matches(text.as_str()).count() == 1 && !path.contains("cache_control")
    });
    assert!(all.len() > 15, "{all:?}");
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for number in 0..1_000 {
        let (path, text) = &all[random.below(all.len())];
        let start = body.find(text.as_str()).unwrap();
        let is_string = text.starts_with('"');
        let quotes = usize::from(is_string);
        let inner = start + quotes..start + text.len() - quotes;
        let at = inner.start + random.below(inner.len());
        let mut bytes = body.clone().into_bytes();
        // No byte in an escape or in a character with several bytes.
        if !bytes[at].is_ascii_alphanumeric() || bytes[at - 1] == b'\\' {
            continue;
        }
        bytes[at] = match bytes[at] {
            b'7' => b'8',
            byte if byte.is_ascii_digit() => b'7',
            b'q' => b'z',
            _ => b'q',
        };
        if bytes == body.as_bytes() {
            continue;
        }
        let after = Body::parse(&bytes).unwrap();
        let found = first_difference(&before, &after).unwrap();
        assert_eq!(found.byte_offset, Some(at), "mutant {number}: {path}");
        assert_eq!(found.value_offset, at - inner.start, "mutant {number}: {path}");
        assert_eq!(found.path, *path, "mutant {number}");
        // A seeded fault must be seen: the offset is the byte's, not the
        // value's.
        assert!(found.byte_offset == Some(inner.start) || found.value_offset > 0);
    }
}

#[test]
fn a_mutated_key_is_found_at_its_byte() {
    let body = body();
    let before = Body::parse(body.as_bytes()).unwrap();
    let at = body.find("input_schema").unwrap() + 3;
    let mut bytes = body.into_bytes();
    bytes[at] = b'X';
    let after = Body::parse(&bytes).unwrap();
    let found = first_difference(&before, &after).unwrap();
    assert_eq!((found.path.as_str(), found.byte_offset), ("tools[0]", Some(at)));
}
