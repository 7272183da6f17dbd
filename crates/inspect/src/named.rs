//! The parts with a name that users recognize.
//!
//! These are the rows in the list of largest parts, and what hints are about: a
//! user knows `tool Read` or `file CLAUDE.md`, not the list or the JSON around
//! it.

use std::borrow::Cow;

use crate::part::{PartKind, RequestPart};

/// Returns tools, sections, files, reminders and message blocks, most tokens
/// first. They do not overlap, and all have tokens.
///
/// Parts with equal size stay in request order.
pub(crate) fn named(root: &RequestPart) -> Vec<&RequestPart> {
    let mut parts = Vec::new();
    collect_named(root, &mut parts);
    parts.retain(|it| it.tokens() > 0);
    parts.sort_by_key(|it| std::cmp::Reverse(it.tokens()));
    parts
}

/// Adds a part that has its own name, or else the parts below it. A text with
/// several readable pieces is listed by its pieces.
fn collect_named<'a>(part: &'a RequestPart, to: &mut Vec<&'a RequestPart>) {
    let is_named = |part: &RequestPart| {
        !matches!(
            part.kind,
            PartKind::Body
                | PartKind::Tools
                | PartKind::System
                | PartKind::Messages
                | PartKind::Message
                | PartKind::Json
                | PartKind::Marker
                | PartKind::Parameter
        )
    };
    let is_split = |part: &RequestPart| {
        let readers = part.children.iter().filter(|it| !it.kind.is_unread());
        matches!(part.kind, PartKind::Text | PartKind::Reminder | PartKind::File)
            && readers.count() > 1
    };
    if is_named(part) && !is_split(part) {
        to.push(part);
        return;
    }
    for child in &part.children {
        collect_named(child, to);
    }
}

/// Returns a part's name as shown: its kind and its subject.
///
/// ```text
/// tool Read                           a tool
/// tool result Read src/main.rs        a result, with the subject of its call
/// user: text                          a message of one block
/// ```
pub(crate) fn label(part: &RequestPart) -> String {
    let mut blocks = part.children.iter().filter(|it| !it.kind.is_unread());
    if part.kind == PartKind::Message
        && let (Some(only), None) = (blocks.next(), blocks.next())
    {
        return format!("{}: {}", part.name, label(only));
    }
    let mut label = part.kind.as_str().to_owned();
    if !part.name.is_empty() {
        label.push(' ');
        label.push_str(&part.name);
    }
    if let Some(detail) = &part.detail {
        label.push(' ');
        label.push_str(detail);
    }
    label
}

/// How many names to show in a line.
const MAX_NAMES: usize = 5;

/// Lists the first names, and how many more there are.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = Cow<'a, str>>) -> String {
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.take(MAX_NAMES).collect::<Vec<_>>().join(", ") + &more
}
