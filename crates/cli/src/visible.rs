/// Text from outside for a terminal: characters that steer it, or that turn
/// the direction of writing, are shown as escapes.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The same for a text of several lines.
pub(crate) fn visible_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(['\n', '\t']) {
        match piece.strip_suffix(['\n', '\t']) {
            Some(rest) => {
                out.push_str(&visible(rest));
                out.push_str(&piece[rest.len()..]);
            }
            None => out.push_str(&visible(piece)),
        }
    }
    out
}

/// The same for JSON, which stays the same JSON.
pub(crate) fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Below U+0020, JSON has escaped it already or it is white space.
        if steers(c) && c >= '\u{7f}' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(visible("a\x1b[31m\u{9b}b\n"), "a\\u{1b}[31m\\u{9b}b\\u{a}");
        assert_eq!(visible_lines("a\r\n\tb\x07\n"), "a\\u{d}\n\tb\\u{7}\n");
        assert_eq!(
            visible_json("{\n\"\u{9b}\u{202e}é\"}"),
            "{\n\"\\u009b\\u202eé\"}"
        );
    }
}
