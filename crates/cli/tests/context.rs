//! `aside context` and the plan and sources of `aside render`, as a user meets
//! them.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

#[path = "support/clean.rs"]
mod clean;
#[path = "support/stdin.rs"]
mod stdin;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

fn aside(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = clean::aside(folder, folder);
    stdin::run(
        command.env("HOME", folder).args(arguments),
        input.as_bytes(),
    )
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
    fs::write(
        folder.path().join("CLAUDE.md"),
        "Be brief.\nUse small functions.\n",
    )
    .unwrap();
    folder
}

const BODY: &str = r#"{"model":"claude-opus-5-5","max_tokens":9,
"messages":[{"role":"user","content":"Hi"}]}"#;

#[test]
fn the_next_request_sums_to_the_bytes_of_render() {
    let project = project();
    let arguments = ["--date", "2026-11-22", "Explain the build"];
    let body = text(&aside(
        project.path(),
        &[&["render"][..], &arguments].concat(),
        "",
    ));
    let report = json(&aside(
        project.path(),
        &[&["context", "--json"][..], &arguments].concat(),
        "",
    ));
    assert_eq!(report["bytes"], body.len());
    let layers = report["layers"].as_array().unwrap();
    let sum: u64 = layers.iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
    assert_eq!(sum, body.len() as u64);
    let names: Vec<&str> = layers
        .iter()
        .map(|it| it["layer"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"static") && names.contains(&"project"),
        "{names:?}"
    );
}

#[test]
fn a_byte_of_an_instruction_file_has_its_file_and_line() {
    let project = project();
    let arguments = ["--date", "2026-11-22", "Hi"];
    let body = text(&aside(
        project.path(),
        &[&["render"][..], &arguments].concat(),
        "",
    ));
    let offset = body.find("Use small").unwrap().to_string();
    let found = text(&aside(
        project.path(),
        &[&["context", "--at", &offset][..], &arguments].concat(),
        "",
    ));
    assert!(found.contains("line 2 of the text"), "{found}");
    assert!(found.contains("CLAUDE.md"), "{found}");
    assert!(found.contains("why: project instructions"), "{found}");
}

#[test]
fn render_writes_a_source_map_that_covers_the_body() {
    let project = project();
    let output = aside(
        project.path(),
        &["render", "Hi", "--source-map", "map.json"],
        "",
    );
    let body = text(&output);
    let map = fs::read_to_string(project.path().join("map.json")).unwrap();
    let map: Value = serde_json::from_str(&map).unwrap();
    let mut at = 0;
    for segment in map.as_array().unwrap() {
        assert_eq!(segment["start"], at);
        at = segment["end"].as_u64().unwrap();
    }
    assert_eq!(at, body.len() as u64);
    let plan = text(&aside(project.path(), &["render", "Hi", "--explain"], ""));
    assert!(plan.contains("tokens: "), "{plan}");
}

#[test]
fn a_body_a_log_and_stdin_are_recognized() {
    let project = project();
    let file = project.path().join("body.json");
    fs::write(&file, BODY).unwrap();
    let of_file = text(&aside(
        project.path(),
        &["context", "--file", "body.json"],
        "",
    ));
    assert!(
        of_file.starts_with("claude-opus-5-5, Messages API"),
        "{of_file}"
    );
    let of_stdin = text(&aside(project.path(), &["context", "--file", "-"], BODY));
    assert_eq!(of_file, of_stdin);
    let line = BODY.replace('\n', "");
    let log = format!("{line}\n{line}\n");
    let of_log = text(&aside(project.path(), &["context", "--file", "-"], &log));
    assert!(
        of_log.contains("the first") && of_log.contains("the same"),
        "{of_log}"
    );
    let lines = text(&aside(
        project.path(),
        &["context", "--file", "-", "--json"],
        &log,
    ));
    assert_eq!(lines.lines().count(), 2);
}

#[test]
fn a_page_is_written_and_redacted() {
    let project = project();
    let log = include_str!("../../../docs/cache/log.jsonl");
    let arguments = ["context", "--file", "-", "--html", "page.html"];
    text(&aside(project.path(), &arguments, log));
    let page = fs::read_to_string(project.path().join("page.html")).unwrap();
    assert!(page.contains("You are a coding agent."));
    text(&aside(
        project.path(),
        &[&arguments[..], &["--redact"]].concat(),
        log,
    ));
    let page = fs::read_to_string(project.path().join("page.html")).unwrap();
    assert!(!page.contains("You are a coding agent."));
    assert!(page.len() < 300_000, "{}", page.len());
}

#[test]
fn exact_without_a_key_is_an_error() {
    let project = project();
    let output = aside(project.path(), &["context", "--exact", "Hi"], "");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no key is set"), "{errors}");
}
