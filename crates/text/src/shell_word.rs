//! Quoting a word for a shell.

use std::borrow::Cow;

/// Returns the text as one word for a POSIX shell, quoted only if necessary.
///
/// ```
/// use aside_text::shell_word;
///
/// assert_eq!(shell_word("src/a-b.rs"), "src/a-b.rs");
/// assert_eq!(shell_word("my notes"), "'my notes'");
/// ```
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', r"'\''")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_if_the_shell_needs_it() {
        assert_eq!(shell_word("src/a-b.rs"), "src/a-b.rs");
        assert_eq!(shell_word("a b; rm"), "'a b; rm'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("-a"), "'-a'");
        assert_eq!(shell_word(""), "''");
    }
}
