//! `aside report`: what it reads, its forms, and what it never does.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const ONE: &str = r#"{"type":"assistant","sessionId":"s","cwd":"/src","timestamp":"2026-11-20T09:00:00Z","message":{"id":"1","model":"claude-haiku-4-5","content":[{"type":"text","text":"SECRET"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":9000}}}
"#;

/// Runs the command in a directory that is also the home.
fn report(home: &Path, arguments: &[&str]) -> Output {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.env_clear().env("HOME", home).current_dir(home);
    aside.arg("report").args(arguments).output().unwrap()
}

fn json(home: &Path, arguments: &[&str]) -> Value {
    let output = report(home, arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_home_without_sessions_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let output = report(home.path(), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stdout.starts_with(b"no sessions found"),
        "{output:?}"
    );
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        0,
        "a home is never written"
    );
}

#[test]
fn a_home_of_damaged_sessions_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    fs::write(sessions.join("a.jsonl"), "{\"type\":\n").unwrap();
    let output = report(home.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let named = report(home.path(), &[".claude"]);
    assert_eq!(named.status.code(), Some(1), "{named:?}");
}

#[test]
fn files_directories_patterns_and_compressed_files_are_read() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join("logs/deep");
    fs::create_dir_all(&logs).unwrap();
    for name in ["1", "2"] {
        let line = ONE.replace(r#""id":"1""#, &format!(r#""id":"{name}""#));
        fs::write(logs.join(format!("{name}.jsonl")), line).unwrap();
    }
    fs::write(logs.join("notes.txt"), "not a log").unwrap();
    // A raw body makes its own directory one of raw bodies, and none above it.
    fs::create_dir(logs.join("raw")).unwrap();
    fs::write(logs.join("raw/x.request.json"), "{}").unwrap();
    let check = |arguments: &[&str], requests: u64| {
        let all = json(home.path(), &[arguments, &["--json"]].concat());
        assert_eq!(all["all"]["requests"], requests, "{arguments:?}");
    };
    check(&["logs"], 2);
    check(&["logs/deep/*.jsonl"], 2);
    check(&["logs/deep/1.jsonl"], 1);
    check(&["logs/deep/1.jsonl", "logs/deep/2.jsonl"], 2);
    // A response that is there twice is billed once.
    check(&["logs/deep/1.jsonl", "logs"], 2);
    check(&["logs", "--project", "/src"], 2);
    check(&["logs", "--project", "other"], 0);
    check(&["logs", "--agent", "codex"], 0);
    #[cfg(unix)]
    {
        let zipped = Command::new("gzip").arg(logs.join("1.jsonl")).status();
        assert!(zipped.unwrap().success());
        check(&["logs"], 2);
        check(&["logs/deep/1.jsonl.gz"], 1);
    }
    let missing = report(home.path(), &["missing.jsonl"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn no_text_of_a_conversation_is_printed() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    let line = ONE.replace(r#""sessionId":"s""#, r#""sessionId":"\u001b[31ms""#);
    fs::write(sessions.join("a.jsonl"), line).unwrap();
    for form in [&[][..], &["--rows"], &["--json"], &["--by", "session"]] {
        let output = report(home.path(), form);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            !text.contains("SECRET") && !text.contains('\u{1b}'),
            "{text}"
        );
        assert!(text.contains("haiku") || text.contains("31ms"), "{text}");
    }
}
