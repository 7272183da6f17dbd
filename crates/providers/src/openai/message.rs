mod assistant;
mod result;
mod shape;

use std::borrow::Cow;

use aside_messages::wire::{self, ContentBlock, Role};
use aside_models::find;

use crate::conversion::{MARKERS, Numbered, Sink, WriteMessages};
use crate::inner_form::{has_marked_block, in_order_of_calls, is_attribution};
use crate::join::join;
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::options::Reasoning;
use crate::parameters::{is_turn_scoped, message_effort};
use crate::refused::RefusedError;
use crate::user_part::UserPart;

pub(super) use self::shape::Message;

use self::shape::{Content, Part};

/// Writes the messages of a request.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// The role of the system prompt.
    instructions: &'static str,
    reasoning: Reasoning,
    is_empty: bool,
}

/// Converts one message.
struct Converted<'n> {
    writer: Writer,
    names: &'n mut Names,
    losses: &'n mut Vec<ConversionLoss>,
}

impl Writer {
    pub(crate) fn new(model: &str, reasoning: Reasoning) -> Self {
        Self {
            instructions: instructions(model),
            reasoning,
            is_empty: true,
        }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        let converted = Converted {
            writer: self.clone(),
            names: sink.names,
            losses: sink.losses,
        };
        for message in converted.messages(message)? {
            if !std::mem::replace(&mut self.is_empty, false) {
                sink.out.push(b',');
            }
            write_json(sink.out, &message);
        }
        Ok(())
    }

    fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }

    fn markers_lost(&self) -> &'static str {
        NO_MARKERS
    }
}

/// The conversion loss of cache markers.
pub(super) const NO_MARKERS: &str =
    "cache markers are left out: on Chat Completions the cache finds prefixes by itself";

/// The role of instructions for a model.
fn instructions(model: &str) -> &'static str {
    match find(model).facts.developer_role {
        Some(true) => "developer",
        _ => "system",
    }
}

/// The message that holds the system prompt.
pub(super) fn system<'a>(system: &'a [ContentBlock], model: &str) -> Option<Message<'a>> {
    let texts = texts(system.iter().filter(|block| !is_attribution(block)));
    let content = (!texts.is_empty()).then(|| Content::Text(join(texts, "\n\n")));
    content.map(|content| Message::new(instructions(model), Some(content)))
}

impl Converted<'_> {
    fn messages(mut self, numbered: Numbered<'_>) -> Result<Vec<Message<'_>>, RefusedError> {
        let Numbered {
            index,
            message,
            before,
            ..
        } = numbered;
        let mut out = Vec::new();
        if has_marked_block(message) {
            self.losses.push(ConversionLoss::new(MARKERS, NO_MARKERS));
        }
        match message.role {
            Role::Assistant => out.extend(self.assistant(index, &message.content)?),
            Role::System => out.extend(self.system(index, message)),
            Role::User | Role::Other(_) => {
                let calls = before.map_or(&[][..], |message| &message.content);
                self.user(index, &message.content, calls, &mut out)?;
            }
        }
        Ok(out)
    }

    /// A system message in the conversation.
    fn system<'a>(&mut self, index: usize, message: &'a wire::Message) -> Option<Message<'a>> {
        if message_effort(message).is_some() {
            let path = format_args!("messages[{index}].output_config");
            self.losses.push(Reason::MessageEffort.at(path));
        }
        if is_turn_scoped(message) {
            let path = format_args!("messages[{index}].clear_at");
            self.losses.push(Reason::ClearAt.at(path));
        }
        for (place, block) in message.content.iter().enumerate() {
            if !matches!(block, ContentBlock::Text(_)) {
                self.lose(index, place, Reason::UnknownBlock);
            }
        }
        let texts = texts(message.content.iter());
        let role = self.writer.instructions;
        let content = (!texts.is_empty()).then(|| Content::Text(join(texts, "\n\n")));
        content.map(|content| Message::new(role, Some(content)))
    }

    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &[ContentBlock],
        out: &mut Vec<Message<'a>>,
    ) -> Result<(), RefusedError> {
        let mut parts = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            out.push(self.result(index, place, result, &mut parts)?);
        }
        for (place, block) in blocks.iter().enumerate() {
            if matches!(block, ContentBlock::ToolResult(_)) {
                continue;
            }
            match Part::of_user(block) {
                Ok(part) => parts.push(part),
                Err(reason) => self.lose(index, place, reason),
            }
        }
        if let Some(content) = Content::of(parts) {
            out.push(Message::new("user", Some(content)));
        }
        Ok(())
    }

    fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.losses.push(reason.at(path));
    }
}

fn texts<'a>(blocks: impl Iterator<Item = &'a ContentBlock>) -> Vec<Cow<'a, str>> {
    blocks
        .filter_map(|block| match block {
            ContentBlock::Text(text) => Some(Cow::Borrowed(&*text.text)),
            _ => None,
        })
        .filter(|text| !text.trim().is_empty())
        .collect()
}
