//! `aside reminders` as a user meets it.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A home and a project with these files.
fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("project")).unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn aside(world: &Path, arguments: &[&str], stdin: &str) -> Output {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(arguments)
        .current_dir(world.join("project"))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", world.join("home"))
        .env("ASIDE_MANAGED_DIR", world.join("managed"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may be gone by now.
    let _ = aside.stdin.take().unwrap().write_all(stdin.as_bytes());
    aside.wait_with_output().unwrap()
}

/// Runs `aside reminders`: the exit code, stdout and stderr, with the
/// directory as WORLD.
fn run(world: &Path, arguments: &[&str], stdin: &str) -> (i32, String, String) {
    let arguments = [&["reminders"], arguments].concat();
    let output = aside(world, &arguments, stdin);
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace(world.to_str().unwrap(), "WORLD")
    };
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

const FILES: &[(&str, &str)] = &[
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
    (
        "project/.aside/reminders/careful.md",
        "---\nenabled: false\n---\n",
    ),
    (
        "project/.aside/reminders/bad.md",
        "---\npriority: high\n---\nx",
    ),
    (
        "project/.aside/reminders/clock.yaml",
        "content: tick\nschedule: {kind: timer, interval: 90s}\ndelivery: persistent\n",
    ),
];

#[test]
fn the_list_for_people() {
    let world = world(FILES);
    let (code, told, said) = run(world.path(), &["list"], "");
    assert_eq!(code, 0);
    assert_eq!(
        told,
        "conversation-length: when messages_gt:80, 2 times at most (builtin)\n\
         datetime: every 10 turns (WORLD/home/.aside/reminders/datetime.yaml)\n\
         run-tests: when after_tool:Edit,Write, 5 times at most, 2 turns apart (WORLD/project/.agents/reminders/run-tests.md)\n\
         careful: once, switched off (WORLD/project/.aside/reminders/careful.md)\n\
         clock: every 1m30s, persistent (WORLD/project/.aside/reminders/clock.yaml)\n"
    );
    assert_eq!(
        said,
        "aside: warning: WORLD/project/.aside/reminders/bad.md:2: priority: found string \"high\", expected an integer from -2147483648 to 2147483647\n\
         aside: note: WORLD/project/.aside/reminders/careful.md:1: the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md\n"
    );
}

#[test]
fn the_list_for_machines() {
    let world = world(FILES);
    let (code, told, said) = run(
        world.path(),
        &["list", "--json", "--no-project-reminders"],
        "",
    );
    assert_eq!((code, said.as_str()), (0, ""));
    let length = told.find("\"content\": \"This conversation").unwrap();
    let end = told[length..].find('\n').unwrap();
    let told = told.replace(&told[length..length + end], "\"content\": …,");
    assert_eq!(
        told,
        r#"{
  "reminders": [
    {
      "id": "conversation-length",
      "content": …,
      "schedule": {
        "kind": "condition",
        "condition": "messages_gt:80",
        "max_fires": 2,
        "cooldown_turns": 0
      },
      "priority": 0,
      "source": "builtin",
      "active": true
    },
    {
      "id": "careful",
      "content": "Ask Mia first.",
      "schedule": {
        "kind": "always",
        "max_fires": 0,
        "cooldown_turns": 0
      },
      "priority": 10,
      "source": "WORLD/home/.claude/reminders/careful.md",
      "active": true
    },
    {
      "id": "datetime",
      "content": "It is {{now}}.",
      "schedule": {
        "kind": "turn",
        "turn_interval": 10,
        "max_fires": 0,
        "cooldown_turns": 0
      },
      "priority": 0,
      "source": "WORLD/home/.aside/reminders/datetime.yaml",
      "active": true
    }
  ],
  "diagnostics": []
}
"#
    );
    let project = world.path().join("project");
    let elsewhere = ["list", "--json", "--cwd", project.to_str().unwrap()];
    let (code, told, said) = run(world.path(), &elsewhere, "");
    assert_eq!((code, said.as_str()), (0, ""));
    let diagnostics = &told[told.find("  \"diagnostics\"").unwrap()..];
    assert_eq!(
        diagnostics,
        r#"  "diagnostics": [
    {
      "path": "WORLD/project/.aside/reminders/bad.md",
      "line": 2,
      "message": "priority: found string \"high\", expected an integer from -2147483648 to 2147483647"
    },
    {
      "path": "WORLD/project/.aside/reminders/careful.md",
      "line": 1,
      "message": "the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md"
    }
  ]
}
"#
    );
}

#[test]
fn check_names_file_and_line() {
    let world = world(FILES);
    let (code, told, said) = run(world.path(), &["check"], "");
    assert_eq!((code, said.as_str()), (1, "aside: error: 1 fault\n"));
    assert_eq!(
        told,
        "WORLD/project/.aside/reminders/bad.md:2: priority: found string \"high\", expected an integer from -2147483648 to 2147483647\n\
         WORLD/project/.aside/reminders/careful.md:1: the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md (note)\n"
    );
    assert_eq!(
        run(world.path(), &["check", "--no-project-reminders"], ""),
        (0, String::new(), String::new())
    );
}

#[test]
fn check_takes_files_and_directories() {
    let world = world(&[
        ("project/good.md", "---\nschedule: {kind: always}\n---\nx"),
        ("project/once.md", "x"),
        (
            "project/dir/never.yaml",
            "content: '{{user}}'\nschedule: {kind: condition, condition: whenever}\nprio: 2\n",
        ),
        ("project/dir/other.txt", "not looked at"),
    ]);
    let check = |arguments: &[&str]| run(world.path(), &[&["check"], arguments].concat(), "");
    assert_eq!(check(&["good.md"]), (0, String::new(), String::new()));
    let (code, told, _) = check(&["once.md", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(
        told,
        r#"{
  "diagnostics": [
    {
      "path": "once.md",
      "line": 1,
      "message": "fires once and is gone from the next request; where the model should go on knowing it, say delivery: persistent",
      "severity": "note"
    }
  ]
}
"#
    );
    let (code, told, said) = check(&["good.md", "dir"]);
    assert_eq!((code, said.as_str()), (1, "aside: error: 3 faults\n"));
    assert_eq!(
        told,
        "dir/never.yaml:3: the key \"prio\" is not known, and passed over\n\
         dir/never.yaml:2: condition \"whenever\" never fires: expected always, after_tool:NAMES, turn_gt:N, messages_gt:N or repeated_tool:N\n\
         dir/never.yaml:1: found {{user}}, which stays as written: expected now, date, cwd, branch or turn\n"
    );
    let (code, told, said) = check(&["nowhere.md"]);
    assert_eq!((code, told.as_str()), (2, ""));
    assert!(said.contains("failed to read nowhere.md"), "{said}");
    let (code, told, _) = check(&["dir/other.txt"]);
    assert_eq!(code, 1);
    assert_eq!(
        told,
        "dir/other.txt:1: expected a name that ends in .md, .yaml or .yml\n"
    );
}

/// Simulates a session; exit code 0 and nothing on stderr.
fn simulate(input: &str, expected: &str) {
    let world = world(&[("project/session.json", input)]);
    for file in ["session.json", "-"] {
        let (code, told, said) = run(world.path(), &["simulate", file], input);
        assert_eq!((code, said.as_str()), (0, ""));
        assert_eq!(told, format!("{expected}\n"));
    }
}

#[test]
fn a_simulated_session_fires_what_is_due() {
    simulate(
        r#"{
  "reminders": [
    {"id": "once", "content": "x", "schedule": {"kind": "oneshot", "max_fires": 5}, "priority": 5},
    {"id": "often", "content": "x", "schedule": {"kind": "turn", "turn_interval": 2}},
    {"id": "tests", "content": "x", "schedule": {"kind": "condition", "condition": "after_tool:Edit,Write"}, "priority": -1},
    {"id": "timer", "content": "x", "schedule": {"kind": "timer", "interval": "1m"}},
    {"id": "long", "content": "x", "schedule": {"kind": "condition", "condition": "messages_gt:80"}}
  ],
  "steps": [
    {"turn": 0, "elapsed_ms": 0},
    {"turn": 1, "last_tool_calls": ["Read", "Write"], "message_count": 81, "elapsed_ms": 59999},
    {"register": {"id": "late", "content": "x", "schedule": {"kind": "always"}}},
    {"remove": "often"},
    {"turn": 2, "elapsed_ms": 60000}
  ]
}"#,
        r#"{"fired":[["often","timer","once"],["tests","long"],["timer","long","late"]]}"#,
    );
    simulate(r#"{"reminders":[],"steps":[]}"#, r#"{"fired":[]}"#);
}

#[test]
fn calls_in_a_row_are_counted_over_the_steps() {
    let reminders = r#""reminders":[{"id":"r","content":"x","schedule":{"kind":"condition","condition":"repeated_tool:3"}}]"#;
    simulate(
        &format!(
            r#"{{{reminders},"steps":[
            {{"last_tool_calls":["Bash"]}},{{"last_tool_calls":["Bash"]}},{{"last_tool_calls":["Bash"]}},
            {{}},{{"last_tool_calls":["Bash"]}},{{"repeated":{{"tool":"Bash","times":3}}}}]}}"#
        ),
        r#"{"fired":[[],[],["r"],[],[],["r"]]}"#,
    );
    simulate(
        &format!(
            r#"{{{reminders},"steps":[
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":1}}}}]}},
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":2}}}}]}},
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":2}}}},{{"name":"Bash","input":{{"a":2}}}}]}}]}}"#
        ),
        r#"{"fired":[[],[],["r"]]}"#,
    );
}

#[test]
fn a_simulation_injects_into_messages() {
    simulate(
        r#"{"reminders":[{"id":"a","content":"A"},{"id":"b","content":"B"}],
            "messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},
                        {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"z"}]}],
            "inject":["b","a"]}"#,
        r#"{"fired":[],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"text","text":"y"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"z\n<system-reminder>\nB\n</system-reminder>\n<system-reminder>\nA\n</system-reminder>"}]}]}"#,
    );
}

#[test]
fn a_bad_simulation_says_what_is_wrong_with_it() {
    let world = world(&[]);
    for (input, expected) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        (
            r#"{"reminders":[{"content":"x"}]}"#,
            "reminders[0]: expected an id",
        ),
        (
            r#"{"reminders":[{"id":"a"}]}"#,
            "reminders[0]: \"a\": expected content",
        ),
        (
            r#"{"reminders":[{"id":"a","content":"x","schedule":{"kind":"often"}}]}"#,
            "found \"often\", expected always, turn, timer, oneshot or condition at line 1 column",
        ),
        (r#"{"steps":[{"turns":1}]}"#, "unknown field `turns`"),
        (
            r#"{"steps":[{"last_tool_calls":[1]}]}"#,
            "expected the name of a tool, or an object with name and input",
        ),
        (
            r#"{"messages":[],"inject":["a"]}"#,
            "inject: there is no reminder \"a\"",
        ),
        (
            r#"{"messages":[]}"#,
            "found messages, expected inject with them",
        ),
        (
            r#"{"messages":[{"role":5}],"inject":[]}"#,
            "messages[0].role",
        ),
    ] {
        let (code, told, said) = run(world.path(), &["simulate", "-"], input);
        assert_eq!((code, told.as_str()), (1, ""), "{input}");
        assert!(said.contains(expected), "{input}: {said}");
    }
    let (code, _, said) = run(world.path(), &["simulate", "nowhere.json"], "");
    assert!(
        code == 2 && said.contains("failed to read nowhere.json"),
        "{said}"
    );
    let never = r#"{"reminders":[{"id":"a","content":"x","schedule":{"kind":"condition","condition":"?"}}]}"#;
    let (code, told, said) = run(world.path(), &["simulate", "-"], never);
    assert_eq!((code, told.as_str()), (0, "{\"fired\":[]}\n"));
    assert!(said.contains("never fires"), "{said}");
}

#[test]
fn files_cannot_steer_the_terminal() {
    let world = world(&[(
        "project/.aside/reminders/a.yaml",
        "id: \"a\\e[31m\"\ncontent: x\nschedule: {kind: condition, condition: \"\\e[2J\"}\n",
    )]);
    for command in ["list", "check"] {
        let (_, told, said) = run(world.path(), &[command], "");
        assert!(
            !told.contains('\x1b') && !said.contains('\x1b'),
            "{told}{said}"
        );
        assert!(told.contains("\\u{1b}") || said.contains("\\u{1b}"));
    }
}

#[test]
fn a_request_holds_what_is_due() {
    let world = world(FILES);
    let render = |arguments: &[&str]| {
        let arguments = [&["render", "hi", "--date", "2026-02-03"], arguments].concat();
        let output = aside(world.path(), &arguments, "");
        assert_eq!(output.status.code(), Some(0));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (body, said) = render(&[]);
    assert!(
        body.contains(r"hi\n<system-reminder>\nIt is 2026-02-03 00:00 +00:00.\n</system-reminder>"),
        "{body}"
    );
    assert!(body.contains(r"<system-reminder>\ntick\n</system-reminder>"));
    assert!(!body.contains("Ask Mia first") && !body.contains("priority: high"));
    assert!(said.contains("aside: warning: reminders: ") && said.contains("bad.md:2: priority: "));
    let (body, said) = render(&["--no-project-reminders"]);
    assert!(body.contains("Ask Mia first") && !body.contains(r"\ntick\n"));
    assert_eq!(said, "");
}
