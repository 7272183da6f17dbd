//! `aside reminders` the way you would use it.

mod check;
use crate::support::clean;
use crate::support::keywords;
mod list;
mod schema;
mod simulate;
use crate::support::spoiled;
use crate::support::stdin;

use std::fs;
use std::path::Path;
use std::process::Output;

/// A home and a project with these files.
pub(crate) fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("project")).unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn aside(world: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = clean::aside(world, &world.join("project"));
    stdin::run(command.args(arguments), input.as_bytes())
}

/// Runs `aside reminders`. Returns the exit code, stdout and stderr, with the
/// directory as WORLD.
pub(crate) fn run(world: &Path, arguments: &[&str], stdin: &str) -> (i32, String, String) {
    let arguments = [&["reminders"], arguments].concat();
    let output = aside(world, &arguments, stdin);
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace(world.to_str().unwrap(), "WORLD")
    };
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "home/.aside/reminders/datetime.yaml",
        "content: 'It is {{now}}.'\nschedule: {kind: turn, turn_interval: 10}\n",
    ),
    (
        "home/.claude/reminders/careful.md",
        "---\nschedule: {kind: always}\npriority: 10\n---\nAsk Mia first.\n",
    ),
    (
        "project/.agents/reminders/run-tests.md",
        "---\nschedule:\n  kind: condition\n  condition: 'after_tool:Edit,Write'\n  max_fires: 5\n  cooldown_turns: 2\n---\nRun the tests.\n",
    ),
    ("project/.aside/reminders/careful.md", "---\nenabled: false\n---\n"),
    ("project/.aside/reminders/bad.md", "---\npriority: high\n---\nx"),
    (
        "project/.aside/reminders/clock.yaml",
        "content: tick\nschedule: {kind: timer, interval: 90s}\ndelivery: persistent\n",
    ),
];

#[test]
fn files_cannot_steer_the_terminal() {
    let world = world(&[(
        "project/.aside/reminders/a.yaml",
        "id: \"a\\e[31m\"\ncontent: x\nschedule: {kind: condition, condition: \"\\e[2J\"}\n",
    )]);
    for command in ["list", "check"] {
        let (_, stdout, stderr) = run(world.path(), &[command], "");
        assert!(!stdout.contains('\x1b') && !stderr.contains('\x1b'), "{stdout}{stderr}");
        assert!(stdout.contains("\\u{1b}") || stderr.contains("\\u{1b}"));
    }
}

#[test]
fn a_request_contains_due_reminders() {
    let world = world(FILES);
    let render = |arguments: &[&str]| {
        let arguments = [&["render", "hi", "--date", "2026-02-03"], arguments].concat();
        let output = aside(world.path(), &arguments, "");
        assert_eq!(output.status.code(), Some(0));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (body, stderr) = render(&[]);
    assert!(body.contains("It is 2026-02-03 00:00 +00:00."), "{body}");
    assert!(body.contains(r"<system-reminder>\ntick\n</system-reminder>"));
    assert!(!body.contains("Ask Mia first") && !body.contains("priority: high"));
    assert!(stderr.contains("aside: error: ") && stderr.contains("bad.md:2: priority: "));
    let (body, stderr) = render(&["--no-project-reminders"]);
    assert!(body.contains("Ask Mia first") && !body.contains(r"\ntick\n"));
    let beta = "aside: note: the request needs anthropic-beta: mid-conversation-system-clear-at-2026-08-21\n";
    assert_eq!(stderr, beta);
}
