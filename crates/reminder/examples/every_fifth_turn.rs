//! A reminder on every fifth turn, in a conversation that is plain JSON.
//!
//! `cargo run -p aside-reminder --example every_fifth_turn`
#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use aside_reminder::{ConversationState, Manager, Reminder, Schedule, inject_json};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::new();
    let reminder = Reminder::new("run-tests", "Run the tests.", Schedule::every_turns(5));
    manager.register(reminder);
    let mut conversation = Vec::new();
    for turn in 1..=10 {
        conversation.push(json!({"role": "user", "content": format!("Step {turn}")}));
        // What is sent has the reminder; what is kept does not.
        let mut sent = json!(conversation);
        let state = ConversationState { turn, ..ConversationState::default() };
        inject_json(&mut sent, &manager.evaluate(&state))?;
        println!("turn {turn}: {}", sent[sent.as_array().map_or(0, Vec::len) - 1]);
        conversation.push(json!({"role": "assistant", "content": "Done."}));
    }
    Ok(())
}
