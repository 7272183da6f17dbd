use aside_messages::wire::{Message, Placement, Role, append_reminder};

use crate::manager::Due;

/// Messages with reminders in them: a copy in which only the message that
/// changed was copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected<'a> {
    /// What stands before the changed message.
    pub before: &'a [Message],
    /// The last user message, with the reminders. `None` where nothing was
    /// due or there is no user message: nothing was delivered then.
    pub changed: Option<Message>,
    /// What stands behind it.
    pub after: &'a [Message],
    /// Where the first reminder went.
    pub placed: Option<Placement>,
}

/// Appends what is due to the last user message, in the order given. The
/// messages themselves are not changed, and the cost does not depend on how
/// many there are.
///
/// A reminder without content is not sent.
#[must_use]
pub fn inject<'a>(messages: &'a [Message], due: &[Due]) -> Injected<'a> {
    let unchanged = Injected {
        before: messages,
        changed: None,
        after: &[],
        placed: None,
    };
    let Some(last) = messages
        .iter()
        .rposition(|message| message.role == Role::User)
    else {
        return unchanged;
    };
    let mut changed = messages[last].clone();
    let mut placements = due
        .iter()
        .filter(|due| !due.content.trim().is_empty())
        .map(|due| append_reminder(&mut changed, &due.content));
    let Some(first) = placements.next() else {
        return unchanged;
    };
    placements.for_each(drop);
    Injected {
        before: &messages[..last],
        changed: Some(changed),
        after: &messages[last + 1..],
        placed: Some(first),
    }
}

impl Injected<'_> {
    /// The messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        self.before.iter().chain(&self.changed).chain(self.after)
    }

    /// The messages, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConversationState, Manager, Reminder, Schedule};

    fn messages(json: &str) -> Vec<Message> {
        let request = format!(r#"{{"model":"m","max_tokens":1,"messages":{json}}}"#);
        aside_messages::wire::Request::parse(request.as_bytes())
            .unwrap()
            .value
            .messages
    }

    fn due(contents: &[&str]) -> Vec<Due> {
        let manager = Manager::new();
        for content in contents {
            manager.register(Reminder::new(*content, *content, Schedule::ALWAYS));
        }
        manager.evaluate(&ConversationState::default())
    }

    fn json(messages: &[Message]) -> String {
        messages
            .iter()
            .map(|message| String::from_utf8(to_json(message)).unwrap())
            .collect()
    }

    fn to_json(message: &Message) -> Vec<u8> {
        use aside_messages::encode::Encoded;
        use aside_messages::{BlockSource, Layer, Source};
        let source = || BlockSource::new(Source::Envelope, Layer::Conversation);
        let sources = message.content.iter().map(|_| source()).collect();
        Encoded::message(message.clone(), sources).bytes().to_vec()
    }

    #[test]
    fn reminders_join_the_last_user_message_and_the_original_stays() {
        let original = messages(
            r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]"#,
        );
        let before = json(&original);
        let injected = inject(&original, &due(&["x", "y"]));
        assert_eq!(
            json(&injected.to_vec()[2..]),
            r#"{"role":"user","content":[{"type":"text","text":"c\n<system-reminder>\nx\n</system-reminder>\n<system-reminder>\ny\n</system-reminder>"}]}"#
        );
        assert_eq!(injected.placed.unwrap().text, 1..40);
        assert_eq!(injected.before.as_ptr(), original.as_ptr());
        assert_eq!(json(&original), before);
    }

    #[test]
    fn nothing_due_or_nobody_to_tell_delivers_nothing() {
        let original = messages(r#"[{"role":"user","content":"a"}]"#);
        assert_eq!(inject(&original, &[]).changed, None);
        assert_eq!(inject(&original, &due(&[" \n"])).changed, None);
        assert_eq!(inject(&[], &due(&["x"])).changed, None);
        let assistant = messages(r#"[{"role":"assistant","content":"a"}]"#);
        assert_eq!(inject(&assistant, &due(&["x"])).to_vec(), assistant);
    }
}
