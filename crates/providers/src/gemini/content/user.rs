//! The parts of a message of the user, the responses of functions first.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aside_messages::wire::{ContentBlock, ToolResult};

use super::MessageWriter;
use crate::gemini::part::{Data, FunctionResponse, Output, Part, RESPONSE, call_id};
use crate::inner_form::in_order_of_calls;
use crate::names::GEMINI_NAME;
use crate::refused::RefusedError;
use crate::user_part::{UserPart, user_parts};

impl MessageWriter<'_, '_> {
    /// Returns the parts of a message of the user: responses in the order of the calls,
    /// then the media of the results if the model does not accept them in a response,
    /// then all other blocks.
    ///
    /// `calls` are the blocks of the message before. They have the names of the
    /// functions, which a result does not have.
    pub(super) fn user<'a>(
        &mut self,
        index: usize,
        blocks: &'a [ContentBlock],
        calls: &'a [ContentBlock],
    ) -> Result<Vec<Part<'a>>, RefusedError> {
        let names: BTreeMap<&str, &str> = calls
            .iter()
            .filter_map(|block| match block {
                ContentBlock::ToolUse(call) => Some((&*call.id, &*call.name)),
                _ => None,
            })
            .collect();
        let mut parts = Vec::new();
        let mut media_parts = Vec::new();
        for (place, result) in in_order_of_calls(blocks, calls) {
            let name = names.get(&*result.tool_use_id).copied().unwrap_or_default();
            let part = self.response((index, place), result, name, &mut media_parts)?;
            parts.push(part);
        }
        parts.extend(media_parts);
        parts.extend(user_parts::<Part<'_>>(index, blocks, self.sink));
        Ok(parts)
    }

    /// Returns the response of a function. Media go into the response, or into `media_parts`
    /// after a label with the name of the function.
    ///
    /// ```json
    /// {"functionResponse": {"id": "call_1", "name": "Read", "response": {"output": "…"}}}
    /// ```
    ///
    /// A failed result has the key `error` in place of `output`.
    fn response<'a>(
        &mut self,
        (index, place): (usize, usize),
        result: &'a ToolResult,
        name: &str,
        media_parts: &mut Vec<Part<'a>>,
    ) -> Result<Part<'a>, RefusedError> {
        let read = Part::of_result(result, (index, place), self.sink.losses);
        let (text, media) = read.text_and_media();
        let name = self.sink.names.shorten(name, GEMINI_NAME)?;
        let key = if result.is_error == Some(true) { "error" } else { "output" };
        let mut media: Vec<Part<'a>> = media.into_iter().filter_map(Part::of).collect();
        if !self.writer.media_in_results && !media.is_empty() {
            let label = format!("[From the result of {name}:]");
            media_parts.push(Part::text(Cow::Owned(label)));
            media_parts.append(&mut media);
        }
        let response = FunctionResponse {
            id: call_id(&result.tool_use_id),
            name,
            response: match result.extra.0.iter().find(|(key, _)| key == RESPONSE) {
                Some((_, object)) => Output::Object(object),
                None => Output::Text(key, text),
            },
            parts: media,
        };
        Ok(Part::new(Data::Response(response.into())))
    }
}
