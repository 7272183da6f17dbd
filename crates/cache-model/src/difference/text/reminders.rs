//! Notices from agents to the model, which come and go in a conversation.

/// The tags that agents put around notices for the model.
const REMINDER_TAGS: [&str; 7] = [
    "system-reminder",
    "system_reminder",
    "reminder",
    "environment_context",
    "environment_details",
    "session_context",
    "user_instructions",
];

/// Splits a text at its reminders: the text before each, and the reminder.
///
/// Without its closing tag it is no reminder.
pub(super) fn split_reminders(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (start, end) = next_reminder(rest)?;
        let found = (&rest[..start], &rest[start..end]);
        rest = &rest[end..];
        Some(found)
    })
}

/// Returns where a text's first reminder starts and ends.
fn next_reminder(text: &str) -> Option<(usize, usize)> {
    let opened = text.match_indices('<').find_map(|(start, _)| {
        let inside = &text[start + 1..];
        let opens = |tag: &&&str| inside.strip_prefix(**tag).is_some_and(|it| it.starts_with('>'));
        Some((start, REMINDER_TAGS.iter().find(opens)?))
    });
    let (start, tag) = opened?;
    let close = format!("</{tag}>");
    let length = text[start..].find(&close)? + close.len();
    Some((start, start + length))
}

/// Returns the text without its reminders; `None` if it has none. White space
/// around a reminder is removed too.
pub(in super::super) fn without_reminders(text: &str) -> Option<String> {
    let mut rest = text;
    let mut out = String::new();
    next_reminder(text)?;
    while let Some((start, end)) = next_reminder(rest) {
        out.push_str(rest[..start].trim_end());
        rest = rest[end..].trim_start();
    }
    out.push_str(rest);
    Some(out)
}
