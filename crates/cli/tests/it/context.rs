//! `aside context`, and the plan and sources from `aside render`, the way you
//! would use them.

use crate::support::clean;
use crate::support::stdin;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::thread::{self, JoinHandle};

use serde_json::Value;

fn aside(folder: &Path, arguments: &[&str], input: &str) -> Output {
    aside_with(folder, arguments, input, &[])
}

fn aside_with(
    folder: &Path,
    arguments: &[&str],
    input: &str,
    variables: &[(&str, &str)],
) -> Output {
    let mut command = clean::aside(folder, folder);
    command.envs(variables.iter().copied());
    stdin::run(command.env("HOME", folder).args(arguments), input.as_bytes())
}

fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&text(output)).unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("CLAUDE.md"), "Be brief.\nUse small functions.\n").unwrap();
    folder
}

const BODY: &str = r#"{"model":"claude-opus-5-5","max_tokens":9,
"messages":[{"role":"user","content":"Hi"}]}"#;

/// Three providers have the model in the address, and none in the body.
#[test]
fn every_provider_has_a_model_and_a_window() {
    let project = project();
    for provider in ["bedrock", "vertex", "gemini", "openai"] {
        let arguments = ["context", "--json", "-q", "--provider", provider, "hello"];
        let report = json(&aside(project.path(), &arguments, ""));
        assert!(report["model"].is_string() && report["window"].is_u64(), "{provider}");
    }
}

#[test]
fn the_next_request_sums_to_the_bytes_of_render() {
    let project = project();
    let arguments = ["--date", "2026-11-22", "Explain the build"];
    let body = text(&aside(project.path(), &[&["render"][..], &arguments].concat(), ""));
    let report =
        json(&aside(project.path(), &[&["context", "--json"][..], &arguments].concat(), ""));
    assert_eq!(report["bytes"], body.len());
    let layers = report["layers"].as_array().unwrap();
    let sum: u64 = layers.iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
    assert_eq!(sum, body.len() as u64);
    let names: Vec<&str> = layers.iter().map(|it| it["layer"].as_str().unwrap()).collect();
    assert!(names.contains(&"static") && names.contains(&"project"), "{names:?}");
}

/// The layers of the messages are the same, whether Aside knows the sources or reads a body.
#[test]
fn instruction_files_have_one_layer_with_and_without_sources() {
    let folder = project();
    let home = tempfile::tempdir().unwrap();
    let request = ["--date", "2026-11-22", "Hi"];
    let run = |command: &str, arguments: &[&str], input: &str| {
        let mut aside = clean::aside(home.path(), folder.path());
        text(&stdin::run(aside.args([command, "-q"]).args(arguments), input.as_bytes()))
    };
    let layers = |input: &str, arguments: &[&str]| {
        let text = run("context", arguments, input);
        let shared = ["project", "session", "conversation"];
        let mut rows = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [layer, ..] if shared.contains(&layer) => rows.push(layer.to_owned()),
                ["▲", at, ..] if at.starts_with("messages") => rows.push(at.to_owned()),
                _ => {}
            }
        }
        rows
    };
    let at = |block: usize| format!("messages[0].content[{block}]");
    let check = |expected: &[String]| {
        let body = run("render", &request, "");
        assert_eq!(layers("", &request), expected);
        assert_eq!(layers(&body, &["--file", "-"]), expected);
    };
    let rows = |project: &[usize], prompt: usize| {
        let markers = project.iter().map(|block| at(*block));
        let project = ["project".to_owned()].into_iter().chain(markers);
        project.chain(["session".to_owned(), "conversation".to_owned(), at(prompt)]).collect()
    };
    let without: Vec<String> = rows(&[0], 2);
    check(&without);
    let user = home.path().join("home/.claude");
    fs::create_dir_all(&user).unwrap();
    fs::write(user.join("CLAUDE.md"), "Mine.\n").unwrap();
    let with: Vec<String> = rows(&[0, 1], 3);
    check(&with);
}

/// On OpenAI's wire one lifetime is 12 hours, whose writes cost twice those of 30 minutes.
#[test]
fn writes_for_twelve_hours_have_their_price() {
    let folder = project();
    let report = |ttl: &str| {
        let openai = ["--provider", "openai", "--model", "gpt-6-sol", "--cache-ttl", ttl];
        json(&aside(folder.path(), &[&["context", "hi", "--json"], &openai[..]].concat(), ""))
    };
    let (short, long) = (report("5m"), report("1h"));
    let lifetimes = |it: &Value| it["markers"][0]["ttl"].clone();
    assert_eq!((lifetimes(&short), lifetimes(&long)), ("30m".into(), "12h".into()));
    let cost = |it: &Value| it["cost"].as_f64().unwrap();
    assert!(cost(&long) > 1.9 * cost(&short), "{} {}", cost(&short), cost(&long));
}

#[test]
fn a_byte_of_an_instruction_file_has_its_file_and_line() {
    let project = project();
    let arguments = ["--date", "2026-11-22", "Hi"];
    let body = text(&aside(project.path(), &[&["render"][..], &arguments].concat(), ""));
    let offset = body.find("Use small").unwrap().to_string();
    let found =
        text(&aside(project.path(), &[&["context", "--at", &offset][..], &arguments].concat(), ""));
    assert!(found.contains("line 2 of the text"), "{found}");
    assert!(found.contains("CLAUDE.md"), "{found}");
    assert!(found.contains("why: project instructions"), "{found}");
}

#[test]
fn render_prints_the_plan() {
    let project = project();
    let body = text(&aside(project.path(), &["render", "Hi"], ""));
    let explained = aside(project.path(), &["render", "Hi", "--explain"], "");
    assert_eq!(text(&explained), body);
    let plan = String::from_utf8_lossy(&explained.stderr);
    assert!(plan.contains("tokens: "), "{plan}");
}

#[test]
fn a_body_a_log_and_stdin_are_recognized() {
    let project = project();
    let file = project.path().join("body.json");
    fs::write(&file, BODY).unwrap();
    let of_file = text(&aside(project.path(), &["context", "--file", "body.json"], ""));
    assert!(of_file.starts_with("claude-opus-5-5, Messages API"), "{of_file}");
    let of_stdin = text(&aside(project.path(), &["context", "--file", "-"], BODY));
    assert_eq!(of_file, of_stdin);
    let line = BODY.replace('\n', "");
    let log = format!("{line}\n{line}\n");
    let of_log = text(&aside(project.path(), &["context", "--file", "-"], &log));
    assert!(of_log.contains("the first") && of_log.contains("the same"), "{of_log}");
    let lines = text(&aside(project.path(), &["context", "--file", "-", "--json"], &log));
    assert_eq!(lines.lines().count(), 2);
}

/// A file is no next request: what would change that has an effect, or is a usage error.
/// A request of another conversation is in between.
#[test]
fn a_line_has_what_changed_since_the_request_that_it_continues() {
    let folder = tempfile::tempdir().unwrap();
    let line = |at: u64, system: &str, messages: &str| {
        let long = "word ".repeat(300);
        format!(
            r#"{{"t":{at},"body":{{"model":"claude-opus-5-5","system":"{system} {long}","messages":[{messages}]}}}}"#
        ) + "\n"
    };
    let first = r#"{"role":"user","content":"Fix the test."}"#;
    let second = format!(
        r#"{first},{{"role":"assistant","content":"Yes."}},{{"role":"user","content":"Go on."}}"#
    );
    let log = line(0, "You are an agent.", first)
        + &line(10, "Write a title.", r#"{"role":"user","content":"Fix the test."}"#)
        + &line(20, "You are an agent.", &second)
        + &line(30, "You are an agent.", &second);
    let shown = text(&aside(folder.path(), &["context", "--file", "-"], &log));
    // A long change is wrapped.
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in
        ["the first 2", "another conversation 3", "messages +11 (since request 1) 4", "the same"]
    {
        assert!(words.contains(line), "{shown}");
    }
}

#[test]
fn arguments_of_the_next_request_do_not_apply_to_a_file() {
    let project = project();
    let unnamed = r#"{"anthropic_version":"vertex-2023-10-16","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    let log = format!("{unnamed}\n{unnamed}\n");
    let check = |input: &str, arguments: &[&str], code: i32, expected: &str| {
        let arguments = [&["context", "--file", "-"], arguments].concat();
        let output = aside(project.path(), &arguments, input);
        let printed = [&output.stdout[..], &output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {printed}");
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
    };
    check(unnamed, &[], 0, "~");
    check(unnamed, &["--model", "claude-opus-5-5"], 0, "claude-opus-5-5, Messages API");
    check(BODY, &["--model", "claude-opus-5-5"], 2, "the body names its model");
    check(&log, &["--model", "claude-opus-5-5"], 2, "no --model");
    for given in ["--beta=a", "--mcp", "--mcp-config={}", "--max-tokens=9", "--snip"] {
        check(BODY, &[given], 2, "cannot be used with");
    }
    check(BODY, &["--provider", "vertex"], 2, "--provider is for --exact");
    check(&log, &["--provider", "vertex"], 2, "no --provider");
    check(BODY, &["--cwd", "."], 0, "claude-opus-5-5");
    check(BODY, &["--format", "har"], 1, "no entry of this format");
    check(&BODY.replace('\n', ""), &["--format", "bodies"], 0, "claude-opus-5-5");
}

/// The only argument without an option is the prompt.
#[test]
fn a_prompt_that_names_a_file_is_noted() {
    let project = project();
    let note = "CLAUDE.md: read as the prompt; to read this file: --file CLAUDE.md";
    for (arguments, is_noted) in [
        (&["context", "CLAUDE.md"][..], true),
        (&["context", "Read CLAUDE.md"], false),
        (&["context"], false),
    ] {
        let output = aside(project.path(), arguments, "");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.contains(note), is_noted, "{arguments:?}: {errors}");
        assert!(text(&output).contains("tokens"), "{output:?}");
    }
}

#[test]
fn a_page_is_written_and_redacted() {
    let project = project();
    let log = include_str!("../../../../docs/cache/log.jsonl");
    let arguments = ["context", "--file", "-", "--html", "page.html"];
    text(&aside(project.path(), &arguments, log));
    let page = fs::read_to_string(project.path().join("page.html")).unwrap();
    assert!(page.contains("You are a coding agent."));
    text(&aside(project.path(), &[&arguments[..], &["--redact"]].concat(), log));
    let page = fs::read_to_string(project.path().join("page.html")).unwrap();
    assert!(!page.contains("You are a coding agent."));
    assert!(page.len() < 300_000, "{}", page.len());
}

/// A link may come with the repository.
#[cfg(unix)]
#[test]
fn outputs_do_not_follow_a_link_out_of_the_project() {
    let (project, outside) = (project(), tempfile::tempdir().unwrap());
    let file = outside.path().join("precious");
    let link = project.path().join("out");
    fs::write(&file, "precious").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for arguments in [
        ["context", "--html", "out", "Hi"],
        ["render", "--source-map", "out", "Hi"],
        ["render", "--messages=in", "--context", "out"],
        ["proxy", "--record=out", "--", "true"],
    ] {
        fs::write(project.path().join("in"), "[]").unwrap();
        let output = aside(project.path(), &arguments, "");
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected = "failed to write out: ";
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
        assert!(errors.contains("is a link out of the project"), "{arguments:?}: {errors}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    }
    let output = aside(project.path(), &["render", "--source-map", "/dev/stdout", "Hi"], "");
    assert!(text(&output).starts_with('['), "{output:?}");
    // The user names a file elsewhere.
    let elsewhere = outside.path().join("map.json");
    let arguments = ["render", "--source-map", elsewhere.to_str().unwrap(), "Hi"];
    text(&aside(project.path(), &arguments, ""));
    assert!(elsewhere.exists());
}

#[test]
fn exact_without_a_key_is_an_error() {
    let project = project();
    let output = aside(project.path(), &["context", "--exact", "Hi"], "");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("is set, such as ANTHROPIC_API_KEY"), "{errors}");
}

/// A server that answers one request, and returns its head and body.
fn counting(answer: &'static str) -> (String, JoinHandle<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let head = head.to_ascii_lowercase();
        let mut length = head.lines().filter_map(|it| it.strip_prefix("content-length: "));
        let mut body = vec![0; length.next().unwrap().parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let length = answer.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{answer}"
        )
        .unwrap();
        (head, serde_json::from_slice(&body).unwrap())
    });
    (url, thread)
}

/// Counts with a server at the provider's address.
fn exact(arguments: &[&str], stdin: &str) -> (String, String, Value) {
    let project = project();
    let (url, server) = counting(r#"{"input_tokens":1234}"#);
    let variables = [("ANTHROPIC_API_KEY", "sk-of-nobody"), ("ANTHROPIC_BASE_URL", &url)];
    let arguments = [&["context", "--exact"], arguments].concat();
    let output = aside_with(project.path(), &arguments, stdin, &variables);
    let shown = text(&output);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("count_tokens: sending the request"), "{errors}");
    let (head, body) = server.join().unwrap();
    assert!(head.starts_with("post /v1/messages/count_tokens "), "{head}");
    // Parameters for the answer do not count as input.
    assert_eq!(body["max_tokens"], Value::Null);
    (shown, head, body)
}

#[test]
fn exact_counts_the_next_request() {
    let (shown, head, body) = exact(&["Explain the build"], "");
    assert!(shown.contains("1,234 tokens (estimated ~"), "{shown}");
    assert!(shown.lines().next().unwrap().ends_with(" %)"), "{shown}");
    assert!(head.contains("x-api-key: sk-of-nobody"), "{head}");
    assert!(body["system"].is_array() && body["messages"].is_array());
}

#[test]
fn exact_counts_a_body() {
    let (shown, _, body) = exact(&["--file", "-", "--json"], BODY);
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["tokens_exact"], 1234);
    assert!(report["tokens"].as_u64().unwrap() < 100);
    assert!(report["measured_error_percent"].as_f64().unwrap() < -90.0);
    assert_eq!(body["model"], "claude-opus-5-5");
}
