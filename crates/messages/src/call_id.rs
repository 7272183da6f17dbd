//! Call ids that the Messages API refuses, such as `functions.Bash:0` from
//! another server: converting them to `^[a-zA-Z0-9_-]{1,64}$`, and back.

use std::borrow::Cow;

use uuid::Uuid;

/// How a converted id begins.
const PREFIX: &str = "xid_";

/// The longest id that the Messages API takes.
const MAX_ID_BYTES: usize = 64;

/// The longest name of a tool that the Messages API takes in a call.
const MAX_NAME_BYTES: usize = 200;

/// Converts an id from another server to one that the Messages API takes,
/// always in the same way, and different ids to different ones. A byte that the
/// API refuses, and `_`, becomes `_` and two hexadecimal digits. An id that is
/// too long for this is replaced by a hash, which has no way back.
///
/// ```
/// use aside_messages::call_id;
///
/// assert_eq!(call_id::convert("call_1"), "call_1");
/// assert_eq!(call_id::convert("functions.Bash:0"), "xid_functions_2eBash_3a0");
/// let original = call_id::original("xid_functions_2eBash_3a0");
/// assert_eq!(original.as_deref(), Some("functions.Bash:0"));
/// ```
#[must_use]
pub fn convert(id: &str) -> String {
    let is_fine = (1..=MAX_ID_BYTES).contains(&id.len()) && id.bytes().all(is_plain);
    if is_fine && !id.starts_with(PREFIX) {
        return id.to_owned();
    }
    let mut out = PREFIX.to_owned();
    for byte in id.bytes() {
        match byte {
            b'_' => out.push_str("_5f"),
            byte if is_plain(byte) => out.push(char::from(byte)),
            byte => out.push_str(&format!("_{byte:02x}")),
        }
        if out.len() > MAX_ID_BYTES {
            let hash = Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_bytes());
            return format!("call_{}", hash.simple());
        }
    }
    out
}

/// Returns the id that [`convert`] made this one from, if it did.
#[must_use]
pub fn original(id: &str) -> Option<String> {
    let escaped = id.strip_prefix(PREFIX)?;
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut pieces = escaped.split('_');
    bytes.extend_from_slice(pieces.next()?.as_bytes());
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    let original = String::from_utf8(bytes).ok()?;
    // An unrelated id is never mistaken for a converted one.
    (convert(&original) == id).then_some(original)
}

/// Returns the id as a Messages API request can have it: itself if the API
/// takes it, at any length.
///
/// Only the characters are tested, because the API accepts longer ids; an empty
/// one is converted.
pub(crate) fn accepted(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.bytes().all(is_plain) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(convert(id))
    }
}

/// Returns a tool's name as a Messages API request can have it in a call: each
/// other character is replaced by `_`. Such a call never ran, so nothing has to
/// find the name again.
pub(crate) fn accepted_name(name: &str) -> Cow<'_, str> {
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let plain = |it: char| if u8::try_from(it).is_ok_and(is_plain) { it } else { '_' };
    let accepted: String = name.chars().take(MAX_NAME_BYTES).map(plain).collect();
    Cow::Owned(if accepted.is_empty() { "_".to_owned() } else { accepted })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, expected: &str) {
        assert_eq!(convert(id), expected);
        let back = original(expected);
        if id == expected { assert_eq!(back, None) } else { assert_eq!(back.as_deref(), Some(id)) }
    }

    #[test]
    fn ids_come_back() {
        check("call_1", "call_1");
        check("toolu_01A-b", "toolu_01A-b");
        check("functions.Bash:0", "xid_functions_2eBash_3a0");
        check("a_b.c", "xid_a_5fb_2ec");
        check("é", "xid__c3_a9");
        check("xid_a", "xid_xid_5fa");
        check("", "xid_");
    }

    #[test]
    fn an_id_that_is_too_long_becomes_a_hash() {
        let long = convert(&"a".repeat(65));
        assert_eq!(long.len(), "call_".len() + 32);
        assert_eq!(original(&long), None);
    }

    #[test]
    fn an_id_that_the_api_takes_stays() {
        let long = "a".repeat(99);
        for id in ["xid_a", "xid_functions_2eBash_3a0", &long] {
            assert_eq!(accepted(id), id);
        }
        assert_eq!(accepted("a.b:c"), "xid_a_2eb_3ac");
        assert_eq!(accepted(""), "xid_");
    }

    #[test]
    fn no_other_id_is_taken_for_one_of_these() {
        for id in ["xid_a_b", "xid_a_zz", "xid_plain", "xid_a_2", "xid_a_5F"] {
            assert_eq!(original(id), None, "{id}");
        }
    }
}
