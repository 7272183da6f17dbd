//! Persistent delivery, templates and built-in reminders.

use aside_messages::conversation::{Origin, Part, Visibility};
use aside_reminder::{
    AvailableSkill, ConversationState, Manager, Reminder, ReminderDelivery, ReminderSource,
    Schedule, TemplateValues, conversation_length, entries, inject, skill_availability,
};

#[test]
fn a_persistent_reminder_becomes_an_entry_with_final_text() {
    let manager = Manager::new();
    manager.register(Reminder {
        delivery: ReminderDelivery::Persistent,
        ..Reminder::new("clock", "It is {{now}}, turn {{turn}}.", Schedule::ALWAYS)
    });
    manager.register(Reminder::new("gone", "gone", Schedule::ALWAYS));
    let mut due = manager.due(&ConversationState::default());
    let values = TemplateValues {
        now: Some("noon".into()),
        turn: Some("0".into()),
        ..TemplateValues::default()
    };
    values.fill_due(&mut due);
    let entries = entries(&due);
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].origin, Origin::Reminder { id: "clock".into() });
    assert_eq!(entries[0].visibility, Visibility::Meta);
    let body = "It is noon, turn 0.".into();
    assert_eq!(entries[0].parts, [Part::Reminder { body }]);
    // It is not injected as well.
    assert_eq!(inject(&[], &due).changed, None);
    manager.commit(due);
}

#[test]
fn conversation_length_fires_twice() {
    let manager = Manager::new();
    manager.register(conversation_length());
    let fired: Vec<_> = [79, 80, 81, 82, 83]
        .map(|message_count| {
            let state = ConversationState { message_count, ..ConversationState::default() };
            manager.evaluate(&state).len()
        })
        .into();
    assert_eq!(fired, [0, 0, 1, 1, 0]);
    assert_eq!(conversation_length().source, ReminderSource::Builtin);
    let text = "This conversation has more than 80 messages, and what was said early in it may be given less attention than it needs. When the current task has come to a good stopping point, suggest to the user that they start a new conversation for what comes next, and offer to summarize what the new one should know.";
    assert_eq!(conversation_length().content, text);
}

#[test]
fn skills_are_listed_once_by_a_persistent_reminder() {
    assert_eq!(skill_availability(&[]), None);
    let skill = |name: &str, description: &str| AvailableSkill {
        name: name.into(),
        description: description.into(),
    };
    let reminder =
        skill_availability(&[skill("release", "Cut a\nrelease."), skill("review", "")]).unwrap();
    assert_eq!(
        reminder.content,
        "These skills are available in this session. Use one where the task at hand is what it is for:\n\n- release: Cut a release.\n- review"
    );
    assert_eq!(reminder.delivery, ReminderDelivery::Persistent);
    assert_eq!(reminder.schedule, Schedule::ONESHOT);
}
