//! A session's rounds: a tool call and its result.

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;

/// Appends a tool call and its result, about 2 KB.
pub(crate) fn push_round(conversation: &mut Conversation) {
    let index = conversation.entries().len();
    if index == 0 {
        conversation.push(EntryDraft::human("Please find the cause of the failure."));
    }
    let id = format!("toolu_{index}");
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    let answer = vec![
        Part::text(format!("Reading file {index}, which holds the next piece.")),
        Part::tool_use(id.as_str(), "Read", format!(r#"{{"file_path":"/src/{index}.rs"}}"#)),
    ];
    conversation.push(EntryDraft::message(Role::Assistant, model, answer));
    let file = format!("{index:>6}\tlet \"quoted\" = <Vec<u8>>::new();\n").repeat(50);
    let result = vec![Part::tool_result(id, file)];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
}
