/// The length of an excerpt, in characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// Returns the beginning of a text, for a line on stderr.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
