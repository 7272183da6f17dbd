//! The forms that an attachment takes in a conversation.

use aside_messages::conversation::{EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use serde::Serialize;

use crate::announcement::Announcement;

pub(crate) fn reminder(kind: &str, body: impl Into<String>) -> EntryDraft {
    EntryDraft::reminder(origin(kind, None), body.into())
}

/// Returns an entry with one reminder that records what it announces.
pub(crate) fn announcing(
    kind: &str,
    announcement: &Announcement,
    body: impl Into<String>,
) -> EntryDraft {
    EntryDraft::reminder(origin(kind, Some(announcement)), body.into())
}

/// Returns an entry with two reminders, a tool call that never took place and
/// its result, followed by the parts `more`. Both are text rather than tool
/// blocks, and so need no id and no pairing.
pub(crate) fn simulated_call(
    kind: &str,
    tool: &str,
    input: &impl Serialize,
    result: &str,
    more: Vec<Part>,
) -> EntryDraft {
    let input = serde_json::to_string(input).expect("strings and numbers are valid JSON");
    let call = format!("Called the {tool} tool with the following input: {input}");
    let result = format!("Result of calling the {tool} tool:\n{result}");
    let mut parts = vec![reminder_part(call), reminder_part(result)];
    parts.extend(more);
    EntryDraft::message(Role::User, origin(kind, None), parts).with_visibility(Visibility::Meta)
}

pub(crate) fn reminder_part(body: String) -> Part {
    Part::Reminder { body: body.into() }
}

fn origin(kind: &str, announcement: Option<&Announcement>) -> Origin {
    Origin::Attachment { kind: kind.to_owned(), detail: announcement.map(Announcement::to_detail) }
}
