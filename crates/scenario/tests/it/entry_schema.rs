//! The schema for a conversation's line agrees with the reader.

use crate::keywords;
use crate::spoiled;

use std::path::Path;
use std::sync::LazyLock;

use aside_messages::conversation::Conversation;
use aside_scenario::{ScenarioEvent, discover, generated_files};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::entry_schema::keywords::is_valid;
use crate::entry_schema::spoiled::spoiled;

const ID: Uuid = Uuid::from_u128(7);

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let files = generated_files();
    let file = files.iter().find(|file| file.path.ends_with("/entry.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
});

fn is_read(value: &Value) -> bool {
    Conversation::from_json_lines(ID, &value.to_string()).is_ok()
}

fn check(value: &Value, expected: bool) {
    assert_eq!(is_valid(&SCHEMA, value), expected, "the schema: {value}");
    assert_eq!(is_read(value), expected, "the reader: {value}");
}

fn of_part(part: &Value) -> Value {
    json!({"kind": "message", "role": "user", "parts": [part]})
}

fn of_origin(origin: &Value) -> Value {
    json!({"kind": "aborted", "origin": origin})
}

const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

/// Returns entries with every kind, origin, part and key.
fn whole() -> Vec<Value> {
    let marker = json!({"type": "ephemeral", "ttl": "1h", "scope": "global"});
    let sources = [
        json!({"type": "base64", "media_type": "image/png", "data": "AA"}),
        json!({"type": "url", "url": "https://example.com/a.png"}),
        json!({"type": "file", "file_id": "f"}),
        json!({"type": "text", "media_type": "text/plain", "data": "d"}),
        json!({"type": "content", "content": "d"}),
        json!({"type": "new", "x": 1}),
    ];
    let media = sources.iter().flat_map(|source| {
        [
            json!({"type": "image", "source": source, "cache_control": marker}),
            json!({
                "type": "document", "source": source, "title": "t", "context": "c",
                "citations": {"enabled": true}, "cache_control": marker,
            }),
        ]
    });
    let mut inner: Vec<Value> = media.clone().collect();
    inner.push(json!({"type": "text", "text": "t"}));
    inner.push(json!({"type": "tool_reference", "tool_name": "Read"}));
    inner.push(json!({"type": "thinking"}));
    let mut parts = vec![
        json!({"reminder": "Be brief.", "since": 1}),
        json!({"type": "text", "text": "t", "citations": [], "cache_control": marker}),
        json!({"type": "tool_use", "id": "1", "name": "Read", "input": {}, "cache_control": marker}),
        json!({"type": "tool_use", "id": "1", "name": "Read", "input": "{\"a\":"}),
        json!({
            "type": "tool_result", "tool_use_id": "1", "content": inner, "is_error": true,
            "cache_control": marker,
        }),
        json!({"type": "tool_result", "tool_use_id": "1", "content": "t"}),
        json!({"type": "thinking", "thinking": "t", "signature": "s"}),
        json!({"type": "redacted_thinking", "data": "d"}),
        json!({"type": "server_tool_use", "id": "1"}),
        json!("\n{\"type\":\"text\",\n\"text\":\"t\"}\n"),
    ];
    parts.extend(media);
    let kinds = [
        json!({"kind": "message", "role": "assistant", "display": "d", "parts": parts}),
        json!({"kind": "clear"}),
        json!({"kind": "compact", "summary": "s"}),
        json!({"kind": "snip", "ids": [UUID]}),
        json!({"kind": "aborted"}),
        json!({"kind": "branch", "to": 1}),
    ];
    let origins = [
        json!({"type": "human"}),
        json!({"type": "task_notification"}),
        json!({"type": "coordinator"}),
        json!({"type": "channel", "server": "s"}),
        json!({"type": "hook", "name": "n"}),
        json!({"type": "attachment", "kind": "k", "detail": {"names": ["a"]}}),
        json!({"type": "reminder", "id": "i"}),
        json!({"type": "context", "layer": "project"}),
        json!({"type": "model", "provider": "p", "name": "n"}),
        json!({"type": "satellite", "name": 1}),
    ];
    let of_origin = origins.iter().map(
        |origin| json!({"id": UUID, "kind": "aborted", "visibility": "meta", "origin": origin}),
    );
    kinds.into_iter().chain(of_origin).collect()
}

#[test]
fn they_agree_on_every_key_and_every_fault() {
    let (mut count, mut reported) = (0, Vec::new());
    for entry in whole() {
        check(&entry, true);
        for fault in spoiled(&entry) {
            count += 1;
            let read = is_read(&fault.value);
            if is_valid(&SCHEMA, &fault.value) != read {
                reported
                    .push(format!("{} at {}: the reader says {read}", fault.what, fault.pointer));
            }
        }
    }
    assert_eq!(reported, [""; 0]);
    assert!(count > 1000, "only {count}");
}

#[test]
fn both_accept_valid_values() {
    let simple = UUID.replace('-', "");
    for id in [
        UUID.to_owned(),
        UUID.to_uppercase(),
        simple,
        format!("{{{UUID}}}"),
        format!("urn:uuid:{UUID}"),
    ] {
        check(&json!({"id": id, "kind": "snip", "ids": [id]}), true);
    }
    for visibility in ["shown", "meta", "display_only"] {
        check(&json!({"kind": "clear", "visibility": visibility}), true);
    }
    for layer in ["static", "project", "session", "conversation"] {
        check(&of_origin(&json!({"type": "context", "layer": layer})), true);
    }
    for entry in [
        json!({"kind": "message", "role": "robot"}),
        // Another kind's keys count as unknown ones.
        json!({"kind": "clear", "role": 1, "summary": 2, "ids": 3}),
        json!({"id": null, "kind": "clear", "visibility": null, "origin": null}),
        json!({"kind": "clear", "parts": null, "display": null}),
        of_part(&json!({"type": "text", "text": "t", "cache_control": null})),
        of_part(&json!({"type": "thinking", "thinking": "", "signature": "", "cache_control": 1})),
        of_part(&json!({"reminder": null, "type": "text", "text": "t"})),
        // A part with a reminder is a reminder, whatever its other keys are.
        of_part(&json!({"reminder": "r", "type": "text"})),
    ] {
        check(&entry, true);
    }
}

#[test]
fn both_refuse_invalid_values() {
    for id in [
        "",
        "x",
        &UUID[1..],
        &UUID.replace('-', "_"),
        &format!("{{{UUID}"),
        &format!("uuid:{UUID}"),
        &format!("{UUID}\n"),
    ] {
        check(&json!({"id": id, "kind": "clear"}), false);
        check(&json!({"kind": "snip", "ids": [id]}), false);
    }
    for entry in [
        json!([]),
        json!({}),
        json!({"kind": 7}),
        json!({"kind": "message"}),
        json!({"kind": "message", "role": null}),
        json!({"kind": "message", "role": 5}),
        json!({"kind": "compact"}),
        json!({"kind": "snip"}),
        json!({"kind": "clear", "visibility": "hidden"}),
        json!({"kind": "clear", "display": 5}),
        json!({"kind": "clear", "parts": {}}),
        of_origin(&json!("human")),
        of_origin(&json!({})),
        of_origin(&json!({"type": "hook"})),
        of_origin(&json!({"type": "attachment", "detail": {}})),
        of_origin(&json!({"type": "context", "layer": "global"})),
        of_origin(&json!({"type": "context", "layer": {"project": null}})),
        of_origin(&json!({"type": "model", "provider": "p"})),
        of_part(&json!(7)),
        of_part(&json!("text")),
        of_part(&json!({"type": "text"})),
        of_part(&json!({"text": "t"})),
        of_part(&json!({"reminder": 5, "type": "text", "text": "t"})),
        of_part(&json!({"type": "text", "text": "t", "cache_control": {}})),
        of_part(&json!({"type": "image", "source": {"type": "url"}})),
        of_part(&json!({"type": "tool_use", "id": "1", "name": "Read"})),
        of_part(&json!({"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text"}]})),
        of_part(&json!({"type": "tool_result", "tool_use_id": "1", "is_error": "no"})),
        of_part(&json!({"type": "thinking", "thinking": "t"})),
    ] {
        check(&entry, false);
    }
}

/// The schema does not check what a string contains.
#[test]
fn the_schema_does_not_check_a_block_in_a_string() {
    let line = of_part(&json!("{}"));
    assert!(is_valid(&SCHEMA, &line) && !is_read(&line));
}

/// Includes the entries that a session itself writes, and every message in the
/// fixtures.
#[test]
fn both_accept_the_fixtures() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut attachments = Conversation::new(ID);
    let mut messages = 0;
    for case in discover(&fixtures).unwrap() {
        let events = case.scenario.turns.iter().flatten().flatten();
        let attachments_of_case = events.filter_map(|event| match event {
            ScenarioEvent::Attachment(attachment) => Some(attachment.clone()),
            _ => None,
        });
        for attachment in attachments_of_case {
            for entry in attachment.into_entries() {
                attachments.push(entry);
            }
        }
        for file in std::fs::read_dir(&case.dir).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|it| it != "json") {
                continue;
            }
            let json: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            for message in json["messages"].as_array().into_iter().flatten() {
                // On OpenAI's wire, a message has more keys.
                let Some(content) = message["content"].as_array() else {
                    continue;
                };
                let role = &message["role"];
                let line = json!({"kind": "message", "role": role, "parts": content});
                assert_eq!(is_valid(&SCHEMA, &line), is_read(&line), "{line}");
                messages += usize::from(is_read(&line));
            }
        }
    }
    assert!(messages > 200, "only {messages}");
    let lines = attachments.to_json_lines();
    assert!(lines.lines().count() > 40, "{lines}");
    for line in lines.lines() {
        assert!(is_valid(&SCHEMA, &serde_json::from_str(line).unwrap()), "{line}");
    }
}

/// Generates a value, often a valid one for its position.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[ -~é😀\\n]{0,8}".prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-3..4i64).prop_map(Value::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!(UUID)),
        1 => Just(json!([UUID])),
        1 => Just(json!({"type": "ephemeral"})),
        1 => Just(json!({"type": "url", "url": "u"})),
        1 => Just(json!([{"type": "text", "text": "t"}])),
    ]
}

/// Generates an object with some of these keys.
fn object(keys: &'static str, tag: &'static str, tags: &'static str) -> BoxedStrategy<Value> {
    let rest = prop::collection::btree_map(keys, value(), 0..6);
    let object = (option::weighted(0.95, tags), rest).prop_map(move |(kind, rest)| {
        let mut object: Map<String, Value> = rest.into_iter().collect();
        object.extend(kind.map(|kind| (tag.to_owned(), kind.into())));
        Value::Object(object)
    });
    object.boxed()
}

fn part() -> impl Strategy<Value = Value> {
    let block = object(
        "text|citations|source|title|id|name|input|tool_use_id|content|is_error|thinking|signature|data|cache_control|x",
        "type",
        "text|image|document|tool_use|tool_result|thinking|redacted_thinking|new",
    );
    let reminder = value().prop_map(|body| json!({"reminder": body}));
    // A document on several lines, which the writer puts into a string.
    let spread = "[a-z]{1,4}".prop_map(|kind| {
        let block = json!({"type": format!("new_{kind}"), "x": [1, {"y": kind}]});
        Value::String(serde_json::to_string_pretty(&block).unwrap())
    });
    prop_oneof![6 => block, 2 => reminder, 1 => spread]
}

fn entry() -> impl Strategy<Value = Value> {
    let head = object(
        "id|visibility|display|role|summary|ids|origin|x",
        "kind",
        "message|clear|compact|snip|aborted|new",
    );
    let origin = object(
        "server|name|kind|detail|id|layer|provider|x",
        "type",
        "human|task_notification|coordinator|channel|hook|attachment|reminder|context|model|new",
    );
    (head, option::of(origin), option::of(vec(part(), 0..3))).prop_map(
        |(mut head, origin, parts)| {
            let object = head.as_object_mut().unwrap();
            object.extend(origin.map(|origin| ("origin".to_owned(), origin)));
            object.extend(parts.map(|parts| ("parts".to_owned(), parts.into())));
            head
        },
    )
}

proptest! {
    #[test]
    fn they_agree_on_any_entry_and_its_written_form(entry in entry()) {
            let read = Conversation::from_json_lines(ID, &entry.to_string());
        prop_assert_eq!(is_valid(&SCHEMA, &entry), read.is_ok(), "{}", entry);
        if let Ok(read) = read {
            let line = read.value.to_json_lines();
            let written = serde_json::from_str(&line).unwrap();
            prop_assert!(is_valid(&SCHEMA, &written), "{}", line);
        }
    }
}
