//! Where in several lines JSON goes wrong.

use std::str;

use serde::de::IgnoredAny;

/// The line on which the text is no JSON, counted from 0; nothing where it is.
pub(crate) fn fault_line(json: &[u8]) -> Option<u64> {
    let line = match str::from_utf8(json) {
        Ok(text) => serde_json::from_str::<IgnoredAny>(text)
            .err()?
            .line()
            .saturating_sub(1),
        Err(error) => lines(&json[..error.valid_up_to()]),
    };
    // At the end of a text the line is one that has not begun.
    Some(line.min(lines(json.trim_ascii_end())) as u64)
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// The error without its place, which is told in front.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
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

    #[test]
    fn a_place_is_told_once() {
        let error = serde_json::from_str::<u8>("\n7e").unwrap_err();
        assert_eq!(without_place(&error), "EOF while parsing a value");
        let error = serde_json::from_str::<u8>("[]").unwrap_err();
        assert_eq!(without_place(&error), "invalid type: sequence, expected u8");
    }
}
