//! A response's content, read as agents read it: in the Messages API's form on every wire.

use aside_models::Wire;
use aside_providers::{
    Answer, Collector, Event, Names, Provider, Stream, StreamError, StreamErrorKind, WireDialect,
    answer,
};

/// From how many bytes of a stream to keep content, since it may have no end.
const MAX_CONTENT_BYTES: usize = 32 << 20;

#[derive(Debug)]
pub(super) struct Content {
    dialect: WireDialect,
    stream: Stream,
    events: Vec<Event>,
    collector: Collector,
    /// How many bytes of the stream were read.
    read: usize,
    /// A response in one piece.
    whole: Option<Answer>,
}

impl Content {
    /// The first provider that has the wire defines it.
    pub(super) fn new(wire: Wire) -> Self {
        let specs = Provider::ALL.iter().map(|it| it.spec());
        let mut wires = specs.flat_map(|it| it.wires).map(|it| it.wire);
        let dialect = wires.find(|it| it.wire() == wire).expect("a provider has each wire");
        Self {
            dialect,
            stream: Stream::on(dialect, Names::default()),
            events: Vec::new(),
            collector: Collector::default(),
            read: 0,
            whole: None,
        }
    }

    /// Reads bytes of a stream. After the first fault or too many bytes, the rest is left out, so
    /// that no text has a gap.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.read = self.read.saturating_add(bytes.len());
        if self.is_kept() {
            let read = self.stream.push(bytes, &mut self.events);
            self.collect();
            if read.is_err() {
                self.stop();
            }
        }
    }

    /// Returns true if the next bytes of a stream are read.
    pub(super) fn is_kept(&self) -> bool {
        self.read <= MAX_CONTENT_BYTES
    }

    /// Leaves out the rest of a stream.
    pub(super) fn stop(&mut self) {
        self.read = usize::MAX;
    }

    fn collect(&mut self) {
        let events = self.events.drain(..);
        events.for_each(|it| self.collector.push(&it));
    }

    pub(super) fn whole(&mut self, body: &[u8]) {
        self.whole = answer(self.dialect, body, &Names::default()).ok();
    }

    /// Returns what was read, even of a stream that broke off, and whether a
    /// stream had its last event. Without any content it is `None`.
    pub(super) fn end(mut self) -> (Option<Answer>, Option<bool>) {
        let mut is_whole = None;
        if self.whole.is_none() && self.is_kept() {
            // A stream that broke off has no more events.
            let end = self.stream.finish(&mut self.events);
            let is_ended = |it: StreamError| matches!(it.kind(), StreamErrorKind::Ended);
            is_whole = match end {
                _ if self.read == 0 => None,
                Ok(()) => Some(true),
                Err(error) => is_ended(error).then_some(false),
            };
            self.collect();
        }
        let streamed = self.collector.finish();
        let answer = self.whole.or_else(|| (!streamed.content.is_empty()).then_some(streamed));
        (answer, is_whole)
    }
}
