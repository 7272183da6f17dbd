use std::borrow::Cow;
use std::collections::BTreeMap;

use aside_messages::wire::{ContentBlock, RawJson, Role, ToolResult};

use super::part::{Data, FunctionCall, FunctionResponse, Output, Part};
use super::seal::SEAL;
use crate::conversion::{MARKERS, Numbered, Sink, WriteMessages};
use crate::inner_form::{in_order_of_calls, is_of_model};
use crate::json::write_json;
use crate::loss::{ConversionLoss, Reason};
use crate::names::{GEMINI_NAME, Names, given_id};
use crate::provider::Provider;
use crate::refused::Refused;
use crate::result_text::ResultText;

/// A call of another model has no signature of Gemini's. This is the word
/// with which Gemini's documentation lets such a call pass.
pub(crate) const UNSIGNED: &str = "skip_thought_signature_validator";

/// Writes the contents of a request.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// Whether a function response can contain media.
    media_in_results: bool,
    /// Whether every call needs a signature.
    signed_calls: bool,
    /// The role of the content that is open: the next message may continue it.
    open: Option<&'static str>,
}

/// Converts one message.
struct Converted<'n> {
    writer: Writer,
    names: &'n mut Names,
    losses: &'n mut Vec<ConversionLoss>,
}

impl Writer {
    pub(crate) fn new(model: &str) -> Self {
        let facts = Provider::Gemini.spec().facts(model);
        Self {
            media_in_results: facts.is_some_and(|it| it.media_in_results == Some(true)),
            signed_calls: facts.is_some_and(|it| it.signed_calls == Some(true)),
            open: None,
        }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), Refused> {
        let converted = Converted {
            writer: self.clone(),
            names: sink.names,
            losses: sink.losses,
        };
        let (role, parts) = converted.parts(message)?;
        if parts.is_empty() {
            return Ok(());
        }
        // The roles have to alternate.
        let mut separator = match self.open.replace(role) {
            Some(open) if open == role => ",",
            Some(_) => {
                sink.out.extend_from_slice(b"]},");
                begin(sink.out, role)
            }
            None => begin(sink.out, role),
        };
        for part in parts {
            sink.out.extend_from_slice(separator.as_bytes());
            write_json(sink.out, &part);
            separator = ",";
        }
        Ok(())
    }

    fn close(&self, out: &mut Vec<u8>) {
        if self.open.is_some() {
            out.extend_from_slice(b"]}");
        }
        out.extend_from_slice(b"]}");
    }

    fn markers_lost(&self) -> &'static str {
        NO_MARKERS
    }
}

/// The conversion loss of cache markers.
pub(super) const NO_MARKERS: &str =
    "cache markers are left out: Gemini's cache finds prefixes by itself";

/// Starts a content, and returns the separator before its first part, which is
/// empty.
fn begin(out: &mut Vec<u8>, role: &'static str) -> &'static str {
    out.extend_from_slice(b"{\"role\":");
    write_json(out, role);
    out.extend_from_slice(b",\"parts\":[");
    ""
}

impl Converted<'_> {
    fn parts(mut self, numbered: Numbered<'_>) -> Result<(&'static str, Vec<Part<'_>>), Refused> {
        let Numbered {
            index,
            message,
            before,
            ..
        } = numbered;
        if message
            .content
            .iter()
            .any(|it| it.cache_control().is_some())
        {
            self.losses.push(ConversionLoss::new(MARKERS, NO_MARKERS));
        }
        Ok(match message.role {
            Role::Assistant => ("model", self.model(index, &message.content)?),
            _ => {
                let calls = before.map_or(&[][..], |message| &message.content);
                ("user", self.user(index, &message.content, calls)?)
            }
        })
    }

    fn model<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Vec<Part<'a>>, Refused> {
        let mut parts: Vec<Part<'a>> = Vec::with_capacity(blocks.len());
        // The signature of the next part.
        let mut seal: Option<&'a str> = None;
        // Of calls made together only the first bears a signature.
        let mut stand_in = self.writer.signed_calls.then_some(UNSIGNED);
        for (place, block) in blocks.iter().enumerate() {
            let mut part = match block {
                // A signature needs its part, whatever it holds.
                ContentBlock::Text(text) if text.text.trim().is_empty() && seal.is_none() => {
                    self.lose(index, place, Reason::BlankText);
                    continue;
                }
                ContentBlock::Text(text) => Part::text(Cow::Borrowed(&text.text)),
                ContentBlock::ToolUse(call) => {
                    let call = FunctionCall {
                        id: given_id(&call.id),
                        name: self.names.shorten(&call.name, GEMINI_NAME)?,
                        args: self.arguments(index, place, &call.input),
                    };
                    let mut part = Part::new(Data::Call(call.into()));
                    part.signature = stand_in.take();
                    part
                }
                ContentBlock::Thinking(block) => match block.signature.strip_prefix(SEAL) {
                    Some(signature) => Part {
                        data: Data::Text(Cow::Borrowed(&block.thinking)),
                        is_thought: !block.thinking.is_empty(),
                        signature: Some(signature),
                    },
                    None => {
                        self.lose(index, place, Reason::ForeignThinking);
                        continue;
                    }
                },
                ContentBlock::RedactedThinking(block) => {
                    match block.data.strip_prefix(SEAL) {
                        Some(signature) => seal = Some(signature),
                        None => self.lose(index, place, Reason::ForeignThinking),
                    }
                    continue;
                }
                _ => {
                    self.lose(index, place, Reason::UnknownBlock);
                    continue;
                }
            };
            if let Some(seal) = seal.take() {
                part.signature = Some(seal);
            }
            parts.push(part);
        }
        Ok(parts)
    }

    /// The arguments of a call are an object.
    fn arguments(&mut self, message: usize, block: usize, input: &RawJson) -> RawJson {
        if input.is_object() {
            return input.clone();
        }
        self.lose(message, block, Reason::InputNotObject);
        RawJson::parse("{}").expect("an empty object is JSON")
    }

    fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &'a [ContentBlock],
    ) -> Result<Vec<Part<'a>>, Refused> {
        let names: BTreeMap<&str, &str> = calls
            .iter()
            .filter_map(|block| match block {
                ContentBlock::ToolUse(call) => Some((&*call.id, &*call.name)),
                _ => None,
            })
            .collect();
        let mut parts = Vec::new();
        let mut beside = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            let name = names.get(&*result.tool_use_id).copied().unwrap_or_default();
            let part = self.response((index, place), result, name, &mut beside)?;
            parts.push(part);
        }
        parts.extend(beside);
        for (place, block) in blocks.iter().enumerate() {
            match block {
                ContentBlock::ToolResult(_) => {}
                _ if is_of_model(block) => self.lose(index, place, Reason::NotOfUser),
                _ => match Part::of(block) {
                    Some(part) if part.is_blank() => self.lose(index, place, Reason::BlankText),
                    Some(part) => parts.push(part),
                    None => self.lose(index, place, Reason::UnknownBlock),
                },
            }
        }
        Ok(parts)
    }

    fn response<'a>(
        &mut self,
        (index, place): (usize, usize),
        result: &'a ToolResult,
        name: &str,
        beside: &mut Vec<Part<'a>>,
    ) -> Result<Part<'a>, Refused> {
        let ResultText {
            text,
            media,
            left_out,
        } = ResultText::of(result);
        for inner in left_out {
            let path = format_args!("messages[{index}].content[{place}].content[{inner}]");
            self.losses.push(Reason::UnknownBlock.at(path));
        }
        let name = self.names.shorten(name, GEMINI_NAME)?;
        let key = if result.is_error == Some(true) {
            "error"
        } else {
            "output"
        };
        let mut media: Vec<Part<'a>> = media.into_iter().filter_map(Part::of).collect();
        if !self.writer.media_in_results && !media.is_empty() {
            let label = format!("[From the result of {name}:]");
            beside.push(Part::text(Cow::Owned(label)));
            beside.append(&mut media);
        }
        let response = FunctionResponse {
            id: given_id(&result.tool_use_id),
            name,
            response: Output { key, text },
            parts: media,
        };
        Ok(Part::new(Data::Response(response.into())))
    }

    fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.losses.push(reason.at(path));
    }
}
