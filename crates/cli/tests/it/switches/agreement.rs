//! `render`, `context` and `prompt` show the same session, with Aside's own
//! tools or with a caller's.

use std::fs;

use serde_json::Value;

use super::place::{Form, Place};

const CLASSIC: &[&str] = &["--date", "2026-01-31", "--layout", "classic"];

fn json(place: &Place, arguments: &[&str]) -> Value {
    let output = place.command(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns a body's tools as text, without cache markers.
fn tools(body: &str) -> String {
    let (_, rest) = body.split_once(r#","tools":"#).unwrap();
    let (tools, _) = rest.split_once(r#","system":"#).unwrap();
    tools.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

#[test]
fn context_and_prompt_are_of_the_rendered_request() {
    let place = Place::new();
    for more in [
        &[][..],
        &["--snip"],
        &["--coordinator", "--worker-tool", "Agent"],
        &["--tools", "none"],
        &["--session-id", "00000000-0000-4000-8000-000000000001"],
    ] {
        let base = [CLASSIC, more].concat();
        let body = place.render(&base, None);
        let context = json(&place, &[&["context", "hello", "--json"], &base[..]].concat());
        assert_eq!(context["bytes"], body.len(), "{more:?}");
        if more.iter().any(|it| ["--tools", "--session-id"].contains(it)) {
            continue;
        }
        let prompt = json(&place, &[&["prompt", "--json"], &base[..]].concat());
        let sections = prompt["sections"].as_array().unwrap().iter();
        let in_system = |it: &&Value| it["sent"].as_str().is_some_and(|it| it.contains("system"));
        let listed: Vec<_> = sections
            .filter(in_system)
            .map(|it| (it["name"].as_str().unwrap(), it["bytes"].as_u64().unwrap()))
            .collect();
        let map = place.path("map.json");
        place.render(&[&base[..], &["--source-map", "ROOT/map.json"]].concat(), None);
        let map: Value = serde_json::from_slice(&fs::read(map).unwrap()).unwrap();
        let sent: Vec<_> = map
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|part| {
                let is_section = part["source"]["kind"] == "section";
                let [start, end] = ["start", "end"].map(|it| part[it].as_u64().unwrap() as usize);
                let text = format!("\"{}\"", body.get(start..end).filter(|_| is_section)?);
                let text: String = serde_json::from_str(&text).unwrap();
                Some((part["name"].as_str().unwrap(), text.trim_end().len() as u64))
            })
            .collect();
        assert_eq!(sent, listed, "{more:?}");
    }
}

#[test]
fn tools_of_a_file_are_offered_in_the_session_of_run() {
    let place = Place::new();
    let base: &[&str] = &["--date", "2026-01-31"];
    let own = place.render(base, None);
    assert_eq!(place.render(base, Some(Form::Flags(&["--tools", "own"]))), own);
    place.write("own.json", &tools(&own));
    let of_file = place.render(base, Some(Form::Flags(&["--tools", "ROOT/own.json"])));
    assert_eq!(of_file, own);
    let without = place.render(base, Some(Form::Flags(&["--tools", "none"])));
    assert!(!without.contains(r#""tools""#), "{without}");
    assert!(without.contains("Nobody can answer you"), "{without}");
    // A file with such a name.
    place.write("project/none", &tools(&own));
    let named = place.render(base, Some(Form::Flags(&["--tools", "./none"])));
    assert_eq!(tools(&named), tools(&own));
}

#[test]
fn a_caller_gets_no_tools_unless_it_names_them() {
    let place = Place::new();
    place.write("conversation.jsonl", "");
    for caller in
        [&["--messages", "ROOT/messages.json"][..], &["--conversation", "ROOT/conversation.jsonl"]]
    {
        let body = place.render(caller, None);
        assert!(!body.contains(r#""tools""#), "{body}");
        assert!(!body.contains("Nobody can answer you"), "{body}");
        let with_own = place.render(caller, Some(Form::Flags(&["--tools", "own"])));
        assert_eq!(tools(&with_own), tools(&place.render(&[], None)));
        assert!(!with_own.contains("Nobody can answer you"), "{with_own}");
    }
}

#[test]
fn a_session_keeps_its_id_and_is_begun_once() {
    let place = Place::new();
    let id = "00000000-0000-4000-8000-000000000001";
    let run = |id: &str| place.command(&["run", "hello", "--session-id", id]).output().unwrap();
    let begun = run(id);
    assert!(begun.status.success(), "{begun:?}");
    let again = run(id);
    assert_eq!(again.status.code(), Some(2));
    let reported = String::from_utf8(again.stderr).unwrap();
    assert!(reported.contains(&format!("--resume {id}")), "{reported}");
    let tagged: &[&str] = &["--snip", "--date", "2026-01-31"];
    let bodies =
        [None, Some(Form::Flags(&["--session-id", "00000000-0000-4000-8000-000000000001"]))];
    let [nil, of_id] = bodies.map(|form| place.render(tagged, form));
    assert_ne!(nil, of_id, "the ids of messages follow from that of the session");
}

/// A scenario with `tools: own` has the same session as `aside run`, and no
/// user files.
#[test]
fn a_golden_scenario_has_the_tools_and_the_system_prompt_of_render() {
    let place = Place::new();
    for (keys, flags) in [
        ("", &[][..]),
        ("tag_ids: true", &["--snip"]),
        ("prompt: {coordinator: true}", &["--coordinator", "--worker-tool", "Agent"]),
        ("provider: openai", &["--provider", "openai"]),
    ] {
        let turns = "turns:\n  - - user: hello\n";
        let scenario = format!("repository: ../../..\ntools: own\n{keys}\n{turns}");
        place.write("project/.aside/scenarios/own/scenario.yaml", &scenario);
        let verify = ["verify", ".aside/scenarios", "--bless"];
        let output = place.command(&verify).output().unwrap();
        let written = place.path("project/.aside/scenarios/own/request-1.json");
        let written: Value = serde_json::from_slice(&fs::read(written).unwrap()).unwrap();
        let project = [&["--setting-sources", "project"], flags].concat();
        let printed: Value = serde_json::from_str(&place.render(&project, None)).unwrap();
        for key in ["tools", "system"] {
            assert_eq!(written[key], printed[key], "{keys} {key} {output:?}");
        }
        assert!(written["tools"].is_array(), "{written}");
    }
}
