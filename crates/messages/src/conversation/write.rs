//! Writing an entry as JSON, in the schema's order. Reading it back gives an
//! equal entry.

use std::collections::HashMap;

use memchr::memchr2;
use serde::{Serialize, Serializer};
use serde_json::value::to_raw_value;

use super::entry::{Boundary, Entry, EntryKind, Origin, Unknown};
use super::part::{Part, ToolCall};
use super::prefix_change::{ChangeStart, PrefixChange};
use crate::json;
use crate::layer::Layer;
use crate::wire::{
    ClearAt, ContentBlock, Extra, ObjectWriter, RawJson, Role, Text, ToolChange, ToolResult,
};

impl Entry {
    /// Returns the entry as one line of JSON, without a newline.
    ///
    /// ```json
    /// {"id":"…","kind":"clear","visibility":"shown","origin":{"type":"human"}}
    /// ```
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let line = json::to_vec(self).expect("an entry has string keys only");
        let line = String::from_utf8(line).expect("JSON is UTF-8");
        if line.contains(['\n', '\r']) {
            // Raw JSON created by hand: newlines occur only outside strings,
            // where white space has no meaning.
            return line.replace(['\n', '\r'], " ");
        }
        line
    }
}

/// Writes `id`, `kind` with the kind's keys, `visibility`, `origin`, `parts`,
/// `display`, and then the unknown keys. `visibility` and `origin` are always
/// written, `parts` and `display` if there are any.
impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = { self.unknown.entry.writer(serializer)? }.required("id", &self.id)?;
        let object = match &self.kind {
            EntryKind::Message { role } => {
                object.required("kind", "message")?.required("role", role)?
            }
            EntryKind::TurnScoped => object
                .required("kind", "message")?
                .required("role", &Role::System)?
                .required("clear_at", &ClearAt::NextUserMessage)?,
            EntryKind::ToolChange { changes } => {
                let changes: Vec<_> = changes.iter().map(ToolChangeJson).collect();
                object.required("kind", "tool_change")?.required("changes", &changes)?
            }
            EntryKind::Delivery(delivery) => {
                object.required("kind", "delivery")?.required("delivery", delivery)?
            }
            EntryKind::PrefixChange(change) => write_change(object, change)?,
            EntryKind::Boundary(Boundary::CompactBlock { block }) => {
                object.required("kind", "compact")?.required("block", block.raw())?
            }
            EntryKind::Boundary(Boundary::Clear) => object.required("kind", "clear")?,
            EntryKind::Boundary(Boundary::Compact { summary }) => {
                object.required("kind", "compact")?.required("summary", summary)?
            }
            EntryKind::Snip { ids } => object.required("kind", "snip")?.required("ids", ids)?,
            EntryKind::Aborted => object.required("kind", "aborted")?,
            EntryKind::Other { kind } => object.required("kind", kind)?,
        };
        let origin = OriginJson(&self.origin, &self.unknown);
        let nothing = Extra::default();
        let reminders: HashMap<usize, &Extra> =
            self.unknown.reminders.iter().map(|(at, it)| (*at, it)).collect();
        let unknown = |index| reminders.get(&index).copied().unwrap_or(&nothing);
        let parts: Vec<_> = self
            .parts
            .iter()
            .enumerate()
            .map(|(index, part)| PartJson(part, unknown(index)))
            .collect();
        object
            .required("visibility", self.visibility.as_str())?
            .required("origin", &origin)?
            .sparse_list("parts", &parts)?
            .optional("display", self.display.as_ref())?
            .extra()?
            .end()
    }
}

/// Writes a `prefix_change`'s keys in the order in which `read_change` takes
/// them.
fn write_change<'a, S: Serializer>(
    object: ObjectWriter<'a, S>,
    change: &PrefixChange,
) -> Result<ObjectWriter<'a, S>, S::Error> {
    let object =
        object.required("kind", "prefix_change")?.required("reason", change.reason.as_str())?;
    match &change.from {
        ChangeStart::Start => object.required("from", "start"),
        ChangeStart::Entry(id) => object.required("from", id),
    }?
    .optional("replaced_media", change.replaced_media.as_ref())?
    .required("lost_thinking", &change.lost_thinking)
}

/// `{"added":"Grep"}` or `{"removed":"Grep"}`.
struct ToolChangeJson<'a>(&'a ToolChange);

impl Serialize for ToolChangeJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = match self.0 {
            ToolChange::Added(_) => "added",
            ToolChange::Removed(_) => "removed",
        };
        ObjectWriter::new(serializer)?.required(key, self.0.tool())?.end()
    }
}

/// An origin that was unknown when it was read is written as it was.
struct OriginJson<'a>(&'a Origin, &'a Unknown);

impl Serialize for OriginJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(origin, unknown) = self;
        let of = |serializer, kind| {
            let writer = unknown.origin.writer(serializer)?;
            writer.required("type", kind)
        };
        let object = match origin {
            Origin::Human => of(serializer, "human")?,
            Origin::TaskNotification => of(serializer, "task_notification")?,
            Origin::Coordinator => of(serializer, "coordinator")?,
            Origin::Channel { server } => of(serializer, "channel")?.required("server", server)?,
            Origin::Hook { name } => of(serializer, "hook")?.required("name", name)?,
            Origin::Attachment { kind, detail } => of(serializer, "attachment")?
                .required("kind", kind)?
                .optional("detail", detail.as_ref())?,
            Origin::Reminder { id } => of(serializer, "reminder")?.required("id", id)?,
            Origin::Context { layer } => {
                of(serializer, "context")?.required::<Layer>("layer", layer)?
            }
            Origin::Model { provider, name } => {
                of(serializer, "model")?.required("provider", provider)?.required("name", name)?
            }
            Origin::Other(raw) => return raw.serialize(serializer),
        };
        object.extra()?.end()
    }
}

/// Writes a part in its block's form on the wire; a reminder has no `type`,
/// which every block has. A block that would not fit into a line, because its
/// raw JSON has newlines, is written as a string that contains the JSON.
///
/// ```json
/// {"type":"text","text":"Hi"}
/// {"reminder":"Be brief."}
/// "{\n  \"type\": \"custom_block\"\n}"
/// ```
struct PartJson<'a>(&'a Part, &'a Extra);

impl Serialize for PartJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Part::Text(text) if is_plain(text) => return text.serialize(serializer),
            Part::ToolResult(result) if has_plain_texts(result) => {
                return result.serialize(serializer);
            }
            _ => {}
        }
        let block = match self.0.clone().into_block(written_input) {
            Ok(block) => block,
            Err(body) => {
                let writer = self.1.writer(serializer)?;
                return writer.required("reminder", &body)?.extra()?.end();
            }
        };
        let json = to_raw_value(&block).map_err(serde::ser::Error::custom)?;
        match memchr2(b'\n', b'\r', json.get().as_bytes()) {
            Some(_) => serializer.serialize_str(json.get()),
            None => json.serialize(serializer),
        }
    }
}

/// Returns true if no part of the text is raw JSON, which alone may have line breaks.
fn is_plain(text: &Text) -> bool {
    text.citations.is_none() && text.cache_control.is_none() && text.extra.0.is_empty()
}

fn has_plain_texts(result: &ToolResult) -> bool {
    let is_plain = |it: &ContentBlock| matches!(it, ContentBlock::Text(text) if is_plain(text));
    let mut blocks = result.content.blocks().iter();
    blocks.all(is_plain) && result.cache_control.is_none() && result.extra.0.is_empty()
}

/// An input that is no object, is not on one line, or would be repaired when it
/// is read, is written as a string.
///
/// The string is the text as the model wrote it, so that reading gives the same
/// bytes.
fn written_input(call: &ToolCall) -> RawJson {
    let is_kept = |raw: &RawJson| {
        raw.get() == &*call.input.0 && !raw.get().contains(['\n', '\r']) && raw.repairs().is_none()
    };
    let object = call.input.object().ok().filter(is_kept);
    object.unwrap_or_else(|| RawJson::of(&call.input.0))
}

impl<S: Serializer> ObjectWriter<'_, S> {
    fn sparse_list<T: Serialize>(self, key: &'static str, list: &[T]) -> Result<Self, S::Error> {
        if list.is_empty() {
            return Ok(self);
        }
        self.required(key, list)
    }
}
