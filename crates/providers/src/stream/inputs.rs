//! Inputs of calls with replaced keys, which are restored once they are complete.

use std::sync::Arc;

use aside_messages::wire::ContentBlock;

use crate::event::{Delta, Event};
use crate::names::KeyNames;

/// Restores the keys in the inputs of a stream. An input without replaced keys passes as it comes.
#[derive(Debug)]
pub(super) struct Inputs {
    keys: Arc<KeyNames>,
    /// The tool of the call that is open, and its input so far.
    open: Option<(Arc<str>, String)>,
}

impl Inputs {
    pub(super) fn new(keys: Arc<KeyNames>) -> Self {
        Self { keys, open: None }
    }

    /// Passes over the events from `from` on.
    pub(super) fn restore(&mut self, events: &mut Vec<Event>, from: usize) {
        if self.keys.is_empty() {
            return;
        }
        for event in events.split_off(from) {
            self.event(event, events);
        }
    }

    fn event(&mut self, event: Event, out: &mut Vec<Event>) {
        match (&event, &mut self.open) {
            (Event::BlockStart { block, .. }, _) => {
                self.open = match block {
                    ContentBlock::ToolUse(call) if self.keys.has(&call.name) => {
                        Some((call.name.clone(), String::new()))
                    }
                    _ => None,
                };
            }
            (Event::BlockDelta { delta: Delta::InputJson(piece), .. }, Some((_, input))) => {
                input.push_str(piece);
                return;
            }
            (Event::BlockStop { index }, open) => {
                if let Some((tool, input)) = open.take()
                    && !input.is_empty()
                {
                    let input = self.keys.original(&tool, &input).unwrap_or(input);
                    let delta = Delta::InputJson(input);
                    let index = *index;
                    out.push(Event::BlockDelta { index, delta });
                }
            }
            _ => {}
        }
        out.push(event);
    }
}
