//! Messages of the Anthropic form, put together from the turns and items of
//! another wire.
//!
//! The Messages API has stricter rules than the other wires: turns alternate, and the results of
//! calls are in the user's message directly after the calls. [`History`] rearranges the items to
//! follow them.
//!
//! ```text
//! user, call a, call b, user "wait", result b, result a
//! → user | assistant [a, b] | user [result b, result a, "wait"]
//! ```

use aside_messages::call_id;
use aside_messages::history::{History, HistoryRepair};
use aside_messages::wire::{
    ContentBlock, Document, Extra, Image, MediaSource, Message, RawJson, RedactedThinking,
    ResultContent, Role, Thinking, ToolResult, ToolUse,
};

use super::Result;
use super::object::Object;

/// The system prompt and the messages that were read so far.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The system prompt: the system text before the first message.
    pub(super) system: Vec<ContentBlock>,
    /// Positions are paths of the text that is imported.
    history: History<CallKey, String>,
}

/// The part of a result that names its call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallKey {
    /// The id of the call.
    Id(String),
    /// The name of the tool, for a call without an id.
    Name(String),
}

impl Conversation {
    /// Adds blocks to the turn of a role, which begins if another one is last.
    ///
    /// `at` is the path of the item. Without blocks, nothing is added: the Messages API refuses an
    /// empty message.
    pub(super) fn add(
        &mut self,
        role: Role,
        blocks: impl IntoIterator<Item = ContentBlock>,
        at: &str,
    ) {
        self.history.add(role, blocks, &at.to_owned());
    }

    /// Adds text of the system: to the prompt, if nothing precedes it.
    ///
    /// Later text becomes a system message at its place, so the prefix before it is unchanged.
    pub(super) fn add_system(&mut self, blocks: Vec<ContentBlock>, at: &str) {
        match self.is_empty() {
            true => self.system.extend(blocks),
            false => self.add(Role::System, blocks, at),
        }
    }

    /// Adds a message that has no content.
    pub(super) fn begin(&mut self, message: Message, at: &str) {
        self.history.begin(message, at.to_owned());
    }

    /// Returns true before the first message.
    pub(super) fn is_empty(&self) -> bool {
        self.history.is_empty()
    }

    /// Adds a call of the model. Without an id it gets one: `call_` with its number.
    ///
    /// An id that the Messages API would refuse, such as `functions.Bash:0`, is rewritten
    /// reversibly ([`call_id::convert`]).
    pub(super) fn call(&mut self, key: CallKey, name: &str, input: RawJson, at: &str) {
        let original = match &key {
            CallKey::Id(id) => id.clone(),
            CallKey::Name(_) => format!("call_{}", self.history.calls()),
        };
        let call = ToolUse {
            id: call_id::convert(&original).into(),
            name: name.into(),
            input,
            extra: Extra::default(),
            cache_control: None,
        };
        let at = at.to_owned();
        self.history
            .call(key, &original, &Role::Assistant, call, at);
    }

    /// Adds the result of a call. `at` is the path of the output.
    pub(super) fn result(
        &mut self,
        key: &CallKey,
        content: ResultContent,
        is_error: Option<bool>,
        at: String,
    ) {
        let result = ToolResult {
            content,
            is_error,
            ..ToolResult::new("", Vec::new())
        };
        self.history.result(key, result, at);
    }

    /// Returns the system prompt, and the messages with their results. Repairs are reported, but
    /// for those that only follow the rules of another wire.
    pub(super) fn finish(self, body: &Object<'_>) -> (Vec<ContentBlock>, Vec<Message>) {
        let (messages, repairs) = self.history.finish();
        for (at, repair) in repairs {
            // The other wires take a result at any place after its call, and repeated ids of calls.
            let is_valid = matches!(
                repair,
                HistoryRepair::MovedResult | HistoryRepair::RepeatedId { .. }
            );
            if !is_valid {
                body.lost(at, repair.to_string());
            }
        }
        (self.system, messages)
    }
}

/// Returns thinking with a signature.
///
/// The signature is the sealed original of another wire, or empty if there is none.
pub(super) fn thinking(text: &str, signature: String) -> ContentBlock {
    ContentBlock::Thinking(Thinking {
        thinking: text.into(),
        signature: signature.into(),
        extra: Extra::default(),
    })
}

/// Returns thinking that has no text.
///
/// It is a `redacted_thinking` block whose data is the sealed original.
pub(super) fn sealed(data: String) -> ContentBlock {
    ContentBlock::RedactedThinking(RedactedThinking {
        data: data.into(),
        extra: Extra::default(),
    })
}

/// Returns an image or a document, by the media type.
pub(super) fn media(source: MediaSource, is_image: bool, title: Option<String>) -> ContentBlock {
    match is_image {
        true => ContentBlock::Image(Image {
            source,
            extra: Extra::default(),
            cache_control: None,
        }),
        false => ContentBlock::Document(Document {
            source,
            title: title.map(Into::into),
            context: None,
            citations: None,
            extra: Extra::default(),
            cache_control: None,
        }),
    }
}

/// Returns the source of a URL, which may hold the data itself.
///
/// ```text
/// data:image/png;base64,iVBO…   {"type":"base64","media_type":"image/png","data":"iVBO…"}
/// https://example.com/a.png     {"type":"url","url":"https://example.com/a.png"}
/// ```
pub(super) fn source(url: &str) -> MediaSource {
    let data = url.strip_prefix("data:");
    match data.and_then(|data| data.split_once(";base64,")) {
        Some((media_type, data)) => MediaSource::Base64 {
            media_type: media_type.to_owned(),
            data: data.into(),
        },
        None => MediaSource::Url {
            url: url.to_owned(),
        },
    }
}

/// Reads the detail of an image, which the Messages API decides itself, and
/// reports it unless it is the default.
pub(super) fn image_detail(image: &mut Object<'_>) -> Result<()> {
    if image.string("detail")?.is_some_and(|it| it != "auto") {
        let what = "left out: an image of the Messages API has no detail";
        image.lost(image.path("detail"), what);
    }
    Ok(())
}

/// Returns the input of a call: an object, as the text of arguments has it.
/// `None` if the text is no object.
///
/// The text is kept byte for byte, apart from surrounding whitespace; an empty one is `{}`, as some
/// servers send for a call without arguments.
pub(super) fn input(arguments: &str) -> Option<RawJson> {
    let text = match arguments.trim() {
        "" => "{}",
        text => text,
    };
    RawJson::parse(text).ok().filter(RawJson::is_object)
}
