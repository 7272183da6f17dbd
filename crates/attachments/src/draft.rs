//! The two forms that an attachment takes in the conversation.

use aside_messages::conversation::{EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use serde::Serialize;

use crate::announced::Announced;

/// One reminder that the user does not see.
pub(crate) fn reminder(kind: &str, body: impl Into<String>) -> EntryDraft {
    EntryDraft::reminder(origin(kind, None), body.into())
}

/// The same, with what it announces.
pub(crate) fn announcing(kind: &str, what: &Announced, body: impl Into<String>) -> EntryDraft {
    EntryDraft::reminder(origin(kind, Some(what)), body.into())
}

/// The call of a tool that never took place and its result, as two reminders;
/// `more` stands behind them. They are texts, so that they need no id and no
/// pairing.
pub(crate) fn simulated(
    kind: &str,
    tool: &str,
    input: &impl Serialize,
    result: &str,
    more: Vec<Part>,
) -> EntryDraft {
    let input = serde_json::to_string(input).expect("strings and numbers are valid JSON");
    let called = format!("Called the {tool} tool with the following input: {input}");
    let result = format!("Result of calling the {tool} tool:\n{result}");
    let mut parts = vec![reminder_part(called), reminder_part(result)];
    parts.extend(more);
    EntryDraft::message(Role::User, origin(kind, None), parts).with_visibility(Visibility::Meta)
}

pub(crate) fn reminder_part(body: String) -> Part {
    Part::Reminder { body: body.into() }
}

fn origin(kind: &str, what: Option<&Announced>) -> Origin {
    Origin::Attachment {
        kind: kind.to_owned(),
        detail: what.map(Announced::to_detail),
    }
}
