//! Builds messages in the Anthropic form from another wire's turns and items.
//!
//! The Messages API has stricter rules than the other wires: turns alternate, and results are in
//! the user message directly after their calls. [`History`] rearranges the items to follow these
//! rules.
//!
//! ```text
//! user, call a, call b, user "wait", result b, result a
//! → user | assistant [a, b] | user [result b, result a, "wait"]
//! ```

use aside_messages::call_id;
use aside_messages::history::History;
use aside_messages::wire::{
    CacheControl, ContentBlock, Document, Image, MediaSource, Message, RawJson, ResultContent,
    Role, Thinking, ToolResult, ToolUse, Ttl,
};

use super::object::Object;
use super::{Read, Result};
use crate::names::NO_ID;
use crate::sources::Outputs;

/// The system prompt and the messages read so far.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The system prompt: the system text before the first message, with its paths.
    pub(super) system: Vec<(ContentBlock, String)>,
    /// Positions are paths in the imported text.
    history: History<CallKey, String>,
    pub(super) outputs: Outputs,
    /// Whose message is the last one.
    role: Option<Role>,
    /// The first message, of which nothing was read: alone, it is no conversation.
    unread: Option<(Role, String)>,
}

/// How a result names its call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallKey {
    /// By the call's id.
    Id(String),
    /// By the tool's name, when the call has no id.
    Name(String),
}

impl Conversation {
    /// Adds blocks to this role's turn, and begins one if the last turn is another role's.
    ///
    /// `at` is the item's path. Without blocks, this adds nothing.
    pub(super) fn add(
        &mut self,
        role: Role,
        blocks: impl IntoIterator<Item = ContentBlock>,
        at: &str,
    ) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_some() {
            self.turn(&role);
            self.history.add(role, blocks, &at.to_owned());
        }
    }

    /// Begins this role's message at a path, if the last one is another role's.
    ///
    /// Call this for a message of which nothing may have been read: it keeps its place between
    /// those of the other role.
    pub(super) fn keep_place(&mut self, role: Role, at: &str) {
        if self.role.as_ref() == Some(&role) {
            return;
        }
        self.turn(&role);
        if self.is_empty() {
            self.unread = Some((role, at.to_owned()));
        } else {
            self.begin(Message::new(role, Vec::new()), at);
        }
    }

    /// Notes whose message comes next, and begins the first one if it is another role's.
    fn turn(&mut self, role: &Role) {
        if let Some((first, at)) = self.unread.take_if(|_| *role != Role::System)
            && first != *role
        {
            self.history.begin(Message::new(first, Vec::new()), at);
        }
        self.role = Some(role.clone());
    }

    /// Adds blocks that have paths of their own.
    pub(super) fn add_parts(&mut self, role: &Role, parts: Vec<(ContentBlock, String)>) {
        for (block, at) in parts {
            self.add(role.clone(), [block], &at);
        }
    }

    /// Adds system text: to the prompt, if nothing precedes it.
    ///
    /// Later text becomes a system message where it is, so the prefix before it stays the same.
    pub(super) fn add_system(&mut self, parts: Vec<(ContentBlock, String)>, at: &str) {
        if self.is_empty() {
            self.system.extend(parts);
        } else {
            self.add(Role::System, parts.into_iter().map(|(block, _)| block), at);
        }
    }

    /// Adds a message without content.
    pub(super) fn begin(&mut self, message: Message, at: &str) {
        self.history.begin(message, at.to_owned());
    }

    /// Returns true before the first message.
    pub(super) fn is_empty(&self) -> bool {
        self.history.is_empty()
    }

    /// Adds a call. If it has no id, it gets one: [`NO_ID`] with its number.
    ///
    /// An id that the Messages API would refuse, such as `functions.Bash:0`, is rewritten
    /// reversibly ([`call_id::convert`]).
    pub(super) fn call(&mut self, key: CallKey, name: &str, input: RawJson, at: &str) {
        let original = match &key {
            CallKey::Id(id) => id.clone(),
            CallKey::Name(_) => format!("{NO_ID}{}", self.history.calls()),
        };
        let call = ToolUse::new(call_id::convert(&original), name, input);
        let at = at.to_owned();
        self.turn(&Role::Assistant);
        self.history.call(key, &original, &Role::Assistant, call, at);
    }

    /// Adds a call's result of these parts. `at` is the output's path.
    pub(super) fn parts_result(
        &mut self,
        key: &CallKey,
        parts: Vec<(ContentBlock, String)>,
        is_error: Option<bool>,
        at: String,
    ) {
        // The history leaves out blank text.
        let kept = parts.iter().filter(|(block, _)| !block.is_blank());
        let paths = kept.map(|(_, at)| at.clone());
        self.outputs.entry(at.clone()).or_default().parts = paths.collect();
        let blocks = parts.into_iter().map(|(block, _)| block).collect();
        self.result(key, ResultContent::Blocks(blocks), is_error, at);
    }

    /// Adds a call's result. `at` is the output's path.
    ///
    /// One that no call waits for, or that moves to an earlier turn, keeps its place, as it does in
    /// the Messages API's own form.
    pub(super) fn result(
        &mut self,
        key: &CallKey,
        content: ResultContent,
        is_error: Option<bool>,
        at: String,
    ) {
        let result = ToolResult { content, is_error, ..ToolResult::default() };
        if self.history.result(key, result, at.clone()) {
            self.turn(&Role::User);
        } else {
            self.keep_place(Role::User, &at);
        }
    }

    /// Sets the system prompt, and the messages with their results. Reports repairs.
    pub(super) fn finish(self, body: &Object<'_>, read: &mut Read) {
        let (messages, repairs, positions) = self.history.finish();
        for (at, repair) in repairs {
            body.lost(at, repair.to_string());
        }
        read.positions = positions;
        read.outputs = self.outputs;
        read.request.messages = messages;
        (read.request.system, read.system) = self.system.into_iter().unzip();
    }
}

/// Returns thinking with a signature: another wire's sealed original, or empty if there is none.
pub(super) fn thinking(text: &str, signature: String) -> ContentBlock {
    let (thinking, signature) = (text.into(), signature.into());
    ContentBlock::Thinking(Thinking { thinking, signature, ..Thinking::default() })
}

/// Returns an image or a document, by the media type.
pub(super) fn media(source: MediaSource, is_image: bool, title: Option<String>) -> ContentBlock {
    if is_image {
        ContentBlock::Image(Image::new(source))
    } else {
        let title = title.map(Into::into);
        ContentBlock::Document(Document { title, ..Document::new(source) })
    }
}

/// Returns a URL's source. The URL may hold the data itself.
///
/// ```text
/// data:image/png;base64,iVBO…   {"type":"base64","media_type":"image/png","data":"iVBO…"}
/// https://example.com/a.png     {"type":"url","url":"https://example.com/a.png"}
/// ```
pub(super) fn source(url: &str) -> MediaSource {
    let data = url.strip_prefix("data:");
    match data.and_then(|data| data.split_once(";base64,")) {
        Some((media_type, data)) => {
            MediaSource::Base64 { media_type: media_type.to_owned(), data: data.into() }
        }
        None => MediaSource::Url { url: url.to_owned() },
    }
}

/// Reads a refusal, which is a stop reason of a response in the Messages API.
pub(super) fn refusal(part: &mut Object<'_>) -> Result<ContentBlock> {
    let text = part.required("refusal")?;
    part.lost(part.path("refusal"), "sent as text: messages have no refusals");
    Ok(ContentBlock::text(text))
}

/// Reads an image's detail. The Messages API decides this itself, so it is reported unless it is
/// the default.
pub(super) fn image_detail(image: &mut Object<'_>) -> Result<()> {
    if image.string("detail")?.is_some_and(|it| it != "auto") {
        let what = "left out: an image of the Messages API has no detail";
        image.lost(image.path("detail"), what);
    }
    Ok(())
}

/// Returns the cache marker of a part. The longer of the two lifetimes is the
/// one that covers an hour.
///
/// `prompt_cache_breakpoint` marks the end of a cached prefix. With the lifetime `12h` it becomes a
/// marker of one hour, the longest of the Messages API; else one of five minutes.
pub(super) fn marker(part: &mut Object<'_>) -> Result<Option<CacheControl>> {
    let Some(mut breakpoint) = part.object("prompt_cache_breakpoint")? else {
        return Ok(None);
    };
    Ok(Some(match breakpoint.string("ttl")?.as_deref() {
        Some("12h") => CacheControl::lasting(Ttl::OneHour),
        _ => CacheControl::EPHEMERAL,
    }))
}

/// Returns a call's input: the object in the text at its key `arguments`. Another JSON value, and
/// text that is no JSON, as of a call that was cut off, are replaced.
///
/// The text is kept byte for byte, except for whitespace around it. An empty text is `{}`: some
/// servers send this when a call has no arguments.
pub(super) fn input(call: &Object<'_>, arguments: &str) -> RawJson {
    let text = match arguments.trim() {
        "" => "{}",
        text => text,
    };
    let fault = match RawJson::parse(text) {
        Ok(input) if input.is_object() => return call.repaired("arguments", input),
        Ok(_) => "replaced by {}: they are no object",
        Err(_) => "replaced by {}: they are no JSON",
    };
    call.lost(call.path("arguments"), fault);
    RawJson::parse("{}").expect("an object")
}

/// Returns the input of a custom tool, which is plain text, as that of a function.
pub(super) fn text_input(text: &str) -> RawJson {
    let input = format!(r#"{{"input":{}}}"#, serde_json::Value::from(text));
    RawJson::parse(&input).expect("what was written can be read")
}
