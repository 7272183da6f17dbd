//! One item of a response while it comes.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Piece;
use crate::blocks::Blocks;
use crate::event::Event;
use crate::read::{Text, filled};
use crate::responses::reasoning::{Reasoning, seal, seal_phase};
use crate::stream_error::StreamError;

/// The kind of part that a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::responses) enum PartKind {
    Text,
    Refusal,
    Arguments,
    /// The input of a custom tool, which is plain text.
    Input,
    Summary,
    Reasoning,
}

/// An item as a server writes it.
#[derive(Default, Deserialize)]
pub(in crate::responses) struct ReceivedItem<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(in crate::responses) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Option<Text<'a>>,
    #[serde(borrow, default)]
    phase: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: Option<Vec<ReceivedPart<'a>>>,
    #[serde(borrow, default)]
    summary: Option<Vec<ReceivedPart<'a>>>,
    #[serde(borrow, default)]
    encrypted_content: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ReceivedPart<'a> {
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    refusal: Option<Text<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct Item {
    kind: Kind,
    call_id: Option<String>,
    name: Option<String>,
    /// The key of a call that has begun.
    key: Option<usize>,
    phase: Option<String>,
    parts: BTreeMap<u64, Part>,
    summary: BTreeMap<u64, Part>,
    /// The place of the part that is open.
    cursor: u64,
    /// Whether thinking is the summary or the reasoning itself.
    shown: Option<PartKind>,
    has_written: bool,
    reasoning: Reasoning,
    is_complete: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Not known yet.
    #[default]
    Unknown,
    Message,
    Reasoning,
    Call,
    CustomCall,
    /// An item of a kind that is not known here.
    Other,
}

#[derive(Debug, Default)]
struct Part {
    /// The received text that was not emitted yet.
    waiting: String,
    /// The number of bytes that were received.
    received: usize,
    is_whole: bool,
}

impl Part {
    /// Takes a piece, or the rest of the whole; returns the bytes taken.
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

    /// Takes a piece; returns the bytes taken.
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

    /// Takes the whole item; returns the bytes taken.
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

    /// Emits the output that is available before the item is complete.
    pub(super) fn write(
        &mut self,
        blocks: &mut Blocks,
        seal: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        match self.kind {
            Kind::Message => self.write_message(blocks, seal, out),
            Kind::Reasoning => self.write_reasoning(blocks, out),
            Kind::Call => self.write_call(blocks, out),
            Kind::CustomCall | Kind::Unknown | Kind::Other => Ok(()),
        }
    }

    fn write_message(
        &mut self,
        blocks: &mut Blocks,
        seal: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        while let Some((place, mut part)) = self.next_part() {
            if !part.waiting.is_empty() {
                if !std::mem::replace(&mut self.has_written, true)
                    && let Some(phase) = &self.phase
                    && let Some(sealed) = seal_phase(seal, phase)
                {
                    blocks.sealed(&sealed, out)?;
                }
                blocks.text(&std::mem::take(&mut part.waiting), out)?;
            }
            if !self.moves_on(place, part) {
                break;
            }
            blocks.end();
        }
        Ok(())
    }

    fn write_reasoning(
        &mut self,
        blocks: &mut Blocks,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        while let Some((place, mut part)) = self.next_part() {
            if !part.waiting.is_empty() {
                if part.received == part.waiting.len()
                    && std::mem::replace(&mut self.has_written, true)
                {
                    blocks.thinking("\n\n", out)?;
                }
                blocks.thinking(&std::mem::take(&mut part.waiting), out)?;
            }
            if !self.moves_on(place, part) {
                break;
            }
        }
        Ok(())
    }

    /// Takes out the next part in order.
    fn next_part(&mut self) -> Option<(u64, Part)> {
        let (is_complete, cursor) = (self.is_complete, self.cursor);
        let place = match is_complete {
            // A part that has not arrived will not arrive.
            true => *self.shown_parts().range(cursor..).next()?.0,
            false => cursor,
        };
        let part = self.shown_parts().remove(&place)?;
        Some((place, part))
    }

    /// Puts a part back; returns whether the next one has its turn.
    fn moves_on(&mut self, place: u64, part: Part) -> bool {
        let moves_on = part.is_whole || self.is_complete;
        self.shown_parts().insert(place, part);
        if moves_on {
            self.cursor = place + 1;
        }
        moves_on
    }

    fn shown_parts(&mut self) -> &mut BTreeMap<u64, Part> {
        match self.shown {
            Some(PartKind::Summary) => &mut self.summary,
            _ => &mut self.parts,
        }
    }

    fn write_call(&mut self, blocks: &mut Blocks, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let key = match (self.key, &self.name) {
            (Some(key), _) => key,
            (None, Some(name)) => {
                // An id may come with the item that is complete.
                if self.call_id.is_none() && !self.is_complete {
                    return Ok(());
                }
                let key = blocks.call(self.call_id.as_deref(), name, out)?;
                *self.key.insert(key)
            }
            (None, None) => return Ok(()),
        };
        let Some(part) = self.parts.get_mut(&0) else {
            return Ok(());
        };
        blocks.input(key, &std::mem::take(&mut part.waiting), out)
    }

    /// Gives out the rest.
    pub(super) fn close(
        &mut self,
        blocks: &mut Blocks,
        seal_with: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        // No further text arrives.
        self.is_complete = true;
        match self.kind {
            Kind::Message => {
                self.write_message(blocks, seal_with, out)?;
                blocks.end();
                Ok(())
            }
            Kind::Reasoning => {
                self.write_reasoning(blocks, out)?;
                let signature = seal(seal_with, &self.reasoning);
                match (
                    self.reasoning.encrypted_content.is_empty(),
                    self.has_written,
                ) {
                    (false, true) => blocks.sign(&signature, out),
                    (false, false) => blocks.sealed(&signature, out),
                    (true, _) => {
                        blocks.end();
                        Ok(())
                    }
                }
            }
            Kind::Call => self.close_call(blocks, out),
            Kind::CustomCall => {
                let part = self.parts.remove(&0).unwrap_or_default();
                let input = serde_json::json!({ "input": part.waiting }).to_string();
                self.parts.insert(
                    0,
                    Part {
                        received: input.len(),
                        waiting: input,
                        is_whole: true,
                    },
                );
                self.close_call(blocks, out)
            }
            Kind::Unknown | Kind::Other => Ok(()),
        }
    }

    fn close_call(&mut self, blocks: &mut Blocks, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if self.name.is_none() {
            return Err(StreamError::malformed(
                "expected the name of a called function",
            ));
        }
        self.write_call(blocks, out)?;
        let received = self.parts.get(&0).map_or(0, |part| part.received);
        match self.key {
            // A call without arguments.
            Some(key) if received == 0 => blocks.input(key, "{}", out),
            _ => Ok(()),
        }
    }
}

impl ReceivedItem<'_> {
    fn reasoning(&self) -> Reasoning {
        fn texts<'a>(parts: &'a Option<Vec<ReceivedPart<'_>>>) -> impl Iterator<Item = &'a str> {
            let parts = parts.iter().flatten();
            parts.map(|part| filled(&part.text).unwrap_or_default())
        }
        Reasoning::new(
            filled(&self.id),
            texts(&self.summary),
            texts(&self.content),
            filled(&self.encrypted_content),
        )
    }
}
