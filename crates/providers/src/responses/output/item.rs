//! One response item, while it arrives.
//!
//! An item collects its parts, in any order, and `write` emits them in their own order. If its
//! start event is missing, only the pieces may show its type.

mod write;

use std::collections::BTreeMap;

use super::Piece;
use super::received::ReceivedItem;
use crate::read::{Text, filled};
use crate::responses::in_namespace;
use crate::responses::reasoning::Reasoning;

/// Which kind of part a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::responses) enum PartKind {
    /// Message text.
    Text,
    /// A refusal, which is emitted as text.
    Refusal,
    /// A call's input, as JSON text.
    Arguments,
    /// A custom tool's input, which is plain text.
    Input,
    /// A reasoning summary.
    Summary,
    /// The reasoning itself.
    Reasoning,
}

/// An item that is not complete, or waits for one that is not.
#[derive(Debug, Default)]
pub(super) struct Item {
    kind: Kind,
    /// A call's id.
    call_id: Option<String>,
    /// The called function's name, with its namespace.
    name: Option<String>,
    /// Set once a call has begun.
    key: Option<usize>,
    /// A message's phase.
    phase: Option<String>,
    /// The parts by their index in `content`; a call's input is part 0.
    parts: BTreeMap<u64, Part>,
    /// The summary's parts by their index.
    summary: BTreeMap<u64, Part>,
    /// Which part is being emitted, by its index.
    cursor: u64,
    /// Which thinking had text first, the summary or the reasoning itself. Only this kind is
    /// emitted.
    shown: Option<PartKind>,
    /// True once some text was emitted.
    has_written: bool,
    /// The whole item, once it is complete, to make the signature from.
    reasoning: Reasoning,
    /// True if nothing more arrives.
    is_complete: bool,
}

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
    /// An unknown kind.
    Other,
}

/// A part's text so far.
#[derive(Debug, Default)]
struct Part {
    /// Text that arrived but was not emitted yet.
    waiting: String,
    /// How many bytes arrived.
    received: usize,
    /// True if the part is complete.
    is_whole: bool,
}

impl Part {
    /// Takes a piece, or the rest of the whole; returns how many bytes it took. A part's whole text
    /// is assumed to begin with the pieces that arrived before.
    fn take(&mut self, text: &str, is_whole: bool) -> usize {
        // Text that arrived in pieces is not compared.
        let new = if is_whole { text.get(self.received..).unwrap_or_default() } else { text };
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

    /// Takes the type, id, name and phase, unless they are known already.
    pub(super) fn begin(&mut self, received: &ReceivedItem<'_>) {
        let kind = match filled(&received.kind) {
            Some("message") => Kind::Message,
            Some("reasoning") => Kind::Reasoning,
            Some("function_call") => Kind::Call,
            Some("custom_tool_call") => Kind::CustomCall,
            Some(_) => Kind::Other,
            None if received.role.is_some() => Kind::Message,
            None => Kind::Unknown,
        };
        if self.kind == Kind::Unknown || self.kind == Kind::Other {
            self.kind = kind;
        }
        if self.name.is_none() {
            let name = filled(&received.name);
            self.name = name.map(|name| match filled(&received.namespace) {
                Some(namespace) => in_namespace(namespace, name),
                None => name.to_owned(),
            });
        }
        let words = [(&mut self.call_id, &received.call_id), (&mut self.phase, &received.phase)];
        for (known, given) in words {
            if known.is_none() {
                *known = filled(given).map(str::to_owned);
            }
        }
    }

    /// Takes a piece, and returns how many bytes it took. This ignores a piece for another item
    /// type.
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

    /// Takes the whole item, and returns how many bytes were new. If a message has a refusal,
    /// `refused` becomes true.
    pub(super) fn complete(&mut self, received: &ReceivedItem<'_>, refused: &mut bool) -> usize {
        self.begin(received);
        self.is_complete = true;
        let mut taken = 0;
        let mut take = |item: &mut Self, kind, part, text: &Option<Text<'_>>| {
            let text = filled(text).unwrap_or_default();
            let is_whole = true;
            taken += item.piece(Piece { kind, part, text, is_whole });
        };
        match self.kind {
            Kind::Message => {
                let parts = received.content.iter().flatten();
                for (place, part) in (0..).zip(parts) {
                    let is_refusal = part.refusal.is_some();
                    *refused |= filled(&part.refusal).is_some();
                    let text = if is_refusal { &part.refusal } else { &part.text };
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
