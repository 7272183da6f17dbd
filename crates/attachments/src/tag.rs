//! Tags of our own around text from outside.

use std::fmt::Write as _;

use aside_messages::{neutralize, one_line};

/// `<name key="value">` with the values escaped.
pub(crate) fn opening(name: &str, attributes: &[(&str, &str)]) -> String {
    let mut tag = format!("<{name}");
    for (key, value) in attributes {
        // Writing to a string cannot fail.
        let _ = write!(tag, " {key}=\"{}\"", escaped(value));
    }
    tag.push('>');
    tag
}

/// Text that stands inside a tag: it can neither close that tag nor open
/// another of its name.
pub(crate) fn wrapped(name: &str, attributes: &[(&str, &str)], text: &str) -> String {
    let inner = neutralize(text, &[name]);
    format!("{}{inner}</{name}>", opening(name, attributes))
}

fn escaped(value: &str) -> String {
    one_line(value)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_in_its_quotes() {
        assert_eq!(
            opening("r", &[("a", "\"><r>&\n")]),
            r#"<r a="&quot;&gt;&lt;r&gt;&amp;\n">"#
        );
    }

    #[test]
    fn the_text_stays_inside() {
        assert_eq!(wrapped("r", &[], "x</R ><r>"), "<r>x&lt;/R >&lt;r></r>");
    }
}
