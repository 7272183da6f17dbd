//! Histories in other shapes, and those that are refused.

use super::*;

#[test]
fn files_that_cannot_be_used_are_refused() {
    let place = Place::new();
    place.store(&[prompt()]);
    let messages = ["--messages", "../messages.json", "--context"];
    refused(&place, &["--conversation", "-", "--append", "Hi"], "--append needs a file");
    refused(&place, &["--conversation", ".", "--append", "Hi"], "not a file");
    refused(&place, &["Hi", "--append"], "--conversation");
    refused(&place, &[&messages[..], &["-"]].concat(), "--context needs a file");
    refused(&place, &[&messages[..], &["CLAUDE.md"]].concat(), "failed to read CLAUDE.md");
    fs::write(place.path("other.json"), r#"{"type":"other"}"#).unwrap();
    refused(&place, &[&messages[..], &["../other.json"]].concat(), "failed to read");
    let unwritable = Path::new("/nowhere/context.json").to_str().unwrap();
    let output = place.run(BOUND, &[&messages[..], &[unwritable]].concat());
    assert_eq!(output.status.code(), Some(1));
}

/// The request has the caller's tools only, so a change of any other tool is refused, here and by
/// the API. A tool that a message defines counts.
#[test]
fn a_change_of_a_tool_that_the_request_lacks_is_refused() {
    let place = Place::new();
    let added = |tool: Value| json!({"type": "tool_addition", "tool": tool});
    let reference = |name: &str| json!({"type": "tool_reference", "name": name});
    let defined = json!({"type": "tool_definition",
        "definition": {"name": "Grep", "input_schema": {"type": "object"}}});
    let send = |blocks: Value| {
        place.store(&[prompt(), json!({"role": "system", "content": blocks})]);
        place.run(BOUND, &["--messages", "../messages.json"])
    };
    let refused = send(json!([added(reference("Read")), added(reference("Grep"))]));
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    let path = "tool-change-reference: messages[1].content[1].tool.name: \"Grep\"";
    assert!(stderr.contains(path), "{stderr}");
    assert!(refused.stdout.is_empty());
    let sent = send(json!([added(reference("Grep")), added(defined)]));
    let stderr = String::from_utf8(sent.stderr).unwrap();
    assert!(sent.status.success(), "{stderr}");
}

#[test]
fn a_request_that_is_refused_is_not_stored() {
    let place = Place::new();
    let image = r#"{"kind":"message","role":"user","parts":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"!!!"}}]}"#;
    place.write("conversation.jsonl", &format!("{image}\n"));
    let append = ["New", "--conversation", "conversation.jsonl", "--append"];
    let output = place.run(BOUND, &append);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let kept = fs::read_to_string(place.path("project").join("conversation.jsonl")).unwrap();
    assert_eq!(kept, format!("{image}\n"));
    // It is for a conversation file, which messages are not.
    place.write("messages.json", r#"[{"role":"user","content":"Hi"}]"#);
    let output = place.run(BOUND, &["New", "--messages", "messages.json", "--append"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn keys_beside_the_messages_are_ignored() {
    let place = Place::new();
    let messages = json!([
        {"role": "user", "content": [
            {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "r"}]},
    ]);
    let rendered = |held: Value| {
        place.write("messages.json", &held.to_string());
        place.render(BOUND, &["--messages", "messages.json"])
    };
    let expected = rendered(messages.clone());
    for (key, value) in [("model", json!("gpt-5")), ("contents", json!([])), ("input", json!([]))] {
        let held = json!({key: value, "messages": messages});
        assert_eq!(rendered(held), expected, "{key}");
    }
}

/// A history is read by its messages alone, so that each turn reads the earlier ones as before.
#[test]
fn a_history_that_begins_with_a_system_message_is_continued() {
    let place = Place::new();
    let [system, user] = [
        json!({"role": "system", "content": "Speak of ships."}),
        json!({"role": "user", "content": "Hi"}),
    ];
    let call = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "r"}]},
    ]);
    let chat = json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "n", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "x", "content": "r"},
    ]);
    for later in [call, chat] {
        let first = json!([system, user]);
        let mut second = first.as_array().unwrap().clone();
        second.extend(later.as_array().unwrap().iter().cloned());
        let context = tempfile::tempdir().unwrap();
        let context = context.path().join("context.json");
        let sent = [first, Value::from(second)].map(|messages| {
            place.write("messages.json", &messages.to_string());
            let context = context.to_str().unwrap();
            let body = place.render(BOUND, &["--messages", "messages.json", "--context", context]);
            let body = String::from_utf8(body).unwrap();
            let markers = [r#","ttl":"1h""#, r#","cache_control":{"type":"ephemeral"}"#];
            markers.iter().fold(body, |it, marker| it.replace(marker, ""))
        });
        let [first, second] = sent.map(|it| serde_json::from_str::<Value>(&it).unwrap());
        let first = first["messages"].as_array().unwrap();
        assert_eq!(first[..], second["messages"].as_array().unwrap()[..first.len()]);
        assert!(first.iter().any(|it| it.to_string().contains("Speak of ships.")), "{first:?}");
    }
}

/// String content counts as a list with one text block, even when the caller
/// switches between them.
#[test]
fn the_shape_of_a_content_changes_no_byte() {
    let place = Place::new();
    let message = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut strings = vec![message("user", "Hello")];
    strings.extend(place.with_context(BOUND, &strings).append);
    strings.extend([message("assistant", "Yes?"), message("user", "Go on")]);
    let mut lists = strings.clone();
    for content in lists.iter_mut().map(|message| &mut message["content"]) {
        if content.is_string() {
            *content = json!([{"type": "text", "text": content.take()}]);
        }
    }
    assert_ne!(lists, strings);
    let context = fs::read(place.path("context.json")).unwrap();
    let expected = place.with_context(BOUND, &strings);
    fs::write(place.path("context.json"), context).unwrap();
    let rendered = place.with_context(BOUND, &lists);
    assert_eq!(rendered.body.get(), expected.body.get());
    assert_eq!(rendered.append, expected.append);
}
