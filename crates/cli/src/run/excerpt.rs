//! Excerpts of texts that may be long, such as messages and the inputs of tools.

/// The length of an excerpt, in characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// Returns at most 200 characters of a text, for a line on stderr, with `…` if something
/// was cut off.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
