//! Excerpts from texts that may be long, such as messages and tool inputs.

use std::borrow::Cow;

/// How long an excerpt may be, in characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// Returns up to 200 characters from a text, to fit a line on stderr, with `…`
/// when something was cut off.
pub(super) fn excerpt(text: &str) -> Cow<'_, str> {
    aside_text::shortened(text, MAX_EXCERPT_CHARS)
}
