//! Listing reminders with their sources.

use crate::reminders::{FILES, run, world};

#[test]
fn the_list_for_people() {
    let world = world(FILES);
    let (code, stdout, stderr) = run(world.path(), &["list"], "");
    assert_eq!(code, 0);
    assert_eq!(
        stdout,
        "conversation-length: when messages_gt:80, at most 2 times (builtin)\n\
         datetime: every 10 turns (WORLD/home/.aside/reminders/datetime.yaml)\n\
         run-tests: when after_tool:Edit,Write, at most 5 times, at least 2 turns apart (WORLD/project/.agents/reminders/run-tests.md)\n\
         careful: once, switched off (WORLD/project/.aside/reminders/careful.md)\n\
         clock: every 1m30s, persistent (WORLD/project/.aside/reminders/clock.yaml)\n"
    );
    assert_eq!(
        stderr,
        "aside: error: WORLD/project/.aside/reminders/bad.md:2: priority: found string \"high\", expected an integer from -2147483648 to 2147483647\n\
         aside: note: WORLD/project/.aside/reminders/careful.md:1: the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md\n"
    );
}

#[test]
fn the_list_for_machines() {
    let world = world(FILES);
    let (code, stdout, stderr) =
        run(world.path(), &["list", "--json", "--no-project-reminders"], "");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let length = stdout.find("\"content\": \"This conversation").unwrap();
    let end = stdout[length..].find('\n').unwrap();
    let stdout = stdout.replace(&stdout[length..length + end], "\"content\": …,");
    assert_eq!(
        stdout,
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
    let (code, stdout, stderr) = run(world.path(), &elsewhere, "");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let diagnostics = &stdout[stdout.find("  \"diagnostics\"").unwrap()..];
    assert_eq!(
        diagnostics,
        r#"  "diagnostics": [
    {
      "severity": "error",
      "code": "reminder-file-invalid",
      "path": "WORLD/project/.aside/reminders/bad.md",
      "line": 2,
      "message": "priority: found string \"high\", expected an integer from -2147483648 to 2147483647"
    },
    {
      "severity": "note",
      "code": "reminder-overridden",
      "path": "WORLD/project/.aside/reminders/careful.md",
      "line": 1,
      "message": "the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md"
    }
  ]
}
"#
    );
}
