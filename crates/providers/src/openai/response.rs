use super::Flavor;
use super::stream::Reader;
use crate::answer::{Answer, Collector};
use crate::names::Names;
use crate::stream_error::StreamError;

/// Reads a whole response: it is a stream of one chunk.
pub(crate) fn answer(body: &[u8], flavor: Flavor, names: &Names) -> Result<Answer, StreamError> {
    let json = std::str::from_utf8(body)
        .map_err(|error| StreamError::malformed(format!("expected UTF-8: {error}")))?;
    let mut reader = Reader::new(flavor, names.clone());
    let mut events = Vec::new();
    reader.event(json, &mut events)?;
    reader.finish(&mut events)?;
    let mut collector = Collector::default();
    for event in &events {
        collector.push(event);
    }
    Ok(collector.finish())
}
