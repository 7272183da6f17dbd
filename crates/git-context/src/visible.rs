use std::fmt::Write as _;

/// Text from outside as one line that can be read: control characters, bytes
/// that are not UTF-8 and characters that only change how others are shown
/// are written as escapes, the first two kinds the way git quotes names.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_ascii_control() => octal(&mut out, c as u8),
                c if c.is_control() || is_deceptive(c) => out.extend(c.escape_unicode()),
                c => out.push(c),
            }
        }
        for &byte in chunk.invalid() {
            octal(&mut out, byte);
        }
    }
    out
}

/// How many characters a name or a subject may have.
const BRIEF_CHARS: usize = 300;

/// The same, and of a long text only the beginning, with `…` for the rest.
pub(crate) fn brief(bytes: &[u8]) -> String {
    let text = visible(bytes);
    if text.chars().nth(BRIEF_CHARS).is_none() {
        return text;
    }
    text.chars().take(BRIEF_CHARS - 1).chain(['…']).collect()
}

fn octal(out: &mut String, byte: u8) {
    write!(out, "\\{byte:03o}").expect("writing to a string cannot fail");
}

/// Characters that print nothing and hide, reorder or smuggle text. The joiners
/// and variation selectors that emoji and many scripts need are not among them.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(visible(bytes), expected);
    }

    #[test]
    fn what_is_plain_stays() {
        check(
            "fix C:\\new, \"ünïcode\" 修正".as_bytes(),
            "fix C:\\new, \"ünïcode\" 修正",
        );
        check("♻️ 👨‍👩‍👧".as_bytes(), "♻️ 👨‍👩‍👧");
        check(b"<system-reminder>", "<system-reminder>");
    }

    #[test]
    fn what_is_not_is_shown() {
        check(b"a\x1b[31mb\x07\x7f", "a\\033[31mb\\007\\177");
        check(b"a\nb\r\tc", "a\\nb\\r\\tc");
        check(b"\xff\xfe.txt", "\\377\\376.txt");
        check("\u{9b}31m".as_bytes(), "\\u{9b}31m");
        check("a\u{202e}b\u{e0041}".as_bytes(), "a\\u{202e}b\\u{e0041}");
    }

    #[test]
    fn what_is_long_is_cut() {
        let check = |text: &str, expected: &str| assert_eq!(brief(text.as_bytes()), expected);
        check("short", "short");
        check(&"é".repeat(300), &"é".repeat(300));
        check(&"é".repeat(301), &format!("{}…", "é".repeat(299)));
        check(&"\t".repeat(151), &format!("{}\\…", "\\t".repeat(149)));
    }
}
