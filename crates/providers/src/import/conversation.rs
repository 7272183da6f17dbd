//! Messages of the Anthropic form, put together from the turns and items of
//! another wire.
//!
//! The Messages API has stricter rules than the other wires: turns alternate, and the results of
//! calls are in the user's message directly after the calls. A history of another wire is
//! rearranged to follow them.
//!
//! ```text
//! user, call a, call b, user "wait", result b, result a
//! → user | assistant [a, b] | user [result b, result a, "wait"]
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use aside_body::turns::{self, Pairing, Repeats, Window};
use aside_messages::call_id;
use aside_messages::wire::{
    ContentBlock, Document, Extra, Image, MediaSource, Message, RawJson, RedactedThinking, Role,
    Thinking, ToolResult, ToolUse,
};

use super::Result;
use super::object::Object;

/// The system prompt and the messages that were read so far.
#[derive(Debug)]
pub(super) struct Conversation {
    /// The system prompt: the system text before the first message.
    pub(super) system: Vec<ContentBlock>,
    /// The messages; neighbors have different roles, except for system messages. A user message
    /// may be without a block until its results are added.
    pub(super) messages: Vec<Message>,
    /// Each call has the index of its message and its id in the Anthropic form.
    pairing: Pairing<CallKey, (usize, Arc<str>)>,
    /// The results of the calls in a message, by its index.
    results: BTreeMap<usize, Vec<ContentBlock>>,
    /// The ids of all calls.
    ids: HashSet<String>,
    /// The last number that was tried for an id that repeats.
    times: HashMap<String, usize>,
}

/// The part of a result that names its call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallKey {
    /// The id of the call.
    Id(String),
    /// The name of the tool, for a call without an id.
    Name(String),
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            system: Vec::new(),
            messages: Vec::new(),
            pairing: Pairing::new(Window::Later, Repeats::Distinct),
            results: BTreeMap::new(),
            ids: HashSet::new(),
            times: HashMap::new(),
        }
    }
}

impl Conversation {
    /// Adds blocks to the turn of a role, which begins if another one is last.
    ///
    /// Without blocks, nothing is added: the Messages API refuses an empty message.
    pub(super) fn add(&mut self, role: Role, blocks: impl IntoIterator<Item = ContentBlock>) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        match self.messages.last_mut() {
            // A system message is one by itself.
            Some(last) if last.role == role && role != Role::System => last.content.extend(blocks),
            _ => {
                self.pairing.turn(turns::Role::Other);
                self.messages.push(Message::new(role, blocks.collect()));
            }
        }
    }

    /// Adds text of the system: to the prompt, if nothing precedes it.
    ///
    /// Later text becomes a system message at its place, so the prefix before it is unchanged.
    pub(super) fn add_system(&mut self, blocks: Vec<ContentBlock>) {
        match self.messages.is_empty() {
            true => self.system.extend(blocks),
            false => self.add(Role::System, blocks),
        }
    }

    /// Adds a call of the model. Without an id it gets one: `call_` with its number.
    ///
    /// An id that the Messages API would refuse, such as `functions.Bash:0`, is rewritten
    /// reversibly ([`call_id::convert`]). So is an id that an earlier call has: some servers count
    /// the calls of each response from 0, and the Messages API wants different ids.
    pub(super) fn call(&mut self, key: CallKey, name: &str, input: RawJson) {
        let id = match &key {
            CallKey::Id(id) => self.unused(id),
            CallKey::Name(_) => self.unused(&format!("call_{}", self.ids.len())),
        };
        let call = ToolUse {
            id: id.as_str().into(),
            name: name.into(),
            input,
            extra: Extra::default(),
            cache_control: None,
        };
        self.add(Role::Assistant, [ContentBlock::ToolUse(call)]);
        let message = self.messages.len() - 1;
        self.pairing.call(key, (message, id.into()));
    }

    /// Returns an id that no call has yet: this one, or for a repeated one `id#2`, `id#3` and so
    /// on, in the Anthropic form.
    fn unused(&mut self, id: &str) -> String {
        let times = self.times.entry(id.to_owned()).or_default();
        loop {
            *times += 1;
            let next = match *times {
                1 => call_id::convert(id),
                times => call_id::convert(&format!("{id}#{times}")),
            };
            if self.ids.insert(next.clone()) {
                return next;
            }
        }
    }

    /// Adds the result of a call to the message directly after the call, before
    /// anything else in that message. A result without a call is reported.
    ///
    /// Of several calls that wait under the key, it is that of the oldest one in the latest
    /// message that has one: calls before it may have been interrupted. A call has one result: a
    /// further one is reported like a result without a call. The output is this member
    /// of the item.
    pub(super) fn result(
        &mut self,
        key: &CallKey,
        result: impl FnOnce(Arc<str>) -> ToolResult,
        (item, member): (&Object<'_>, &str),
    ) {
        let Ok((message, id)) = self.pairing.result(key) else {
            let what = "left out: no call before it waits for this output";
            item.lost(item.path(member), what);
            return;
        };
        let results = self.results.entry(message).or_default();
        results.push(ContentBlock::ToolResult(result(id)));
        if self.messages.len() == message + 1 {
            // What follows comes after the results.
            self.messages.push(Message::new(Role::User, Vec::new()));
        }
    }

    /// Returns the system prompt, and the messages with their results.
    pub(super) fn into_parts(mut self) -> (Vec<ContentBlock>, Vec<Message>) {
        let mut messages = Vec::with_capacity(self.messages.len());
        for (index, mut message) in self.messages.into_iter().enumerate() {
            let before = index.checked_sub(1);
            match before.and_then(|before| self.results.remove(&before)) {
                Some(results) if message.role == Role::User => {
                    drop(message.content.splice(0..0, results));
                }
                Some(results) => messages.push(Message::new(Role::User, results)),
                None => {}
            }
            messages.push(message);
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
