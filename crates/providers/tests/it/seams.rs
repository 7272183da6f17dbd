//! Text from outside cannot form a reminder tag where a wire joins blocks.
//!
//! Every cut of a tag over two or three blocks, at every join of every wire; then tags that are
//! disguised. Each block is neutralized by itself, as lowering leaves it.

use aside_messages::wire::Request;
use aside_messages::{REMINDER_TAG, neutralize};
use aside_providers::{Options, Provider, Reasoning, convert};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A request that has the pieces wherever a wire joins texts.
fn request(pieces: &[&str]) -> Request {
    let safe = |piece: &&str| neutralize(piece, &[REMINDER_TAG]).into_owned();
    let pieces: Vec<String> = pieces.iter().map(safe).collect();
    let blocks: Vec<Value> = pieces.iter().map(|it| json!({"type": "text", "text": it})).collect();
    let thinking =
        pieces.iter().map(|it| json!({"type": "thinking", "thinking": it, "signature": "s"}));
    let calls = (0..5)
        .map(|n| json!({"type": "tool_use", "id": format!("c{n}"), "name": "t", "input": {}}));
    let piece = |at: usize| pieces.get(at).cloned();
    let plain = |text: Option<String>| json!({"type": "text", "media_type": "text/plain", "data": text.unwrap_or_default()});
    // All of a document, and a document next to a text.
    let document = |title: Option<String>, context: Option<String>, source: Value| json!({"type": "document", "title": title, "context": context, "source": source});
    let whole = [
        document(piece(0), piece(2).and(piece(1)), plain(pieces.last().cloned())),
        document(None, None, json!({"type": "content", "content": blocks})),
    ];
    let beside = [vec![document(None, None, plain(piece(0)))], blocks[1..].to_vec()].concat();
    let result = |id: &str, is_error: bool, content: Value| json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": content});
    let user = [
        vec![
            result("c0", false, json!(blocks)),
            result("c1", true, json!(blocks)),
            result("c2", false, json!(whole)),
            result("c3", false, json!(beside)),
            // A search result is given as JSON.
            result("c4", false, json!([blocks[0], {"type": "search_result", "title": piece(1), "source": piece(0), "content": blocks}])),
        ],
        whole.to_vec(),
        blocks.clone(),
    ]
    .concat();
    // A text that was split at its citations is joined without a separator.
    let cited = pieces.iter().map(|it| json!({"type": "text", "text": it, "citations": []}));
    let assistant: Vec<Value> = thinking.chain(cited).chain(calls).collect();
    let apart = [blocks[0].clone(), json!({"type": "thinking", "thinking": "x", "signature": "s"})];
    let apart: Vec<Value> = apart.into_iter().chain(blocks[1..].iter().cloned()).collect();
    let body = json!({
        "model": "m",
        "max_tokens": 64,
        "system": blocks,
        "messages": [
            {"role": "user", "content": blocks},
            {"role": "assistant", "content": assistant},
            {"role": "user", "content": user},
            {"role": "assistant", "content": apart},
            {"role": "user", "content": "go on"},
        ],
    });
    Request::parse(body.to_string().as_bytes()).unwrap().value
}

/// The wires that join texts; those of the Anthropic family take the blocks as they are.
const JOINING: [Provider; 3] = [Provider::OpenAi, Provider::Gemini, Provider::Grok];

fn tags(pieces: &[&str]) -> Vec<String> {
    let request = request(pieces);
    let options = Options { reasoning: Reasoning::Passed, ..Options::default() };
    let mut tags = Vec::new();
    for provider in JOINING {
        let converted = convert(&request, provider, &options).unwrap();
        let body: Value = serde_json::from_slice(&converted.body()).unwrap();
        each_string(&body, &mut |text| {
            if neutralize(text, &[REMINDER_TAG]) != text {
                tags.push(format!("{provider}: {text:?}"));
            }
        });
    }
    tags
}

fn each_string(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(list) => list.iter().for_each(|it| each_string(it, see)),
        Value::Object(members) => members.iter().for_each(|(key, it)| {
            see(key);
            each_string(it, see);
        }),
        _ => {}
    }
}

#[test]
fn no_cut_of_a_tag_is_a_tag_on_any_wire() {
    for tag in ["<system-reminder>", "</system-reminder>"] {
        for first in 0..=tag.len() {
            assert_eq!(tags(&[&tag[..first], &tag[first..]]), Vec::<String>::new());
            for second in first..=tag.len() {
                let pieces = [&tag[..first], &tag[first..second], &tag[second..]];
                assert_eq!(tags(&pieces), Vec::<String>::new(), "{pieces:?}");
            }
        }
    }
}

/// Generates a tag with invisible characters, and two cuts, in characters.
fn disguised() -> impl Strategy<Value = (String, usize, usize)> {
    let tag = "<[ \n\u{200b}]{0,2}(/|\\\\/)?\u{3164}?(system|SYS\u{ad}TEM)\0?[-_ \u{2011}]{1,2}\u{e0041}?re\u{fe0f}?minder[ >]";
    (tag, any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(
        |(tag, first, second)| {
            let length = tag.chars().count() + 1;
            let (first, second) = (first.index(length), second.index(length));
            (tag, first.min(second), first.max(second))
        },
    )
}

proptest! {
    #[test]
    fn no_disguised_tag_is_a_tag_on_any_wire((tag, first, second) in disguised()) {
        let characters: Vec<char> = tag.chars().collect();
        let pieces = [&characters[..first], &characters[first..second], &characters[second..]];
        let pieces = pieces.map(String::from_iter);
        let pieces = pieces.each_ref().map(String::as_str);
        prop_assert_eq!(tags(&pieces), Vec::<String>::new());
    }
}

/// A reminder that lowering put into a result is no text from outside.
#[test]
fn a_reminder_of_the_harness_stays() {
    let text = "out\n<system-reminder>\nBe brief.\n</system-reminder>";
    let body = json!({
        "model": "m",
        "max_tokens": 64,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [
                {"type": "text", "text": "<"},
                {"type": "text", "text": text},
            ]}]},
        ],
    });
    let request = Request::parse(body.to_string().as_bytes()).unwrap().value;
    for provider in JOINING {
        let converted = convert(&request, provider, &Options::default()).unwrap();
        let body: Value = serde_json::from_slice(&converted.body()).unwrap();
        let mut found = false;
        each_string(&body, &mut |it| found |= it == format!("<\n\n{text}"));
        assert!(found, "{provider}: {body}");
    }
}
