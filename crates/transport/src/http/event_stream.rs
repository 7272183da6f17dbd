//! The frames in which Bedrock sends a stream, `application/vnd.amazon.eventstream`. Each frame has
//! checksums, headers and an event in base64.

use aside_providers::{ErrorBody, MAX_LINE_BYTES};
use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use aws_smithy_types::base64;
use aws_smithy_types::event_stream::Message;
use bytes::{Buf, BytesMut};
use serde::Deserialize;

use super::error::TransportErrorKind;

/// Decodes an AWS event stream from chunks of any size. [`Events`](crate::Events) uses it; it is
/// public so that you can use another HTTP client.
///
/// ```
/// use aside_transport::AwsEventStream;
///
/// let mut stream = AwsEventStream::default();
/// // Half of a prelude: no event yet, and the frame is incomplete.
/// stream.push(&[0, 0, 1, 0, 0, 0], |_| unreachable!())?;
/// assert!(stream.is_within());
/// # Ok::<(), aside_transport::TransportErrorKind>(())
/// ```
#[derive(Debug, Default)]
pub struct AwsEventStream {
    /// The bytes of the incomplete frame.
    buffer: BytesMut,
    /// AWS's own decoder, which checks both checksums.
    decoder: MessageFrameDecoder,
    /// True once the decoder has consumed that frame's prelude, its two lengths and their checksum.
    prelude_read: bool,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    /// An event's JSON in base64; a chunk without it is skipped.
    #[serde(borrow)]
    bytes: Option<&'a str>,
}

impl AwsEventStream {
    /// Adds bytes, and calls `each` with the JSON of every complete event. A frame has at most 32
    /// MB.
    ///
    /// # Errors
    /// The bytes are not frames of a response, the stream reports an error, or `each` fails.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&str) -> Result<(), TransportErrorKind>,
    ) -> Result<(), TransportErrorKind> {
        self.buffer.extend_from_slice(bytes);
        loop {
            self.check_length()?;
            let before = self.buffer.remaining();
            let frame = self.decoder.decode_frame(&mut self.buffer).map_err(|error| {
                TransportErrorKind::Malformed(format!(
                    "expected a frame of an event stream: {error}"
                ))
            })?;
            match frame {
                DecodedFrame::Incomplete => {
                    // The decoder consumes the prelude as soon as it is complete.
                    self.prelude_read |= self.buffer.remaining() < before;
                    return Ok(());
                }
                DecodedFrame::Complete(message) => {
                    self.prelude_read = false;
                    if let Some(json) = event(&message)? {
                        each(&json)?;
                    }
                }
            }
        }
    }

    /// Returns true if the last frame is incomplete.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.prelude_read || !self.buffer.is_empty()
    }

    /// Refuses a frame over the limit before its bytes are collected.
    fn check_length(&self) -> Result<(), TransportErrorKind> {
        // The first four bytes of a frame give its length.
        let length = self.buffer.first_chunk().filter(|_| !self.prelude_read);
        match length {
            Some(bytes) if u32::from_be_bytes(*bytes) as usize > MAX_LINE_BYTES => {
                Err(TransportErrorKind::TooLong)
            }
            _ => Ok(()),
        }
    }
}

/// Returns an event's JSON; `None` if it is not part of the response.
///
/// # Errors
/// The frame is an exception or an error, or its payload is not base64 of UTF-8.
fn event(message: &Message) -> Result<Option<String>, TransportErrorKind> {
    let header = |name: &str| {
        let found = message.headers().iter().find(|header| header.name().as_str() == name);
        found
            .and_then(|header| header.value().as_string().ok())
            .map(|value| value.as_str().to_owned())
    };
    let kind = header(":message-type").unwrap_or_default();
    if kind == "exception" || kind == "error" {
        let mut body = ErrorBody::parse(message.payload());
        let name = header(":exception-type").or_else(|| header(":error-code"));
        body.kind = name.or(body.kind);
        if let Some(text) = header(":error-message") {
            body.message = text;
        }
        return Err(TransportErrorKind::Provider(body));
    }
    if header(":event-type").is_some_and(|kind| kind != "chunk") {
        return Ok(None);
    }
    let malformed = |what: &str| {
        TransportErrorKind::Malformed(format!("expected a chunk of an answer: {what}"))
    };
    let chunk: Chunk<'_> =
        serde_json::from_slice(message.payload()).map_err(|error| malformed(&error.to_string()))?;
    let Some(encoded) = chunk.bytes else {
        return Ok(None);
    };
    let bytes = base64::decode(encoded).map_err(|_| malformed("no base64"))?;
    String::from_utf8(bytes).map(Some).map_err(|_| malformed("no UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_smithy_eventstream::frame::write_message_to;
    use aws_smithy_types::event_stream::{Header, HeaderValue};

    fn frame(headers: &[(&'static str, &'static str)], payload: String) -> Vec<u8> {
        let mut message = Message::new(payload.into_bytes());
        for &(name, value) in headers {
            message = message.add_header(Header::new(name, HeaderValue::String(value.into())));
        }
        let mut bytes = Vec::new();
        write_message_to(&message, &mut bytes).unwrap();
        bytes
    }

    fn chunk(json: &str) -> Vec<u8> {
        let payload = format!(r#"{{"bytes":"{}","p":"abc"}}"#, base64::encode(json));
        frame(&[(":message-type", "event"), (":event-type", "chunk")], payload)
    }

    fn read(pieces: &[&[u8]]) -> (Vec<String>, Result<(), TransportErrorKind>) {
        let mut stream = AwsEventStream::default();
        let mut found = Vec::new();
        let result = pieces.iter().try_for_each(|piece| {
            stream.push(piece, |json| {
                found.push(json.to_owned());
                Ok(())
            })
        });
        (found, result)
    }

    #[test]
    fn frames_cut_anywhere_give_their_events() {
        let mut bytes = chunk(r#"{"type":"a"}"#);
        bytes.extend(frame(
            &[(":message-type", "event"), (":event-type", "initial-response")],
            "{}".into(),
        ));
        bytes.extend(chunk(r#"{"type":"é"}"#));
        let expected = vec![r#"{"type":"a"}"#.to_owned(), r#"{"type":"é"}"#.to_owned()];
        for cut in 0..=bytes.len() {
            let (before, after) = bytes.split_at(cut);
            assert_eq!(read(&[before, after]), (expected.clone(), Ok(())), "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&single), (expected, Ok(())));
    }

    #[test]
    fn an_exception_is_reported() {
        let mut bytes = chunk("{}");
        bytes.extend(frame(
            &[(":message-type", "exception"), (":exception-type", "throttlingException")],
            r#"{"message":"Too many"}"#.into(),
        ));
        let (found, result) = read(&[&bytes]);
        assert_eq!(found, ["{}"]);
        let Err(TransportErrorKind::Provider(body)) = result else { panic!("{result:?}") };
        assert_eq!(body.to_string(), "throttlingException: Too many");
    }

    #[test]
    fn an_invalid_frame_is_refused() {
        let mut bytes = chunk("{}");
        bytes[9] ^= 1;
        assert!(matches!(read(&[&bytes]).1, Err(TransportErrorKind::Malformed(_))));
        assert!(matches!(read(&[&[0xFF; 64]]).1, Err(TransportErrorKind::TooLong)));
        assert!(matches!(read(&[&[0; 64]]).1, Err(TransportErrorKind::Malformed(_))));
        let nonsense = frame(
            &[(":message-type", "event"), (":event-type", "chunk")],
            r#"{"bytes":"!"}"#.into(),
        );
        assert!(matches!(read(&[&nonsense]).1, Err(TransportErrorKind::Malformed(_))));
    }
}
