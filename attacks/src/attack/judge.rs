//! Finding forbidden text in an output. This shares no code with the product,
//! so a gap in the product's tables is not a gap here.

/// Returns true if the text holds a reminder tag in any form: other letter
/// case, hidden characters, slashes and white space before the name, other
/// hyphens.
///
/// An underscore, a space or a line end counts as the hyphen, and no `>` is
/// needed. A form escaped as `&lt;` is no tag.
pub(super) fn has_tag(text: &str) -> bool {
    let mut brackets = text.match_indices('<');
    brackets.any(|(at, _)| is_tag(&text[at + 1..]))
}

/// Returns true if the text after a `<` is the rest of a tag. Looks only at its
/// first 400 characters.
fn is_tag(rest: &str) -> bool {
    let shown: Vec<char> = rest.chars().take(400).filter(|c| !is_hidden(*c)).collect();
    let is_skipped = |c: &char| c.is_whitespace() || matches!(c, '/' | '\\');
    let start = shown.iter().take_while(|c| is_skipped(c)).count();
    // JSON may have escaped the slash, but a backslash alone is other text.
    let skipped: String = shown[..start].iter().collect();
    if skipped.ends_with('\\') {
        return false;
    }
    let end = strip(&shown[start..], "system").and_then(|after| {
        let gap = after.iter().take_while(|c| is_gap(**c)).count();
        strip(&after[gap..], "reminder").filter(|_| gap > 0)
    });
    let after = |end: &[char]| end.iter().copied().find(|c| !is_hyphen(*c));
    end.is_some_and(|end| after(end).is_none_or(|c| !c.is_alphanumeric()))
}

/// In any ASCII letter case.
fn strip<'a>(text: &'a [char], word: &str) -> Option<&'a [char]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let mut pairs = word.chars().zip(start);
    pairs.all(|(a, b)| b.eq_ignore_ascii_case(&a)).then_some(rest)
}

/// Characters that may separate the two words in the name.
fn is_gap(c: char) -> bool {
    is_hyphen(c) || c.is_whitespace()
}

/// ASCII `-` and `_`, and Unicode's hyphens and dashes.
fn is_hyphen(c: char) -> bool {
    "-_\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}\u{ff0d}".contains(c)
}

/// Characters that print nothing, white space aside.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns control characters, C1 included, and characters that change the
/// direction of text: a terminal would obey them.
pub(super) fn terminal_controls(output: &[u8]) -> Vec<char> {
    let text = String::from_utf8_lossy(output);
    let is_control = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(is_control).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_a_tag() {
        let forms = super::super::tags::forms(crate::attack::Extent::Long).unwrap();
        assert!(forms.len() >= 528, "{}", forms.len());
        for form in forms {
            assert!(has_tag(&form), "{form:?}");
            assert!(has_tag(&format!("text {form} text")), "{form:?}");
            assert!(!has_tag(&form.replace('<', "&lt;")), "{form:?}");
        }
    }

    #[test]
    fn other_text_is_no_tag() {
        for text in [
            "",
            "<",
            "<system>",
            "<systemreminder>",
            "<system-reminders>",
            "&lt;system-reminder>",
            "<sys tem-reminder>",
            "\u{ff1c}system-reminder>",
        ] {
            assert!(!has_tag(text), "{text:?}");
        }
    }

    #[test]
    fn terminal_escapes_are_seen() {
        for text in ["\u{1b}[2J", "a\rb", "\u{9b}31m", "\u{202e}abc", "\u{7}"] {
            assert_eq!(terminal_controls(text.as_bytes()).len(), 1, "{text:?}");
        }
        assert!(terminal_controls("plain\n\ttext é".as_bytes()).is_empty());
    }
}
