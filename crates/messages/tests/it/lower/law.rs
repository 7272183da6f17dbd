//! The laws as functions that return the violation, so that a seeded fault can show that each
//! detects one.

use std::collections::HashSet;

use aside_messages::conversation::{
    Conversation, Entry, EntryId, EntryKind, Origin, Part, Visibility,
};
use aside_messages::encode::Body;
use aside_messages::wire::{ContentBlock, Request, ResultContent};
use aside_messages::{REMINDER_TAG, Source, neutralize};
use aside_rules::{ApiVersion, Context, Wire};

use crate::lower::generate::{as_result, is_reminder};

pub(crate) type Law = Result<(), String>;

fn require(holds: bool, what: impl FnOnce() -> String) -> Law {
    if holds { Ok(()) } else { Err(what()) }
}

pub(crate) fn reminders_are_not_next_to_a_result(request: &Request) -> Law {
    for message in &request.messages {
        let content = &message.content;
        let results: Vec<_> = content.iter().filter_map(as_result).collect();
        let Some(last) = results.last() else { continue };
        let first_other = content.iter().position(|block| as_result(block).is_none());
        require(first_other.is_none_or(|at| at == results.len()), || {
            "results come first".to_owned()
        })?;
        require(last.holds_tool_reference() || !content.iter().any(is_reminder), || {
            format!("a reminder beside a result: {content:?}")
        })?;
    }
    Ok(())
}

pub(crate) fn every_call_is_answered_once(request: &Request) -> Law {
    let mut seen = HashSet::new();
    let mut asked: Vec<&str> = Vec::new();
    for message in &request.messages {
        let results = message.content.iter().filter_map(as_result);
        let mut answered: Vec<&str> = results.map(|result| &*result.tool_use_id).collect();
        let calls = message.content.iter().filter_map(|block| match block {
            ContentBlock::ToolUse(call) => Some(&*call.id),
            _ => None,
        });
        asked.sort_unstable();
        answered.sort_unstable();
        require(asked == answered, || format!("{asked:?} got {answered:?}"))?;
        asked = calls.collect();
        for id in &asked {
            require(seen.insert(*id), || format!("{id} is used twice"))?;
        }
    }
    Ok(())
}

/// Returns the conversation's entries that are sent.
pub(crate) fn sent(conversation: &Conversation) -> Vec<&Entry> {
    let mut snipped: HashSet<EntryId> = HashSet::new();
    for entry in conversation.entries() {
        if let EntryKind::Snip { ids } = &entry.kind {
            snipped.extend(ids);
        }
    }
    let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
    let entries = conversation.entries();
    let start = entries.iter().rposition(is_boundary).unwrap_or(0);
    let entries = entries[start..].iter();
    let is_message = |entry: &&Entry| matches!(entry.kind, EntryKind::Message { .. });
    entries
        .filter(is_message)
        .filter(|it| it.visibility != Visibility::DisplayOnly && !snipped.contains(&it.id))
        .collect()
}

pub(crate) fn a_message_of_the_user_is_sent(conversation: &Conversation, request: &Request) -> Law {
    let blocks = || request.messages.iter().flat_map(|message| &message.content);
    let entries = sent(conversation).into_iter();
    let humans = entries.filter(|entry| entry.origin == Origin::Human);
    for part in humans.flat_map(|entry| &entry.parts) {
        let Part::Text(text) = part else { continue };
        let expected = neutralize(&text.text, &[REMINDER_TAG]);
        let is_it =
            |block: &ContentBlock| matches!(block, ContentBlock::Text(it) if *it.text == *expected);
        require(expected.trim().is_empty() || blocks().any(is_it), || {
            format!("{expected:?} is not sent")
        })?;
    }
    Ok(())
}

/// Counts reminder tags in the JSON: real reminders, and what the model wrote itself.
pub(crate) fn only_reminders_are_reminders(conversation: &Conversation, json: &str) -> Law {
    let entries = sent(conversation);
    let parts = || entries.iter().flat_map(|entry| &entry.parts);
    let is_reminder =
        |part: &&Part| matches!(part, Part::Reminder { body } if !body.trim().is_empty());
    let real = parts().filter(is_reminder).count();
    let models = entries.iter().filter(|it| matches!(it.origin, Origin::Model { .. }));
    let says_tag = |part: &&Part| matches!(part, Part::Text(text) if neutralize(&text.text, &[REMINDER_TAG]) != *text.text);
    let of_model = models.flat_map(|it| &it.parts).filter(says_tag).count();
    require(!json.contains("\\u003c"), || "an escape hides a tag".to_owned())?;
    // `&lt;` is three bytes longer than `<`; a reminder has two tags.
    let tags = (neutralize(json, &[REMINDER_TAG]).len() - json.len()) / 3;
    require(tags == 2 * real + of_model, || {
        format!("{tags} tags, {real} reminders, {of_model} of the model: {json}")
    })
}

pub(crate) fn continues(before: &[u8], now: &[u8]) -> Law {
    require(now.starts_with(before), || {
        format!(
            "{}\ndoes not begin with\n{}",
            String::from_utf8_lossy(now),
            String::from_utf8_lossy(before)
        )
    })
}

pub(crate) fn same_bytes(one: &[u8], other: &[u8]) -> Law {
    let text = String::from_utf8_lossy;
    require(one == other, || format!("{}\n{}", text(one), text(other)))
}

pub(crate) fn the_api_takes_it(request: &Request, media_limit: usize) -> Law {
    let context = Context { version: Some(ApiVersion::V2023_06_01), ..Context::default() };
    let body = serde_json::to_vec(request).unwrap();
    let checked = aside_rules::check(&body, Wire::Messages, &context);
    // Without a list of tools, lowering cannot know whether a referenced tool is offered; and it
    // keeps the keys of blocks that it does not know.
    let is_decided = |rule: &str| match rule {
        "result-reference" => !request.tools.is_empty(),
        "unknown-key" | "missing-key" => false,
        _ => true,
    };
    let refused: Vec<_> = checked.refused().filter(|it| is_decided(it.rule)).collect();
    require(refused.is_empty(), || format!("{refused:?}"))?;
    let media =
        request.messages.iter().flat_map(|message| &message.content).map(media_in).sum::<usize>();
    require(media <= media_limit, || format!("{media} images and documents"))
}

/// Lowered messages break no rule that a sender does not check.
pub(crate) fn guarantees_hold(request: &Request) -> Law {
    let body = serde_json::to_vec(request).unwrap();
    let checked = aside_rules::check(&body, Wire::Messages, &Context::default());
    let is_guaranteed = |id: &str| aside_rules::guaranteed().iter().any(|rule| rule.id == id);
    let broken: Vec<_> = checked.refused().filter(|it| is_guaranteed(it.rule)).collect();
    require(broken.is_empty(), || format!("{broken:?}"))
}

fn media_in(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Image(_) | ContentBlock::Document(_) => 1,
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Blocks(blocks) => blocks.iter().map(media_in).sum(),
            ResultContent::Text(_) => 0,
        },
        _ => 0,
    }
}

/// Every byte comes from one source; each part's bytes are adjacent, and each part that is sent has
/// some.
pub(crate) fn every_byte_has_one_source(conversation: &Conversation, body: &Body) -> Law {
    let json = body.to_vec();
    for entry in sent(conversation) {
        for (part, content) in entry.parts.iter().enumerate() {
            let own = Source::Entry { id: entry.id, part };
            let of_part: Vec<u8> = (0..json.len())
                .filter(|at| *body.source_at(*at) == own)
                .map(|at| json[at])
                .collect();
            let needle = match content {
                Part::Text(it) if !it.text.trim().is_empty() => "text",
                Part::Reminder { body } if !body.trim().is_empty() => "<system-reminder>",
                _ => continue,
            };
            let of_part = String::from_utf8_lossy(&of_part);
            require(of_part.contains(needle), || {
                format!("part {part} of {} has {of_part:?}", entry.id)
            })?;
        }
    }
    Ok(())
}
