//! Bounding how deep a YAML text nests brackets, without a parser.
//!
//! For each token libyaml looks at every open bracket again, so a text that is
//! all brackets takes it time proportional to the square of their number.
//!
//! The count is never below the number of brackets that libyaml has open. It
//! may be above it, since quotes, comments and block texts decide whether a
//! bracket is one: `key: [a, "b"]` counts as open to the end. Most code and
//! prose in block texts counts nothing.

#[cfg(test)]
mod tests;

/// Returns the 1-based line on which more than `limit` brackets may be open at
/// once.
///
/// Returns `None` when the text stays within the limit. Linear in its length.
pub(crate) fn deeper_than(limit: usize, text: &str) -> Option<usize> {
    let mut open = 0;
    let mut line = Line::default();
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' if line.may_open() => {
                open += 1;
                line.closable += 1;
                if open > limit {
                    return Some(1 + text[..at].matches('\n').count());
                }
            }
            ']' | '}' if line.closable > 0 => {
                open -= 1;
                line.closable -= 1;
            }
            // What follows may be text, so no bracket there is sure to close.
            '\'' | '"' | '#' => line.closable = 0,
            '!' => (line.closable, line.has_properties) = (0, true),
            '&' => line.has_properties = true,
            _ => {}
        }
        match c {
            c if is_break(c) => line = Line::default(),
            ' ' | '\t' => {}
            c => line.last = Some(c),
        }
    }
    None
}

/// What is known about the current line.
#[derive(Default)]
struct Line {
    /// How many brackets the next closing brackets close for certain: if one of
    /// them opens a list, everything since then belongs to the list.
    closable: usize,
    /// True if an anchor or a tag may precede a bracket.
    has_properties: bool,
    last: Option<char>,
}

impl Line {
    /// Returns true if a bracket here can open a list or a mapping.
    ///
    /// After a word or a quote it is text, or an error at which libyaml stops.
    fn may_open(&self) -> bool {
        let is_text = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '"' | ')' | ']' | '}');
        self.has_properties || !self.last.is_some_and(is_text)
    }
}

/// Returns true for characters that end a line in libyaml.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
