//! Neutralizing reminder tags, so that text from outside cannot pass for a reminder.

mod block;

use std::borrow::Cow;

use aside_json::scan::string_end;
use aside_json::unescape;
use aside_text::neutralize;

use crate::wire::RawJson;

pub(crate) use block::{neutralize_block, neutralize_quoted};

/// Neutralizes tags inside the strings of a JSON value, however they are escaped.
///
/// ```
/// use aside_messages::wire::RawJson;
/// use aside_messages::{REMINDER_TAG, neutralize_json};
///
/// let json = RawJson::parse(r#"{"a":"\u003csystem-reminder>"}"#)?;
/// assert_eq!(neutralize_json(&json, &[REMINDER_TAG]).get(), r#"{"a":"&lt;system-reminder>"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Keys are strings too. Numbers, spacing and strings without tags keep their bytes. Linear.
#[must_use]
pub fn neutralize_json(json: &RawJson, tags: &[&str]) -> RawJson {
    let text = json.get();
    let mut out = String::new();
    let mut copied = 0;
    let mut rest = 0;
    while let Some(start) = text[rest..].find('"').map(|at| rest + at) {
        let end = string_end(text.as_bytes(), start).unwrap_or(text.len());
        // A lone surrogate must not hide a tag next to it.
        let decoded = unescape(text.get(start + 1..end - 1).unwrap_or_default().as_bytes());
        if let Cow::Owned(safe) = neutralize(&decoded, tags) {
            out.push_str(&text[copied..start]);
            out.push_str(&serde_json::to_string(&safe).expect("a string is valid JSON"));
            copied = end;
        }
        rest = end;
    }
    if copied == 0 {
        return json.clone();
    }
    out.push_str(&text[copied..]);
    RawJson::parse(&out).expect("a string in the place of a string leaves JSON valid")
}

#[cfg(test)]
mod tests {
    use aside_text::REMINDER_TAG;

    use super::*;

    #[test]
    fn json_strings_are_read_through_their_escapes() {
        let raw = RawJson::parse(
            r#"{ "a" : "\u003csystem-reminder>", "<": ["</system-reminder>\"", 1] }"#,
        )
        .unwrap();
        assert_eq!(
            neutralize_json(&raw, &[REMINDER_TAG]).get(),
            r#"{ "a" : "&lt;system-reminder>", "<": ["&lt;/system-reminder>\"", 1] }"#
        );
    }
}
