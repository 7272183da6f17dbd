use super::Flavor;
use super::stream::Reader;
use crate::answer::{Answer, whole};
use crate::names::Names;
use crate::stream_error::StreamError;

/// Reads a whole response: it is a stream of one chunk.
pub(crate) fn answer(body: &[u8], flavor: Flavor, names: &Names) -> Result<Answer, StreamError> {
    let mut reader = Reader::new(flavor, names.clone());
    whole(body, |json, events| {
        reader.event(json, events)?;
        reader.finish(events)
    })
}
