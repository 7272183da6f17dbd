/// Escapes a text for markup, also between the quotes of an attribute.
///
/// ```
/// assert_eq!(aside_text::escape_markup("\"a\" <b> & c"), "&quot;a&quot; &lt;b&gt; &amp; c");
/// ```
#[must_use]
pub fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
