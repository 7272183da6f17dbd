//! The beginning of a text that may be long.

use std::borrow::Cow;

/// Returns at most this many characters of a text, and `…` if there are more.
///
/// ```
/// assert_eq!(aside_text::shortened("naïve", 3), "naï…");
/// ```
#[must_use]
pub fn shortened(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn only_a_text_that_is_longer_is_cut() {
        assert_eq!(shortened("ab", 2), "ab");
        assert_eq!(shortened("abc", 2), "ab…");
        assert_eq!(shortened("", 0), "");
    }
}
