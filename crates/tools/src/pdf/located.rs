//! Objects at an offset in the file.

use std::ops::Range;

use super::budget::Budget;
use super::dict;
use super::tokens::Tokens;

/// Where an object's value is, and a stream's data.
#[derive(Clone, Debug)]
pub(super) struct Located {
    /// A stream's dictionary.
    pub(super) value: Range<usize>,
    /// Without the line end after `stream`; `None` if the object is no stream.
    pub(super) data: Option<Range<usize>>,
}

/// Returns true if the object at an offset has this id.
pub(super) fn is_object(bytes: &[u8], offset: usize, id: u32, budget: &Budget) -> bool {
    Tokens::new(bytes, offset, budget).integer() == Some(id.into())
}

/// Returns the object that has the length of the stream at an offset.
///
/// `None` if the length is in the dictionary, as in most documents.
pub(super) fn length_reference(bytes: &[u8], offset: usize, budget: &Budget) -> Option<u32> {
    let mut tokens = object_at(bytes, offset, budget)?;
    let length = dict::get(tokens.value_slice()?, b"Length", budget)?;
    dict::reference(length, budget)
}

/// Returns the tokens after an object's header.
///
/// The header is `7 0 obj`.
pub(super) fn object_at<'a>(
    bytes: &'a [u8],
    offset: usize,
    budget: &'a Budget,
) -> Option<Tokens<'a>> {
    let mut tokens = Tokens::new(bytes, offset, budget);
    tokens.integer()?;
    tokens.integer()?;
    tokens.is_word(b"obj").then_some(tokens)
}

/// Returns the object at an offset. `length` is its stream's, if that is a
/// separate object; a wrong one is replaced by the distance to the end of the
/// stream.
pub(super) fn stream_at(
    bytes: &[u8],
    offset: usize,
    length: Option<usize>,
    budget: &Budget,
) -> Option<Located> {
    let mut tokens = object_at(bytes, offset, budget)?;
    let value = tokens.value()?;
    if !bytes[value.clone()].starts_with(b"<<") || !tokens.is_word(b"stream") {
        return Some(Located { value, data: None });
    }
    let start = tokens.position();
    let start = match &bytes[start..] {
        [b'\r', b'\n', ..] => start + 2,
        [b'\r' | b'\n', ..] => start + 1,
        _ => start,
    };
    let given = dict::get(&bytes[value.clone()], b"Length", budget);
    let given = given.and_then(dict::integer);
    let length = length.or_else(|| usize::try_from(given?).ok());
    let end = length.and_then(|length| start.checked_add(length));
    let is_end = |end: &usize| {
        let rest = bytes.get(*end..).unwrap_or_default();
        rest.trim_ascii_start().starts_with(b"endstream")
    };
    let end = end.filter(is_end).or_else(|| {
        let rest = &bytes[start..];
        let length = rest.windows(9).position(|it| it == b"endstream")?;
        budget.read(length).then_some(start + length)
    })?;
    Some(Located { value, data: Some(start..end) })
}
