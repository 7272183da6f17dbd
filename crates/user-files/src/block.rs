use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use serde::de::IgnoredAny;

/// Whether a text starts with a front matter block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Absent,
    Unclosed,
    /// The index of the closing line, counted from the opening one (0).
    ClosedAt(usize),
}

/// Takes no data: what `gray_matter` gives an engine is trimmed, and what it
/// makes of the answer is a hash map.
struct NoData;

impl Engine for NoData {
    fn parse(_: &str) -> gray_matter::Result<Pod> {
        Ok(Pod::Null)
    }
}

/// Finds the block in `head`, whose first line is not blank.
///
/// `gray_matter` decides what a block is, but says only what it read behind
/// it, as lines with the blank ones in front removed. The closing line is
/// found from there: it is the last line before them that is not empty.
pub(crate) fn find(head: &str) -> Block {
    let Ok(entity) = Matter::<NoData>::new().parse::<IgnoredAny>(head) else {
        return Block::Absent;
    };
    let lines: Vec<&str> = head.lines().collect();
    let behind = match entity.content.as_str() {
        "" => 0,
        content => 1 + content.matches('\n').count(),
    };
    let before = &lines[..lines.len() - behind];
    match before.iter().rposition(|line| !line.is_empty()) {
        None => Block::Absent,
        Some(0) => Block::Unclosed,
        Some(closing) => Block::ClosedAt(closing),
    }
}
