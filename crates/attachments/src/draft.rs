//! The forms that an attachment takes in a conversation.

use aside_messages::conversation::{EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use serde::Serialize;

use crate::announcement::Announcement;

/// What an attachment says: a reminder's text, with what it announces; the parts of a message that
/// the user does not see; or the entry itself, if its origin is not the attachment.
pub(crate) trait IntoEntry {
    fn into_entry(self, kind: &str) -> Option<EntryDraft>;
}

impl IntoEntry for String {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        vec![reminder_part(self)].into_entry(kind)
    }
}

impl IntoEntry for &str {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        self.to_owned().into_entry(kind)
    }
}

impl IntoEntry for (Announcement, String) {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        let origin = Origin::Attachment { kind: kind.to_owned(), detail: Some(self.0.to_detail()) };
        Some(EntryDraft::reminder(origin, self.1))
    }
}

impl IntoEntry for Vec<Part> {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        let origin = Origin::Attachment { kind: kind.to_owned(), detail: None };
        Some(EntryDraft::message(Role::User, origin, self).with_visibility(Visibility::Meta))
    }
}

impl IntoEntry for EntryDraft {
    fn into_entry(self, _: &str) -> Option<EntryDraft> {
        Some(self)
    }
}

impl<T: IntoEntry> IntoEntry for Option<T> {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        self?.into_entry(kind)
    }
}

/// Returns two reminders, a tool call that never took place and
/// its result, followed by the parts `more`. Both are text rather than tool
/// blocks, and so need no id and no pairing.
pub(crate) fn simulated_call(
    tool: &str,
    input: &impl Serialize,
    result: &str,
    more: Vec<Part>,
) -> Vec<Part> {
    let input = serde_json::to_string(input).expect("strings and numbers are valid JSON");
    let call = format!("Called the {tool} tool with the following input: {input}");
    let result = format!("Result of calling the {tool} tool:\n{result}");
    let mut parts = vec![reminder_part(call), reminder_part(result)];
    parts.extend(more);
    parts
}

pub(crate) fn reminder_part(body: String) -> Part {
    Part::Reminder { body: body.into() }
}
