//! Takes the texts out of a body. Their lengths stay, and equal texts stay
//! equal, so that a record still explains its cache.

use crate::strict::digest::Sum;

/// Whether records hold texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts {
    /// They do.
    #[default]
    Kept,
    /// A text is replaced by digits of its hash.
    Redacted,
}

/// Keys whose values say how a request is built, not what it says.
const KEPT: &[&str] = &[
    "cache_control",
    "call_id",
    "clear_at",
    "effort",
    "format",
    "id",
    "media_type",
    "mode",
    "model",
    "name",
    "object",
    "parent_id",
    "prompt_cache_key",
    "role",
    "server_name",
    "service_tier",
    "signature",
    "speed",
    "status",
    "stop_reason",
    "tool_name",
    "tool_use_id",
    "ttl",
    "type",
];

/// Replaces the strings of a JSON text, key names and [`KEPT`] values aside,
/// by as many bytes.
pub(crate) fn redact(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut redacted = String::with_capacity(json.len());
    let mut keys: Vec<Option<&str>> = vec![None];
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let end = match byte {
            b'"' => end_of_string(bytes, at),
            _ => at + 1,
        };
        // Only strings hold other bytes than ASCII, and they end at a quote.
        let token = json.get(at..end).unwrap_or_default();
        match byte {
            b'"' if is_key(bytes, end) => {
                let key = token.get(1..token.len() - 1).unwrap_or_default();
                if let Some(last) = keys.last_mut() {
                    *last = Some(key);
                }
                redacted.push_str(token);
            }
            b'"' => {
                let key = keys.iter().rev().flatten().next();
                match key.is_some_and(|key| KEPT.contains(key)) {
                    true => redacted.push_str(token),
                    false => push_filler(token, &mut redacted),
                }
            }
            _ => {
                match byte {
                    b'{' | b'[' => keys.push(None),
                    b'}' | b']' if keys.len() > 1 => drop(keys.pop()),
                    _ => {}
                }
                redacted.push_str(token);
            }
        }
        at = end.max(at + 1);
    }
    redacted
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn is_key(bytes: &[u8], end: usize) -> bool {
    let rest = bytes.get(end..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Appends a string of the same length in bytes.
fn push_filler(token: &str, redacted: &mut String) {
    let length = token.len().saturating_sub(2);
    let digest = Sum::new("text").with(token.as_bytes()).end();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    redacted.push('"');
    redacted.extend(digits.chars().cycle().take(length));
    redacted.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_and_structure_and_lengths_stay() {
        let body = r#"{"model":"m","messages":[{"role":"user","content":"canary \" é"},{"role":"user","content":[{"type":"text","text":"canary","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"Read","input_schema":{"type":"object","description":"canary"}}],"n":1.50}"#;
        let redacted = redact(body);
        assert!(!redacted.contains("canary"), "{redacted}");
        assert_eq!(redacted.len(), body.len());
        assert!(redacted.contains(r#""cache_control":{"type":"ephemeral"}"#));
        assert!(redacted.contains(r#""name":"Read","input_schema":{"type":"object","#));
        assert!(redacted.ends_with(r#""n":1.50}"#));
        assert_eq!(redact(body), redacted);
        assert_ne!(redact(&body.replace("canary\",", "banana\",")), redacted);
        for cut in 0..body.len() {
            if let Some(part) = body.get(..cut) {
                let _ = redact(part);
            }
        }
    }
}
