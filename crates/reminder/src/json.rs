//! Injection for agents that keep their messages as plain JSON.

use aside_messages::wire::{Message, Placement, ReadError, append_reminder};
use serde_json::Value;

use crate::due::Due;
use crate::inject::inject;

/// Appends the ephemeral reminders to the last user message in `messages`, an array of Messages API
/// messages, as [`inject`] does. Only that message changes; send the result and keep the original.
/// Returns where the first reminder is, or `None` if nothing was delivered.
///
/// After an error nothing was delivered either: if reminders come from
/// [`Manager::due`](crate::Manager::due), release them, so that a oneshot is due again.
///
/// ```
/// use aside_reminder::{ConversationState, Manager, Reminder, Schedule, inject_json};
/// use serde_json::json;
///
/// let manager = Manager::new();
/// manager.register(Reminder::new("careful", "Ask first.", Schedule::ALWAYS));
/// let mut messages = json!([{"role": "user", "content": "Hi"}]);
/// inject_json(&mut messages, &manager.evaluate(&ConversationState::default()))?;
/// assert_eq!(
///     messages[0]["content"][0]["text"],
///     "Hi\n<system-reminder>\nAsk first.\n</system-reminder>"
/// );
/// # Ok::<(), aside_reminder::wire::ReadError>(())
/// ```
///
/// # Errors
///
/// `messages` is no array, or its last user message or one after it does not fit the Messages API,
/// such as a tool's result in Chat Completions. Nothing is changed then.
pub fn inject_json(messages: &mut Value, due: &[Due]) -> Result<Option<Placement>, ReadError> {
    let Some((last, message)) = Message::last_of_user(messages)? else {
        return Ok(None);
    };
    let message = [message];
    let injected = inject(&message, due);
    if let Some(changed) = &injected.changed {
        write(&mut messages[last], changed);
    }
    Ok(injected.placed)
}

/// Appends a reminder with this body to one message, as
/// [`append_reminder`](crate::wire::append_reminder) does.
///
/// # Errors
///
/// `message` does not fit the Messages API. It is not changed then.
pub fn append_json(message: &mut Value, body: &str) -> Result<Placement, ReadError> {
    let mut read = Message::try_from(&*message)?;
    let placement = append_reminder(&mut read, body);
    write(message, &read);
    Ok(placement)
}

fn write(to: &mut Value, message: &Message) {
    if let Ok(value) = serde_json::to_value(message) {
        *to = value;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ConversationState, Manager, Reminder, Schedule};

    fn due() -> Vec<Due> {
        let manager = Manager::new();
        manager.register(Reminder::new("a", "A", Schedule::ALWAYS));
        manager.evaluate(&ConversationState::default())
    }

    #[test]
    fn other_messages_and_keys_are_kept() {
        let before = json!([
            {"role": "user", "content": "One", "x": 1},
            {"role": "assistant", "content": "Two"},
            {"role": "user", "content": [{"type": "text", "text": "Three", "y": {"z": 1}}]},
        ]);
        let mut messages = before.clone();
        let placed = inject_json(&mut messages, &due()).unwrap().unwrap();
        assert_eq!(placed.block, 0);
        assert_eq!(messages[0], before[0]);
        assert_eq!(messages[1], before[1]);
        assert_eq!(messages[2]["content"][0]["y"], json!({"z": 1}));
        let text = messages[2]["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("<system-reminder>\nA\n</system-reminder>"), "{text}");
    }

    #[test]
    fn a_value_other_than_messages_is_an_error_and_unchanged() {
        let text = json!({"type": "text", "text": 5});
        for (before, expected) in [
            (json!({}), "expected an array, found {}"),
            (json!(null), "expected an array, found null"),
            (
                json!({"role": "user", "content": "Hi"}),
                r#"expected an array, found {"content":"Hi","role":"user"}"#,
            ),
            (
                json!([{"role": "user", "content": 1}]),
                "[0].content: expected a string or an array of content blocks, found 1",
            ),
            (
                json!(["x", {"role": "user", "content": [text]}]),
                "[1].content[0].text: expected a string, found 5",
            ),
            (
                json!([
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": null, "tool_calls": []},
                    {"role": "tool", "content": "5"},
                ]),
                r#"[2]: expected a message of the user, the assistant or the system, found {"content":"5","role":"tool"}"#,
            ),
            (
                json!([{"role": "user", "content": "Hi"}, {"type": "function_call_output"}]),
                r#"[1]: expected a message of the user, the assistant or the system, found {"type":"function_call_output"}"#,
            ),
        ] {
            let mut messages = before.clone();
            let error = inject_json(&mut messages, &due()).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert_eq!(messages, before);
        }
        let mut empty = json!([]);
        assert_eq!(inject_json(&mut empty, &due()), Ok(None));
    }

    #[test]
    fn messages_of_assistant_and_system_may_follow() {
        for role in ["assistant", "system"] {
            let mut messages =
                json!([{"role": "user", "content": "Hi"}, {"role": role, "content": "x"}]);
            assert!(inject_json(&mut messages, &due()).unwrap().is_some(), "{role}");
        }
    }

    #[test]
    fn a_reminder_cannot_end_itself() {
        let mut message = json!({"role": "user", "content": "Hi"});
        append_json(&mut message, "a</system-reminder>b").unwrap();
        let text = message["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.matches("</system-reminder>").count(), 1, "{text}");
    }
}
