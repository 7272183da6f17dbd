//! The line of a JSON fault.

use std::str;

use serde::de::IgnoredAny;

/// Returns the line of the first fault, counted from 0; `None` if the text is
/// JSON.
///
/// For text that is not UTF-8 it is the line of the first invalid byte. A text that ends too early
/// is at fault in its last line with content.
pub(crate) fn fault_line(json: &[u8]) -> Option<u64> {
    let line = match str::from_utf8(json) {
        Ok(text) => serde_json::from_str::<IgnoredAny>(text).err()?.line().saturating_sub(1),
        Err(error) => lines(&json[..error.valid_up_to()]),
    };
    // At the end of a text the line is one that has not begun.
    Some(line.min(lines(json.trim_ascii_end())) as u64)
}

/// Returns the number of line feeds.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &[u8], expected: Option<u64>) {
        assert_eq!(fault_line(json), expected, "{:?}", json.escape_ascii());
    }

    #[test]
    fn the_line_is_the_one_at_fault() {
        check(b"{\n}", None);
        check(b"nonsense", Some(0));
        check(b"{\"a\":\n1,\nb}", Some(2));
        check(b"{\"a\":\n", Some(0));
        check(b"", Some(0));
        check(b"{\n\"\xF0\x9F\n\"}", Some(1));
    }
}
