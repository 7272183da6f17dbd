//! Items of a response, as a server writes them.

use serde::Deserialize;

use crate::read::{Text, filled};
use crate::responses::reasoning::Reasoning;

/// An item as a server writes it.
///
/// ```json
/// {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Bash", "arguments": "{}"}
/// {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hi"}]}
/// ```
///
/// Every member is optional: an item that begins has no content yet.
#[derive(Default, Deserialize)]
pub(in crate::responses) struct ReceivedItem<'a> {
    /// The type, such as `message`.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    /// The role of a message, which some servers write without its type.
    pub(super) role: Option<Text<'a>>,
    /// The id of the item, which other events refer to; not the id of a call.
    pub(in crate::responses) id: Option<Text<'a>>,
    /// The id of a call, with which its output refers to it.
    pub(super) call_id: Option<Text<'a>>,
    /// The name of the called function, in the form of the request.
    pub(super) name: Option<Text<'a>>,
    /// The namespace of the called function, if it is in one.
    pub(super) namespace: Option<Text<'a>>,
    /// The input of a `function_call`, as JSON text.
    pub(super) arguments: Option<Text<'a>>,
    /// The input of a `custom_tool_call`, which is plain text.
    pub(super) input: Option<Text<'a>>,
    /// The phase of a message: `commentary` or `final_answer`.
    pub(super) phase: Option<Text<'a>>,
    /// The parts of a message, or the texts of reasoning.
    pub(super) content: Option<Vec<ReceivedPart<'a>>>,
    /// The summary of reasoning.
    pub(super) summary: Option<Vec<ReceivedPart<'a>>>,
    /// The state of reasoning, which only the server reads.
    pub(super) encrypted_content: Option<Text<'a>>,
}

/// A part of an item. A refusal has `refusal` in place of `text`.
#[derive(Deserialize)]
pub(in crate::responses) struct ReceivedPart<'a> {
    /// Such as `output_text`, `refusal` or `reasoning_text`.
    #[serde(borrow, rename = "type")]
    pub(in crate::responses) kind: Option<Text<'a>>,
    /// The text of a part of any other type.
    pub(in crate::responses) text: Option<Text<'a>>,
    /// The text with which the model refuses.
    pub(in crate::responses) refusal: Option<Text<'a>>,
}

impl ReceivedItem<'_> {
    /// Returns the item as one of reasoning, with all that a later request has to return.
    pub(super) fn reasoning(&self) -> Reasoning {
        fn texts<'a>(parts: &'a Option<Vec<ReceivedPart<'_>>>) -> impl Iterator<Item = &'a str> {
            let parts = parts.iter().flatten();
            parts.map(|part| filled(&part.text).unwrap_or_default())
        }
        Reasoning::new(
            filled(&self.id),
            texts(&self.summary),
            texts(&self.content),
            filled(&self.encrypted_content),
        )
    }
}
