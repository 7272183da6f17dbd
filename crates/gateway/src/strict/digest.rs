//! Digests of request parts without cache markers.
//!
//! Two parts have one digest if they differ only in markers, in white space between tokens, or in a
//! block's key order. Inside a tool's input or schema key order is significant, as in the
//! provider's cache. The API digests what it fetches, so here a file's two addresses are one
//! digest; a `data:` URL is the file itself.

use std::borrow::Cow;

use aside_body::body::content_key;
use aside_json::{Kind, Value, scan};
use sha2::{Digest as _, Sha256};

use super::body::blocks;

/// How a SHA-256 sum begins.
pub(crate) type Digest = [u8; 16];

/// A digest under construction.
///
/// Each value comes after its length, so that two lists of values with the same joined bytes have
/// different digests.
#[derive(Clone, Debug)]
pub(crate) struct Sum(Sha256);

impl Sum {
    /// Begins a digest. The tag keeps digests of different kinds of parts apart.
    pub(crate) fn new(tag: &str) -> Self {
        Self(Sha256::new()).with(tag.as_bytes())
    }

    /// Adds bytes with their length.
    #[must_use]
    pub(crate) fn with(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn end(self) -> Digest {
        let sum = self.0.finalize();
        let mut digest = Digest::default();
        digest.copy_from_slice(&sum[..16]);
        digest
    }
}

/// Digests a tool, a system block or a content block. A string counts as the text block that it
/// stands for.
///
/// A tool result's content is summed block by block, so that markers inside it are left out, too,
/// and a string is the same as a list of one text.
pub(crate) fn of_block(block: Value<'_>) -> Digest {
    if block.kind() == Kind::String {
        let sum = Sum::new("object").with(b"text");
        let sum = sum.with(block.raw().as_bytes()).with(b"type");
        return sum.with(b"\"text\"").end();
    }
    let kind = block.tag();
    of_members(block, |key, value, sum| match (key, &*kind) {
        (key, kind) if !value.is_null() && content_key(kind) == Some(key) => {
            let inner = blocks(block, key).into_iter().map(of_block);
            Some(inner.fold(sum, |sum, it| sum.with(&it)))
        }
        ("tool", "tool_addition") => {
            let definition = value.get("definition")?;
            Some(sum.with(&of_members(definition, |_, _, _| None)))
        }
        ("source", _) if value.tag() == "url" => {
            let is_data = value.text_of("url").is_some_and(|it| it.starts_with("data:"));
            (!is_data).then(|| sum.with(b"fetched"))
        }
        _ => None,
    })
}

/// Digests what a response's block keeps however a client writes it: escapes, nulls and the order
/// of keys may differ from the response's.
pub(crate) fn of_kept(block: Value<'_>) -> Digest {
    let keys = ["type", "id", "tool_use_id", "name", "text"];
    let texts = keys.iter().map(|key| block.text_of(key).unwrap_or_default());
    texts.fold(Sum::new("kept"), |sum, it| sum.with(it.as_bytes())).end()
}

/// Digests a message's members other than its content.
pub(crate) fn of_envelope(message: Value<'_>) -> Digest {
    of_members(message, |key, _, sum| (key == "content").then_some(sum))
}

/// Returns an object's members in key order, without those that a digest leaves out.
pub(crate) fn members<'t>(object: Value<'t>, left_out: &[&str]) -> Vec<(Cow<'t, str>, Value<'t>)> {
    let mut members: Vec<_> = object.members().collect();
    members.retain(|(key, _)| !left_out.contains(&&**key));
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    members
}

/// Sums the members in key order. `special` sums a key's value in its own way, or returns `None`.
fn of_members(object: Value<'_>, special: impl Fn(&str, Value<'_>, Sum) -> Option<Sum>) -> Digest {
    let mut sum = Sum::new("object");
    for (key, value) in members(object, &["cache_control"]) {
        sum = sum.with(key.as_bytes());
        sum = special(&key, value, sum.clone()).unwrap_or_else(|| sum.with(&compact(value)));
    }
    sum.end()
}

/// Returns a value without white space between its tokens.
pub(crate) fn compact(value: Value<'_>) -> Vec<u8> {
    let json = value.raw().as_bytes();
    let mut compact = Vec::with_capacity(json.len());
    scan::canonical(json, &(0..json.len()), &[], |it| {
        compact.extend_from_slice(it);
    });
    compact
}

#[cfg(test)]
mod tests {
    use aside_json::Tape;

    use super::super::body::{RequestBody, content_blocks};
    use super::*;

    fn digest(block: &str) -> Digest {
        let body = format!(r#"{{"messages":[{{"role":"user","content":[{block}]}}]}}"#);
        let tape = Tape::parse(body.as_bytes()).expect("JSON");
        let body = RequestBody::of(&tape).expect("a body");
        of_block(content_blocks(body.messages[0])[0])
    }

    #[test]
    fn markers_and_the_order_of_a_blocks_keys_are_left_out() {
        let plain = digest(r#"{"type":"text","text":"a b"}"#);
        let marked = r#"{ "text" : "a b", "cache_control":{"type":"ephemeral"},"type":"text"}"#;
        assert_eq!(digest(marked), plain);
        assert_ne!(digest(r#"{"type":"text","text":"a  b"}"#), plain);
        let result = r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"MARK}]}"#;
        let marked = result.replace("MARK", r#","cache_control":{"type":"ephemeral"}"#);
        assert_eq!(digest(&marked), digest(&result.replace("MARK", "")));
    }

    #[test]
    fn an_address_is_not_its_file() {
        let image = |url: &str| {
            digest(&format!(r#"{{"type":"image","source":{{"type":"url","url":"{url}"}}}}"#))
        };
        assert_eq!(image("https://a/b.png?sig=1"), image("https://a/b.png?sig=2"));
        assert_ne!(image("data:image/png;base64,aa"), image("data:image/png;base64,bb"));
        let inside = |url: &str| {
            digest(&format!(
                r#"{{"type":"tool_result","content":[{{"type":"image","source":{{"type":"url","url":"{url}"}}}}]}}"#
            ))
        };
        assert_eq!(inside("https://a/1"), inside("https://a/2"));
    }

    #[test]
    fn the_order_of_keys_in_an_input_counts() {
        let call = |input| digest(&format!(r#"{{"type":"tool_use","id":"t","input":{input}}}"#));
        assert_ne!(call(r#"{"a":1,"b":2}"#), call(r#"{"b":2,"a":1}"#));
        assert_eq!(call(r#"{"a": "\" x"}"#), call(r#"{"a":"\" x"}"#));
    }
}
