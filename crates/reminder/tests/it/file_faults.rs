//! Faults of plugin files, with their lines.

use std::path::Path;

use aside_reminder::{Diagnostic, Severity, file_faults, parse_file};
use proptest::prelude::*;

/// Returns the first fault's severity, line and message.
fn fault(name: &str, text: &str) -> (Severity, usize, String) {
    let diagnostic = match parse_file(Path::new(name), text) {
        Ok(file) => file.diagnostics.into_iter().next().expect(text),
        Err(diagnostic) => diagnostic,
    };
    assert_eq!(diagnostic.path(), Some(Path::new(name)));
    let line = diagnostic.line().unwrap();
    (diagnostic.severity, line, diagnostic.message)
}

#[test]
fn input_that_takes_too_long_to_parse_is_refused() {
    let brackets = format!("content: {}", "[".repeat(60_000));
    let (text, aliases) = ("x".repeat(30_000), "*a, ".repeat(5_000));
    let aliases = format!("x: &a {text}\ncontent: [{aliases}]");
    for (yaml, expected) in [
        (brackets, "expected at most 1000 brackets that may be open at once"),
        (aliases, "expected aliases that make it at most 16 times as long"),
    ] {
        let (severity, _, message) = fault("a.yaml", &yaml);
        assert_eq!((severity, message.as_str()), (Severity::Error, expected));
        let (severity, _, message) = fault("a.md", &format!("---\n{yaml}\n---\nx"));
        assert_eq!((severity, message.as_str()), (Severity::Error, expected));
    }
}

#[test]
fn every_error_has_its_line_and_the_value_found() {
    for (name, text, line, message) in [
        // Not YAML, or not a mapping.
        (
            "a.md",
            "---\nid: x\n",
            1,
            "front matter is opened here and no line `---` closes it within 64 KB",
        ),
        ("a.md", "\n---\nBe brief.\n---\nx", 2, "expected a mapping of names to values"),
        ("a.md", "---\na: b: c\n---\nx", 2, "mapping values are not allowed in this context"),
        ("a.yaml", "- content: x", 1, "expected a mapping of names to values, found a list"),
        ("a.yaml", "content: x\n\tid: y", 2, "found a tab character"),
        (
            "a.md",
            "---\nid: [x\npriority: 1\n---\nx",
            2,
            "id: expected a string or a number, found a list",
        ),
        ("a.yaml", "content: *x", 1, "unknown anchor"),
        // Wrong types.
        ("a.yaml", "content: x\nid: [7]", 2, "id: expected a string or a number, found a list"),
        ("a.yaml", "content: x\nid: true", 2, "id: expected a string or a number, found true"),
        ("a.yaml", "content: x\nid: ' '", 2, "id: found \" \", expected an id that is not blank"),
        ("a.yaml", "id: x\ncontent: 5", 2, "content: found 5, expected a string"),
        (
            "a.yaml",
            "content: x\nschedule: always",
            2,
            "schedule: expected a mapping with the key kind, found \"always\"",
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
            "enabled: expected true or false, found \"sometimes\"",
        ),
        // Unknown values.
        (
            "a.md",
            "---\nid: x\nschedule:\n  max_fires: 1\n  kind: sometimes\n---\nx",
            5,
            "schedule.kind: found \"sometimes\", expected always, turn, timer",
        ),
        (
            "a.yaml",
            "content: x\nschedule: {kind: 5}",
            2,
            "schedule.kind: found 5, expected always, turn, timer",
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
        // Keys that do not go with the kind.
        (
            "a.yaml",
            "content: x\nschedule:\n  max_fires: 3\n  turn_interval: 5",
            4,
            "schedule: found the key turn_interval, which needs kind: turn",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  kind: turn\n  condition: always",
            4,
            "schedule: found the key condition, which needs kind: condition",
        ),
        (
            "a.md",
            "---\nid: x\nschedule:\n  kind: always\n  turn_interval: 5\n---\nx",
            5,
            "schedule: found the key turn_interval, which needs kind: turn",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  interval: 5m",
            3,
            "schedule: found the key interval, which needs kind: timer",
        ),
        (
            "a.yaml",
            "content: x\nschedule:\n  cooldown_turns: 3",
            3,
            "schedule: found the key cooldown_turns, which needs a kind",
        ),
        // No content.
        ("a.md", "", 1, "no content: expected text after the front matter"),
        ("a.md", "---\nid: x\n---\n \n", 4, "no content: expected text after the front matter"),
        ("a.yaml", "", 1, "no content: expected the key content with some text"),
        ("a.yaml", "id: x\ncontent: ' '", 1, "no content: expected the key content with some text"),
        ("a.txt", "x", 1, "expected a name that ends in .md, .yaml or .yml"),
    ] {
        let (severity, found_line, found) = fault(name, text);
        assert_eq!(severity, Severity::Error, "{text:?}");
        assert!(found.starts_with(message), "{text:?}: {found:?}, not {message:?}");
        assert_eq!(found_line, line, "{text:?}: {found}");
    }
}

/// Each key is read by itself, so one fault does not hide the others.
#[test]
fn all_faults_of_a_file_are_reported() {
    let text = "---\npriority: high\nschedule:\n  kind: turn\n  turn_interval: 0\n  max_fire: 2\ndelivery: twice\n---\nx";
    let faults = file_faults(Path::new("a.md"), text);
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let starts = [
        "error: a.md:2: priority: found string \"high\"",
        "error: a.md:5: schedule.turn_interval: found 0",
        "error: a.md:6: unknown key \"max_fire\" is ignored: did you mean max_fires?",
        "error: a.md:7: delivery: found \"twice\"",
    ];
    assert_eq!(shown.len(), starts.len(), "{shown:?}");
    for start in starts {
        assert!(shown.iter().any(|it| it.starts_with(start)), "{start}: {shown:?}");
    }
    let first = parse_file(Path::new("a.md"), text).unwrap_err();
    assert_eq!(first, faults[0]);
    assert!(file_faults(Path::new("a.md"), "x").is_empty());
}

/// Checks all faults as `LINE: MESSAGE`, by the beginnings of their messages.
#[track_caller]
fn check_all(text: &str, expected: &[&str]) {
    let faults = file_faults(Path::new("a.md"), text);
    let shown = faults.iter().map(|it| format!("{}: {}", it.line().unwrap(), it.message));
    let shown: Vec<_> = shown.collect();
    let is_same = |(shown, start): (&String, &&str)| shown.starts_with(start);
    assert!(
        shown.len() == expected.len() && shown.iter().zip(expected).all(is_same),
        "{text}: {shown:#?}"
    );
}

#[test]
fn a_fault_hides_no_other_on_its_line_or_of_another_reader() {
    check_all(
        "---\npriority: x\nschedule: {kind: turn, interval: 5m, turn_interval: 0}\n---\nX {{nope}}\n",
        &[
            "2: priority: found",
            "3: schedule: found the key interval, which needs kind: timer",
            "3: schedule.turn_interval: found 0",
            "5: found {{nope}}, which remains as written",
        ],
    );
    check_all(
        "---\nschedule:\n  kind: condition\n  condition: \"aftr_tool:x\"\npriority: x\n---\nbody\n",
        &["5: priority: found", "4: condition \"aftr_tool:x\" never fires"],
    );
    check_all(
        "---\nprio: 4\nschedule: {kind: turn, turn_intervall: 0, max_fires: -1}\npriority: high\n---\nX\n",
        &[
            "3: schedule.max_fires: found -1",
            "2: unknown key \"prio\" is ignored",
            "3: unknown key \"turn_intervall\" is ignored: did you mean turn_interval?",
            "4: priority: found",
        ],
    );
    check_all(
        "---\nenabled: sometimes\nschedule: {turn_interval: 5, interval: 5m}\n---\nX\n",
        &[
            "2: enabled: ",
            "3: schedule: found the key interval, which needs kind: timer",
            "3: schedule: found the key turn_interval, which needs kind: turn",
        ],
    );
    // An unknown kind fits no key.
    check_all(
        "---\nschedule: {kind: trun, turn_interval: 5}\n---\nX\n",
        &["2: schedule.kind: found \"trun\""],
    );
}

#[test]
fn a_key_on_the_wrong_level_is_reported_with_the_right_one() {
    let below = ": it belongs beside schedule, not below it";
    for (text, line, meant) in [
        ("id: r\nschedule:\n  kind: always\n  priority: 5\ncontent: x", 4, below),
        ("id: r\ncontent: x\nschedule:\n  kind: always\n  id: s", 5, below),
        ("content: x\nschedule: {kind: always, enabled: false}", 2, below),
        ("content: x\nkind: always", 2, ": it belongs below schedule"),
        ("schedule:\n  kind: x\n  kinds: y\nkinds: 1\ncontent: x", 3, ": did you mean kind?"),
    ] {
        let faults = match parse_file(Path::new("a.yaml"), text) {
            Ok(file) => file.diagnostics,
            Err(_) => file_faults(Path::new("a.yaml"), text),
        };
        let found = faults.iter().find(|it| it.line() == Some(line)).expect(text);
        assert!(found.message.starts_with("unknown key"), "{text}: {faults:?}");
        assert!(found.message.ends_with(meant), "{text}: {faults:?}");
    }
}

#[test]
fn a_missing_content_is_reported_with_other_faults() {
    for (name, text, expected) in [
        ("a.md", "---\ndelivery: xx\n---\n \n", &[2, 4][..]),
        ("a.yaml", "delivery: xx\n\ncontent: ' '\n", &[1, 1]),
        ("a.md", "---\ndelivery: xx\nenabled: false\n---\n", &[2]),
        ("a.md", "---\ndelivery: xx\n---\nHi\n", &[2]),
    ] {
        let faults = file_faults(Path::new(name), text);
        let lines: Vec<_> = faults.iter().filter_map(Diagnostic::line).collect();
        assert_eq!(lines, expected, "{faults:?}");
    }
}

#[test]
fn a_file_with_warnings_is_loaded() {
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
            "condition \"turn_gt:many\" never fires: expected a number from 0 after the colon",
        ),
        (
            "a.md",
            "---\nid: x\n---\n\nHello,\n{{user}}!",
            6,
            "found {{user}}, which remains as written: expected now, date, cwd, branch or turn",
        ),
        (
            "a.yaml",
            "content: x\nshedule:\n  kind: always",
            2,
            "unknown key \"shedule\" is ignored: did you mean schedule?",
        ),
        (
            "a.yaml",
            "content: x\nschedule: {kind: always, turns: 5}",
            2,
            "unknown key \"turns\" is ignored",
        ),
        (
            "a.md",
            "---\ncontent: y\n---\nx",
            2,
            "the key content is ignored: in Markdown the body is the content",
        ),
    ] {
        let (severity, found_line, found) = fault(name, text);
        assert_eq!((severity, found.as_str(), found_line), (Severity::Warning, message, line));
        assert_eq!(parse_file(Path::new(name), text).unwrap().diagnostics.len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf_8_needs_an_id() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let path = Path::new(OsStr::from_bytes(b"\xff.md"));
    let error = parse_file(path, "x").unwrap_err();
    assert_eq!(error.message, "found a file name that is not UTF-8, expected the key id");
    assert_eq!(parse_file(path, "---\nid: x\n---\nx").unwrap().reminder.id, "x");
}

#[test]
fn hostile_files_are_parsed_quickly() {
    let keys: String = (0..20_000).map(|index| format!("k{index}: 1\n")).collect();
    let names = "{{x}}".repeat(40_000);
    let quotes = format!("'': 1\n'\"': 2\ncontent: |\n  {}", "\"".repeat(200_000));
    for text in [format!("{keys}content: x"), format!("content: '{names}'"), quotes] {
        let file = parse_file(Path::new("a.yaml"), &text).unwrap();
        assert!(file.diagnostics.len() <= 10);
    }
}

proptest! {
    /// Any text is parsed, or refused with a line in the file.
    #[test]
    fn any_text_is_parsed_or_refused(text in "(---\n|id: x\n|schedule:\n|  kind: [a-z]{0,9}\n|\\{\\{[a-z]{0,3}\\}\\}|[a-z: \\[\\]\n]){0,12}") {
        for name in ["a.md", "a.yaml"] {
            let lines = text.lines().count().max(1) + 1;
            match parse_file(Path::new(name), &text) {
                Ok(file) => {
                    prop_assert!(!file.reminder.active || !file.reminder.content.trim().is_empty());
                    for diagnostic in file.diagnostics {
                        prop_assert!((1..=lines).contains(&diagnostic.line().unwrap()));
                    }
                }
                Err(diagnostic) => prop_assert!((1..=lines).contains(&diagnostic.line().unwrap())),
            }
        }
    }
}
