//! Excerpts from texts that may be long, such as messages and tool inputs.

/// How long an excerpt may be, in characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// Returns up to 200 characters from a text, to fit a line on stderr, with `…`
/// when something was cut off.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
