//! The examples in the directory `reminders`.

use std::path::{Path, PathBuf};

use aside_reminder::{
    ConversationState, Manager, RecentCall, ReminderLoader, TemplateValues, advice, load_path,
    render,
};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reminders")
}

#[test]
fn the_examples_fire_as_described() {
    let loaded = load_path(&directory());
    assert_eq!(loaded.diagnostics, []);
    let ids: Vec<_> = loaded.reminders.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["project-conventions", "datetime", "destructive-ops", "run-tests"]);
    let manager = Manager::new();
    loaded.register(&manager);

    let values =
        TemplateValues { now: Some("2026-01-31 12:00 +01:00".into()), ..TemplateValues::default() };
    let calls = [RecentCall::new("Write", "{}")];
    let fired = |turn, last_tool_calls| {
        let mut due = manager.evaluate(&ConversationState {
            turn,
            last_tool_calls,
            ..ConversationState::default()
        });
        values.fill_due(&mut due);
        let ids: Vec<_> = due.iter().map(|due| due.id.clone()).collect();
        (ids.join(" "), render(&due))
    };
    let (ids, text) = fired(0, &[]);
    assert_eq!(ids, "datetime project-conventions destructive-ops");
    assert_eq!(
        text,
        "<system-reminder>\nCurrent date and time: 2026-01-31 12:00 +01:00\n</system-reminder>\n\
         <system-reminder>\nThis project uses:\n\
         - Conventional commits (feat:, fix:, chore:)\n\
         - Table-driven tests in Go\n\
         - No global state\n</system-reminder>\n\
         <system-reminder>\n\
         Never run destructive commands (rm -rf, DROP TABLE, git push --force)\n\
         without explicit user confirmation.\n</system-reminder>"
    );
    for turn in 1..=5 {
        assert_eq!(fired(turn, &calls).0, "run-tests destructive-ops", "turn {turn}");
    }
    // It fires at most five times.
    assert_eq!(fired(6, &calls).0, "destructive-ops");
    assert_eq!(fired(10, &[]).0, "datetime destructive-ops");
}

#[test]
fn an_ephemeral_oneshot_has_advice() {
    let loaded = load_path(&directory());
    let advised: Vec<_> = loaded
        .reminders
        .iter()
        .filter(|reminder| advice(reminder).is_some())
        .map(|reminder| reminder.id.as_str())
        .collect();
    assert_eq!(advised, ["project-conventions"]);
}

#[test]
fn missing_directories_have_no_reminders() {
    let nowhere = ReminderLoader {
        home: Some(directory().join("no-home")),
        claude_config: None,
        project: Some(directory().join("no-project")),
        ..ReminderLoader::default()
    };
    let loaded = nowhere.load();
    assert_eq!((loaded.reminders, loaded.diagnostics), (vec![], vec![]));
}
