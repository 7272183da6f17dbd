//! Appends a reminder to the last user message of the messages on stdin.

use aside_reminder::{ConversationState, Manager, Reminder, Schedule, inject_json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut messages: serde_json::Value = serde_json::from_reader(std::io::stdin())?;
    let manager = Manager::new();
    manager.register(Reminder::new(
        "careful",
        "Ask before you delete.",
        Schedule::ALWAYS,
    ));
    let due = manager.evaluate(&ConversationState {
        turn: 1,
        ..ConversationState::default()
    });
    inject_json(&mut messages, &due)?;
    println!("{messages}");
    Ok(())
}
