use std::ops::Range;
use std::sync::Arc;

use super::block::{ContentBlock, ResultContent, Text, ToolResult};
use super::message::Message;
use crate::neutralize::{REMINDER_TAG, neutralize};

/// Where [`append_reminder`] put a reminder: the first block of the message
/// that will not be there again when the reminder is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The index of the block in the message.
    pub block: usize,
    /// Where the block is a tool result: the index in its content.
    pub content: Option<usize>,
    /// The bytes of the text that are the reminder, its leading newline
    /// included.
    pub text: Range<usize>,
}

/// A reminder as the model reads it. Reminder tags in the body are written as
/// text, so that no body can end its reminder or begin another.
#[must_use]
pub fn reminder_text(body: &str) -> String {
    let body = neutralize(body, &[REMINDER_TAG]);
    format!("<{REMINDER_TAG}>\n{body}\n</{REMINDER_TAG}>")
}

/// Appends a reminder to the message: to its last text, else one level down
/// in the last tool result that holds no `tool_reference`, else as a block of
/// its own.
pub fn append_reminder(message: &mut Message, body: &str) -> Placement {
    append_text_where(message, reminder_text(body), |_, _| true)
}

/// Appends several, in the order given; all of them join one text. The work
/// depends on their length and on that of the text, but on no product of the
/// two.
pub fn append_reminders(message: &mut Message, bodies: &[&str]) -> Vec<Placement> {
    append_reminders_where(message, bodies, |_, _| true)
}

/// The same, for callers who know of text blocks that are not the last word of
/// anybody: only what `may_grow` accepts is appended to, by the index of the
/// block and, inside a tool result, of the block in its content.
pub(crate) fn append_reminders_where(
    message: &mut Message,
    bodies: &[&str],
    may_grow: impl Fn(usize, Option<usize>) -> bool,
) -> Vec<Placement> {
    if bodies.is_empty() {
        return Vec::new();
    }
    let reminders: Vec<String> = bodies.iter().map(|body| reminder_text(body)).collect();
    let whole = append_text_where(message, reminders.join("\n"), may_grow);
    // Each but perhaps the first has a newline before it.
    let mut end = whole.text.end;
    let mut placements: Vec<Placement> = reminders
        .iter()
        .rev()
        .map(|reminder| {
            let start = (end - reminder.len()).saturating_sub(1);
            let text = start.max(whole.text.start)..end;
            end = start;
            Placement {
                text,
                ..whole.clone()
            }
        })
        .collect();
    placements.reverse();
    placements
}

fn append_text_where(
    message: &mut Message,
    reminder: String,
    may_grow: impl Fn(usize, Option<usize>) -> bool,
) -> Placement {
    for (index, block) in message.content.iter_mut().enumerate().rev() {
        if let ContentBlock::Text(Text { text, .. }) = block
            && may_grow(index, None)
        {
            let text = append(text, &reminder);
            return Placement {
                block: index,
                content: None,
                text,
            };
        }
    }
    for (index, block) in message.content.iter_mut().enumerate().rev() {
        if let ContentBlock::ToolResult(result) = block
            && !result.holds_tool_reference()
        {
            let (content, text) = append_to_result(&mut result.content, &reminder, |inner| {
                may_grow(index, Some(inner))
            });
            return Placement {
                block: index,
                content: Some(content),
                text,
            };
        }
    }
    let text = 0..reminder.len();
    message.content.push(ContentBlock::text(reminder));
    Placement {
        block: message.content.len() - 1,
        content: None,
        text,
    }
}

fn append_to_result(
    content: &mut ResultContent,
    reminder: &str,
    may_grow: impl Fn(usize) -> bool,
) -> (usize, Range<usize>) {
    let blocks = match content {
        ResultContent::Text(text) => return (0, append(text, reminder)),
        ResultContent::Blocks(blocks) => blocks,
    };
    for (index, block) in blocks.iter_mut().enumerate().rev() {
        if let ContentBlock::Text(Text { text, .. }) = block
            && may_grow(index)
        {
            return (index, append(text, reminder));
        }
    }
    blocks.push(ContentBlock::text(reminder));
    (blocks.len() - 1, 0..reminder.len())
}

fn append(text: &mut Arc<str>, reminder: &str) -> Range<usize> {
    let start = text.len();
    *text = format!("{text}\n{reminder}").into();
    start..text.len()
}

impl ToolResult {
    /// Whether a `tool_reference` is among its content: the API takes no other
    /// block beside one.
    #[must_use]
    pub fn holds_tool_reference(&self) -> bool {
        let is_reference = |block: &ContentBlock| matches!(block, ContentBlock::Other(other) if other.kind() == "tool_reference");
        matches!(&self.content, ResultContent::Blocks(blocks) if blocks.iter().any(is_reference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends `R` to a message with this content and compares the content.
    fn check(content: &str, expected: &str, block: usize, inner: Option<usize>) {
        let json = format!(r#"{{"role":"user","content":{content}}}"#);
        let mut message = Message::parse(json.as_bytes()).unwrap().value;
        let placement = append_reminder(&mut message, "R");
        assert_eq!(serde_json::to_string(&message.content).unwrap(), expected);
        assert_eq!((placement.block, placement.content), (block, inner));
    }

    #[test]
    fn goes_to_the_last_text() {
        check(
            r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
            r#"[{"type":"text","text":"a"},{"type":"text","text":"b\n<system-reminder>\nR\n</system-reminder>"}]"#,
            1,
            None,
        );
    }

    #[test]
    fn goes_one_level_down_where_there_is_no_text() {
        check(
            r#"[{"type":"tool_result","tool_use_id":"1","content":"out"}]"#,
            r#"[{"type":"tool_result","tool_use_id":"1","content":"out\n<system-reminder>\nR\n</system-reminder>"}]"#,
            0,
            Some(0),
        );
        check(
            r#"[{"type":"tool_result","tool_use_id":"1"}]"#,
            r#"[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"<system-reminder>\nR\n</system-reminder>"}]}]"#,
            0,
            Some(0),
        );
    }

    #[test]
    fn leaves_a_result_with_a_tool_reference_alone() {
        let reference = r#"{"type":"tool_result","tool_use_id":"2","content":[{"type":"tool_reference","tool_name":"t"}]}"#;
        check(
            &format!(r#"[{reference}]"#),
            &format!(
                r#"[{reference},{{"type":"text","text":"<system-reminder>\nR\n</system-reminder>"}}]"#
            ),
            1,
            None,
        );
        check(
            &format!(r#"[{{"type":"tool_result","tool_use_id":"1"}},{reference}]"#),
            &format!(
                r#"[{{"type":"tool_result","tool_use_id":"1","content":[{{"type":"text","text":"<system-reminder>\nR\n</system-reminder>"}}]}},{reference}]"#
            ),
            0,
            Some(0),
        );
    }

    #[test]
    fn several_are_as_one_after_the_other() {
        let text = ContentBlock::text("a");
        let result = ContentBlock::ToolResult(ToolResult::new("1", Vec::new()));
        for content in [
            vec![text.clone()],
            vec![result.clone()],
            vec![],
            vec![text, result],
        ] {
            let message = Message::new(crate::wire::Role::User, content);
            let (mut together, mut singly) = (message.clone(), message);
            let bodies = ["x", "", "a longer one"];
            let placements = append_reminders(&mut together, &bodies);
            let expected = bodies.map(|body| append_reminder(&mut singly, body));
            assert_eq!(together, singly);
            assert_eq!(placements, expected);
        }
        let mut message = Message::new(crate::wire::Role::User, Vec::new());
        assert_eq!(append_reminders(&mut message, &[]), []);
        assert_eq!(message.content, []);
    }

    #[test]
    fn a_body_cannot_end_its_reminder() {
        assert_eq!(
            reminder_text("x</system-reminder>"),
            "<system-reminder>\nx&lt;/system-reminder>\n</system-reminder>"
        );
    }
}
