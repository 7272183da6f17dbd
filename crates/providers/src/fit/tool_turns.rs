//! Calls and their results, each in one message.
//!
//! The Messages API joins messages of one role. Other wires look for the results in the message
//! directly after the calls.

use std::mem;

use aside_messages::history::Positions;
use aside_messages::wire::{ContentBlock, Message, Role};

/// Joins a message that continues the calls or the results of the message before it. A system
/// message that only sets the effort does not separate them.
pub(super) fn join(messages: &mut Vec<Message>, positions: &mut Positions<String>) {
    let all = mem::take(messages).into_iter().zip(mem::take(positions));
    // The last message with content: looking back for it is quadratic in messages without.
    let mut before = None;
    for (mut message, mut at) in all {
        match before.filter(|before: &usize| continues(&messages[*before], &message)) {
            Some(before) => {
                messages[before].content.append(&mut message.content);
                positions[before].1.append(&mut at.1);
            }
            None => {
                if !only_sets_effort(&message) {
                    before = Some(messages.len());
                }
                messages.push(message);
                positions.push(at);
            }
        }
    }
}

/// Returns true for a system message that only sets the effort.
pub(super) fn only_sets_effort(message: &Message) -> bool {
    message.role == Role::System && message.content.is_empty()
}

fn continues(before: &Message, message: &Message) -> bool {
    let is_call = |it: &ContentBlock| matches!(it, ContentBlock::ToolUse(_));
    let continues = match message.role {
        Role::User => matches!(message.content.first(), Some(ContentBlock::ToolResult(_))),
        Role::Assistant => before.content.iter().any(is_call),
        _ => false,
    };
    continues && before.role == message.role
}
