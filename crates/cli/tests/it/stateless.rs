//! `aside render` for callers that keep their own history: each request has to
//! find in the cache what the previous one left there.

mod histories;

use crate::support::cases::all_or;
use crate::support::clean;
use crate::support::git;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use aside_cache_model::{Body, Bound, CacheModel, CacheRules, Timed};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many requests to send: two per turn.
const CALLS: usize = 30;
/// How many tools the model calls at once in each turn.
const PARALLEL: usize = 12;

/// A model that binds its thinking to the prefix.
const BOUND: &str = "claude-opus-5-5";
/// A model that does not.
const UNBOUND: &str = "claude-sonnet-4-6";

/// What `--json` prints.
#[derive(Deserialize)]
struct Rendered {
    body: Box<RawValue>,
    #[serde(default)]
    append: Vec<Value>,
}

/// A repository, and a caller's tools.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("project")).unwrap();
        fs::create_dir(place.path("home")).unwrap();
        place.write("CLAUDE.md", &"Use tabs.\n".repeat(400));
        for arguments in [
            &["init", "--quiet", "--initial-branch", "main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--message", "one"],
        ] {
            git(&place.path("project"), arguments);
        }
        let tool = |name: &str| {
            json!({"name": name, "description": "Changes a file. ".repeat(40),
                "input_schema": {"type": "object"}})
        };
        let tools = json!([tool("Read"), tool("TodoWrite")]);
        fs::write(place.path("tools.json"), tools.to_string()).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path("project").join(name), text).unwrap();
    }

    fn run(&self, model: &str, arguments: &[&str]) -> Output {
        clean::aside(self.0.path(), &self.path("project"))
            .args(["render", "--model", model, "--tools", "../tools.json"])
            .args(arguments)
            .output()
            .unwrap()
    }

    fn render(&self, model: &str, arguments: &[&str]) -> Vec<u8> {
        let output = self.run(model, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        output.stdout
    }

    /// Renders with a context that the caller passes back.
    fn with_context(&self, model: &str, messages: &[Value]) -> Rendered {
        self.store(messages);
        let arguments = ["--messages", "../messages.json", "--context"];
        let arguments = [&arguments[..], &["../context.json", "--json"]].concat();
        serde_json::from_slice(&self.render(model, &arguments)).unwrap()
    }

    fn store(&self, messages: &[Value]) {
        fs::write(self.path("messages.json"), serde_json::to_string_pretty(messages).unwrap())
            .unwrap();
    }
}

/// How a caller renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// `--messages` alone.
    Messages,
    /// `--messages` and `--context`.
    Head,
    /// `--messages`, `--context` and `--json`.
    Context,
    /// `--conversation` and `--append`.
    Append,
}

fn prompt() -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": "Explain the build"}]})
}

/// Returns the messages after a request: first tool calls and their results,
/// then the answer that ends the turn.
fn after(call: usize) -> Vec<Value> {
    match call % 2 {
        0 => turn(call).to_vec(),
        _ => vec![json!({"role": "assistant", "content": [{"type": "text", "text": "Done."}]})],
    }
}

/// The model's answer, and the results from the tools that it called.
fn turn(call: usize) -> [Value; 2] {
    let id = |at: usize| format!("toolu_{call}_{at}");
    let uses = (0..PARALLEL).map(|at| {
        json!({"type": "tool_use", "id": id(at), "name": "Read",
            "input": {"path": format!("src/{at}.rs")}})
    });
    let results = (0..PARALLEL).map(|at| {
        let text = format!("part {call}.{at} ").repeat(60);
        json!({"type": "tool_result", "tool_use_id": id(at),
            "content": [{"type": "text", "text": text}]})
    });
    [
        json!({"role": "assistant", "content": uses.collect::<Vec<_>>()}),
        json!({"role": "user", "content": results.collect::<Vec<_>>()}),
    ]
}

/// Returns a conversation entry with a message's content.
fn entry(message: &Value) -> String {
    let origin = match message["role"].as_str().unwrap() {
        "assistant" => json!({"type": "model", "provider": "first-party", "name": "m"}),
        _ => json!({"type": "human"}),
    };
    let line = json!({"kind": "message", "role": message["role"], "visibility": "shown",
        "origin": origin, "parts": message["content"]});
    line.to_string() + "\n"
}

/// Returns a session's bodies. Before each call, this edits a project file, and
/// an instruction file too when the context is stored.
fn play(model: &str, way: Way) -> Vec<Vec<u8>> {
    let place = Place::new();
    let conversation = place.path("session.jsonl");
    let mut messages = Vec::new();
    let mut bodies = Vec::new();
    for call in 0..CALLS {
        place.write(&format!("note-{call}.txt"), "x");
        if way != Way::Messages && call > 0 {
            place.write("CLAUDE.md", &format!("Use {call} spaces."));
        }
        let is_first = call % 2 == 0;
        messages.extend(is_first.then(prompt));
        let body = match way {
            Way::Messages => {
                place.store(&messages);
                place.render(model, &["--messages", "../messages.json"])
            }
            Way::Head => {
                place.store(&messages);
                let arguments = ["--messages", "../messages.json", "--context"];
                place.render(model, &[&arguments[..], &["../context.json"]].concat())
            }
            Way::Context => {
                let rendered = place.with_context(model, &messages);
                messages.extend(rendered.append);
                rendered.body.get().as_bytes().to_vec()
            }
            Way::Append => {
                let mut arguments = vec!["--conversation", "../session.jsonl", "--append"];
                arguments.extend(is_first.then_some("Explain the build"));
                // Without --append, the stored state counts too.
                let read = (call > 0).then(|| {
                    let arguments = arguments.iter().filter(|it| **it != "--append");
                    place.render(model, &arguments.copied().collect::<Vec<_>>())
                });
                let body = place.render(model, &arguments);
                assert!(read.is_none_or(|read| read == body), "{model} {call}");
                body
            }
        };
        bodies.push(body);
        let after = after(call);
        if way == Way::Append {
            let mut kept = fs::read_to_string(&conversation).unwrap();
            after.iter().for_each(|message| kept += &entry(message));
            fs::write(&conversation, kept).unwrap();
        }
        messages.extend(after);
    }
    bodies
}

/// Checks that each request reads what the previous one wrote, and that the
/// cost is close to the bound.
fn check(model: &str, way: Way) {
    let bodies = play(model, way);
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let mut bound = Bound::new();
    let mut cost = 0.0;
    for (number, body) in bodies.iter().enumerate() {
        let request = Body::parse(body).unwrap();
        let entry = Timed::new(request, Duration::from_secs(10 * number as u64));
        let verdict = cache.send_timed(&entry);
        bound.add(&cache, &entry);
        cost += verdict.cost.unwrap().dollars();
        assert!(verdict.miss.is_none(), "{model} {way:?} {number}: {:?}", verdict.miss);
    }
    let ratio = cost / bound.cost().unwrap().dollars();
    assert!(ratio <= 1.02, "{model} {way:?}: {ratio}");
    let has_reminder = bodies.last().unwrap().windows(9).any(|it| it == b"TodoWrite");
    assert!(has_reminder, "the tool is offered");
}

/// Checks a model that binds its thinking, and one that does not. The second is
/// checked with the head only, when all cases are tried.
fn check_both(way: Way) {
    for model in all_or(&[BOUND][..], &[BOUND, UNBOUND]) {
        check(model, way);
    }
}

#[test]
fn messages_alone() {
    check_both(Way::Messages);
}

#[test]
fn a_context_that_is_read() {
    check(UNBOUND, Way::Head);
}

#[test]
fn a_context_and_messages_that_are_stored() {
    check_both(Way::Context);
}

#[test]
fn a_conversation_that_is_stored() {
    check_both(Way::Append);
}

/// Without a context, no part of a request changes between two calls: no git
/// status, no date.
#[test]
fn without_a_context_nothing_changes_between_calls() {
    let place = Place::new();
    place.store(&[prompt()]);
    let arguments = |date| ["--messages", "../messages.json", "--date", date];
    for layout in ["layered", "classic"] {
        let render =
            |date| place.run(UNBOUND, &[&arguments(date)[..], &["--layout", layout]].concat());
        let (one, other) = (render("2026-01-31"), render("2026-02-01"));
        assert_eq!(one.stdout, other.stdout, "{layout}");
        let body = String::from_utf8(one.stdout).unwrap();
        assert!(!body.contains("gitStatus") && body.contains("Use tabs."), "{layout}");
        let stderr = String::from_utf8(one.stderr).unwrap();
        assert!(stderr.contains("--context FILE keeps them"), "{stderr}");
    }
    let output = place.run(UNBOUND, &["--messages", "../messages.json", "--context", "../c.json"]);
    let body = String::from_utf8(output.stdout).unwrap();
    assert!(body.contains("gitStatus"), "{body}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("--context"), "{stderr}");
}

/// A reminder that the next request lacks is a block behind the caller's last
/// one, which keeps its bytes and a marker.
#[test]
fn a_reminder_of_one_request_changes_no_block_of_the_caller() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/.aside/reminders")).unwrap();
    let reminder = "---\nschedule:\n  kind: always\n---\nBe brief.\n";
    fs::write(place.path("home/.aside/reminders/brief.md"), reminder).unwrap();
    let results = [vec![prompt()], turn(0).to_vec()].concat();
    for (messages, end) in [(vec![prompt()], "build"), (results, "part 0.11 ")] {
        place.store(&messages);
        let body = place.render(UNBOUND, &["--messages", "../messages.json"]);
        let body: Value = serde_json::from_slice(&body).unwrap();
        let last = body["messages"].as_array().unwrap().last().unwrap();
        let blocks = last["content"].as_array().unwrap();
        let reminder = "<system-reminder>\nBe brief.\n</system-reminder>";
        let (tail, before) = blocks.split_last().unwrap();
        assert_eq!(*tail, json!({"type": "text", "text": reminder}));
        let own = before.last().unwrap();
        assert!(own.get("cache_control").is_some(), "{own}");
        let text = own["text"].as_str().or(own["content"][0]["text"].as_str());
        assert!(text.unwrap().ends_with(end), "{own}");
    }
}

/// The history until a request appended something, and what it appended.
fn until_appended(place: &Place, model: &str) -> (Vec<Value>, Rendered) {
    let mut messages = vec![prompt()];
    for call in 0..CALLS {
        let rendered = place.with_context(model, &messages);
        if !rendered.append.is_empty() {
            return (messages, rendered);
        }
        messages.extend(turn(call));
    }
    unreachable!("nothing was appended");
}

/// A body's start up to its last messages, without cache markers.
fn prefix(body: &RawValue) -> String {
    let text = body.get().replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    let text = text.replace(r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#, "");
    text.trim_end_matches(['}', ']']).to_owned()
}

/// What a call appended is sent unchanged, even when the caller joined it to
/// its own message, and even when it names a tag.
#[test]
fn appended_blocks_are_sent_as_stored() {
    for model in [BOUND, UNBOUND] {
        let place = Place::new();
        let (mut messages, first) = until_appended(&place, model);
        let before = prefix(&first.body);
        let joined = first.append.iter().all(|it| it["role"] == "user");
        for message in first.append {
            if joined {
                let last = messages.last_mut().unwrap()["content"].as_array_mut().unwrap();
                last.extend(message["content"].as_array().unwrap().iter().cloned());
            } else {
                messages.push(message);
            }
        }
        messages.extend(turn(100));
        let next = place.with_context(model, &messages);
        assert!(prefix(&next.body).starts_with(&before), "{model}");
    }
}

/// After a failure, you get the same bytes when you make the request again.
#[test]
fn a_repeated_call_makes_the_same_request() {
    for model in [BOUND, UNBOUND] {
        let place = Place::new();
        let (messages, first) = until_appended(&place, model);
        let again = place.with_context(model, &messages);
        assert_eq!(again.body.get(), first.body.get(), "{model}");
        assert_eq!(again.append, first.append, "{model}");
    }
}

/// The caller writes its JSON with spaces, and the keys in an order of its own.
#[test]
fn a_tool_that_comes_later_is_added_once() {
    let place = Place::new();
    let added = |body: &RawValue| body.get().matches(r#"{"type":"tool_addition""#).count();
    let mut messages = vec![prompt()];
    let first = place.with_context(BOUND, &messages);
    messages.extend(first.append);
    messages.extend(turn(0));
    let tools = fs::read_to_string(place.path("tools.json")).unwrap();
    let tools = tools.replacen('[', r#"[{"name":"Zip","input_schema":{"type":"object"}},"#, 1);
    fs::write(place.path("tools.json"), tools).unwrap();
    let second = place.with_context(BOUND, &messages);
    assert_eq!(added(&second.body), 1, "{}", second.body);
    messages.extend(second.append);
    messages.extend(turn(1));
    let third = place.with_context(BOUND, &messages);
    assert!(prefix(&third.body).starts_with(&prefix(&second.body)), "{}", third.body);
    assert_eq!(added(&third.body), 1, "{}", third.body);
}

/// A prompt in the arguments is among the messages to store, with the files
/// that it mentions.
#[test]
fn a_prompt_and_its_mentions_are_appended() {
    let place = Place::new();
    place.write("notes.txt", "one two three");
    place.store(&[]);
    let arguments = ["Read @notes.txt", "--messages", "../messages.json", "--context"];
    let arguments = [&arguments[..], &["../context.json", "--json"]].concat();
    let first: Rendered = serde_json::from_slice(&place.render(BOUND, &arguments)).unwrap();
    let appended = json!(first.append).to_string();
    assert!(appended.contains("Read @notes.txt") && appended.contains("one two three"));
    let mut messages = first.append.clone();
    messages.extend(turn(0));
    let next = place.with_context(BOUND, &messages);
    assert!(prefix(&next.body).starts_with(&prefix(&first.body)));
}

#[test]
fn a_conversation_with_an_incomplete_line_is_repaired() {
    let place = Place::new();
    let append = ["--conversation", "../session.jsonl", "--append"];
    let first = place.render(BOUND, &[&append[..], &["Explain the build"]].concat());
    let file = place.path("session.jsonl");
    let kept = fs::read_to_string(&file).unwrap();
    // Not the beginning of a line that a call writes.
    let own = format!("{kept}{{\"kind\":\"mess");
    fs::write(&file, &own).unwrap();
    assert_eq!(place.run(BOUND, &append).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), own);
    fs::write(&file, format!("{kept}{{\"type\":\"call")).unwrap();
    let output = place.run(BOUND, &append);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("an incomplete line of 13 bytes is removed"), "{stderr}");
    assert_eq!(output.stdout, first);
    assert!(!fs::read_to_string(&file).unwrap().contains("\"call{"));
    // Without --append the file is only read.
    let before = fs::read(&file).unwrap();
    place.render(BOUND, &["--conversation", "../session.jsonl"]);
    assert_eq!(fs::read(&file).unwrap(), before);
}

fn refused(place: &Place, arguments: &[&str], expected: &str) {
    let output = place.run(BOUND, arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(expected), "{stderr}");
}
