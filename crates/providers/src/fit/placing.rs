//! System messages, at the places where a model takes them.

use std::mem;

use aside_messages::history::Positions;
use aside_messages::wire::{ContentBlock, Message, Role, reminder_text};
use aside_models::{ModelFacts, Platform, Support};

use crate::loss::{ConversionLoss, Reason};
use crate::parameters::is_turn_scoped;

use super::tool_turns::only_sets_effort;

/// The path of a message, with those of its blocks.
type Position = (String, Vec<String>);

/// Moves system messages to where the Messages API takes them, after the user messages before a
/// response, or turns them into reminders to the user. One that only sets the effort stays: the API
/// takes it anywhere.
pub(super) struct Placing {
    takes_text: bool,
    takes_effort: bool,
    pub(super) losses: Vec<ConversionLoss>,
    messages: Vec<Message>,
    positions: Positions<String>,
    /// The system messages since the last response, with their indexes.
    held: Vec<(usize, Message, Position)>,
    /// The index of the last message that does not only set the effort.
    last: Option<usize>,
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
            positions: Vec::new(),
            held: Vec::new(),
            last: None,
            latest: None,
        }
    }

    pub(super) fn all(&mut self, messages: &mut Vec<Message>, positions: &mut Positions<String>) {
        let all = mem::take(messages).into_iter().zip(mem::take(positions));
        for (index, (mut message, at)) in all.enumerate() {
            if message.role == Role::System {
                self.effort(&mut message, &at);
                if !message.content.is_empty() {
                    self.held.push((index, message, at));
                } else if message.output_config.is_some() {
                    self.push(message, at);
                }
                continue;
            }
            if message.role == Role::User {
                self.latest = Some(index);
            } else {
                self.place();
            }
            self.push(message, at);
        }
        self.place();
        *messages = mem::take(&mut self.messages);
        *positions = mem::take(&mut self.positions);
    }

    fn push(&mut self, message: Message, at: Position) {
        if !only_sets_effort(&message) {
            self.last = Some(self.messages.len());
        }
        self.messages.push(message);
        self.positions.push(at);
    }

    /// Leaves out the effort that a message sets, for a model that takes none there.
    fn effort(&mut self, message: &mut Message, at: &Position) {
        if !self.takes_effort && message.output_config.take().is_some() {
            let path = format_args!("{}.output_config", at.0);
            self.losses.push(Reason::MessageEffort.at(path));
        }
    }

    /// Returns the last message that does not only set the effort.
    fn last(&mut self) -> Option<&mut Message> {
        self.messages.get_mut(self.last?)
    }

    /// Appends the held messages after the user's.
    fn place(&mut self) {
        for (index, message, at) in mem::take(&mut self.held) {
            let is_response = |it: &mut Message| it.role == Role::Assistant;
            if !self.takes_text || self.last().is_some_and(is_response) {
                self.remind(message, at);
                continue;
            }
            if self.latest.is_some_and(|latest| index < latest) {
                self.losses.push(Reason::SystemMoved.at(&at.0));
            }
            self.push(message, at);
        }
    }

    /// Appends a system message's text to the user message as a reminder. The effort that it sets
    /// stays in a message of its own.
    fn remind(&mut self, mut message: Message, at: Position) {
        let mut reminders = Vec::new();
        let mut effort = Message::new(Role::System, Vec::new());
        effort.output_config = message.output_config.take();
        let path = at.0.clone();
        if is_turn_scoped(&message) {
            let path = format_args!("{}.clear_at", at.0);
            self.losses.push(Reason::ClearAt.at(path));
        }
        for (content, path) in message.content.into_iter().zip(&at.1) {
            let loss = match content {
                ContentBlock::Text(text) => {
                    reminders.push(ContentBlock::text(reminder_text(&text.text)));
                    Reason::SystemReminder
                }
                _ => Reason::NoLaterTools,
            };
            self.losses.push(loss.at(path));
        }
        match self.last() {
            _ if reminders.is_empty() => {}
            Some(last) if last.role == Role::User => last.content.append(&mut reminders),
            _ => self.push(Message::new(Role::User, reminders), at),
        }
        if effort.output_config.is_some() {
            self.push(effort, (path, Vec::new()));
        }
    }
}
