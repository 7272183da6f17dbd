use aside_text::one_line_bytes;

/// How many characters of a name or subject to keep.
const MAX_BRIEF_CHARS: usize = 300;

/// Returns a name or a subject on one line; one that is cut ends with `…`.
pub(crate) fn brief(bytes: &[u8]) -> String {
    let text = one_line_bytes(bytes);
    if text.chars().nth(MAX_BRIEF_CHARS).is_none() {
        return text.into_owned();
    }
    let first = text.chars().take(MAX_BRIEF_CHARS - 1);
    first.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        let check = |text: &str, expected: &str| assert_eq!(brief(text.as_bytes()), expected);
        check("short", "short");
        check(&"é".repeat(300), &"é".repeat(300));
        check(&"é".repeat(301), &format!("{}…", "é".repeat(299)));
        check(&"\t".repeat(151), &format!("{}\\…", "\\t".repeat(149)));
    }
}
