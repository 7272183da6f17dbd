//! `aside check` as a user meets it.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::process::Command;

/// Checks a file of this text: the exit code, and stdout with the file's name
/// as FILE.
fn check(text: &str, arguments: &[&str], code: i32, expected: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .arg("check")
        .arg(&file)
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let told = told.replace(file.to_str().unwrap(), "FILE");
    assert_eq!(
        (output.status.code(), told.as_str()),
        (Some(code), expected)
    );
}

const GOOD: &str = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}]}"#;
const BLANK: &str = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":" "}]}"#;

#[test]
fn one_body() {
    check(GOOD, &[], 0, "");
    check(&GOOD.replace(',', ",\n"), &[], 0, "");
    check(
        BLANK,
        &[],
        1,
        "FILE: blank-text: messages[0].content[0]: blank text\n",
    );
    check(
        "{\"model\":7}\n",
        &[],
        1,
        "FILE: shape: model: expected a string, found 7\n",
    );
    let sampled = GOOD.replace("\"messages\"", "\"temperature\":1,\"messages\"");
    check(&sampled, &[], 0, "");
    check(
        &sampled,
        &["--api-version", "2026-10-21"],
        1,
        "FILE: sampling: temperature: 1\n",
    );
}

#[test]
fn a_body_a_line() {
    check(
        &format!("{GOOD}\n{BLANK}\n\nnonsense\u{1b}\n"),
        &[],
        1,
        "FILE:2: blank-text: messages[0].content[0]: blank text\n\
         FILE:4: shape: expected JSON: expected ident at line 1 column 2\n",
    );
}

#[test]
fn for_machines() {
    check(GOOD, &["--json"], 0, "{\n  \"violations\": []\n}\n");
    check(
        BLANK,
        &["--json"],
        1,
        r#"{
  "violations": [
    {
      "file": "FILE",
      "line": null,
      "rule": "blank-text",
      "path": "messages[0].content[0]",
      "found": "blank text"
    }
  ]
}
"#,
    );
}

#[test]
fn a_file_that_is_not_there_is_wrong_use() {
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(["check", "nowhere"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("failed to read nowhere")
    );
}
