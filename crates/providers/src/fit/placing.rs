//! System messages, at the places where a model takes them.

use std::mem;

use aside_messages::wire::{ContentBlock, Message, Role, reminder_text};
use aside_models::{ModelFacts, Platform, Support};

use crate::loss::{ConversionLoss, Reason};
use crate::parameters::is_turn_scoped;

/// Moves system messages to where the Messages API takes them, after the user messages before a
/// response, or turns them into reminders to the user.
pub(super) struct Placing {
    takes_text: bool,
    takes_effort: bool,
    pub(super) losses: Vec<ConversionLoss>,
    messages: Vec<Message>,
    /// The system messages since the last response, with their indexes.
    held: Vec<(usize, Message)>,
    /// The latest user message's index.
    latest: Option<usize>,
}

impl Placing {
    pub(super) fn new(takes_system: bool, platform: Platform, facts: Option<&ModelFacts>) -> Self {
        let of_model = |support: fn(&ModelFacts) -> Support| {
            let known = facts.map(|facts| support(facts).known_on(platform));
            known.unwrap_or(Some(true))
        };
        Self {
            // Where it is not known, a reminder is safe.
            takes_text: takes_system && of_model(|facts| facts.system_messages) == Some(true),
            takes_effort: takes_system && of_model(|facts| facts.message_effort) != Some(false),
            losses: Vec::new(),
            messages: Vec::new(),
            held: Vec::new(),
            latest: None,
        }
    }

    pub(super) fn all(&mut self, messages: Vec<Message>) -> Vec<Message> {
        for (index, message) in messages.into_iter().enumerate() {
            if message.role == Role::System {
                self.held.push((index, message));
                continue;
            }
            if message.role == Role::User {
                self.latest = Some(index);
            } else {
                self.place();
            }
            self.messages.push(message);
        }
        self.place();
        mem::take(&mut self.messages)
    }

    /// Appends the held messages after the user's.
    fn place(&mut self) {
        for (index, mut message) in mem::take(&mut self.held) {
            if message.output_config.is_some() && !self.takes_effort {
                message.output_config = None;
                let path = format_args!("messages[{index}].output_config");
                self.losses.push(Reason::MessageEffort.at(path));
            }
            if message.content.is_empty() {
                if message.output_config.is_some() {
                    self.messages.push(message);
                }
                continue;
            }
            let after = self.messages.last().map(|it| &it.role);
            if !self.takes_text || matches!(after, Some(Role::Assistant)) {
                self.remind(index, message);
                continue;
            }
            if self.latest.is_some_and(|latest| index < latest) {
                let path = format_args!("messages[{index}]");
                self.losses.push(Reason::SystemMoved.at(path));
            }
            self.messages.push(message);
        }
    }

    /// Appends a system message's text to the user message as a reminder.
    fn remind(&mut self, index: usize, message: Message) {
        let mut reminders = Vec::new();
        if is_turn_scoped(&message) {
            let path = format_args!("messages[{index}].clear_at");
            self.losses.push(Reason::ClearAt.at(path));
        }
        for (block, content) in message.content.into_iter().enumerate() {
            let loss = match content {
                ContentBlock::Text(text) => {
                    reminders.push(ContentBlock::text(reminder_text(&text.text)));
                    Reason::SystemReminder
                }
                _ => Reason::NoLaterTools,
            };
            let path = format_args!("messages[{index}].content[{block}]");
            self.losses.push(loss.at(path));
        }
        match self.messages.last_mut() {
            _ if reminders.is_empty() => {}
            Some(last) if last.role == Role::User => last.content.append(&mut reminders),
            _ => self.messages.push(Message::new(Role::User, reminders)),
        }
    }
}
