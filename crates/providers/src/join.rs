//! Joining of texts, with care for reminder tags.

use std::borrow::Cow;

use aside_text::REMINDER_TAG;

/// Joins the texts of blocks, for a wire that has one text in their place. Text from outside cannot
/// form a reminder tag across blocks: only those of the harness are left.
pub(crate) fn join<'a>(mut texts: Vec<Cow<'a, str>>, separator: &str) -> Cow<'a, str> {
    match texts.len() {
        1 => texts.remove(0),
        _ => Cow::Owned(aside_text::join(&texts, separator, &[REMINDER_TAG])),
    }
}
