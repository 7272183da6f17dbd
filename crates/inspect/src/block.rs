//! One block's parts, by the keys that the wires use.
//!
//! A block is read by its keys and not by the body's wire: the same key means
//! the same on every wire, and agents' bodies mix forms. Unknown members are
//! parts with the kind `Other`.
//!
//! ```text
//! {"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.md"}}    tool use "Read"
//!                                                   └─ input                  input
//!
//! {"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"…"}]}
//!                                                   tool result, call t1
//!                                                   └─ text, content[0]
//!                                                      └─ text, content[0].text
//! ```
//!
//! Keys that are only form (`type`, `id`, `role`, brackets, quotes) get no
//! part; their bytes become the parent's JSON.

use std::borrow::Cow;
use std::ops::Range;

use aside_cache_model::body::body::BlockKind;
use aside_json::{Kind, Value};

use crate::part::PartKind;

/// A part of a block, before it has tokens, a cache state and a layer.
///
/// Its children's ranges are inside its own, and do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Leaf {
    /// The kind, by `type`, by keys or by list.
    pub(crate) kind: PartKind,
    /// The name of a tool, or an unknown member's key; else empty.
    pub(crate) name: String,
    /// What a document or another block calls itself. A page without texts
    /// leaves it out.
    pub(crate) detail: Option<String>,
    /// The path in the body, as in `messages[3].content[0].text`.
    pub(crate) path: String,
    /// The bytes in the item; for a text without its quotes.
    pub(crate) range: Range<usize>,
    /// True for the inside of a string, which is split further.
    pub(crate) is_text: bool,
    /// The call's id, in a call and in its result.
    pub(crate) call_id: Option<String>,
    /// The parts inside it, in body order.
    pub(crate) children: Vec<Leaf>,
}

/// How deep nested content is split into parts.
///
/// Deeper content, such as a result inside a result, is one part.
const MAX_DEPTH: usize = 4;

/// Outlines a block. `list` is the list that it is in, `role` its message's
/// role.
///
/// `list` decides the kind of a block without a type: an element of the tools
/// is a tool, the content of a `tool` message (Chat Completions) a result, and
/// anything else is text.
pub(crate) fn of(value: Value<'_>, path: &str, list: PartKind, role: Option<&str>) -> Leaf {
    let kind = match list {
        PartKind::Tools => PartKind::Tool,
        _ if role == Some("tool") => PartKind::ToolResult,
        _ => PartKind::Text,
    };
    block(value, path.to_owned(), kind, 0)
}

/// Returns what a message holds next to its content, such as `tool_calls`.
///
/// Content and keys that are only form are left out. Reasoning from compatible
/// servers is thinking; other values are parts if they are long enough to
/// matter.
pub(crate) fn frame(message: Value<'_>, path: &str) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (key, value) in message.members() {
        let path = format!("{path}.{key}");
        match &*key {
            "content" | "parts" | "role" | "id" | "type" | "status" | "name" => {}
            "tool_calls" => {
                let calls = value.items().enumerate();
                leaves.extend(calls.map(|(index, call)| {
                    block(call, format!("{path}[{index}]"), PartKind::ToolUse, 0)
                }));
            }
            "reasoning" | "reasoning_content" | "reasoning_details" => {
                leaves.push(named(&key, value, PartKind::Thinking, path));
            }
            _ if is_content(value) => leaves.push(named(&key, value, PartKind::Other, path)),
            _ => {}
        }
    }
    leaves
}

/// Returns a block's part: a string, or an object with known and unknown
/// members.
///
/// `default` is the kind of a block without a type, `depth` how many blocks are
/// around it. A value that is neither a string nor an object has no children.
fn block(value: Value<'_>, path: String, default: PartKind, depth: usize) -> Leaf {
    let mut leaf = Leaf::new(default, value.range(), path);
    if let Some(inner) = inner_range(value) {
        leaf.children.extend(text(inner, default, leaf.path.clone()));
        return leaf;
    }
    if value.kind() != Kind::Object || depth > MAX_DEPTH {
        return leaf;
    }
    leaf.kind = kind_of(value, default);
    leaf.add_members(value, depth);
    leaf
}

/// Returns the inside of a string; `None` if it is empty. Text in a tool result
/// or a message is plain text.
fn text(inner: Range<usize>, kind: PartKind, path: String) -> Option<Leaf> {
    let kind = match kind {
        PartKind::ToolResult | PartKind::Message => PartKind::Text,
        kind => kind,
    };
    (!inner.is_empty()).then(|| Leaf { is_text: true, ..Leaf::new(kind, inner, path) })
}

/// Returns a member as one part: the inside of a string, or the value.
///
/// If models read strings of this kind, the string is split further, into
/// reminders and files.
fn whole(value: Value<'_>, kind: PartKind, path: String) -> Leaf {
    let inner = inner_range(value);
    Leaf {
        is_text: inner.is_some() && !kind.is_unread(),
        ..Leaf::new(kind, inner.unwrap_or_else(|| value.range()), path)
    }
}

/// Returns a member as one part, named by its key.
fn named(key: &str, value: Value<'_>, kind: PartKind, path: String) -> Leaf {
    Leaf { name: key.to_owned(), ..whole(value, kind, path) }
}

/// Returns the kind that a block's `type` names, or that its members imply.
///
/// ```text
/// "type"                                   kind
/// text, input_text, output_text            text
/// document, input_file, file               document
/// image, thinking, call and result types   as the cache has them ([`BlockKind::of`])
/// none, with functionCall (Gemini)         tool use
/// none                                     the default
/// any other                                other
/// ```
fn kind_of(value: Value<'_>, default: PartKind) -> PartKind {
    if default == PartKind::Tool {
        return default;
    }
    let has = |key: &str| value.get(key).is_some();
    match &*value.tag() {
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => PartKind::Text,
        "document" | "input_file" | "file" => PartKind::Document,
        "function" if default == PartKind::ToolUse => PartKind::ToolUse,
        "" | "message" if has("thought") => PartKind::Thinking,
        "" if has("functionCall") => PartKind::ToolUse,
        "" if has("functionResponse") => PartKind::ToolResult,
        "" if has("inlineData") || has("inline_data") || has("fileData") => PartKind::Image,
        "" => default,
        name => match BlockKind::of(name) {
            BlockKind::Image => PartKind::Image,
            BlockKind::Thinking => PartKind::Thinking,
            kind if kind.is_call() => PartKind::ToolUse,
            BlockKind::ToolResult | BlockKind::ServerToolResult => PartKind::ToolResult,
            _ => PartKind::Other,
        },
    }
}

impl Leaf {
    /// Without a name and without parts of its own.
    pub(crate) fn new(kind: PartKind, range: Range<usize>, path: String) -> Self {
        Self { kind, path, range, ..Self::default() }
    }

    /// Adds parts for all members, in body order.
    fn add_members(&mut self, object: Value<'_>, depth: usize) {
        for (key, value) in object.members() {
            self.add_member(&key, value, depth);
        }
    }

    /// Adds a member's part. Keys from all wires are known; a member that means
    /// nothing special becomes `Other`.
    fn add_member(&mut self, key: &str, value: Value<'_>, depth: usize) {
        let path = format!("{}.{key}", self.path);
        let is_string = value.kind() == Kind::String;
        let text = || value.text().unwrap_or_default().into_owned();
        let kind = match (key, self.kind) {
            ("cache_control" | "prompt_cache_breakpoint", _) => {
                let mut marker = Leaf::new(PartKind::Marker, value.member_range(), path);
                key.clone_into(&mut marker.name);
                self.children.push(marker);
                return;
            }
            ("name", PartKind::Tool | PartKind::ToolUse | PartKind::ToolResult)
            | ("tool_name", _)
                if is_string =>
            {
                self.name = text();
                return;
            }
            ("name", _) | ("title", PartKind::Document) if is_string => {
                self.detail = Some(text());
                return;
            }
            ("type", PartKind::Tool | PartKind::ToolUse | PartKind::Other)
                if is_string && self.name.is_empty() =>
            {
                // A name that follows replaces it; toolsets and `shell_call` have none.
                let name = text();
                if !matches!(name.as_str(), "function" | "custom" | "tool_use" | "function_call") {
                    self.name = name;
                }
                return;
            }
            ("id" | "tool_use_id" | "call_id", PartKind::ToolUse | PartKind::ToolResult) => {
                // A call's id comes before its item's.
                if self.call_id.is_none() || key != "id" {
                    self.call_id = value.text().map(Cow::into_owned);
                }
                return;
            }
            ("type" | "id" | "tool_use_id" | "call_id" | "role" | "status", _) => return,
            // The function in a tool or a call, and Gemini's calls.
            ("function" | "functionCall" | "functionResponse", _)
                if value.kind() == Kind::Object =>
            {
                let path = std::mem::replace(&mut self.path, path);
                self.add_members(value, depth);
                self.path = path;
                return;
            }
            ("functionDeclarations" | "function_declarations" | "tools", PartKind::Tool) => {
                // Gemini's functions, and the tools in a namespace.
                if self.name.is_empty() {
                    self.name = "functions".to_owned();
                }
                return self.add_elements(value, &path, PartKind::Tool, depth);
            }
            ("description", PartKind::Tool) => PartKind::Description,
            ("input_schema" | "parameters" | "parametersJsonSchema", PartKind::Tool) => {
                PartKind::Schema
            }
            ("signature" | "encrypted_content" | "thoughtSignature", _) => PartKind::Signature,
            ("data", PartKind::Thinking) => PartKind::Signature,
            ("thinking" | "reasoning_content", _) => PartKind::Thinking,
            ("text", PartKind::Thinking) => PartKind::Thinking,
            ("input" | "arguments" | "args", PartKind::ToolUse) => PartKind::Input,
            ("content" | "output" | "response" | "summary" | "parts", _)
                if value.kind() == Kind::Array =>
            {
                let kind = match self.kind {
                    PartKind::Thinking => PartKind::Thinking,
                    _ => PartKind::Text,
                };
                return self.add_elements(value, &path, kind, depth);
            }
            // A screenshot (Responses).
            ("output", PartKind::ToolResult) if value.kind() == Kind::Object => {
                self.children.push(block(value, path, PartKind::Text, depth + 1));
                return;
            }
            (
                "source" | "image_url" | "file_data" | "inlineData" | "inline_data" | "fileData",
                PartKind::Image | PartKind::Document,
            ) => PartKind::Data,
            ("text" | "content" | "output" | "response", _) => PartKind::Text,
            _ if is_content(value) => PartKind::Other,
            _ => return,
        };
        let leaf = match kind {
            PartKind::Other => named(key, value, kind, path),
            _ => whole(value, kind, path),
        };
        if !leaf.range.is_empty() {
            self.children.push(leaf);
        }
    }

    /// Adds a list's blocks; `kind` is for elements without a type.
    fn add_elements(&mut self, list: Value<'_>, path: &str, kind: PartKind, depth: usize) {
        for (index, element) in list.items().enumerate() {
            let path = format!("{path}[{index}]");
            self.children.push(block(element, path, kind, depth + 1));
        }
    }
}

/// Returns true if an unknown key's value deserves its own part: a string of
/// more than 62 bytes, or a list or an object that is not empty.
fn is_content(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.raw().len() > 64,
        Kind::Object | Kind::Array => value.raw().len() > 2,
        Kind::Number | Kind::Bool | Kind::Null => false,
    }
}

/// Returns where a string is, without its quotes.
pub(crate) fn inner_range(value: Value<'_>) -> Option<Range<usize>> {
    let range = value.range();
    (value.kind() == Kind::String).then(|| range.start + 1..range.end - 1)
}
