//! The items of the conversation.

use std::borrow::Cow;
use std::sync::Arc;

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, ContentBlock, Message, Role, Tool, ToolResult};
use bytes::Bytes;
use serde::Serialize;

use super::models::Traits;
use super::part::{Part, Placed, breakpoint, write_parts};
use super::reasoning::{Reasoning, Sealed, unseal};
use super::tool_changes::{Change, Offer, ToolChanges, may_change_tools};
use super::tools::Function;
use crate::conversion::{MARKERS, Numbered, Sink, WriteMessages};
use crate::inner_form::in_order_of_calls;
use crate::join::join;
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::{CALL_ID, NAME};
use crate::parameters::{is_turn_scoped, message_effort};
use crate::provider_spec::ResponsesDialect;
use crate::refused::Refused;
use crate::result_text::ResultText;

/// Writes the items of a request.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(super) traits: Traits,
    pub(super) dialect: ResponsesDialect,
    pub(super) changes: ToolChanges,
    is_empty: bool,
}

/// One item.
enum Item<'a> {
    Message {
        role: &'static str,
        parts: Vec<Placed<'a>>,
    },
    Assistant {
        text: Cow<'a, str>,
        phase: Option<&'static str>,
    },
    Reasoning(Reasoning),
    Call(Call<'a>),
    Output {
        call_id: String,
        output: Output<'a>,
    },
    ConfigurationUpdate(String),
    AdditionalTools(Vec<Arc<Tool>>),
}

/// What a tool returned.
enum Output<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Placed<'a>>),
}

#[derive(Serialize)]
struct Call<'a> {
    r#type: &'static str,
    call_id: String,
    name: String,
    /// The input as text: key order, spacing and numbers survive.
    arguments: &'a str,
}

/// The model's text. A string, since parts of an assistant's message need the
/// id of an item.
#[derive(Serialize)]
struct Assistant<'a> {
    r#type: &'static str,
    role: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'static str>,
}

#[derive(Serialize)]
struct Additional<'a> {
    r#type: &'static str,
    role: &'static str,
    tools: Vec<Function<'a>>,
}

#[derive(Serialize)]
struct Update<'a> {
    r#type: &'static str,
    reasoning: Effort<'a>,
}

#[derive(Serialize)]
struct Effort<'a> {
    effort: &'a str,
}

/// What became of cache markers that are not written.
const NO_SLOT: &str = "a cache marker is left out: only text, images and files of the input hold \
                       breakpoints on this wire";
const NO_BREAKPOINTS: &str =
    "cache markers are left out: the model's prompt cache finds prefixes by itself";

impl Writer {
    pub(crate) fn new(model: &str, dialect: ResponsesDialect) -> Self {
        Self {
            traits: Traits::of(model, dialect),
            dialect,
            changes: ToolChanges::default(),
            is_empty: true,
        }
    }
}

impl Writer {
    /// Returns the tools of a request, and what the wire can do with them.
    pub(super) fn offer<'a>(&self, tools: &'a [Tool]) -> Offer<'a> {
        Offer {
            tools,
            has_additions: self.traits.additional_tools,
            has_removals: self.dialect.allowed_tools,
        }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), Refused> {
        // The changes in the message are found while it is converted.
        let mut changes = std::mem::take(&mut self.changes);
        let items = Converted {
            writer: self,
            changes: &mut changes,
            sink,
        }
        .items(message);
        self.changes = changes;
        let items = items?;
        let first_slot = sink.slots.len();
        for item in items {
            if !std::mem::replace(&mut self.is_empty, false) {
                sink.out.push(b',');
            }
            item.write(self.traits.breakpoints, sink)?;
        }
        // Outputs are in the order of the calls, not in that of the blocks.
        sink.slots[first_slot..].sort_by_key(|slot| slot.at);
        Ok(())
    }

    fn scan(&mut self, message: &Message, tools: &[Tool]) {
        if may_change_tools(message) {
            let offer = self.offer(tools);
            self.changes.follow(message, offer);
        }
    }

    fn changes_head(&self) -> bool {
        !self.changes.removed().is_empty()
    }

    fn fits(&self, tools: &[Tool]) -> bool {
        self.changes.fits(tools)
    }

    fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }

    fn marker(&self, control: &CacheControl) -> Option<Bytes> {
        self.traits.breakpoints.then(|| breakpoint(control))
    }

    fn markers_lost(&self) -> &'static str {
        match self.traits.breakpoints {
            true => NO_SLOT,
            false => NO_BREAKPOINTS,
        }
    }
}

/// Converts one message.
struct Converted<'w, 's, 'o> {
    writer: &'w Writer,
    changes: &'w mut ToolChanges,
    sink: &'s mut Sink<'o>,
}

impl Converted<'_, '_, '_> {
    fn items(mut self, numbered: Numbered<'_>) -> Result<Vec<Item<'_>>, Refused> {
        let Numbered {
            index,
            message,
            before,
            tools,
        } = numbered;
        let offer = self.writer.offer(tools);
        self.markers(message);
        match message.role {
            Role::Assistant => self.assistant(index, &message.content),
            Role::System => Ok(self.developer(index, message, offer)),
            Role::User | Role::Other(_) => {
                let calls = before.map_or(&[][..], |message| &message.content);
                self.user(index, &message.content, calls, offer)
            }
        }
    }

    /// Reports markers of the request's own that have no place.
    fn markers(&mut self, message: &Message) {
        let has_slot = |block: &ContentBlock| {
            let of_input = message.role != Role::Assistant;
            self.writer.traits.breakpoints && of_input && Part::of(block).is_some()
        };
        let is_lost = |block: &&ContentBlock| match block {
            // Its parts may hold the marker.
            ContentBlock::ToolResult(result) if self.writer.traits.breakpoints => {
                result.cache_control.is_some() && ResultText::of(result).is_empty()
            }
            block => block.cache_control().is_some() && !has_slot(block),
        };
        if message.content.iter().any(|block| is_lost(&block)) {
            let what = self.writer.markers_lost();
            self.sink.losses.push(ConversionLoss::new(MARKERS, what));
        }
    }

    fn assistant<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Vec<Item<'a>>, Refused> {
        let seal = self.writer.dialect.seal;
        let mut items: Vec<Item<'a>> = Vec::with_capacity(blocks.len());
        // Where reasoning waits for the item that it belongs to.
        let mut waiting: Vec<(usize, Reasoning)> = Vec::new();
        let mut phase = None;
        // Texts next to each other are one.
        let mut pieces: Vec<Cow<'a, str>> = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            if let ContentBlock::Text(text) = block {
                match text.text.trim().is_empty() {
                    true => self.lose(index, place, Reason::BlankText),
                    false => pieces.push(Cow::Borrowed(&text.text)),
                }
                continue;
            }
            if !pieces.is_empty() {
                items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                let text = join(std::mem::take(&mut pieces), "");
                let phase = phase.take();
                items.push(Item::Assistant { text, phase });
            }
            let sealed = match block {
                ContentBlock::ToolUse(call) => {
                    items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
                    items.push(Item::Call(Call {
                        r#type: "function_call",
                        call_id: self.sink.names.call_id(&call.id, CALL_ID)?,
                        name: self.sink.names.shorten(&call.name, NAME)?,
                        arguments: call.input.get(),
                    }));
                    continue;
                }
                ContentBlock::Thinking(thinking) => unseal(seal, &thinking.signature),
                ContentBlock::RedactedThinking(thinking) => unseal(seal, &thinking.data),
                _ => {
                    self.lose(index, place, Reason::UnknownBlock);
                    continue;
                }
            };
            match sealed {
                Some(Sealed::Reasoning(item)) => waiting.push((place, item)),
                Some(Sealed::Phase(it)) => phase = Some(it),
                None => self.lose(index, place, Reason::ForeignThinking),
            }
        }
        if !pieces.is_empty() {
            items.extend(waiting.drain(..).map(|(_, it)| Item::Reasoning(it)));
            let text = join(pieces, "");
            items.push(Item::Assistant { text, phase });
        }
        // The wire wants an item behind its reasoning.
        for (place, _) in waiting {
            self.lose(index, place, Reason::TrailingReasoning);
        }
        Ok(items)
    }

    /// A system message, in its place.
    fn developer<'a>(
        &mut self,
        index: usize,
        message: &'a Message,
        offer: Offer<'_>,
    ) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        if let Some(effort) = message_effort(message) {
            match self.writer.traits.configuration_updates {
                true => items.push(Item::ConfigurationUpdate(effort)),
                false => self.lose_key(index, "output_config", Reason::MessageEffort),
            }
        }
        if is_turn_scoped(message) {
            self.lose_key(index, "clear_at", Reason::ClearAt);
        }
        let mut parts = Vec::new();
        for (place, block) in message.content.iter().enumerate() {
            match block {
                ContentBlock::Text(_) => self.part(index, place, block, &mut parts),
                _ => match self.changes.apply(block, offer) {
                    Some(Change::Defined(tool)) => added.push(tool),
                    Some(Change::Allowed) => {}
                    Some(Change::Lost(reason)) => self.lose(index, place, reason),
                    None => self.lose(index, place, Reason::UnknownBlock),
                },
            }
        }
        if !added.is_empty() {
            items.push(Item::AdditionalTools(added));
        }
        if !parts.is_empty() {
            let role = "developer";
            items.push(Item::Message { role, parts });
        }
        items
    }

    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &[ContentBlock],
        offer: Offer<'_>,
    ) -> Result<Vec<Item<'a>>, Refused> {
        let mut items = Vec::new();
        let mut added = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            // A tool that a search found, and that there is not, is text only.
            let found = self.changes.apply_result(result, offer).into_iter();
            added.extend(found.filter_map(|change| match change {
                Change::Defined(tool) => Some(tool),
                Change::Allowed | Change::Lost(_) => None,
            }));
            items.push(Item::Output {
                call_id: self.sink.names.call_id(&result.tool_use_id, CALL_ID)?,
                output: self.output(index, place, result),
            });
        }
        if !added.is_empty() {
            items.push(Item::AdditionalTools(added));
        }
        let mut parts = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            match block {
                ContentBlock::ToolResult(_) => {}
                ContentBlock::ToolUse(_)
                | ContentBlock::Thinking(_)
                | ContentBlock::RedactedThinking(_) => {
                    self.lose(index, place, Reason::NotOfUser);
                }
                _ => self.part(index, place, block, &mut parts),
            }
        }
        if !parts.is_empty() {
            let role = "user";
            items.push(Item::Message { role, parts });
        }
        Ok(items)
    }

    fn part<'a>(
        &mut self,
        index: usize,
        place: usize,
        block: &'a ContentBlock,
        parts: &mut Vec<Placed<'a>>,
    ) {
        match Part::of(block) {
            Some(part) if part.is_blank() => self.lose(index, place, Reason::BlankText),
            Some(part) => parts.push(Placed {
                part,
                at: Some(at(index, place)),
                marker: block.cache_control(),
            }),
            None => self.lose(index, place, Reason::UnknownBlock),
        }
    }

    /// The output of a call: a string, or parts if it has media or may hold a
    /// marker.
    fn output<'a>(&mut self, index: usize, place: usize, result: &'a ToolResult) -> Output<'a> {
        let ResultText {
            text,
            media,
            left_out,
        } = ResultText::of(result);
        for inner in left_out {
            let path = format_args!("messages[{index}].content[{place}].content[{inner}]");
            self.sink.losses.push(Reason::UnknownBlock.at(path));
        }
        let text = match (result.is_error, &*text) {
            (Some(true), "") => Cow::Borrowed("Error"),
            (Some(true), text) => Cow::Owned(format!("Error: {text}")),
            _ => text,
        };
        let has_parts = self.writer.traits.breakpoints && !text.is_empty();
        if media.is_empty() && !has_parts {
            return Output::Text(text);
        }
        let unmarked = |part| Placed {
            part,
            at: None,
            marker: None,
        };
        let text = (!text.is_empty()).then_some(Part::Text { text });
        let media = media.into_iter().filter_map(Part::of);
        let mut parts: Vec<_> = text.into_iter().chain(media).map(unmarked).collect();
        // The marker of a result marks its end.
        if let Some(last) = parts.last_mut() {
            last.at = Some(at(index, place));
            last.marker.clone_from(&result.cache_control);
        }
        Output::Parts(parts)
    }

    fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.sink.losses.push(reason.at(path));
    }

    fn lose_key(&mut self, message: usize, key: &str, reason: Reason) {
        let path = format_args!("messages[{message}].{key}");
        self.sink.losses.push(reason.at(path));
    }
}

fn at(message: usize, block: usize) -> BlockRef {
    BlockRef::Message { message, block }
}

impl Item<'_> {
    fn write(&self, breakpoints: bool, sink: &mut Sink<'_>) -> Result<(), Refused> {
        let out = &mut *sink.out;
        match self {
            Self::Message { role, parts } => {
                out.extend_from_slice(b"{\"type\":\"message\",\"role\":");
                write_json(out, role);
                out.extend_from_slice(b",\"content\":");
                write_parts(out, parts, breakpoints, sink.slots);
                out.push(b'}');
            }
            Self::Assistant { text, phase } => {
                let message = Assistant {
                    r#type: "message",
                    role: "assistant",
                    content: text,
                    phase: *phase,
                };
                write_json(out, &message);
            }
            Self::Reasoning(item) => write_json(out, item),
            Self::Call(call) => write_json(out, call),
            Self::Output { call_id, output } => {
                out.extend_from_slice(b"{\"type\":\"function_call_output\",\"call_id\":");
                write_json(out, call_id);
                out.extend_from_slice(b",\"output\":");
                match output {
                    Output::Text(text) => write_json(out, text),
                    Output::Parts(parts) => write_parts(out, parts, breakpoints, sink.slots),
                }
                out.push(b'}');
            }
            Self::ConfigurationUpdate(effort) => {
                let update = Update {
                    r#type: "configuration_update",
                    reasoning: Effort { effort },
                };
                write_json(out, &update);
            }
            Self::AdditionalTools(tools) => {
                let tools = tools.iter().map(|tool| Function::new(tool, sink.names));
                let additional = Additional {
                    r#type: "additional_tools",
                    role: "developer",
                    tools: tools.collect::<Result<_, _>>()?,
                };
                write_json(out, &additional);
            }
        }
        Ok(())
    }
}
