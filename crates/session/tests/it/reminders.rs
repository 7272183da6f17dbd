//! A session's reminders.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_prompt_sections::OsKind;
use aside_reminder::{Condition, Expression, Manager, Reminder, ReminderDelivery, Schedule};
use aside_session::{Diagnostic, Session, SessionConfig, SessionTime};
use uuid::Uuid;

use crate::support::run;

fn open(config: SessionConfig) -> Session {
    run(Session::open(config))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Creates a session with these reminders and a conversation with a user
/// message.
fn reminded(reminders: Manager, cwd: &Path) -> (Session, Conversation) {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let session = open(SessionConfig {
        reminders: Arc::new(reminders),
        // A model that does not bind its thinking: ephemeral reminders are in
        // one request only.
        model: "claude-opus-5".to_owned(),
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    });
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("hello"));
    (session, conversation)
}

fn answer(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn persistent(id: &str, content: &str, schedule: Schedule) -> Reminder {
    Reminder { delivery: ReminderDelivery::Persistent, ..Reminder::new(id, content, schedule) }
}

/// The reminder and the environment section escape the directory in the same
/// way.
#[cfg(unix)]
#[test]
fn a_directory_cannot_write_lines_into_a_reminder() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().join("dir\n\n# Evil section\u{1b}[31m");
    std::fs::create_dir(&cwd).unwrap();
    let reminders = Manager::new();
    reminders.register(Reminder::new("here", "In {{cwd}}.", Schedule::ALWAYS));
    let (mut session, conversation) = reminded(reminders, &cwd);
    let body = session.prepare(&conversation).unwrap().body.to_vec();
    let shown = r"dir\\n\\n# Evil section\\u{1b}[31m";
    assert!(text(&body).contains(&format!(r"{shown}.\n</system-reminder>")));
    assert_eq!(text(&body).matches(shown).count(), 2, "{}", text(&body));
    assert_eq!(text(&body).matches("# Evil section").count(), 2);
}

#[test]
fn a_persistent_reminder_is_appended_once_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let reminders = Manager::new();
    reminders.register(persistent("clock", "It is {{now}}.", Schedule::ONESHOT));
    let (mut session, mut conversation) = reminded(reminders, directory.path());
    session.set_time(SessionTime { now: Some("noon".into()), ..SessionTime::default() });
    let entries = conversation.entries().len();

    // A request that is not sent appends nothing.
    drop(session.prepare(&conversation).unwrap());
    assert_eq!(conversation.entries().len(), entries);
    let mut first = session.prepare(&conversation).unwrap();
    let prefix = first.body.stable_prefix();
    assert!(text(&prefix).contains("It is noon."));
    assert_eq!(session.turn(), 0);
    first.commit(&mut conversation);
    first.commit(&mut conversation);
    assert_eq!(session.turn(), 1);
    assert_eq!(conversation.entries().len(), entries + 1);
    let origin = Origin::Reminder { id: "clock".into() };
    assert_eq!(conversation.entries()[entries].origin, origin);

    conversation.push(answer(vec![Part::text("hi")]));
    conversation.push(EntryDraft::human("later"));
    session.set_time(SessionTime { now: Some("one".into()), ..SessionTime::default() });
    let second = session.prepare(&conversation).unwrap().body.stable_prefix();
    assert!(second.starts_with(&prefix), "{}", text(&second));
    assert_eq!(text(&second).matches("It is").count(), 1);
}

#[test]
fn reminders_see_the_conversation_and_the_clock() {
    let directory = tempfile::tempdir().unwrap();
    let reminders = Manager::new();
    let when = |text: &str| Schedule::when(Expression::parse(text).into());
    for (id, schedule) in [
        ("AFTER", when("after_tool:Edit")),
        ("REPEATED", when("repeated_tool:2")),
        ("TIMER", Schedule::every(Duration::from_secs(60))),
        ("MANY", when("messages_gt:3")),
    ] {
        reminders.register(Reminder::new(id, id, schedule));
    }
    let (mut session, mut conversation) = reminded(reminders, directory.path());
    let fired = |session: &mut Session, conversation: &mut Conversation| {
        let mut prepared = session.prepare(conversation).unwrap();
        prepared.commit(conversation);
        let body = prepared.body.to_vec();
        let body = text(&body).to_owned();
        let ids = ["AFTER", "REPEATED", "TIMER", "MANY"];
        ids.into_iter().filter(|id| body.contains(id)).collect::<Vec<_>>()
    };
    assert_eq!(fired(&mut session, &mut conversation), ["TIMER"]);
    for (id, expected) in [("1", vec!["AFTER"]), ("2", vec!["AFTER", "REPEATED", "MANY"])] {
        conversation.push(answer(vec![Part::tool_use(id, "Edit", "{}")]));
        conversation.push(EntryDraft::message(
            Role::User,
            Origin::Human,
            vec![Part::tool_result(id, "ok")],
        ));
        assert_eq!(fired(&mut session, &mut conversation), expected);
    }
    session.set_time(SessionTime { elapsed: Duration::from_secs(60), ..SessionTime::default() });
    conversation.push(answer(vec![Part::text("done")]));
    conversation.push(EntryDraft::human("good"));
    assert_eq!(fired(&mut session, &mut conversation), ["TIMER", "MANY"]);
}

#[test]
fn a_reminder_alone_needs_no_response() {
    let directory = tempfile::tempdir().unwrap();
    let reminders = Manager::new();
    reminders.register(persistent("p", "P", Schedule::ONESHOT));
    let (mut session, mut conversation) = reminded(reminders, directory.path());
    conversation.push(answer(vec![Part::text("done")]));
    assert!(session.prepare(&conversation).is_err());
    conversation.push(EntryDraft::human("and?"));
    let body = session.prepare(&conversation).unwrap().body.to_vec();
    assert!(text(&body).contains(r#""text":"P""#));
}

#[test]
fn faults_in_reminders_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let reminders = Manager::new();
    let panics = Schedule::when(Condition::code(|_| panic!("oh")));
    reminders.register(Reminder::new("a", "{{user}}", panics));
    let (mut session, conversation) = reminded(reminders, directory.path());
    let messages = |diagnostics: &[Diagnostic]| {
        diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        messages(session.diagnostics()),
        ["warning: the reminder a: {{user}} stays as written"]
    );
    let prepared = session.prepare(&conversation).unwrap();
    assert_eq!(
        messages(&prepared.diagnostics),
        ["error: the reminder a: its condition panicked: oh"]
    );
}
