//! A request's parts, their kinds, cache states and layers.

use std::ops::Range;
use std::sync::Arc;

use aside_cache_model::{Cost, Usage};
use aside_messages::Source;
use serde::Serialize;

/// A part of a request. Its children add up to it: in bytes, in tokens and in
/// cost.
///
/// Find a part with [`Report::at_byte`](crate::Report::at_byte) or
/// [`at_path`](crate::Report::at_path); visit all with [`walk`](Self::walk).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestPart {
    /// What the part is.
    pub kind: PartKind,
    /// Its name: a tool's, a section's, a file's, a role, a key.
    pub name: String,
    /// What a tool use and its result are about: a path, a command, a query.
    /// For a document, its title.
    pub detail: Option<String>,
    /// Its path in the provider's own form, such as `messages[3].content[0]`.
    pub path: String,
    /// Where it is in the body. A part with the kind [`PartKind::Json`] has its
    /// parent's range; it consists of the bytes that no other child covers.
    pub range: Range<usize>,
    /// Its length in bytes.
    pub bytes: usize,
    /// Its estimated tokens, by price class.
    pub usage: Usage,
    /// Its tokens' state in the cache.
    pub state: CacheState,
    /// The layer that it belongs to; `None` if its children belong to several.
    pub layer: Option<PartLayer>,
    /// Its source, if Aside built the request.
    pub source: Option<Source>,
    /// The source as text: `the user`, `attachment todo_reminder`.
    pub origin: Option<Arc<str>>,
    /// What its tokens cost in this request, if the model's price is known.
    pub cost: Option<Cost>,
    /// Its parts, in body order; the JSON between them is last.
    pub children: Vec<RequestPart>,
    /// The call's id, in a call and in its result.
    pub(crate) call_id: Option<String>,
}

aside_text::names! {
    /// What a [`RequestPart`] is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum PartKind {
        /// The whole body.
        Body = "request",
        /// A request parameter, such as `max_tokens`.
        Parameter = "parameter",
        /// The list of tools.
        Tools = "tools",
        /// A tool's definition.
        Tool = "tool",
        /// A tool's description.
        Description = "description",
        /// The schema for a tool's input.
        Schema = "schema",
        /// The system prompt.
        System = "system prompt",
        /// The list of messages.
        Messages = "messages",
        /// A message.
        Message = "message",
        /// Text.
        Text = "text",
        /// Text in system reminder tags.
        Reminder = "reminder",
        /// An instruction file.
        File = "file",
        /// A section in the system prompt, or in a session's context.
        Section = "section",
        /// The model's thinking.
        Thinking = "thinking",
        /// A signature, or thinking that only the provider can read.
        Signature = "signature",
        /// A tool use.
        ToolUse = "tool use",
        /// A tool use's input.
        Input = "input",
        /// A tool result.
        ToolResult = "tool result",
        /// An image.
        Image = "image",
        /// A document.
        Document = "document",
        /// An image's or a document's bytes.
        Data = "data",
        /// A cache marker.
        Marker = "marker",
        /// The JSON around the other children: keys, brackets, quotes, ids.
        Json = "JSON",
        /// Anything else.
        #[default]
        Other = "other",
    }
}

aside_text::names! {
    /// A part's state in the provider's prompt cache.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CacheState {
        /// Read from the cache.
        Read = "read",
        /// Written for 5 minutes.
        #[serde(rename = "write_5m")]
        Write5m = "written 5m",
        /// Written for 1 hour.
        #[serde(rename = "write_1h")]
        Write1h = "written 1h",
        /// Written for 12 hours (OpenAI).
        #[serde(rename = "write_12h")]
        Write12h = "written 12h",
        /// Written for another time, and billed like 5 minutes (OpenAI).
        WriteOther = "written",
        /// Neither read nor written by a marker; the provider caches prefixes
        /// by itself (OpenAI, Gemini).
        Automatic = "automatic",
        /// Neither read nor written.
        Plain = "plain",
        /// Neither, and different or gone in the next request.
        Volatile = "volatile",
        /// Not in the prompt: parameters, deferred tools that no message names, thinking that the
        /// provider removes.
        #[default]
        NotShown = "not in the prompt",
        /// Children with several states.
        Mixed = "mixed",
    }
}

aside_text::names! {
    /// A part's layer: which requests share it, in request order.
    ///
    /// The prompt's layers are those in [`Layer`](aside_messages::Layer), except
    /// that a user's own instruction files belong to [`PartLayer::Project`].
    /// Without sources, a system prompt's layers are unknown, and it belongs to
    /// [`PartLayer::System`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum PartLayer {
        /// Tool definitions.
        Tools = "tools",
        /// Another agent's system prompt.
        System = "system",
        /// Shared by every request of a product.
        Static = "static",
        /// Shared by every session in a project, or by a user's sessions there.
        Project = "project",
        /// Shared by every request in a session.
        Session = "session",
        /// The messages.
        Conversation = "conversation",
        /// Parameters, which are not in the prompt.
        Parameters = "parameters",
        /// JSON between parts from several layers, which is not in the prompt.
        Json = "json",
    }
}

impl CacheState {
    /// Returns this many tokens in the state's price class.
    pub(crate) fn usage(self, tokens: u64) -> Usage {
        let mut usage = Usage::default();
        let field = match self {
            Self::Read => &mut usage.read,
            Self::Write5m => &mut usage.write_5m,
            Self::Write1h => &mut usage.write_1h,
            Self::Write12h => {
                usage.write_12h = tokens;
                &mut usage.write_other
            }
            Self::WriteOther => &mut usage.write_other,
            Self::NotShown => return usage,
            _ => &mut usage.uncached,
        };
        *field = tokens;
        usage
    }
}

impl PartKind {
    /// Returns true if the part is a text, without its JSON escapes.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Reminder
                | Self::File
                | Self::Section
                | Self::Thinking
                | Self::Description
        )
    }

    /// Returns true if a model reads no tokens from such a part.
    pub(crate) const fn is_unread(self) -> bool {
        matches!(self, Self::Json | Self::Marker | Self::Signature | Self::Parameter)
    }
}

impl RequestPart {
    /// Returns the estimated tokens.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.usage.input()
    }

    /// Calls `visit` with the part and every part below it, in body order.
    ///
    /// ```
    /// use aside_cache_model::Body;
    /// use aside_inspect::PartKind;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    /// let report = aside_inspect::report(&Body::parse(body)?, None, None);
    /// let mut kinds = Vec::new();
    /// report.root.walk(&mut |part| kinds.push(part.kind));
    /// assert!(kinds.contains(&PartKind::Text) && kinds.contains(&PartKind::Parameter));
    /// # Ok::<(), aside_cache_model::ParseError>(())
    /// ```
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}
