//! Appending reminders to a message that is not encoded yet. The encoder
//! appends the same text to bytes.

mod target;

use std::ops::Range;

pub(crate) use target::{JoinedReminders, Target};

use aside_text::{REMINDER_TAG, neutralize};
use serde::Serialize;

use super::message::Message;

/// Where [`append_reminder`] put a reminder. The block there is the message's
/// first one that the next request will not have in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The block's index in the message.
    pub block: usize,
    /// The index in the content, if the block is a tool result.
    pub content: Option<usize>,
    /// Which bytes of the text are the reminder, its leading newline included.
    pub text: Range<usize>,
}

/// Returns a reminder as the model reads it. Reminder tags in the body are
/// neutralized, so no body can end its reminder or begin another one.
///
/// ```
/// use aside_messages::wire::reminder_text;
///
/// let text = reminder_text("Be brief.");
/// assert_eq!(text, "<system-reminder>\nBe brief.\n</system-reminder>");
/// ```
#[must_use]
pub fn reminder_text(body: &str) -> String {
    let body = neutralize(body, &[REMINDER_TAG]);
    format!("<{REMINDER_TAG}>\n{body}\n</{REMINDER_TAG}>")
}

/// Appends a reminder to the message's last text. If the message has no text,
/// appends it to the content of the last tool result without a
/// `tool_reference`, and if there is none either, as a new block.
///
/// ```
/// use aside_messages::wire::{ContentBlock, Message, Role, append_reminder};
///
/// let mut message = Message::new(Role::User, vec![ContentBlock::text("Hi")]);
/// let placement = append_reminder(&mut message, "Be brief.");
/// assert_eq!((placement.block, placement.text), (0, 2..49));
/// ```
pub fn append_reminder(message: &mut Message, body: &str) -> Placement {
    append_reminders(message, &[body]).pop().expect("every body has a placement")
}

/// Appends reminders to one text, as [`append_reminder`] does with each. The
/// work is proportional to the length of the reminders and of the text.
pub fn append_reminders(message: &mut Message, bodies: &[&str]) -> Vec<Placement> {
    if bodies.is_empty() {
        return Vec::new();
    }
    let target = Target::find(message.content.iter(), |_, _| true);
    let JoinedReminders { text, ranges } = target.join(bodies.iter());
    let (block, content, start) = target.append(&mut message.content, &text);
    let ranges = ranges.into_iter();
    let placement = |range: Range<usize>| Placement {
        block,
        content,
        text: start + range.start..start + range.end,
    };
    ranges.map(placement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ContentBlock, Role, ToolResult};

    /// Appends `R` to a message with this content and compares the content.
    fn check(content: &str, expected: &str, block: usize, inner: Option<usize>) {
        let json = format!(r#"{{"role":"user","content":{content}}}"#);
        let mut message = Message::parse(json.as_bytes()).unwrap().value;
        let placement = append_reminder(&mut message, "R");
        assert_eq!(serde_json::to_string(&message.content).unwrap(), expected);
        assert_eq!((placement.block, placement.content), (block, inner));
    }

    #[test]
    fn it_goes_to_the_last_text() {
        check(
            r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
            r#"[{"type":"text","text":"a"},{"type":"text","text":"b\n<system-reminder>\nR\n</system-reminder>"}]"#,
            1,
            None,
        );
    }

    #[test]
    fn without_text_it_goes_into_the_last_result() {
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
    fn a_result_with_a_tool_reference_stays_alone() {
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
    fn several_equal_one_after_the_other() {
        let text = ContentBlock::text("a");
        let result = ContentBlock::ToolResult(ToolResult::new("1", Vec::new()));
        for content in [vec![text.clone()], vec![result.clone()], vec![], vec![text, result]] {
            let message = Message::new(Role::User, content);
            let (mut together, mut singly) = (message.clone(), message);
            let bodies = ["x", "", "a longer one"];
            let placements = append_reminders(&mut together, &bodies);
            let expected = bodies.map(|body| append_reminder(&mut singly, body));
            assert_eq!(together, singly);
            assert_eq!(placements, expected);
        }
        let mut message = Message::new(Role::User, Vec::new());
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
