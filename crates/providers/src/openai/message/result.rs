//! The message of the result of a tool.

use std::borrow::Cow;

use aside_messages::wire::ToolResult;

use super::MessageWriter;
use super::shape::{Content, Message, Part};
use crate::names::ID;
use crate::refused::RefusedError;
use crate::result_text::ResultText;
use crate::user_part::UserPart;

impl MessageWriter<'_, '_> {
    /// Returns the message of one result; images and documents go to the parts of the
    /// user's message after all results.
    ///
    /// ```text
    /// {"role":"tool","tool_call_id":"call_1",
    ///  "content":"Saved.\n\n[1 attachment of this result: see the next user message]"}
    /// {"role":"user","content":[
    ///  {"type":"text","text":"[From the result of call_1:]"}, {"type":"image_url",…}]}
    /// ```
    ///
    /// The wire has no flag for errors: the text of a failed result begins with `Error:`,
    /// and is `Error` if the result has no text.
    pub(super) fn result<'a>(
        &mut self,
        index: usize,
        place: usize,
        result: &'a ToolResult,
        parts: &mut Vec<Part<'a>>,
    ) -> Result<Message<'a>, RefusedError> {
        let id = self.sink.names.call_id(&result.tool_use_id, ID)?;
        let read = Part::of_result(result, (index, place), self.sink.losses);
        let (text, media) = read.text_and_media();
        let mut text = ResultText::marked_as_error(text, result);
        let count = media.len();
        if count > 0 {
            let gap = if text.is_empty() { "" } else { "\n\n" };
            let what = if count == 1 { "attachment" } else { "attachments" };
            text.to_mut().push_str(&format!(
                "{gap}[{count} {what} of this result: see the next user message]"
            ));
            parts.push(Part::text(Cow::Owned(format!("[From the result of {id}:]"))));
            parts.extend(media.into_iter().filter_map(Part::of));
        }
        let mut message = Message::new("tool", Some(Content::Text(text)));
        message.tool_call_id = Some(id);
        Ok(message)
    }
}
