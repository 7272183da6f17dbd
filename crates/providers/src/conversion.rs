use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::encode::{BodyParts, Encoded};
use aside_messages::wire::{Message, Request};
use bytes::Bytes;

use crate::chunks::Chunks;
use crate::convert::Refused;
use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::outgoing::Written;

/// Writes messages in the form of one wire, one behind the other. Its state is
/// what a message has to know of those before it.
pub(crate) trait WriteMessages: Clone {
    /// Writes a message: nothing, one or several items of the wire, with commas
    /// between them and what was written before.
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), Refused>;

    /// Closes what is open behind the last message.
    fn close(&self, out: &mut Vec<u8>);
}

/// A message, and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    pub(crate) index: usize,
    pub(crate) message: &'a Message,
    pub(crate) before: Option<&'a Message>,
}

/// What writing a message appends to.
pub(crate) struct Sink<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) names: &'a mut Names,
    pub(crate) losses: &'a mut Vec<ConversionLoss>,
}

/// All of a body that is before the messages.
pub(crate) struct Head {
    /// Up to the first message.
    pub(crate) bytes: Vec<u8>,
    /// Whether the list of messages has an item already.
    pub(crate) has_item: bool,
    /// Losses in the order in which they are reported, before and after those
    /// of the messages.
    pub(crate) losses: [Vec<ConversionLoss>; 2],
}

/// The conversion of a session's requests to a wire of another form. Messages
/// that will not change are converted and encoded once.
#[derive(Debug)]
pub(crate) struct Conversion<W> {
    /// As it is behind the closed messages.
    writer: W,
    head: Option<KnownHead>,
    closed: Chunks,
    names: Names,
    /// Losses of messages that were not closed, and so are found again.
    reported: HashSet<ConversionLoss>,
}

/// A head that was sent, and what it was made from.
#[derive(Debug)]
struct KnownHead {
    parameters: Arc<Request>,
    tools: Arc<Encoded>,
    system: Arc<Encoded>,
    bytes: Bytes,
    has_item: bool,
}

impl KnownHead {
    fn is_of(&self, parts: &BodyParts<'_>) -> bool {
        Arc::ptr_eq(&self.parameters, parts.parameters)
            && Arc::ptr_eq(&self.tools, parts.tools)
            && Arc::ptr_eq(&self.system, parts.system)
    }
}

impl<W: WriteMessages> Conversion<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer,
            head: None,
            closed: Chunks::default(),
            names: Names::default(),
            reported: HashSet::new(),
        }
    }

    /// Writes a request of which the first `known` messages were closed, and
    /// written, before. After an error, the same request can be written again.
    pub(crate) fn write(
        &mut self,
        parts: &BodyParts<'_>,
        known: usize,
        head: impl FnOnce(&mut Names) -> Result<Head, Refused>,
    ) -> Result<Written, Refused> {
        let written = self.try_write(parts, known, head);
        if written.is_err() {
            // Its losses were not reported.
            self.head = None;
        }
        written
    }

    fn try_write(
        &mut self,
        parts: &BodyParts<'_>,
        known: usize,
        head: impl FnOnce(&mut Names) -> Result<Head, Refused>,
    ) -> Result<Written, Refused> {
        let mut losses = [Vec::new(), Vec::new()];
        if !self.head.as_ref().is_some_and(|head| head.is_of(parts)) {
            let head = head(&mut self.names)?;
            losses = head.losses;
            self.head = Some(KnownHead {
                parameters: parts.parameters.clone(),
                tools: parts.tools.clone(),
                system: parts.system.clone(),
                bytes: head.bytes.into(),
                has_item: head.has_item,
            });
        }
        let mut messages = Messages::new(parts, known);
        let mut writer = self.writer.clone();
        let closed = parts.history.messages_from(known);
        let closed = messages.write(closed, &mut writer, &mut self.names)?;
        self.names.settle();
        let (mut behind, mut names) = (writer.clone(), self.names.clone());
        let mut tail = messages.write(parts.tail, &mut behind, &mut names)?;
        behind.close(&mut tail.bytes);

        self.writer = writer;
        self.closed.push(closed.bytes);
        // Those of closed messages are not found again.
        let closed_lost = closed.losses.into_iter();
        losses[0].extend(closed_lost.filter(|loss| !self.reported.remove(loss)));
        for loss in tail.losses {
            if self.reported.insert(loss.clone()) {
                losses[0].push(loss);
            }
        }
        Ok(Written {
            segments: self.segments(tail.bytes),
            losses: losses.concat(),
            names,
        })
    }

    fn segments(&self, tail: Vec<u8>) -> Vec<Bytes> {
        let head = self.head.as_ref();
        let head = head.expect("a head is written before the messages");
        let is_item = |byte: Option<&u8>| byte.is_some_and(|byte| *byte == b'{');
        let first = self
            .closed
            .iter()
            .next()
            .map_or(tail.first(), |it| it.first());
        let mut segments = vec![head.bytes.clone()];
        if head.has_item && is_item(first) {
            segments.push(Bytes::from_static(b","));
        }
        segments.extend(self.closed.iter().cloned());
        segments.push(tail.into());
        segments
    }
}

/// Numbers messages, and remembers the one before each.
struct Messages<'a> {
    index: usize,
    before: Option<&'a Message>,
}

/// Messages in the form of the wire.
#[derive(Default)]
struct WrittenMessages {
    bytes: Vec<u8>,
    losses: Vec<ConversionLoss>,
}

impl<'a> Messages<'a> {
    /// Begins behind the first `known` messages.
    fn new(parts: &BodyParts<'a>, known: usize) -> Self {
        let last = known.checked_sub(1);
        let last = last.and_then(|index| parts.history.messages_from(index).next());
        Self {
            index: known,
            before: last.and_then(|it| it.as_message()),
        }
    }

    /// Writes the messages that come next.
    fn write(
        &mut self,
        messages: impl IntoIterator<Item = &'a Arc<Encoded>>,
        writer: &mut impl WriteMessages,
        names: &mut Names,
    ) -> Result<WrittenMessages, Refused> {
        let mut written = WrittenMessages::default();
        for encoded in messages {
            let message = encoded.as_message();
            let message = message.expect("a body has messages only among its messages");
            let numbered = Numbered {
                index: self.index,
                message,
                before: self.before,
            };
            let sink = &mut Sink {
                out: &mut written.bytes,
                names,
                losses: &mut written.losses,
            };
            writer.write(numbered, sink)?;
            self.index += 1;
            self.before = Some(message);
        }
        Ok(written)
    }
}
