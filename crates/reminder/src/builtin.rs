//! Built-in reminders.

use aside_messages::{Trust, folded};

use crate::expression::Expression;
use crate::reminder::{Reminder, ReminderDelivery, ReminderSource};
use crate::schedule::Schedule;

/// The id of [`skill_availability`].
pub const SKILL_AVAILABILITY: &str = "skill-availability";
/// The id of [`conversation_length`].
pub const CONVERSATION_LENGTH: &str = "conversation-length";

/// From how many messages on the reminder fires.
const LONG_CONVERSATION_MESSAGES: u64 = 80;

/// An available skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailableSkill {
    /// The name of the skill.
    pub name: String,
    /// Its purpose, on one line.
    pub description: String,
}

/// Creates a persistent reminder that lists the available skills once; `None`
/// if there are none. Use it in agents that do not announce skills in another
/// way.
#[must_use]
pub fn skill_availability(skills: &[AvailableSkill]) -> Option<Reminder> {
    if skills.is_empty() {
        return None;
    }
    let mut content = String::from(
        "These skills are available in this session. Use one where the task at hand is what it is for:\n",
    );
    for skill in skills {
        content.push_str("\n- ");
        content.push_str(&folded(&skill.name));
        let description = folded(&skill.description);
        if !description.is_empty() {
            content.push_str(": ");
            content.push_str(&description);
        }
    }
    Some(Reminder {
        source: ReminderSource::Builtin,
        // Skills are files, and may come from projects and plugins.
        trust: Trust::Outside,
        delivery: ReminderDelivery::Persistent,
        ..Reminder::new(SKILL_AVAILABILITY, content, Schedule::ONESHOT)
    })
}

/// Creates a reminder that asks the model to suggest a new conversation once
/// this one has more than 80 messages. It fires at most twice.
#[must_use]
pub fn conversation_length() -> Reminder {
    let content = format!(
        "This conversation has more than {LONG_CONVERSATION_MESSAGES} messages, and what was said early in it may be given less attention than it needs. When the current task has come to a good stopping point, suggest to the user that they start a new conversation for what comes next, and offer to summarize what the new one should know."
    );
    let schedule =
        Schedule::when(Expression::MessagesGt(LONG_CONVERSATION_MESSAGES).into()).at_most(2);
    Reminder {
        source: ReminderSource::Builtin,
        ..Reminder::new(CONVERSATION_LENGTH, content, schedule)
    }
}
