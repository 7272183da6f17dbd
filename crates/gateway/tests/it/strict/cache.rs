//! Usage, by the documented rules of the cache.

use super::*;

/// A marked user text of so many words, which are a little more than tokens.
fn marked(words: usize, ttl: &str) -> String {
    let text = "word ".repeat(words);
    format!(
        r#"{{"role":"user","content":[{{"type":"text","text":"{text}","cache_control":{{"type":"ephemeral"{ttl}}}}}]}}"#
    )
}

fn usage(talk: &mut Talk) -> (u64, u64, u64) {
    let usage = talk.send(&Draft::new().text("Yes.")).unwrap().usage;
    (usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens)
}

fn talk() -> Talk {
    let mut talk = Talk::new(UNBOUND);
    talk.messages.push(marked(1_000, ""));
    talk
}

#[test]
fn a_marked_prefix_is_written_once_and_read_afterwards() {
    let mut talk = talk();
    let (read, written, plain) = usage(&mut talk);
    assert!(read == 0 && written > 512 && plain == 0);
    talk.messages.push(user("short"));
    let (again, more, plain) = usage(&mut talk);
    assert_eq!((again, more), (written, 0));
    assert!(plain > 0 && plain < 20, "{plain}");
}

#[test]
fn an_entry_expires_unless_it_is_read() {
    let mut talk = talk();
    let (_, written, _) = usage(&mut talk);
    for (minutes, is_read) in [(4, true), (8, true), (13, false), (14, true)] {
        talk.messages.truncate(1);
        talk.at = Duration::from_secs(minutes * 60);
        assert_eq!(usage(&mut talk).0, if is_read { written } else { 0 }, "{minutes}");
    }
    let mut talk = Talk::new(UNBOUND);
    talk.messages.push(marked(1_000, r#","ttl":"1h""#));
    let first = talk.send(&Draft::polite()).unwrap().usage;
    assert_eq!(first.cache_creation.ephemeral_1h_input_tokens, first.cache_creation_input_tokens);
    talk.messages.truncate(1);
    talk.at = Duration::from_secs(59 * 60);
    assert_eq!(usage(&mut talk).0, first.cache_creation_input_tokens);
}

#[test]
fn prefixes_below_the_minimum_are_not_cached() {
    let mut talk = Talk::new(UNBOUND);
    talk.messages.push(marked(20, ""));
    for _ in 0..2 {
        let (read, written, plain) = usage(&mut talk);
        assert!(read == 0 && written == 0 && plain > 0);
        talk.messages.truncate(1);
    }
}

#[test]
fn the_look_back_ends_after_twenty_positions() {
    for (blocks, is_read) in [(19, true), (20, false)] {
        let mut talk = talk();
        let (_, written, _) = usage(&mut talk);
        talk.messages[0] = talk.messages[0].replace(r#","cache_control":{"type":"ephemeral"}"#, "");
        talk.messages.truncate(1);
        let texts: Vec<_> =
            (0..blocks).map(|it| format!(r#"{{"type":"text","text":"{it}"}}"#)).collect();
        let last = texts.len() - 1;
        let mut texts = texts;
        texts[last] = texts[last].replace("\"}", r#"","cache_control":{"type":"ephemeral"}}"#);
        talk.messages.push(format!(r#"{{"role":"user","content":[{}]}}"#, texts.join(",")));
        assert_eq!(usage(&mut talk).0, if is_read { written } else { 0 }, "{blocks}");
    }
}

#[test]
fn another_model_or_parameter_reads_nothing() {
    let changes: [Change; 3] = [
        |it| it.model = "claude-opus-4-8",
        |it| {
            it.members = r#""tool_choice":{"type":"none"},"tools":[{"name":"a","input_schema":{"type":"object"}}],"#.to_owned();
        },
        |it| it.messages[0] = it.messages[0].replacen("word", "ward", 1),
    ];
    for change in changes {
        let mut talk = talk();
        usage(&mut talk);
        talk.messages.truncate(1);
        change(&mut talk);
        assert_eq!(usage(&mut talk).0, 0);
    }
}

/// Clients read from the usage at which prices they are billed.
#[test]
fn usage_at_the_prices_of_fast_mode_names_its_speed() {
    for (speed, expected) in [("fast", Some("fast")), ("standard", None)] {
        let mut talk = talk();
        talk.members = format!(r#""speed":"{speed}","#);
        let response = talk.send(&Draft::polite()).unwrap();
        assert_eq!(response.usage.speed, expected);
        let [start, .., delta, _] = &response.events()[..] else { panic!() };
        for json in [&response.to_json(), start, delta] {
            assert_eq!(json.contains(r#""speed":"fast""#), expected.is_some(), "{json}");
        }
        talk.members += r#""compaction":{"type":"summarize"},"#;
        talk.messages.push(user("Go on"));
        let summary = talk.send(&Draft::polite()).unwrap();
        assert_eq!((&*summary.stop_reason, summary.usage.speed), ("compaction", expected));
    }
}

#[test]
fn a_model_without_fast_mode_names_no_speed() {
    let mut talk = Talk { model: "claude-opus-4-6", ..talk() };
    talk.members = r#""speed":"fast","#.to_owned();
    assert_eq!(talk.send(&Draft::polite()).unwrap().usage.speed, None);
}

#[test]
fn diagnostics_name_the_section_that_changed() {
    let ask = |id: &str| format!(r#""diagnostics":{{"previous_message_id":{id}}},"#);
    let mut talk = talk();
    talk.members = ask("null");
    let first = talk.send(&Draft::polite()).unwrap();
    assert_eq!(first.diagnostics, Some(None));
    let id = format!("\"{}\"", first.id);
    let mut outcome = |members: String, message: String| {
        let before = talk.messages.clone();
        talk.members = members;
        talk.messages.push(message);
        let answer = talk.send(&Draft::polite()).unwrap();
        talk.messages = before;
        let reason = answer.diagnostics.unwrap();
        reason.map_or("none", |it| it.cache_miss_reason.kind)
    };
    assert_eq!(outcome(ask(&id), user("x")), "none");
    assert_eq!(outcome(ask("\"msg_0\""), user("x")), "previous_message_not_found");
    assert_eq!(outcome(ask(&id) + r#""system":"New","#, user("x")), "system_changed");
    let tools = r#""tools":[{"name":"a","input_schema":{"type":"object"}}],"#;
    assert_eq!(outcome(ask(&id) + tools, user("x")), "tools_changed");
    // Parameters that differ, too, are no reason.
    let choice = r#""tool_choice":{"type":"auto"},"#;
    assert_eq!(outcome(ask(&id) + tools + choice, user("x")), "tools_changed");
}

#[test]
fn other_betas_make_diagnostics_unavailable() {
    for (betas, expected) in [
        ("a-2026-01-01,b-2026-01-01", None),
        ("b-2026-01-01, a-2026-01-01,b-2026-01-01", None),
        ("a-2026-01-01", Some("unavailable")),
        ("", Some("unavailable")),
    ] {
        let mut api = judge();
        let mut send = |id: &str, betas: &str| {
            let members = format!(r#""diagnostics":{{"previous_message_id":{id}}},"#);
            let body = body(UNBOUND, &members, &[user("Hi")]);
            api.answer(&StrictRequest::new(body.as_bytes()).betas(betas)).unwrap()
        };
        let id = send("null", "a-2026-01-01,b-2026-01-01").id;
        let reason = send(&format!("\"{id}\""), betas).diagnostics.unwrap();
        assert_eq!(reason.map(|it| it.cache_miss_reason.kind), expected, "{betas}");
    }
}

/// The diagnostics and the report count the same: what the earlier request had left.
#[test]
fn diagnostics_count_what_the_earlier_request_left() {
    for ttl in ["", r#","ttl":"1h""#] {
        let mut talk = Talk::new(UNBOUND);
        talk.messages.push(marked(1_000, ttl));
        let first = talk.send(&Draft::polite()).unwrap();
        talk.messages.push(user(&"new ".repeat(500)));
        talk.members =
            format!(r#""system":"New","diagnostics":{{"previous_message_id":"{}"}},"#, first.id);
        let second = talk.send(&Draft::polite()).unwrap();
        let reason = second.diagnostics.unwrap().unwrap().cache_miss_reason;
        let miss = second.miss.unwrap();
        assert_eq!(reason.kind, "system_changed");
        assert_eq!(reason.cache_missed_input_tokens, Some(miss.lost_tokens));
        assert_eq!(miss.lost_tokens, first.usage.cache_creation_input_tokens);
    }
    // Nothing would have been read.
    let mut talk = Talk::new(UNBOUND);
    talk.messages.push(user("Hi"));
    let id = talk.send(&Draft::polite()).unwrap().id;
    talk.messages.truncate(1);
    talk.members = format!(r#""system":"New","diagnostics":{{"previous_message_id":"{id}"}},"#);
    let reason = talk.send(&Draft::polite()).unwrap().diagnostics.unwrap().unwrap();
    assert_eq!(reason.cache_miss_reason.cache_missed_input_tokens, Some(0));
}

#[test]
fn a_cleared_message_costs_nothing_and_is_no_part_of_the_prefix() {
    let mut talk = talk();
    let scoped = r#"{"role":"system","clear_at":"next_user_message","content":[{"type":"text","text":"Only now: be brief."}]}"#;
    talk.messages.push(scoped.to_owned());
    let (_, written, plain) = usage(&mut talk);
    assert!(plain > 0);
    talk.messages.push(user("x"));
    let (read, _, _) = usage(&mut talk);
    assert_eq!(read, written);
}
