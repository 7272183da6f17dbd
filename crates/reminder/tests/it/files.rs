//! The keys in a plugin file and their defaults.

use std::path::Path;
use std::time::Duration;

use aside_reminder::{
    Expression, Manager, Reminder, ReminderDelivery, Schedule, conversation_length, parse_file,
};

fn parse(name: &str, text: &str) -> Reminder {
    let file = parse_file(Path::new(name), text).unwrap();
    assert_eq!(file.diagnostics, [], "{text}");
    file.reminder
}

#[test]
fn every_key_has_a_default() {
    for (name, text) in [
        ("dir/plain.md", "Just text.\n"),
        ("dir/plain.md", "---\n---\n\n  Just text.  \n\n"),
        ("dir/plain.yaml", "content: Just text."),
        ("dir/plain.yml", "---\ncontent: Just text.\nschedule:\npriority: ~\n"),
        ("dir/plain.MD", "Just text.\n"),
        ("dir/plain.Yml", "content: |\n  Just text.\n\n"),
        ("dir/plain.YAML", "content: ' Just text. '"),
    ] {
        let reminder = parse(name, text);
        assert_eq!(reminder.id, "plain");
        assert_eq!(reminder.content, "Just text.");
        assert_eq!(reminder.schedule, Schedule::ONESHOT);
        assert_eq!((reminder.priority, reminder.active), (0, true));
        assert_eq!(reminder.delivery, ReminderDelivery::Ephemeral);
        assert_eq!(reminder.source.to_string(), name);
    }
}

#[test]
fn every_key_is_read() {
    let reminder = parse(
        "a.yaml",
        "id: 7\ncontent: |\n  Text.\nschedule:\n  kind: turn\n  turn_interval: 15\n  max_fires: 2\n  cooldown_turns: 3\npriority: -1\nenabled: false\ndelivery: persistent\n",
    );
    assert_eq!(reminder.id, "7");
    assert_eq!(reminder.content, "Text.");
    let schedule = Schedule { cooldown_turns: 3, ..Schedule::every_turns(15).at_most(2) };
    assert_eq!(reminder.schedule, schedule);
    assert_eq!((reminder.priority, reminder.active), (-1, false));
    assert_eq!(reminder.delivery, ReminderDelivery::Persistent);
}

#[test]
fn every_schedule_kind_is_read() {
    let check = |yaml: &str, expected: Schedule| {
        let text = format!("content: x\nschedule: {{{yaml}}}");
        assert_eq!(parse("a.yml", &text).schedule, expected, "{yaml}");
    };
    check("kind: always", Schedule::ALWAYS);
    check("kind: turn", Schedule::every_turns(1));
    check("kind: timer", Schedule::every(Duration::from_secs(300)));
    check("kind: timer, interval: 1.5h", Schedule::every(Duration::from_secs(5400)));
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
fn byte_order_marks_crlf_and_blank_lines_are_accepted() {
    let text = "\u{feff}\r\n\n---\r\nid: x\r\n---\r\nOne.\r\nTwo.\r\n";
    let reminder = parse("a.md", text);
    assert_eq!((reminder.id.as_str(), reminder.content.as_str()), ("x", "One.\r\nTwo."));
}

#[test]
fn an_id_is_a_string_or_a_number() {
    for (id, expected) in [("abc", "abc"), ("7", "7"), ("-7", "-7"), ("1.5", "1.5"), ("'7'", "7")] {
        let text = format!("id: {id}\ncontent: x");
        assert_eq!(parse("a.yaml", &text).id, expected);
    }
}

#[test]
fn a_file_that_switches_off_needs_no_content() {
    let reminder = parse("conversation-length.md", "---\nenabled: false\n---\n");
    let manager = Manager::new();
    manager.register(conversation_length());
    manager.register(reminder);
    assert!(!manager.list()[0].active);
}
