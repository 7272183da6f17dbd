//! Counting a conversation's turns as it grows.

use std::ops::Range;

use aside_text::REMINDER_TAG;

use super::encoded::Encoded;
use crate::wire::{ContentBlock, Message, Role};

/// A conversation's turns up to one of its messages, and its checkpoints. A turn begins with the
/// user's words and lasts until the next ones; the messages in between are responses, tool results
/// and reminders.
///
/// A *checkpoint* is a request that keeps the conversation in the cache for an hour. To do so it
/// marks the first block of the last answer, right after the end of the previous request, so
/// that only this block is written at the price of an hour. Checkpoints are the first request
/// of a turn, the first request that follows a tool call, each request that ends more than
/// [`CHECKPOINT_POSITIONS`] positions after the last checkpoint, and each whose block is short
/// next to what it keeps, such as a call after a long result. A session that has only one
/// answer and no tool call has none, because a pause would have cost it all entries already,
/// unless you know that there was no pause ([`Turns::only_answer`]).
///
/// Counting is incremental: the work for one more message does not depend on those before it.
///
/// ```
/// use aside_messages::encode::{Encoded, Turns};
/// use aside_messages::wire::{ContentBlock, Message, Role};
///
/// let mut turns = Turns::default();
/// for (role, text) in [(Role::User, "Hi"), (Role::Assistant, "Hello"), (Role::User, "Bye")] {
///     let message = Message::new(role, vec![ContentBlock::text(text)]);
///     turns.push(&Encoded::message(message, Vec::new()));
/// }
/// assert_eq!((turns.answers(), turns.answers_in_turn()), (1, 0));
/// assert_eq!(turns.last_answered_start(), Some(0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    len: usize,
    /// How many messages are the model's.
    answers: usize,
    /// How many of them follow the last message that began a turn.
    in_turn: usize,
    /// The last message that began a turn, by index.
    start: Option<usize>,
    /// The value of `start` at the last response.
    answered_start: Option<usize>,
    /// Positions as a look-back counts them.
    positions: usize,
    /// The bytes of the blocks so far, without volatile ones.
    bytes: usize,
    /// The last response.
    answer: Option<Place>,
    /// The response that the last checkpoint marked.
    checkpoint: Option<Place>,
}

/// Where a message starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    message: usize,
    /// How many positions precede it.
    positions: usize,
    /// The number of bytes before it.
    bytes: usize,
    /// The bytes that a checkpoint writes: up to the end of its first block with a marker.
    block: usize,
}

/// How many positions may follow a checkpoint before the next one is due. A read checks 20
/// positions, and a request adds 2 to 4 to them.
pub const CHECKPOINT_POSITIONS: usize = 7;

/// A checkpoint is due at once if what it keeps for an hour is so many times as long as the block
/// that is written for it. Then it costs at most 0.04 of what these bytes cost anyway.
const CHEAP_RATIO: usize = 16;

impl Turns {
    /// Counts the next message.
    pub fn push(&mut self, encoded: &Encoded) {
        self.add(&TurnStep::of(encoded));
    }

    /// Counts the next message, of which only this is known.
    pub fn add(&mut self, step: &TurnStep) {
        if step.is_answer {
            self.checkpoint = self.due().or(self.checkpoint);
            self.answer = Some(Place {
                message: self.len,
                positions: self.positions,
                bytes: self.bytes,
                block: step.first_marked,
            });
            self.answers += 1;
            self.in_turn += 1;
            self.answered_start = self.start;
        } else if step.begins_turn {
            self.in_turn = 0;
            self.start = Some(self.len);
        }
        self.positions += step.positions;
        self.bytes += step.bytes;
        self.len += 1;
    }

    /// Returns how many messages are the model's.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.answers
    }

    /// Returns how many of the model's messages follow the last message that began a turn, or the
    /// beginning.
    #[must_use]
    pub fn answers_in_turn(&self) -> usize {
        self.in_turn
    }

    /// Returns the message that began the last turn with a response, by index. That turn may be the
    /// current one.
    #[must_use]
    pub fn last_answered_start(&self) -> Option<usize> {
        self.answered_start
    }

    /// Returns which response to mark if the next request is a checkpoint, by index.
    #[must_use]
    pub fn checkpoint(&self) -> Option<usize> {
        self.due().map(|place| place.message)
    }

    /// Returns the only response, by index, if the next request begins the second turn.
    #[must_use]
    pub fn only_answer(&self) -> Option<usize> {
        let is_second_turn = self.answers == 1 && self.in_turn == 0;
        let answer = self.answer.filter(|_| is_second_turn);
        answer.map(|place| place.message)
    }

    /// Returns which response the last checkpoint before the next request marked, by index.
    #[must_use]
    pub fn last_checkpoint(&self) -> Option<usize> {
        self.checkpoint.map(|place| place.message)
    }

    fn due(&self) -> Option<Place> {
        let is_due = match self.checkpoint {
            _ if self.in_turn == 0 => self.answers > 1,
            None => true,
            Some(last) => {
                let is_far = self.positions - last.positions > CHECKPOINT_POSITIONS;
                let is_cheap = |answer: Place| {
                    answer.message > last.message
                        && answer.bytes - last.bytes >= CHEAP_RATIO * answer.block
                };
                is_far || self.answer.is_some_and(is_cheap)
            }
        };
        self.answer.filter(|_| is_due)
    }
}

/// What [`Turns`] counts of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnStep {
    is_answer: bool,
    begins_turn: bool,
    positions: usize,
    /// The bytes of its blocks, without volatile ones.
    bytes: usize,
    /// The bytes up to the end of the first block that takes a marker: thinking takes none.
    first_marked: usize,
}

/// A block of a message, as [`TurnStep::new`] needs it.
#[derive(Clone, Debug)]
pub struct StepBlock {
    /// What it is.
    pub kind: StepKind,
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// False for a block that is different, or gone, in the next request.
    pub is_stable: bool,
    /// True if it may have a marker.
    pub is_markable: bool,
}

/// What a block is to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A tool call.
    Call,
    /// A tool's result.
    Result,
    /// A reminder, which is a text but not the user's.
    Reminder,
    /// Anything else: in a user message, the user's words.
    Other,
}

impl TurnStep {
    /// Takes what counts of a message.
    ///
    /// Consecutive tool calls are one position, and so are consecutive tool results. A turn begins
    /// with a user message that has a block which is neither a tool result nor a reminder.
    #[must_use]
    pub fn new(role: &Role, blocks: &[StepBlock]) -> Self {
        let positions = blocks.chunk_by(|one, next| {
            one.kind == next.kind && matches!(one.kind, StepKind::Call | StepKind::Result)
        });
        let start = blocks.first().map_or(0, |block| block.range.start);
        let marked = blocks.iter().find(|it| it.is_markable && it.is_stable);
        let marked = marked.or(blocks.last());
        let stable = blocks.iter().filter(|it| it.is_stable);
        Self {
            is_answer: *role == Role::Assistant,
            begins_turn: *role == Role::User && blocks.iter().any(|it| it.kind == StepKind::Other),
            positions: positions.count(),
            bytes: stable.map(|it| it.range.len()).sum(),
            first_marked: marked.map_or(0, |it| it.range.end - start),
        }
    }

    /// Takes what counts of a message; of a system prompt or tools, nothing does.
    #[must_use]
    pub fn of(encoded: &Encoded) -> Self {
        let message = encoded.as_message();
        let step = |it: &Message| Self::new(&it.role, &StepBlock::all(encoded));
        message.map(step).unwrap_or_default()
    }
}

impl StepBlock {
    /// Returns the blocks of a message; none of a system prompt or tools.
    #[must_use]
    pub fn all(encoded: &Encoded) -> Vec<Self> {
        let content = encoded.as_message().map_or(&[][..], |it| &it.content);
        let blocks = content.iter().zip(encoded.blocks());
        { blocks }
            .map(|(block, encoded)| Self {
                kind: StepKind::of(block),
                range: encoded.range.clone(),
                is_stable: !encoded.volatile,
                is_markable: encoded.is_markable,
            })
            .collect()
    }
}

impl StepKind {
    fn of(block: &ContentBlock) -> Self {
        match block {
            ContentBlock::ToolUse(_) => Self::Call,
            ContentBlock::ToolResult(_) => Self::Result,
            ContentBlock::Text(text) => Self::of_text(&text.text),
            _ => Self::Other,
        }
    }

    /// Returns what a text is.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        if is_reminder(text) { Self::Reminder } else { Self::Other }
    }
}

/// Returns true for a text that begins with the reminder tag.
fn is_reminder(text: &str) -> bool {
    let tag = text.trim_start().strip_prefix('<');
    let name = tag.and_then(|tag| tag.strip_prefix(REMINDER_TAG));
    name.is_some_and(|rest| rest.starts_with('>'))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::encode::History;
    use crate::wire::{Extra, Thinking, ToolResult};

    #[test]
    fn results_and_reminders_begin_no_turn() {
        let mut turns = Turns::default();
        let mut push = |role, block| {
            turns.push(&Encoded::message(Message::new(role, vec![block]), vec![]));
            turns
        };
        let text = ContentBlock::text;
        push(Role::User, text("Hi"));
        push(Role::Assistant, text("Hello"));
        push(Role::User, text("Go on"));
        let result = || ContentBlock::ToolResult(ToolResult::new("t", vec![]));
        for _ in 0..3 {
            push(Role::Assistant, text("Now"));
            push(Role::User, result());
        }
        let in_loop = push(Role::User, text(" <system-reminder>\na\n</system-reminder>"));
        assert_eq!(in_loop.answers_in_turn(), 3);
        let next = push(Role::User, text("Thanks"));
        assert_eq!((next.answers(), next.answers_in_turn()), (4, 0));
        assert_eq!(next.last_answered_start(), Some(2), "the turn before");
        let wait = push(Role::User, text("Wait"));
        assert_eq!(wait.last_answered_start(), Some(2));
    }

    #[test]
    fn a_short_call_after_a_long_result_is_a_checkpoint() {
        let check = |thinking: usize, result: usize, expected: Option<usize>| {
            let mut turns = Turns::default();
            let mut push = |role, blocks| {
                turns.push(&Encoded::message(Message::new(role, blocks), vec![]));
            };
            push(Role::User, vec![ContentBlock::text("Hi")]);
            for _ in 0..2 {
                let thought = Thinking {
                    thinking: "hm".repeat(thinking).into(),
                    signature: "s".into(),
                    extra: Extra::default(),
                };
                let thought = ContentBlock::Thinking(thought);
                push(Role::Assistant, vec![thought, ContentBlock::text("Now")]);
                let result = ContentBlock::text("out ".repeat(result));
                let result = ToolResult::new("t", vec![result]);
                push(Role::User, vec![ContentBlock::ToolResult(result)]);
            }
            assert_eq!(turns.checkpoint(), expected);
        };
        check(1, 1_000, Some(3));
        check(1, 10, None);
        check(1_000, 1_000, None);
    }

    proptest! {
        #[test]
        fn counting_agrees_with_a_walk_from_the_end(
            messages in vec(message(), 0..12),
            closed in 0_usize..12,
        ) {
            let encoded = |message: &Message| Encoded::message(message.clone(), vec![]);
            let closed = closed.min(messages.len());
            let mut history = History::default();
            for message in &messages[..closed] {
                history.push(Arc::new(encoded(message)));
            }
            let mut turns = history.turns();
            messages[closed..].iter().for_each(|it| turns.push(&encoded(it)));

            let is_answer = |it: &&Message| it.role == Role::Assistant;
            let begins_turn = |it: &Message| TurnStep::of(&encoded(it)).begins_turn;
            let start = messages.iter().rposition(begins_turn);
            let since = &messages[start.map_or(0, |start| start + 1)..];
            let before_answer = messages.iter().rposition(|it| is_answer(&it)).unwrap_or(0);
            prop_assert_eq!(turns.answers(), messages.iter().filter(is_answer).count());
            prop_assert_eq!(turns.answers_in_turn(), since.iter().filter(is_answer).count());
            prop_assert_eq!(
                turns.last_answered_start(),
                messages[..before_answer].iter().rposition(begins_turn)
            );
        }
    }

    fn message() -> impl Strategy<Value = Message> {
        let text = ContentBlock::text;
        let result = ContentBlock::ToolResult(ToolResult::new("t", vec![]));
        let reminder = text("<system-reminder>\na\n</system-reminder>");
        prop_oneof![
            Just(Message::new(Role::User, vec![text("Hi")])),
            Just(Message::new(Role::User, vec![result])),
            Just(Message::new(Role::User, vec![reminder])),
            Just(Message::new(Role::Assistant, vec![text("Hello")])),
            Just(Message::new(Role::System, vec![text("Now")])),
        ]
    }
}
