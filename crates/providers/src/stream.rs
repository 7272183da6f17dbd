//! Decodes streamed responses, on every wire.

mod halves;
mod inputs;

use serde_json::value::RawValue;

use crate::event::Event;
use crate::names::Names;
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::read_events::ReadEvents;
use crate::sse::{Sse, text};
use crate::stream_error::StreamError;
use crate::{anthropic, gemini, openai, responses};

use self::halves::Halves;
use self::inputs::Inputs;

/// Reads a streamed response as events in the Anthropic form.
///
/// You can push bytes in any pieces. After an error, every further call returns that error again.
///
/// ```
/// use aside_providers::{Names, Provider, Stream};
///
/// let mut stream = Stream::new(Provider::Gemini, Names::default());
/// let mut events = Vec::new();
/// stream.push(b"data: {\"responseId\":\"r1\",\"candidates\":[{\"content\":{\"parts\":[{\"te", &mut events)?;
/// stream.push(b"xt\":\"Hi\"}]},\"finishReason\":\"STOP\"}]}\n\n", &mut events)?;
/// stream.finish(&mut events)?;
/// let lines: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
/// assert_eq!(lines[2], r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#);
/// assert_eq!(lines.len(), 6);
/// # Ok::<(), aside_providers::StreamError>(())
/// ```
///
/// However you cut the bytes, you get the same errors, and the same events before them. Memory is
/// bounded by [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES) for a line, and by the same for what has to
/// wait for an earlier block.
#[derive(Debug)]
pub struct Stream {
    /// Lines that are not complete yet.
    sse: Sse,
    halves: Halves,
    reader: Reader,
    inputs: Inputs,
    /// The first error, to return from every later call.
    error: Option<StreamError>,
}

#[derive(Debug)]
enum Reader {
    /// The provider has several wires, and no event has arrived yet.
    Undecided(&'static ProviderSpec, Names),
    Decided(Box<dyn ReadEvents>),
}

impl Stream {
    /// Creates a stream. If the provider has several wires, the first event shows which one is
    /// used. Pass the request's `names` ([`Outgoing::names`](crate::Outgoing::names)).
    ///
    /// If you have the request, use [`Stream::on`] instead.
    #[must_use]
    pub fn new(provider: impl Into<&'static ProviderSpec>, names: Names) -> Self {
        let spec = provider.into();
        let inputs = Inputs::new(names.keys().clone());
        let reader = match spec.wires {
            [only] => Reader::Decided(reader(only.wire, names)),
            _ => Reader::Undecided(spec, names),
        };
        Self { sse: Sse::default(), halves: Halves::default(), reader, inputs, error: None }
    }

    /// Creates a stream on the same wire as the request
    /// ([`Outgoing::wire`](crate::Outgoing::wire)).
    #[must_use]
    pub fn on(wire: WireDialect, names: Names) -> Self {
        Self {
            sse: Sse::default(),
            halves: Halves::default(),
            inputs: Inputs::new(names.keys().clone()),
            reader: Reader::Decided(reader(wire, names)),
            error: None,
        }
    }

    /// Reads bytes of server-sent events, and appends every event that they complete, including
    /// those before an error.
    ///
    /// # Errors
    /// When the provider reports an error, or the data does not fit its wire.
    ///
    /// You get each event as soon as the bytes allow; what `events` already has never changes.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), StreamError> {
        self.check()?;
        let from = events.len();
        let Self { sse, halves, reader, .. } = self;
        let mut read = |json: &str| reader.event(json, events);
        let result = sse.push(bytes, &mut |data| halves.event(text(data)?, &mut read));
        self.inputs.restore(events, from);
        self.keep(result)
    }

    /// Reads the JSON of one event that did not come as a server-sent event, such as Bedrock's.
    /// `json` has to be the whole event.
    ///
    /// # Errors
    /// See [`Stream::push`].
    pub fn push_event(&mut self, json: &str, events: &mut Vec<Event>) -> Result<(), StreamError> {
        self.check()?;
        let from = events.len();
        let Self { halves, reader, .. } = self;
        let result = halves.event(json, &mut |json| reader.event(json, events));
        self.inputs.restore(events, from);
        self.keep(result)
    }

    /// Returns true if the response is complete: only the end of the bytes can follow.
    ///
    /// You can stop reading then. Gemini marks no end, so this stays false there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(&self.reader, Reader::Decided(reader) if reader.is_complete())
    }

    /// Ends the stream, and appends the events that depend on this.
    ///
    /// # Errors
    /// When the response is not complete.
    ///
    /// Call this once, after the last bytes. If the stream was not complete, the events that you
    /// got are valid, but have no `MessageStop`.
    pub fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), StreamError> {
        self.check()?;
        let from = events.len();
        let Self { sse, halves, reader, .. } = self;
        let mut is_holding = halves.is_holding();
        let mut read = |json: &str| reader.event(json, events);
        let rest = sse.finish(&mut |data| halves.event(text(data)?, &mut read));
        is_holding |= halves.is_holding();
        let rest = halves.finish(&mut read).and(rest);
        // A last event that is not JSON was truncated: report the missing end.
        let result = match (rest, sse.stray_error()) {
            (Err(error), _) if matches!(error.kind(), crate::StreamErrorKind::Provider(_)) => {
                Err(error)
            }
            (_, Some(stray)) if !reader.has_begun() => {
                Err(StreamError::new(crate::StreamErrorKind::Provider(stray)))
            }
            _ => reader.finish(events),
        };
        // The other half may be in what the end cut off.
        if is_holding && result.is_err() {
            events.truncate(from);
        }
        self.inputs.restore(events, from);
        self.keep(result)
    }

    /// Returns an earlier call's error, if there was one.
    fn check(&self) -> Result<(), StreamError> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Keeps an error for later calls, and passes the result on.
    fn keep(&mut self, result: Result<(), StreamError>) -> Result<(), StreamError> {
        self.error = result.as_ref().err().cloned();
        result
    }
}

impl Reader {
    /// Reads the JSON of one event; the first one decides between several wires.
    fn event(&mut self, json: &str, events: &mut Vec<Event>) -> Result<(), StreamError> {
        if let Self::Undecided(spec, names) = self {
            *self = Self::Decided(reader(wire_of(spec, json), std::mem::take(names)));
        }
        match self {
            Self::Undecided(..) => Ok(()),
            Self::Decided(reader) => reader.event(json, events),
        }
    }

    fn has_begun(&self) -> bool {
        matches!(self, Self::Decided(reader) if reader.has_begun())
    }

    fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), StreamError> {
        match self {
            Self::Undecided(..) => Err(StreamError::new(crate::StreamErrorKind::Ended)),
            Self::Decided(reader) => reader.finish(events),
        }
    }
}

/// The Messages API's reader needs no names: none are replaced there.
pub(crate) fn reader(wire: WireDialect, names: Names) -> Box<dyn ReadEvents> {
    match wire {
        WireDialect::Messages(_) => Box::new(anthropic::Reader::default()),
        WireDialect::Responses(dialect) => Box::new(responses::Reader::new(dialect, names)),
        WireDialect::ChatCompletions(dialect) => Box::new(openai::Reader::new(dialect, names)),
        WireDialect::GenerateContent => Box::new(gemini::Reader::new(names)),
    }
}

/// Infers the wire from an event. On Chat Completions, events have no type. On Responses, some
/// servers name it in the `event:` line only; the first event has a response or an item.
///
/// `{"type":"response.created",…}` and `{"response":…}` are from Responses,
/// `{"object":"chat.completion.chunk",…}` is from Chat Completions.
fn wire_of(spec: &'static ProviderSpec, json: &str) -> WireDialect {
    #[derive(serde::Deserialize)]
    struct Tagged<'a> {
        #[serde(borrow, rename = "type")]
        kind: Option<crate::read::Text<'a>>,
        response: Option<&'a RawValue>,
        item: Option<&'a RawValue>,
    }
    let is_chat = serde_json::from_str::<Tagged<'_>>(json)
        .map_or(true, |it| it.kind.is_none() && it.response.is_none() && it.item.is_none());
    let is_of_it = |wire: &WireDialect| is_chat == matches!(wire, WireDialect::ChatCompletions(_));
    let mut wires = spec.wires.iter().map(|it| it.wire);
    wires.find(is_of_it).unwrap_or(spec.wire("").wire)
}
