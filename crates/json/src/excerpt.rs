const MAX_CHARS: usize = 40;

/// Shortens JSON text to print it safely: at most 40 characters as written, control and invisible
/// characters escaped, and `…` when it was cut.
///
/// ```
/// use aside_json::excerpt;
///
/// assert_eq!(excerpt("{\"a\":\n1}"), r#"{"a":\n1}"#);
/// assert_eq!(excerpt(r#""it's \"q\" \n""#), r#""it's \"q\" \n""#);
/// assert_eq!(excerpt("\"\u{200b}\\u200b\""), r#""\u{200b}\u200b""#);
/// assert_eq!(excerpt(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
/// ```
#[must_use]
pub fn excerpt(json: &str) -> String {
    let end = json.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let mut shown = String::new();
    for c in json[..end.unwrap_or(json.len())].chars() {
        match c {
            // Printable: JSON escapes them itself where it has to.
            '\'' | '"' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    let cut = if end.is_some() { "…" } else { "" };
    shown + cut
}
