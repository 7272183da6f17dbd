//! Messages that the model removes.

use aside_messages::conversation::{Entry, EntryId, EntryKind, Origin, Part};
use aside_messages::one_line;
use aside_messages::wire::Role;

/// The attachments that [`Session::resolve_mentions`](crate::Session::resolve_mentions) appends to a
/// prompt.
const MENTIONED: [&str; 5] =
    ["file", "directory", "mcp_resource", "pdf_reference", "agent_mention"];

/// Returns the messages with these tags, the results of their calls, and what their mentions
/// attached. An error for the model names the first tag that cannot be removed: the user's last
/// message, and whatever follows it, stay.
///
/// Either all messages can be removed, or none is. Messages before the last
/// boundary have no ids any more.
///
/// # Errors
/// A tag is of no message, or of one that stays.
pub fn removable(entries: &[Entry], tags: &[String]) -> Result<Vec<EntryId>, String> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    let start = entries.iter().rposition(Entry::is_boundary).unwrap_or(0);
    let sent = &entries[start..];
    let last = sent.iter().rposition(|it| is_user(it) && it.has_tag());
    let older = sent[..last.unwrap_or(0)].iter().filter(|entry| entry.has_tag());
    let older: Vec<_> = older.map(|entry| (entry.id.tag(), entry.id)).collect();
    let find = |tag: &String| {
        let found = older.iter().find(|(known, _)| known == tag);
        found.map(|(_, id)| *id).ok_or_else(|| {
            let tag = one_line(tag);
            format!("No message that can be removed has the id {tag}. Nothing is removed.")
        })
    };
    let mut ids = tags.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let removed = sent.iter().filter(|entry| ids.contains(&entry.id));
    let calls: Vec<_> = removed.flat_map(|entry| calls_of(&entry.parts)).collect();
    let results = sent.iter().filter(|entry| has_results_of(entry, &calls));
    let results: Vec<_> = results.map(|entry| entry.id).collect();
    ids.extend(results);
    for pair in sent.windows(2) {
        if ids.contains(&pair[0].id) && is_mentioned(&pair[1]) {
            ids.push(pair[1].id);
        }
    }
    Ok(ids)
}

fn calls_of(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::ToolUse(call) => Some(&*call.id),
        _ => None,
    })
}

/// Returns true for results of these calls and nothing else.
fn has_results_of(entry: &Entry, calls: &[&str]) -> bool {
    let is_result = |part: &Part| match part {
        Part::ToolResult(result) => calls.contains(&&*result.tool_use_id),
        _ => false,
    };
    !entry.parts.is_empty() && entry.parts.iter().all(is_result)
}

/// Results count as the user's.
fn is_user(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message { role } if *role == Role::User)
}

fn is_mentioned(entry: &Entry) -> bool {
    matches!(&entry.origin, Origin::Attachment { kind, .. } if MENTIONED.contains(&&**kind))
}

#[cfg(test)]
mod tests {
    use aside_messages::conversation::{Conversation, EntryDraft};
    use aside_messages::wire::ToolResult;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn messages_before_the_last_of_the_user_can_be_removed() {
        let mut conversation = Conversation::new(Uuid::nil());
        let origin = Origin::Context { layer: aside_messages::Layer::Session };
        let context = conversation.push(EntryDraft::reminder(origin, "context")).id;
        let first = conversation.push(EntryDraft::human("first")).id;
        let answer = EntryDraft::message(
            Role::Assistant,
            Origin::Human,
            vec![Part::Text(aside_messages::wire::Text::new("second"))],
        );
        let second = conversation.push(answer).id;
        let last = conversation.push(EntryDraft::human("last")).id;
        let check = |ids: &[EntryId]| {
            let tags: Vec<String> = ids.iter().map(EntryId::tag).collect();
            removable(conversation.entries(), &tags)
        };
        assert_eq!(check(&[first, second]), Ok(vec![first, second]));
        for kept in [context, last] {
            let why = check(&[first, kept]).unwrap_err();
            assert!(why.contains(&kept.tag()), "{why}");
        }
        assert!(removable(conversation.entries(), &["a\nb".to_owned()]).is_err());
    }

    #[test]
    fn results_are_removed_with_their_calls() {
        let mut conversation = Conversation::new(Uuid::nil());
        conversation.push(EntryDraft::human("first"));
        let rounds = ["a", "b"].map(|call| {
            let calls = vec![Part::text("I look."), Part::tool_use(call, "Read", "{}")];
            let answer = EntryDraft::message(Role::Assistant, Origin::Human, calls);
            let result = vec![Part::ToolResult(ToolResult::new(call, Vec::new()))];
            let result = EntryDraft::message(Role::User, Origin::Human, result);
            [answer, result].map(|entry| conversation.push(entry).id)
        });
        conversation.push(EntryDraft::human("last"));
        let [answer, _] = rounds[1];
        assert_eq!(removable(conversation.entries(), &[answer.tag()]), Ok(rounds[1].to_vec()));
    }

    #[test]
    fn mentions_are_removed_with_their_prompt() {
        let mut conversation = Conversation::new(Uuid::nil());
        let mut attach = |kinds: &[&str]| {
            let prompt = conversation.push(EntryDraft::human("See these.")).id;
            let attachment = |kind: &&str| {
                let origin = Origin::Attachment { kind: (*kind).into(), detail: None };
                conversation.push(EntryDraft::reminder(origin, "Attached.")).id
            };
            let attached: Vec<_> = kinds.iter().map(attachment).collect();
            (prompt, attached)
        };
        let (first, mentioned) = attach(&["file", "directory"]);
        // A nested instruction file stays: it is not announced again.
        let (second, others) = attach(&["mcp_resource", "nested_memory", "file"]);
        let (last, _) = attach(&["file"]);
        let check = |ids: &[EntryId]| {
            let tags: Vec<String> = ids.iter().map(EntryId::tag).collect();
            removable(conversation.entries(), &tags)
        };
        assert_eq!(check(&[first]), Ok([&[first], &mentioned[..]].concat()));
        assert_eq!(check(&[second]), Ok(vec![second, others[0]]));
        assert!(check(&[last]).is_err());
    }
}
