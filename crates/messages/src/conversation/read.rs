//! Reading an entry from its JSON. The keys depend on `kind`; the table is in
//! the README.
//!
//! ```json
//! {"kind":"message","role":"user","parts":[{"type":"text","text":"Hi"}]}
//! {"kind":"message","role":"user","visibility":"meta","parts":[{"reminder":"Be brief."}],
//!  "origin":{"type":"hook","name":"style"}}
//! {"kind":"message","role":"system","clear_at":"next_user_message","parts":[]}
//! {"kind":"tool_change","changes":[{"added":"Grep"},{"removed":"Bash"}]}
//! {"kind":"compact","summary":"The user wants …"}
//! {"kind":"snip","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"]}
//! ```
//!
//! An unknown kind, origin or key is kept in `Unknown`, so that an older
//! program writes it back. In a closed set (visibility, layer, form of
//! delivery), an unknown word is an error.

use aside_json::{Kind, Path, Value};
use uuid::Uuid;

use super::delivery::Delivery;
use super::entry::{Boundary, Entry, EntryKind, Origin, Unknown, Visibility};
use super::entry_id::EntryId;
use super::part::{Part, ToolInput};
use super::prefix_change::{ChangeStart, PrefixChange, PrefixReset};
use crate::layer::Layer;
use crate::wire::{
    ClearAt, ContentBlock, Extra, ObjectReader, Other, Read, ReadError, Reader, Role, ToolChange,
    parsed, scalar,
};

/// An entry as a line has it; one written by hand may have no id yet.
///
/// Without an id, the entry has the nil UUID until `Entry::parse_line` gives it
/// the one for its position.
pub(super) struct Line {
    pub(super) id: Option<EntryId>,
    pub(super) entry: Entry,
}

impl Read for Line {
    const EXPECTED: &'static str = "an entry";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        let id = object.defaulted("id", reader)?;
        let kind = read_kind(&mut object, at, reader)?;
        let visibility = object.defaulted("visibility", reader)?;
        let origin: Option<OriginLine> = object.defaulted("origin", reader)?;
        let OriginLine { origin, unknown } = origin.unwrap_or_default();
        let lines: Vec<PartLine> = object.sparse("parts", reader)?;
        // As a message of the Messages API has it: nothing of it would be sent.
        if lines.is_empty()
            && matches!(kind, EntryKind::Message { .. })
            && let Some(content) = value.get("content")
        {
            let at = Path::Key(&at, "content");
            return Err(ReadError::expected("the blocks in `parts`", content, at));
        }
        let mut parts = Vec::with_capacity(lines.len());
        let mut reminders = Vec::new();
        for (index, PartLine { part, unknown }) in lines.into_iter().enumerate() {
            parts.push(part);
            if !unknown.0.is_empty() {
                reminders.push((index, unknown));
            }
        }
        Ok(Self {
            id,
            entry: Entry {
                id: id.unwrap_or(EntryId(Uuid::nil())),
                kind,
                visibility: visibility.unwrap_or(Visibility::Shown),
                origin,
                parts,
                display: object.optional("display", reader)?,
                unknown: Unknown { origin: unknown, reminders, entry: object.rest() },
            },
        })
    }
}

/// Takes the kind's keys. `compact` has either the provider's own `block` or a
/// `summary`; the block wins.
fn read_kind(
    object: &mut ObjectReader<'_>,
    at: Path<'_>,
    reader: &mut Reader,
) -> Result<EntryKind, ReadError> {
    let kind: String = object.required("kind", reader)?;
    Ok(match kind.as_str() {
        "message" => read_message(object, at, reader)?,
        "tool_change" => {
            let changes: Vec<ToolChangeLine> = object.required("changes", reader)?;
            EntryKind::ToolChange { changes: changes.into_iter().map(|line| line.0).collect() }
        }
        "delivery" => EntryKind::Delivery(Box::new(object.required("delivery", reader)?)),
        "prefix_change" => EntryKind::PrefixChange(read_change(object, reader)?),
        "clear" => EntryKind::Boundary(Boundary::Clear),
        "compact" => EntryKind::Boundary(match object.optional("block", reader)? {
            Some(block) => Boundary::CompactBlock { block: Other::new(block)? },
            None => Boundary::Compact { summary: object.required("summary", reader)? },
        }),
        "snip" => EntryKind::Snip { ids: object.required("ids", reader)? },
        "aborted" => EntryKind::Aborted,
        _ => {
            reader.unknown(Path::Key(&at, "kind"));
            EntryKind::Other { kind }
        }
    })
}

/// A system message with `"clear_at":"next_user_message"` is turn-scoped. With
/// any other value the key is left out, and in another role it is kept as an
/// unknown one.
fn read_message(
    object: &mut ObjectReader<'_>,
    at: Path<'_>,
    reader: &mut Reader,
) -> Result<EntryKind, ReadError> {
    let role = object.required("role", reader)?;
    if role != Role::System {
        return Ok(EntryKind::Message { role });
    }
    Ok(match object.optional("clear_at", reader)? {
        Some(ClearAt::NextUserMessage) => EntryKind::TurnScoped,
        Some(_) => {
            reader.unknown(Path::Key(&at, "clear_at"));
            EntryKind::Message { role }
        }
        None => EntryKind::Message { role },
    })
}

/// ```json
/// {"kind":"prefix_change","reason":"snip","from":"start","lost_thinking":3}
/// ```
///
/// An unknown reason is [`PrefixReset::Unknown`]. `replaced_media` is absent if
/// no media are replaced.
fn read_change(
    object: &mut ObjectReader<'_>,
    reader: &mut Reader,
) -> Result<PrefixChange, ReadError> {
    let reason: String = object.required("reason", reader)?;
    Ok(PrefixChange {
        reason: PrefixReset::from_name(&reason),
        from: object.required("from", reader)?,
        replaced_media: object.optional("replaced_media", reader)?,
        lost_thinking: object.defaulted("lost_thinking", reader)?.unwrap_or(0),
    })
}

impl Read for ChangeStart {
    const EXPECTED: &'static str = "\"start\" or a UUID";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        if value.raw() == "\"start\"" {
            return Ok(Self::Start);
        }
        EntryId::read(value, at, reader)
            .map(Self::Entry)
            .map_err(|_| ReadError::expected(Self::EXPECTED, value, at))
    }
}

scalar!(Delivery: "the form of delivery", EntryId: "a UUID");

/// `{"added":"Grep"}` or `{"removed":"Grep"}`; with both, the first one counts.
struct ToolChangeLine(ToolChange);

impl Read for ToolChangeLine {
    const EXPECTED: &'static str = "a tool that was added or removed";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        if let Some(name) = object.optional("added", reader)? {
            return Ok(Self(ToolChange::Added(name)));
        }
        object.required("removed", reader).map(|name| Self(ToolChange::Removed(name)))
    }
}

impl Read for Visibility {
    const EXPECTED: &'static str = "\"shown\", \"meta\" or \"display_only\"";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let word = String::read(value, at, reader)?;
        word.parse().map_err(|_| ReadError::expected(Self::EXPECTED, value, at))
    }
}

impl Read for Layer {
    const EXPECTED: &'static str =
        "\"static\", \"project\", \"user\", \"session\" or \"conversation\"";

    fn read(value: Value<'_>, at: Path<'_>, _: &mut Reader) -> Result<Self, ReadError> {
        // To serde, an object with the word as its key is the word too.
        let layer = serde_json::from_str(value.raw()).ok();
        layer
            .filter(|_| value.kind() == Kind::String)
            .ok_or_else(|| ReadError::expected(Self::EXPECTED, value, at))
    }
}

/// By default the user.
///
/// An origin of unknown type is kept as a whole, so it has no unknown keys of
/// its own.
struct OriginLine {
    origin: Origin,
    unknown: Extra,
}

impl Default for OriginLine {
    fn default() -> Self {
        Self { origin: Origin::Human, unknown: Extra::default() }
    }
}

impl Read for OriginLine {
    const EXPECTED: &'static str = "an origin";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        let kind = object.kind(reader)?;
        let origin = match kind.as_str() {
            "human" => Origin::Human,
            "task_notification" => Origin::TaskNotification,
            "coordinator" => Origin::Coordinator,
            "channel" => Origin::Channel { server: object.required("server", reader)? },
            "hook" => Origin::Hook { name: object.required("name", reader)? },
            "attachment" => Origin::Attachment {
                kind: object.required("kind", reader)?,
                detail: object.optional("detail", reader)?,
            },
            "reminder" => Origin::Reminder { id: object.required("id", reader)? },
            "context" => Origin::Context { layer: object.required("layer", reader)? },
            "model" => Origin::Model {
                provider: object.required("provider", reader)?,
                name: object.required("name", reader)?,
            },
            _ => {
                return Ok(Self {
                    origin: Origin::Other(Read::read(value, at, reader)?),
                    unknown: Extra::default(),
                });
            }
        };
        Ok(Self { origin, unknown: object.rest() })
    }
}

/// A part, and the unknown keys if it is a reminder. A block keeps its own.
struct PartLine {
    part: Part,
    unknown: Extra,
}

impl Read for PartLine {
    const EXPECTED: &'static str = "a part: a content block, a reminder, or a string with a block";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        if value.kind() == Kind::String {
            let json = String::read(value, at, reader)?;
            return block(parsed(json.as_bytes(), at)?.root(), at, reader);
        }
        if value.kind() != Kind::Object {
            return Err(ReadError::expected(Self::EXPECTED, value, at));
        }
        let mut object = ObjectReader::new(value, at)?;
        let Some(body) = object.optional("reminder", reader)? else {
            return block(value, at, reader);
        };
        Ok(Self { part: Part::Reminder { body }, unknown: object.rest() })
    }
}

/// A tool call's input that is not a JSON object is a string that contains it:
///
/// ```json
/// {"type":"tool_use","id":"1","name":"Read","input":"{\"path\":\"a.r"}
/// ```
fn block(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<PartLine, ReadError> {
    let mut part = Part::from(ContentBlock::read(value, at, reader)?);
    if let Part::ToolUse(call) = &mut part
        && call.input.0.starts_with('"')
    {
        let at = Path::Key(&at, "input");
        let literal = parsed(call.input.0.as_bytes(), at)?;
        let input = Read::read(literal.root(), at, reader)?;
        call.input = ToolInput(input);
    }
    Ok(PartLine { part, unknown: Extra::default() })
}
