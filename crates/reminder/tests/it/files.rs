//! Plugin files: every key, every fault, every directory.

use std::fs;
use std::path::Path;
use std::time::Duration;

use aside_reminder::{
    Delivery, Expression, Loader, Manager, Reminder, Schedule, Severity, conversation_length,
    load_path, parse_file,
};
use proptest::prelude::*;

fn parse(name: &str, text: &str) -> Reminder {
    let file = parse_file(Path::new(name), text).unwrap();
    assert_eq!(file.diagnostics, [], "{text}");
    file.reminder
}

/// The line and the message of the one thing that is wrong.
fn fault(name: &str, text: &str) -> (Severity, usize, String) {
    let diagnostic = match parse_file(Path::new(name), text) {
        Ok(file) => file.diagnostics.into_iter().next().expect(text),
        Err(diagnostic) => diagnostic,
    };
    assert_eq!(diagnostic.path, Path::new(name));
    (
        diagnostic.severity,
        diagnostic.line.unwrap(),
        diagnostic.message,
    )
}

#[test]
fn what_is_left_out_has_a_default() {
    for (name, text) in [
        ("dir/plain.md", "Just text.\n"),
        ("dir/plain.md", "---\n---\n\n  Just text.  \n\n"),
        ("dir/plain.yaml", "content: Just text."),
        (
            "dir/plain.yml",
            "---\ncontent: Just text.\nschedule:\npriority: ~\n",
        ),
    ] {
        let reminder = parse(name, text);
        assert_eq!(reminder.id, "plain");
        assert_eq!(reminder.content, "Just text.");
        assert_eq!(reminder.schedule, Schedule::ONESHOT);
        assert_eq!((reminder.priority, reminder.active), (0, true));
        assert_eq!(reminder.delivery, Delivery::Ephemeral);
        assert_eq!(reminder.source.to_string(), name);
    }
}

#[test]
fn every_key_counts() {
    let reminder = parse(
        "a.yaml",
        "id: 7\ncontent: |\n  Text.\nschedule:\n  kind: turn\n  turn_interval: 15\n  max_fires: 2\n  cooldown_turns: 3\npriority: -1\nenabled: false\ndelivery: persistent\n",
    );
    assert_eq!(reminder.id, "7");
    // YAML's own text, byte for byte; only Markdown is trimmed.
    assert_eq!(reminder.content, "Text.\n");
    let schedule = Schedule {
        cooldown_turns: 3,
        ..Schedule::every_turns(15).at_most(2)
    };
    assert_eq!(reminder.schedule, schedule);
    assert_eq!((reminder.priority, reminder.active), (-1, false));
    assert_eq!(reminder.delivery, Delivery::Persistent);
}

#[test]
fn schedules() {
    let check = |yaml: &str, expected: Schedule| {
        let text = format!("content: x\nschedule: {{{yaml}}}");
        assert_eq!(parse("a.yml", &text).schedule, expected, "{yaml}");
    };
    check("kind: always", Schedule::ALWAYS);
    check("kind: turn", Schedule::every_turns(1));
    check("kind: timer", Schedule::every(Duration::from_secs(300)));
    check(
        "kind: timer, interval: 1.5h",
        Schedule::every(Duration::from_secs(5400)),
    );
    check("", Schedule::ONESHOT);
    check("kind: condition", Schedule::when(Expression::Always.into()));
    check(
        "kind: condition, condition: 'after_tool: Edit , Write'",
        Schedule::when(Expression::AfterTool(vec!["Edit".into(), "Write".into()]).into()),
    );
    check(
        "kind: condition, condition: 'repeated_tool:3'",
        Schedule::when(Expression::RepeatedTool(3).into()),
    );
}

#[test]
fn byte_order_marks_line_ends_and_blank_lines_are_fine() {
    let text = "\u{feff}\r\n\n---\r\nid: x\r\n---\r\nOne.\r\nTwo.\r\n";
    let reminder = parse("a.md", text);
    assert_eq!(
        (reminder.id.as_str(), reminder.content.as_str()),
        ("x", "One.\r\nTwo.")
    );
}

#[test]
fn an_id_is_a_string_or_a_number() {
    for (id, expected) in [
        ("abc", "abc"),
        ("7", "7"),
        ("-7", "-7"),
        ("1.5", "1.5"),
        ("'7'", "7"),
    ] {
        let text = format!("id: {id}\ncontent: x");
        assert_eq!(parse("a.yaml", &text).id, expected);
    }
}

#[test]
fn every_fault_has_its_line_and_says_what_was_found() {
    for (name, text, line, message) in [
        // No YAML, or no mapping.
        (
            "a.md",
            "---\nid: x\n",
            1,
            "front matter is opened here and no line `---` closes it within 64 KB",
        ),
        (
            "a.md",
            "\n---\nBe brief.\n---\nx",
            2,
            "expected a mapping of names to values",
        ),
        (
            "a.md",
            "---\na: b: c\n---\nx",
            2,
            "mapping values are not allowed in this context",
        ),
        (
            "a.yaml",
            "- content: x",
            1,
            "invalid type: sequence, expected a mapping of names to values",
        ),
        ("a.yaml", "content: x\n\tid: y", 2, "found a tab character"),
        // Wrong types.
        (
            "a.yaml",
            "content: x\nid: [7]",
            2,
            "id: invalid type: sequence, expected a string or a number",
        ),
        (
            "a.yaml",
            "content: x\nid: true",
            2,
            "id: invalid type: boolean `true`, expected a string or a number",
        ),
        (
            "a.yaml",
            "content: x\nid: ' '",
            2,
            "id: found \" \", expected an id that is not blank",
        ),
        (
            "a.yaml",
            "id: x\ncontent: 5",
            2,
            "content: found 5, expected a string",
        ),
        (
            "a.yaml",
            "content: x\nschedule: always",
            2,
            "schedule: invalid type: string \"always\", expected a mapping with the key kind",
        ),
        (
            "a.yaml",
            "content: x\npriority: high",
            2,
            "priority: found string \"high\", expected an integer from -2147483648 to 2147483647",
        ),
        (
            "a.yaml",
            "content: x\npriority: 1.5",
            2,
            "priority: found 1.5, expected an integer from -2147483648 to 2147483647",
        ),
        (
            "a.yaml",
            "content: x\nenabled: sometimes",
            2,
            "enabled: invalid type: string \"sometimes\", expected a boolean",
        ),
        // Unknown words.
        (
            "a.md",
            "---\nid: x\nschedule:\n  max_fires: 1\n  kind: sometimes\n---\nx",
            5,
            "schedule.kind: found \"sometimes\", expected always, turn, timer, oneshot or condition",
        ),
        (
            "a.yaml",
            "content: x\nschedule: {kind: 5}",
            2,
            "schedule.kind: found 5, expected always, turn, timer, oneshot or condition",
        ),
        (
            "a.yaml",
            "content: x\ndelivery: twice",
            2,
            "delivery: found \"twice\", expected ephemeral or persistent",
        ),
        // Bad numbers.
        (
            "a.yaml",
            "content: x\nschedule:\n  turn_interval: 0",
            3,
            "schedule.turn_interval: found 0, expected an integer from 1",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  turn_interval: '5'",
            3,
            "schedule.turn_interval: found string \"5\", expected an integer from 1",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  max_fires: -1",
            3,
            "schedule.max_fires: found -1, expected an integer from 0 to 4294967295",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  cooldown_turns: -1",
            3,
            "schedule.cooldown_turns: found -1, expected an integer from 0",
        ),
        (
            "a.yaml",
            "content: x\npriority: 99999999999",
            2,
            "priority: found 99999999999, expected an integer from -2147483648 to 2147483647",
        ),
        // Bad durations.
        (
            "a.yaml",
            "content: x\nschedule:\n  interval: 5 minutes",
            3,
            "schedule.interval: duration \"5 minutes\": expected numbers with units, such as 30s, 5m or 1h30m",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  interval: 300",
            3,
            "schedule.interval: found 300, expected a duration, such as 30s or 5m",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  interval: -5m",
            3,
            "schedule.interval: duration \"-5m\": expected one that is not negative",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  condition: 5",
            3,
            "schedule.condition: found 5, expected a condition, such as \"after_tool:Edit\"",
        ),
        // No content.
        (
            "a.md",
            "",
            1,
            "no content: expected text behind the front matter",
        ),
        (
            "a.md",
            "---\nid: x\n---\n \n",
            4,
            "no content: expected text behind the front matter",
        ),
        (
            "a.yaml",
            "",
            1,
            "no content: expected the key content with some text",
        ),
        (
            "a.yaml",
            "id: x\ncontent: ' '",
            1,
            "no content: expected the key content with some text",
        ),
        (
            "a.txt",
            "x",
            1,
            "expected a name that ends in .md, .yaml or .yml",
        ),
    ] {
        let (severity, found_line, found) = fault(name, text);
        assert_eq!(severity, Severity::Error, "{text:?}");
        assert!(
            found.starts_with(message),
            "{text:?}: {found:?}, not {message:?}"
        );
        assert_eq!(found_line, line, "{text:?}: {found}");
    }
}

#[test]
fn some_slips_are_told_and_the_file_loads() {
    for (name, text, line, message) in [
        (
            "a.yaml",
            "content: x\nschedule:\n  kind: condition\n  condition: whenever",
            4,
            "condition \"whenever\" never fires: expected always, after_tool:NAMES, turn_gt:N, messages_gt:N or repeated_tool:N",
        ),
        (
            "a.md",
            "---\nschedule: {kind: condition, condition: 'turn_gt:many'}\n---\nx",
            2,
            "condition \"turn_gt:many\" never fires: expected a number from 0 behind the colon",
        ),
        (
            "a.md",
            "---\nid: x\n---\n\nHello,\n{{user}}!",
            6,
            "found {{user}}, which stays as written: expected now, date, cwd, branch or turn",
        ),
        (
            "a.yaml",
            "content: x\nshedule:\n  kind: always",
            2,
            "the key \"shedule\" is not known, and passed over",
        ),
        (
            "a.yaml",
            "content: x\nschedule: {kind: always, turns: 5}",
            2,
            "the key \"turns\" is not known, and passed over",
        ),
        (
            "a.md",
            "---\ncontent: y\n---\nx",
            2,
            "the key content is passed over: in Markdown the body is the content",
        ),
    ] {
        let (severity, found_line, found) = fault(name, text);
        assert_eq!(
            (severity, found.as_str(), found_line),
            (Severity::Warning, message, line)
        );
        assert_eq!(
            parse_file(Path::new(name), text).unwrap().diagnostics.len(),
            1
        );
    }
}

#[test]
fn what_only_switches_off_needs_no_content() {
    let reminder = parse("conversation-length.md", "---\nenabled: false\n---\n");
    let manager = Manager::new();
    manager.register(conversation_length());
    manager.register(reminder);
    assert!(!manager.list()[0].active);
}

/// A home and a project in a directory, with these files.
fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, Loader) {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let loader = Loader {
        home: Some(directory.path().join("home")),
        claude_config: None,
        project: Some(directory.path().join("project")),
    };
    (directory, loader)
}

fn ids(reminders: &[Reminder]) -> Vec<&str> {
    reminders.iter().map(|it| it.id.as_str()).collect()
}

#[test]
fn later_directories_win_and_order_is_by_directory_and_name() {
    let (_directory, loader) = world(&[
        ("project/.aside/reminders/b.md", "project aside b"),
        ("project/.agents/reminders/z.md", "project agents z"),
        (
            "project/.agents/reminders/y.yaml",
            "content: project agents y",
        ),
        ("project/.bitcode/reminders/p.md", "p"),
        ("project/.claude/reminders/q.md", "q"),
        ("home/.aside/reminders/a.md", "home aside a"),
        ("home/.claude/reminders/a.md", "home claude a"),
        ("home/.bitcode/reminders/m.md", "m"),
        ("home/.agents/reminders/b.md", "home agents b"),
        ("home/.agents/reminders/c.md", "c"),
        ("home/.agents/reminders/d.txt", "no reminder"),
        ("home/.agents/reminders/sub/d.md", "no reminder"),
    ]);
    let loaded = loader.load();
    assert_eq!(
        ids(&loaded.reminders),
        ["c", "m", "a", "y", "z", "q", "p", "b"]
    );
    let content = |id: &str| {
        let reminder = loaded.reminders.iter().find(|it| it.id == id);
        reminder.unwrap().content.as_str()
    };
    assert_eq!(
        (content("a"), content("b")),
        ("home aside a", "project aside b")
    );
    // Only where a project speaks over its user, that is told.
    let told: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|it| (it.severity, it.message.as_str()))
        .collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, Severity::Note);
    assert!(
        told[0]
            .1
            .starts_with("the project's reminder \"b\" replaces the user's, ")
    );
    assert!(told[0].1.ends_with("home/.agents/reminders/b.md"));
}

#[test]
fn a_project_can_be_left_out() {
    let (_directory, loader) = world(&[
        ("home/.aside/reminders/a.md", "home"),
        (
            "project/.aside/reminders/a.md",
            "---\nenabled: false\n---\n",
        ),
    ]);
    let loaded = loader.load();
    assert!(!loaded.reminders[0].active);
    assert!(loaded.diagnostics[0].message.contains("switches off"));
    let alone = Loader {
        project: None,
        ..loader.clone()
    };
    assert_eq!(alone.load().reminders[0].content, "home");
    assert_eq!(alone.load().diagnostics, []);
    // Who works in their home has no project that speaks over them.
    let at_home = Loader {
        project: loader.home.clone(),
        ..loader
    };
    assert_eq!(at_home.load().diagnostics, []);
    assert_eq!(at_home.load().reminders.len(), 1);
}

#[test]
fn another_configuration_directory_stands_for_claude() {
    let (directory, loader) = world(&[
        ("home/.claude/reminders/a.md", "claude"),
        ("elsewhere/reminders/b.md", "elsewhere"),
    ]);
    let loader = Loader {
        claude_config: Some(directory.path().join("elsewhere")),
        ..loader
    };
    assert_eq!(ids(&loader.load().reminders), ["b"]);
}

#[test]
fn of_two_with_one_id_in_a_directory_the_first_counts() {
    let (_directory, loader) = world(&[
        ("home/.aside/reminders/a.md", "first"),
        ("home/.aside/reminders/b.yaml", "content: second\nid: a"),
    ]);
    let loaded = loader.load();
    assert_eq!(loaded.reminders[0].content, "first");
    assert_eq!(loaded.reminders.len(), 1);
    let diagnostic = &loaded.diagnostics[0];
    assert_eq!(
        (diagnostic.severity, diagnostic.line),
        (Severity::Error, Some(2))
    );
    assert!(diagnostic.path.ends_with("b.yaml"));
    assert!(diagnostic.message.starts_with("found the id \"a\" of "));
}

#[test]
fn forty_broken_files_and_the_good_ones_beside_them() {
    let faults = [
        "---\nsecret: 1\n",
        "---\nsecret: a: b\n---\nx",
        "---\nschedule: {kind: secret}\n---\nx",
        "---\npriority: secret\n---\nx",
        "---\nid: secret\n---\n",
        "---\nschedule: {turn_interval: 0}\n---\nsecret",
        "---\nschedule: {interval: secret}\n---\nx",
        "---\ndelivery: secret\n---\nx",
    ];
    let broken: Vec<_> = (0..40)
        .map(|index| {
            let path = format!("project/.aside/reminders/broken-{index:02}.md");
            (path, faults[index % faults.len()])
        })
        .collect();
    let mut files: Vec<_> = broken
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    files.push(("project/.aside/reminders/a.md", "good a"));
    files.push(("project/.aside/reminders/z.md", "good z"));
    let (_directory, loader) = world(&files);
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a", "z"]);
    assert_eq!(loaded.diagnostics.len(), 40);
    for (diagnostic, (path, _)) in loaded.diagnostics.iter().zip(&broken) {
        assert!(diagnostic.path.ends_with(path), "{diagnostic}");
        assert!(diagnostic.line.is_some() && diagnostic.severity == Severity::Error);
    }
    let manager = Manager::new();
    loaded.register(&manager);
    let due: Vec<_> = manager
        .list()
        .into_iter()
        .map(|it| it.reminder.content)
        .collect();
    assert_eq!(due, ["good a", "good z"]);
}

#[test]
fn files_that_are_too_much() {
    let long = "x".repeat(256 * 1024 + 1);
    let (directory, loader) = world(&[("home/.aside/reminders/b.md", &long)]);
    let reminders = directory.path().join("home/.aside/reminders");
    fs::write(reminders.join("a.md"), "x".repeat(256 * 1024)).unwrap();
    fs::write(reminders.join("c.md"), b"one\ntwo \xff\n").unwrap();
    fs::create_dir(reminders.join("d.md")).unwrap();
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a"]);
    let told: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|it| (it.line, it.message.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                Some(1),
                "found 262145 bytes or more, expected at most 256 KB"
            ),
            (Some(2), "found the byte 0xff, expected UTF-8"),
            (Some(1), "found a directory, expected a file"),
        ]
    );
    // Twenty such files are more than 4 MB.
    for index in 10..30 {
        fs::write(
            reminders.join(format!("e{index}.md")),
            "x".repeat(256 * 1024),
        )
        .unwrap();
    }
    let loaded = loader.load();
    assert_eq!(loaded.reminders.len(), 16);
    assert!(loaded.diagnostics.last().unwrap().message.contains("4 MB"));
}

#[test]
fn a_directory_of_too_many_files() {
    let (directory, loader) = world(&[("home/.aside/reminders/a.md", "a")]);
    let reminders = directory.path().join("home/.aside/reminders");
    for index in 0..1000 {
        fs::write(reminders.join(format!("b{index:04}.md")), "b").unwrap();
    }
    let loaded = loader.load();
    assert_eq!(loaded.reminders.len(), 1000);
    let diagnostic = &loaded.diagnostics[0];
    assert_eq!((diagnostic.line, loaded.diagnostics.len()), (None, 1));
    assert!(
        diagnostic
            .message
            .starts_with("found 1001 files, expected at most 1000")
    );
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_nothing_else_is_opened() {
    use std::os::unix::fs::symlink;

    let (directory, loader) = world(&[
        ("elsewhere/text.md", "linked"),
        ("home/.aside/reminders/a.md", "a"),
    ]);
    let reminders = directory.path().join("home/.aside/reminders");
    symlink(
        directory.path().join("elsewhere/text.md"),
        reminders.join("b.md"),
    )
    .unwrap();
    symlink("/dev/zero", reminders.join("c.md")).unwrap();
    symlink("nowhere", reminders.join("d.md")).unwrap();
    symlink("e.md", reminders.join("e.md")).unwrap();
    let fifo = reminders.join("f.md");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    assert!(made.success());
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a", "b"]);
    let told: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|it| it.message.as_str())
        .collect();
    assert_eq!(told[0], "found a device, FIFO or socket, expected a file");
    assert!(told[1].starts_with("unreadable: ") && told[2].starts_with("unreadable: "));
    assert_eq!(told[3], "found a device, FIFO or socket, expected a file");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf_8_needs_an_id() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let path = Path::new(OsStr::from_bytes(b"\xff.md"));
    let error = parse_file(path, "x").unwrap_err();
    assert_eq!(
        error.message,
        "found a file name that is not UTF-8, expected the key id"
    );
    assert_eq!(
        parse_file(path, "---\nid: x\n---\nx").unwrap().reminder.id,
        "x"
    );
}

#[test]
fn a_directory_that_is_none_is_told() {
    let (directory, loader) = world(&[
        ("home/.aside/reminders", "a file"),
        ("home/.claude", "a file"),
    ]);
    let loaded = loader.load();
    assert_eq!(loaded.diagnostics.len(), 1);
    assert_eq!(
        loaded.diagnostics[0].path,
        directory.path().join("home/.aside/reminders")
    );
}

#[test]
fn one_file_can_be_read_alone() {
    let (directory, _) = world(&[("a.md", "a"), ("b.yaml", "id: a: b")]);
    assert_eq!(
        ids(&load_path(&directory.path().join("a.md")).reminders),
        ["a"]
    );
    assert_eq!(
        load_path(&directory.path().join("b.yaml"))
            .diagnostics
            .len(),
        1
    );
    assert_eq!(
        load_path(&directory.path().join("c.md")).diagnostics.len(),
        1
    );
    assert_eq!(load_path(directory.path()).reminders.len(), 1);
}

#[test]
fn a_file_that_was_made_to_take_long_does_not() {
    let keys: String = (0..20_000).map(|index| format!("k{index}: 1\n")).collect();
    let names = "{{x}}".repeat(40_000);
    let quotes = format!("'': 1\n'\"': 2\ncontent: |\n  {}", "\"".repeat(200_000));
    for text in [
        format!("{keys}content: x"),
        format!("content: '{names}'"),
        quotes,
    ] {
        let file = parse_file(Path::new("a.yaml"), &text).unwrap();
        assert!(file.diagnostics.len() <= 10);
    }
}

proptest! {
    /// Whatever is in a file: it is read or refused with a line of the file,
    /// and what the model would be told holds no delimiter of front matter.
    #[test]
    fn any_text_is_read_or_refused(text in "(---\n|id: x\n|schedule:\n|  kind: [a-z]{0,9}\n|\\{\\{[a-z]{0,3}\\}\\}|[a-z: \\[\\]\n]){0,12}") {
        for name in ["a.md", "a.yaml"] {
            let lines = text.lines().count().max(1) + 1;
            match parse_file(Path::new(name), &text) {
                Ok(file) => {
                    prop_assert!(!file.reminder.active || !file.reminder.content.trim().is_empty());
                    for diagnostic in file.diagnostics {
                        prop_assert!((1..=lines).contains(&diagnostic.line.unwrap()));
                    }
                }
                Err(diagnostic) => prop_assert!((1..=lines).contains(&diagnostic.line.unwrap())),
            }
        }
    }
}
