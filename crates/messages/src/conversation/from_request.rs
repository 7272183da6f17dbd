//! Turning any agent's request into a conversation.
//!
//! Each message becomes one entry:
//!
//! ```text
//! {"role":"user","content":"Hi"}                    message of the user, origin human
//! {"role":"assistant","content":[…]}                message of the model, origin of the caller
//! {"role":"system","clear_at":"next_user_message"}  turn-scoped message
//! "<system-reminder>\nx\n</system-reminder>"        a reminder, or text from outside
//! ```
//!
//! Lowering the conversation gives the messages again, except for the reported differences and what
//! lowering repairs. A system message's `output_config` is not kept.

use std::fmt;
use std::sync::Arc;

use aside_text::{REMINDER_TAG, neutralize};
use uuid::Uuid;

use super::{Conversation, EntryDraft, EntryKind, Origin, Part};
use crate::trust::Trust;
use crate::wire::{ClearAt, ContentBlock, Message, Request, Role};

/// A request's conversation, and how it differs from the request.
#[derive(Debug)]
#[non_exhaustive]
pub struct ImportedConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// What a request lowered from the conversation has in another form, in message order.
    pub differences: Vec<RequestDifference>,
}

/// Part of a request that a conversation has in another form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestDifference {
    /// A text has a reminder tag, and is sent as text.
    ReminderAsText {
        /// The message's index.
        message: usize,
        /// The block's index in it.
        block: usize,
    },
    /// A key in a message is left out.
    Key {
        /// The message's index.
        message: usize,
        /// The key.
        key: String,
    },
}

impl Conversation {
    /// Creates a conversation from a request's messages. Cache markers on blocks are kept, and
    /// responses have `model` as their origin.
    ///
    /// The system prompt and the tools are no part of a conversation: they stay in the request,
    /// markers included.
    ///
    /// With [`Trust::Harness`], a text block in a user message that is one `<system-reminder>`
    /// becomes a [`Part::Reminder`]: use it only for requests that your own harness wrote. With
    /// [`Trust::Outside`] it stays text, and its tags are neutralized when it is sent.
    ///
    /// ```
    /// use aside_messages::Trust;
    /// use aside_messages::conversation::{Conversation, Origin, Part};
    /// use aside_messages::wire::Request;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","max_tokens":9,"messages":[{"role":"user",
    ///     "content":"<system-reminder>\nBe brief.\n</system-reminder>"}]}"#;
    /// let request = Request::parse(body)?.value;
    /// let model = Origin::Model { provider: "first-party".into(), name: request.model.clone() };
    /// let id = uuid::Uuid::nil();
    /// let imported = Conversation::from_request(id, &request, &model, Trust::Harness);
    /// let part = &imported.conversation.entries()[0].parts[0];
    /// assert!(matches!(part, Part::Reminder { body } if &**body == "Be brief."));
    /// assert!(imported.differences.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_request(
        id: Uuid,
        request: &Request,
        model: &Origin,
        trust: Trust,
    ) -> ImportedConversation {
        let mut imported =
            ImportedConversation { conversation: Self::new(id), differences: Vec::new() };
        for (index, message) in request.messages.iter().enumerate() {
            let entry = imported.entry(index, message, model, trust);
            imported.conversation.push(entry);
        }
        imported
    }
}

impl ImportedConversation {
    /// Creates a message's entry and notes how it differs.
    fn entry(
        &mut self,
        index: usize,
        message: &Message,
        model: &Origin,
        trust: Trust,
    ) -> EntryDraft {
        let is_answer = message.role == Role::Assistant;
        let is_system = message.role == Role::System;
        let is_cleared = message.clear_at == Some(ClearAt::NextUserMessage);
        // Keys in a message that an entry does not have.
        let clear_at = message.clear_at.is_some() && !(is_system && is_cleared);
        let known = [(clear_at, "clear_at"), (message.output_config.is_some(), "output_config")];
        let known = known.into_iter().filter(|(is_lost, _)| *is_lost);
        let unknown = message.extra.0.iter().map(|(key, _)| key.as_str());
        for key in known.map(|(_, key)| key).chain(unknown) {
            self.differences.push(RequestDifference::Key { message: index, key: key.to_owned() });
        }
        let mut parts = Vec::with_capacity(message.content.len());
        for (block, content) in message.content.iter().enumerate() {
            let reminder = match (&message.role, trust) {
                (Role::User, Trust::Harness) => reminder(content),
                _ => None,
            };
            if reminder.is_none() && !is_answer && has_tag(content) {
                self.differences.push(RequestDifference::ReminderAsText { message: index, block });
            }
            let part = reminder.map(|body| Part::Reminder { body });
            parts.push(part.unwrap_or_else(|| Part::from(content.clone())));
        }
        let origin = if is_answer { model.clone() } else { Origin::Human };
        let entry = EntryDraft::message(message.role.clone(), origin, parts);
        match entry.kind {
            EntryKind::Message { role: Role::System } if is_cleared => entry.into_turn_scoped(),
            _ => entry,
        }
    }
}

/// Returns the body of a text that is one reminder and has no marker.
///
/// Text around the tags, a missing newline, or a tag in the body makes it text.
fn reminder(block: &ContentBlock) -> Option<Arc<str>> {
    let ContentBlock::Text(text) = block else {
        return None;
    };
    if text.cache_control.is_some() || !text.extra.0.is_empty() {
        return None;
    }
    let (open, close) = (format!("<{REMINDER_TAG}>\n"), format!("\n</{REMINDER_TAG}>"));
    let body = text.text.strip_prefix(&*open)?.strip_suffix(&*close)?;
    (*neutralize(body, &[REMINDER_TAG]) == *body).then(|| body.into())
}

/// Returns true for a text with a reminder tag anywhere in it.
fn has_tag(block: &ContentBlock) -> bool {
    let ContentBlock::Text(text) = block else {
        return false;
    };
    *neutralize(&text.text, &[REMINDER_TAG]) != *text.text
}

impl fmt::Display for RequestDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReminderAsText { message, block } => write!(
                f,
                "messages[{message}].content[{block}]: a <{REMINDER_TAG}> in it is sent as text"
            ),
            Self::Key { message, key } => write!(f, "messages[{message}].{key}: left out"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{LowerOptions, ModelName, Tail, lower};

    const REMINDER: &str = "<system-reminder>\\nBe brief.\\n</system-reminder>";

    fn request(messages: &str) -> Request {
        let json = format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#);
        Request::parse(json.as_bytes()).unwrap().value
    }

    fn imported(request: &Request, trust: Trust) -> ImportedConversation {
        let model =
            Origin::Model { provider: "first-party".to_owned(), name: request.model.clone() };
        Conversation::from_request(Uuid::nil(), request, &model, trust)
    }

    fn lowered(conversation: &Conversation) -> String {
        let options = LowerOptions {
            model: Some(ModelName { provider: "first-party".to_owned(), name: "m".to_owned() }),
            ..LowerOptions::default()
        };
        let lowered = lower(conversation, Tail::default(), &options).unwrap();
        let messages = lowered.messages().filter_map(|it| it.as_message());
        serde_json::to_string(&messages.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn lowering_again_gives_the_same_messages() {
        let messages = format!(
            r#"[{{"role":"user","content":[{{"type":"text","text":"{REMINDER}"}},{{"type":"text","text":"Hi"}}]}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"t","signature":"s"}},{{"type":"tool_use","id":"a","name":"Now","input":{{"b": 1,"a":2}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":[{{"type":"text","text":"12:00"}}]}}]}}]"#
        );
        let request = request(&messages);
        let imported = imported(&request, Trust::Harness);
        assert_eq!(imported.differences, []);
        assert_eq!(
            lowered(&imported.conversation),
            serde_json::to_string(&request.messages).unwrap()
        );
    }

    #[test]
    fn only_a_trusted_request_has_reminders() {
        let text = format!(r#"[{{"role":"user","content":"{REMINDER}"}}]"#);
        let of = |trust| imported(&request(&text), trust);
        let trusted = of(Trust::Harness);
        let part = &trusted.conversation.entries()[0].parts[0];
        assert!(matches!(part, Part::Reminder { .. }), "{part:?}");
        let outside = of(Trust::Outside);
        let part = &outside.conversation.entries()[0].parts[0];
        assert!(matches!(part, Part::Text(_)), "{part:?}");
        let found: Vec<_> = outside.differences.iter().map(ToString::to_string).collect();
        let expected = "messages[0].content[0]: a <system-reminder> in it is sent as text";
        assert_eq!(found, [expected]);
        assert!(!lowered(&outside.conversation).contains("<system-reminder>"));
    }

    #[test]
    fn a_text_around_a_reminder_stays_text() {
        for text in [
            "<system-reminder>\\nA</system-reminder>",
            "<system-reminder>\\nA\\n</system-reminder><system-reminder>\\nB\\n</system-reminder>",
            "x <system-reminder>\\nA\\n</system-reminder>",
        ] {
            let request = request(&format!(r#"[{{"role":"user","content":"{text}"}}]"#));
            let imported = imported(&request, Trust::Harness);
            assert_eq!(imported.differences.len(), 1, "{text}");
        }
    }
}
