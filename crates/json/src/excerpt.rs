const MAX_CHARS: usize = 40;

/// Shortens JSON text to print it safely: at most 40 characters, control characters escaped, and
/// `…` when it was cut.
///
/// ```
/// use aside_json::excerpt;
///
/// assert_eq!(excerpt("{\"a\":\n1}"), r#"{"a":\n1}"#);
/// assert_eq!(excerpt(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
/// ```
#[must_use]
pub fn excerpt(json: &str) -> String {
    let end = json.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let shown: String =
        json[..end.unwrap_or(json.len())].chars().flat_map(char::escape_debug).collect();
    let cut = if end.is_some() { "…" } else { "" };
    shown.replace("\\\"", "\"") + cut
}
