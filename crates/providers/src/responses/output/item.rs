//! One item of a response, while it arrives.
//!
//! An item collects the parts that it receives, in any order, and `write` emits them in
//! their own order. Its type may be known only from its pieces, if the event of its start
//! is missing.

mod write;

use std::collections::BTreeMap;

use super::Piece;
use super::received::ReceivedItem;
use crate::read::{Text, filled};
use crate::responses::reasoning::Reasoning;

/// The kind of part that a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::responses) enum PartKind {
    /// A piece of the text of a message.
    Text,
    /// A piece of a refusal, which is emitted as text.
    Refusal,
    /// A piece of the input of a call, as JSON text.
    Arguments,
    /// The input of a custom tool, which is plain text.
    Input,
    /// A piece of the summary of reasoning.
    Summary,
    /// A piece of the reasoning itself.
    Reasoning,
}

/// An item that is not complete, or waits for one that is not.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// The type of the item.
    kind: Kind,
    /// The id of a call.
    call_id: Option<String>,
    /// The name of the called function.
    name: Option<String>,
    /// The key of a call that has begun.
    key: Option<usize>,
    /// The phase of a message.
    phase: Option<String>,
    /// The parts by their index in `content`; the input of a call is part 0.
    parts: BTreeMap<u64, Part>,
    /// The parts of the summary by their index.
    summary: BTreeMap<u64, Part>,
    /// The index of the part that is emitted now.
    cursor: u64,
    /// The kind of the first thinking with text: the summary or the reasoning itself.
    /// Only that kind is emitted.
    shown: Option<PartKind>,
    /// True once text of the item was emitted.
    has_written: bool,
    /// The whole item, once it is complete, for the signature.
    reasoning: Reasoning,
    /// True if nothing more arrives.
    is_complete: bool,
}

/// The type of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Not known yet.
    #[default]
    Unknown,
    /// `message`
    Message,
    /// `reasoning`
    Reasoning,
    /// `function_call`
    Call,
    /// `custom_tool_call`: its input is written when it is complete, as `{"input":"…"}`.
    CustomCall,
    /// An item of a kind that is not known here.
    Other,
}

/// The text of a part, as far as it was received.
#[derive(Debug, Default)]
struct Part {
    /// The received text that was not emitted yet.
    waiting: String,
    /// The number of bytes that were received.
    received: usize,
    /// True if the part is complete.
    is_whole: bool,
}

impl Part {
    /// Takes a piece, or the rest of the whole; returns the number of bytes taken. The
    /// whole text of a part is assumed to begin with the pieces that arrived before.
    fn take(&mut self, text: &str, is_whole: bool) -> usize {
        let new = match is_whole {
            false => text,
            // Text that arrived in pieces is not compared.
            true => text.get(self.received..).unwrap_or_default(),
        };
        self.waiting.push_str(new);
        self.received += new.len();
        self.is_whole |= is_whole;
        new.len()
    }
}

impl Item {
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Takes the type, the id, the name and the phase, as far as they are not known.
    pub(super) fn begin(&mut self, received: &ReceivedItem<'_>) {
        let kind = match filled(&received.kind).unwrap_or_default() {
            "message" => Kind::Message,
            "reasoning" => Kind::Reasoning,
            "function_call" => Kind::Call,
            "custom_tool_call" => Kind::CustomCall,
            _ => Kind::Other,
        };
        if self.kind == Kind::Unknown || self.kind == Kind::Other {
            self.kind = kind;
        }
        let words = [
            (&mut self.call_id, &received.call_id),
            (&mut self.name, &received.name),
            (&mut self.phase, &received.phase),
        ];
        for (known, given) in words {
            if known.is_none() {
                *known = filled(given).map(str::to_owned);
            }
        }
    }

    /// Takes a piece, and returns the number of bytes taken. A piece of another type of
    /// item is ignored.
    pub(super) fn piece(&mut self, piece: Piece<'_>) -> usize {
        let kind = match piece.kind {
            PartKind::Text | PartKind::Refusal => Kind::Message,
            PartKind::Arguments => Kind::Call,
            PartKind::Input => Kind::CustomCall,
            PartKind::Summary | PartKind::Reasoning => Kind::Reasoning,
        };
        if self.kind == Kind::Unknown {
            self.kind = kind;
        }
        if self.kind != kind {
            return 0;
        }
        let parts = match piece.kind {
            PartKind::Summary => &mut self.summary,
            _ => &mut self.parts,
        };
        let is_reasoning = kind == Kind::Reasoning && !piece.text.is_empty();
        if is_reasoning && self.shown.is_none() {
            self.shown = Some(piece.kind);
        }
        let part = parts.entry(piece.part).or_default();
        part.take(piece.text, piece.is_whole)
    }

    /// Takes the whole item, and returns the number of bytes that were new. `refused`
    /// becomes true if a message has a refusal.
    pub(super) fn complete(&mut self, received: &ReceivedItem<'_>, refused: &mut bool) -> usize {
        self.begin(received);
        self.is_complete = true;
        let mut taken = 0;
        let mut take = |item: &mut Self, kind, part, text: &Option<Text<'_>>| {
            let text = filled(text).unwrap_or_default();
            let is_whole = true;
            taken += item.piece(Piece {
                kind,
                part,
                text,
                is_whole,
            });
        };
        match self.kind {
            Kind::Message => {
                let parts = received.content.iter().flatten();
                for (place, part) in (0..).zip(parts) {
                    let is_refusal = part.refusal.is_some();
                    *refused |= filled(&part.refusal).is_some();
                    let text = if is_refusal {
                        &part.refusal
                    } else {
                        &part.text
                    };
                    take(self, PartKind::Text, place, text);
                }
            }
            Kind::Reasoning => {
                for (place, part) in (0..).zip(received.summary.iter().flatten()) {
                    take(self, PartKind::Summary, place, &part.text);
                }
                for (place, part) in (0..).zip(received.content.iter().flatten()) {
                    take(self, PartKind::Reasoning, place, &part.text);
                }
                self.reasoning = received.reasoning();
            }
            Kind::Call => take(self, PartKind::Arguments, 0, &received.arguments),
            Kind::CustomCall => take(self, PartKind::Input, 0, &received.input),
            Kind::Unknown | Kind::Other => {}
        }
        taken
    }
}
