//! `--diagnostics json`.

use crate::support::clean;

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Output;

use aside_diagnostic::Diagnostic;

fn aside(cwd: &Path, arguments: &[&str]) -> Output {
    let mut command = clean::aside(cwd, cwd);
    command.args(arguments).output().unwrap()
}

/// A directory with a faulty settings file, import and reminder.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".claude/settings.json", "{\n  \"language\": 7\n}");
    write("CLAUDE.md", "Read @docs/gone.md first.\n");
    write("home/.aside/reminders/careful.md", "Ask first.");
    write(".aside/reminders/careful.md", "Ask later.");
    directory
}

/// Each diagnostic's severity, code, path below the directory, and line.
fn summary(directory: &Path, stderr: &[u8]) -> Vec<String> {
    let lines = str::from_utf8(stderr).unwrap().lines();
    let line = |line: &str| {
        let diagnostic: Diagnostic = serde_json::from_str(line).expect(line);
        let path = diagnostic.path().unwrap_or(Path::new(""));
        let path = path.strip_prefix(directory).unwrap_or(path).display();
        let place = diagnostic.line().map_or(String::new(), |line| format!(":{line}"));
        let Diagnostic { severity, code, .. } = &diagnostic;
        format!("{severity} {code} {path}{place}")
    };
    lines.map(line).collect()
}

#[test]
fn each_line_is_an_object() {
    let directory = directory();
    let path = directory.path();
    let ran = aside(path, &["render", "--diagnostics", "json", "hello"]);
    assert_eq!(ran.status.code(), Some(0));
    assert_eq!(
        summary(path, &ran.stderr),
        [
            "error settings-invalid .claude/settings.json:2",
            "note reminder-overridden .aside/reminders/careful.md:1",
            "warning import-not-found CLAUDE.md:1",
            "note reminder-kept ",
        ]
    );
    let as_text = aside(path, &["render", "hello"]);
    assert_eq!(as_text.stdout, ran.stdout);
    let text = String::from_utf8(as_text.stderr).unwrap();
    let objects = str::from_utf8(&ran.stderr).unwrap().lines();
    let lines: String = objects
        .map(|it| serde_json::from_str::<Diagnostic>(it).unwrap())
        .map(|it| format!("aside: {it}\n"))
        .collect();
    assert_eq!(text, lines);
}

#[test]
fn every_command_accepts_the_form() {
    let directory = directory();
    let path = directory.path();
    let check = |arguments: &[&str], code: i32, expected: &[&str]| {
        for place in [0, arguments.len()] {
            let mut given = arguments.to_vec();
            given.insert(place, "--diagnostics=json");
            let ran = aside(path, &given);
            assert_eq!(ran.status.code(), Some(code), "{given:?}");
            assert_eq!(summary(path, &ran.stderr), expected, "{given:?}");
        }
    };
    let settings = "error settings-invalid .claude/settings.json:2";
    let import = "warning import-not-found CLAUDE.md:1";
    let reminder = "note reminder-overridden .aside/reminders/careful.md:1";
    let recording = "note recording-answers ";
    check(&["memory"], 0, &[]);
    check(&["prompt"], 0, &[settings, reminder, import]);
    check(&["reminders", "list"], 0, &[settings, reminder]);
    check(&["skills"], 0, &[settings]);
    check(&["reminders", "check"], 0, &[]);
    check(&["models", "claude-x"], 1, &["error failed "]);
    check(&["check", "nowhere.json"], 2, &["error usage "]);
    check(&["convert", "nowhere.json"], 2, &["error usage "]);
    check(&["verify", "nowhere"], 2, &["error usage "]);
    check(&["render", "--no-such-argument"], 2, &["error usage "]);
    check(&["completions", "bash"], 0, &[]);
    let progress = "note progress ";
    let kept = "note reminder-kept ";
    // The session comes first, usage last.
    let run = [recording, settings, reminder, import, progress, kept, progress];
    check(&["run", "hello"], 0, &run);
}

#[test]
fn an_unknown_form_is_a_usage_error() {
    let directory = directory();
    let ran = aside(directory.path(), &["models", "--diagnostics", "xml"]);
    assert_eq!(ran.status.code(), Some(2));
}

/// A program that the command started may write to the same pipe in between.
#[test]
fn each_line_is_written_at_once() {
    let directory = directory();
    for form in ["text", "json"] {
        let (read, stderr) = UnixDatagram::pair().unwrap();
        let mut command = clean::aside(directory.path(), directory.path());
        command.args(["render", "--diagnostics", form, "hello"]).stderr(OwnedFd::from(stderr));
        assert!(command.output().unwrap().status.success());
        read.set_nonblocking(true).unwrap();
        let (mut lines, mut datagram) = (0, [0; 4096]);
        while let Ok(length @ 1..) = read.recv(&mut datagram) {
            assert!(datagram[..length].ends_with(b"\n"), "{form}");
            lines += 1;
        }
        assert_eq!(lines, 4, "{form}");
    }
}
