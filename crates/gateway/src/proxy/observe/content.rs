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
    has_event: bool,
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
            has_event: false,
            whole: None,
        }
    }

    /// Counts bytes of a stream. After too many, the rest is left out.
    pub(super) fn count(&mut self, bytes: usize) {
        self.read = self.read.saturating_add(bytes);
    }

    /// Reads an event's data. After the first fault, the rest is left out, so that no text has a
    /// gap.
    pub(super) fn event(&mut self, data: &[u8]) {
        self.has_event = true;
        if self.is_kept() {
            let text = std::str::from_utf8(data).ok();
            let read = text.map(|it| self.stream.push_event(it, &mut self.events));
            self.collect();
            if !matches!(read, Some(Ok(()))) {
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
    /// stream had its last event. With neither content nor a stop reason it is `None`, as is the
    /// latter for an error in place of events.
    pub(super) fn end(mut self, is_error: bool) -> (Option<Answer>, Option<bool>) {
        let mut is_whole = None;
        if self.whole.is_none() && self.is_kept() {
            // A stream that broke off has no more events.
            let end = self.stream.finish(&mut self.events);
            let is_ended = |it: StreamError| matches!(it.kind(), StreamErrorKind::Ended);
            is_whole = match end {
                _ if self.read == 0 || is_error && !self.has_event => None,
                Ok(()) => Some(true),
                Err(error) => is_ended(error).then_some(false),
            };
            self.collect();
        }
        let streamed = self.collector.finish();
        let has_any = !streamed.content.is_empty() || streamed.stop_reason.is_some();
        let answer = self.whole.or_else(|| has_any.then_some(streamed));
        (answer, is_whole)
    }
}
