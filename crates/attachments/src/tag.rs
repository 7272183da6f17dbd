//! Tags inside a reminder, around text from outside.

use std::fmt::Write as _;

use aside_messages::{neutralize, one_line};
use aside_text::escape_markup;

/// Escapes the values in `<name key="value">`.
pub(crate) fn opening(name: &str, attributes: &[(&str, &str)]) -> String {
    let mut tag = format!("<{name}");
    for (key, value) in attributes {
        // Writing to a string cannot fail.
        let _ = write!(tag, " {key}=\"{}\"", escape_markup(&one_line(value)));
    }
    tag.push('>');
    tag
}

/// Puts the text between an opening and a closing tag. The text can neither
/// close that tag nor open another with the same name.
pub(crate) fn wrapped(name: &str, attributes: &[(&str, &str)], text: &str) -> String {
    let inner = neutralize(text, &[name]);
    format!("{}{inner}</{name}>", opening(name, attributes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_values_are_escaped() {
        assert_eq!(opening("r", &[("a", "\"><r>&\n")]), r#"<r a="&quot;&gt;&lt;r&gt;&amp;\n">"#);
    }

    #[test]
    fn wrapped_text_cannot_close_its_tag() {
        assert_eq!(wrapped("r", &[], "x</R ><r>"), "<r>x&lt;/R >&lt;r></r>");
    }
}
