//! Finding the front matter in a text.

use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use serde::de::IgnoredAny;

/// The front matter block at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// The text begins with something else.
    Absent,
    /// The opening line has no closing one.
    Unclosed,
    /// The index of the closing line; the opening line is 0.
    ClosedAt(usize),
}

/// An engine that ignores the data: `gray_matter` passes a trimmed text and
/// turns the result into a hash map.
struct NoData;

impl Engine for NoData {
    fn parse(_: &str) -> gray_matter::Result<Pod> {
        Ok(Pod::Null)
    }
}

/// Finds the block in `head`, whose first line is not blank.
///
/// `gray_matter` decides whether there is a block, but returns only the text
/// after it, as lines without leading blank ones. From these this derives the
/// closing line: the last non-empty line before them.
pub(crate) fn find(head: &str) -> Block {
    let Ok(entity) = Matter::<NoData>::new().parse::<IgnoredAny>(head) else {
        return Block::Absent;
    };
    let lines: Vec<&str> = head.lines().collect();
    let after = match entity.content.as_str() {
        "" => 0,
        content => 1 + content.matches('\n').count(),
    };
    let before = &lines[..lines.len() - after];
    match before.iter().rposition(|line| !line.is_empty()) {
        None => Block::Absent,
        Some(0) => Block::Unclosed,
        Some(closing) => Block::ClosedAt(closing),
    }
}
