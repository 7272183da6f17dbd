//! The parts of a message of the model.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, RawJson};

use super::{MessageWriter, UNSIGNED};
use crate::gemini::part::{Data, FunctionCall, Part, call_id};
use crate::gemini::seal::SEAL;
use crate::loss::Reason;
use crate::names::GEMINI_NAME;
use crate::refused::RefusedError;

impl MessageWriter<'_, '_> {
    /// Returns the parts of a message of the model, each with its signature.
    ///
    /// ```text
    /// redacted_thinking "gemini:S1", tool_use → {"functionCall":…,"thoughtSignature":"S1"}
    /// thinking with the signature "gemini:S2" → {"text":…,"thought":true,"thoughtSignature":"S2"}
    /// tool_use without a signature            → {"functionCall":…,"thoughtSignature":"skip_…"}
    /// ```
    ///
    /// The last form is for models that need signatures, and only for the first call of a
    /// message. Thinking of other providers is left out and reported.
    pub(super) fn model<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
    ) -> Result<Vec<Part<'a>>, RefusedError> {
        let mut parts: Vec<Part<'a>> = Vec::with_capacity(blocks.len());
        // The signature of the next part.
        let mut seal: Option<&'a str> = None;
        // Of calls made together only the first has a signature.
        let mut placeholder = self.writer.signed_calls.then_some(UNSIGNED);
        for (place, block) in blocks.iter().enumerate() {
            let mut part = match block {
                // A signature needs its part, whatever it holds.
                ContentBlock::Text(text) if text.text.trim().is_empty() && seal.is_none() => {
                    self.sink.lose(index, place, Reason::BlankText);
                    continue;
                }
                ContentBlock::Text(text) => {
                    if text.citations.is_some() {
                        self.sink.lose(index, place, Reason::Citations);
                    }
                    Part::text(Cow::Borrowed(&text.text))
                }
                ContentBlock::ToolUse(call) => {
                    let call = FunctionCall {
                        id: call_id(&call.id),
                        name: self.sink.names.shorten(&call.name, GEMINI_NAME)?,
                        args: self.arguments(index, place, &call.input),
                    };
                    let mut part = Part::new(Data::Call(call.into()));
                    part.signature = placeholder.take();
                    part
                }
                ContentBlock::Thinking(block) => match block.signature.strip_prefix(SEAL) {
                    Some(signature) => Part {
                        data: Data::Text(Cow::Borrowed(&block.thinking)),
                        is_thought: !block.thinking.is_empty(),
                        signature: Some(signature),
                    },
                    None => {
                        let reason = Reason::of_thinking(&block.signature);
                        self.sink.lose(index, place, reason);
                        continue;
                    }
                },
                ContentBlock::RedactedThinking(block) => {
                    match block.data.strip_prefix(SEAL) {
                        Some(signature) => seal = Some(signature),
                        None => self.sink.lose(index, place, Reason::of_thinking(&block.data)),
                    }
                    continue;
                }
                _ => {
                    self.sink.lose(index, place, Reason::UnknownBlock);
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

    /// Returns the arguments of a call. They have to be an object; any other input
    /// becomes `{}` and is reported.
    fn arguments(&mut self, message: usize, block: usize, input: &RawJson) -> RawJson {
        if input.is_object() {
            return input.clone();
        }
        self.sink.lose(message, block, Reason::InputNotObject);
        RawJson::parse("{}").expect("an empty object is JSON")
    }
}
