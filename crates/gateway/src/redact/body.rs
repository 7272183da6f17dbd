//! Removes secrets from a JSON body, byte by byte.
//!
//! The body may be cut off. From the first byte on that is not JSON, every byte
//! is replaced: without structure, no text is known to be no secret.

use std::borrow::Cow;
use std::ops::Range;

use aside_cache_model::Miss;
use serde::de::IgnoredAny;

use super::filler;
use super::output::Output;
use super::places::{Place, Strings};
use super::unescape::{Unescaped, end_of_string};
use super::url;

/// How often a string may hold JSON with strings that hold JSON.
const MAX_NESTED: usize = 4;

/// How many keys to remember: a message has few different ones.
const MAX_KNOWN_KEYS: usize = 32;

/// An object or a list that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    place: Place,
    is_object: bool,
}

/// Returns a request body without its secrets. If it has none, it is returned
/// as it is.
pub(crate) fn body(json: &[u8]) -> Cow<'_, [u8]> {
    redact(json, Place::REQUEST, MAX_NESTED)
}

/// Returns a response's content block without its secrets.
pub(crate) fn block(json: &str) -> Cow<'_, str> {
    match redact(json.as_bytes(), Place::BLOCK, MAX_NESTED) {
        Cow::Borrowed(_) => Cow::Borrowed(json),
        Cow::Owned(redacted) => Cow::Owned(String::from_utf8_lossy(&redacted).into_owned()),
    }
}

/// Removes secrets from what a cache miss quotes.
pub(crate) fn miss(miss: &mut Miss) {
    if let Some(difference) = &mut miss.difference {
        let place = Place::at(&difference.path);
        for value in [&mut difference.before, &mut difference.after] {
            let text = value.text.take();
            value.text = text.and_then(|text| excerpt(text, value.bytes, place));
        }
    }
}

/// Returns a part of a value with this many bytes, without its secrets. They are not found in a part
/// that is cut, so that is `None` unless it is of a string that has none.
fn excerpt(text: String, bytes: usize, place: Place) -> Option<String> {
    if text.len() == bytes {
        let redacted = redact(text.as_bytes(), place, MAX_NESTED);
        return Some(String::from_utf8_lossy(&redacted).into_owned());
    }
    let inside = text.trim_matches('"').replace(r"\\", "").replace(r#"\""#, "");
    let is_kept = place.strings == Strings::Kept && !inside.contains('"');
    (is_kept || place.is_opaque()).then_some(text)
}

/// Returns true for JSON without secrets, whose root has a place.
pub(super) fn is_clean(json: &[u8], root: Place) -> bool {
    is_json(json) && matches!(search(json, json.len(), root, MAX_NESTED), Cow::Borrowed(_))
}

fn redact(json: &[u8], root: Place, nested: usize) -> Cow<'_, [u8]> {
    search(json, readable(json), root, nested)
}

/// Replaces the secrets up to an end, and everything after it.
fn search(json: &[u8], end: usize, root: Place, nested: usize) -> Cow<'_, [u8]> {
    let mut output = Output::new(json);
    let mut open: Vec<Open> = Vec::new();
    let mut keys = Keys::default();
    let mut place = root;
    let mut is_key = false;
    let mut at = 0;
    while at < end {
        match json[at] {
            b'"' => {
                let after = end_of_string(&json[..end], at);
                // The last string in a body that is cut off has no closing
                // quote.
                let is_closed = after > at + 1 && json[after - 1] == b'"';
                let inside = at + 1..after - usize::from(is_closed);
                if is_key {
                    is_key = false;
                    let parent = open.last().map_or(root, |it| it.place);
                    place = keys.place(parent, &json[inside]);
                } else {
                    string(place, inside, nested, &mut output);
                }
                at = after;
                continue;
            }
            byte @ (b'{' | b'[') => {
                is_key = byte == b'{';
                open.push(Open { place, is_object: is_key });
            }
            b'}' | b']' => {
                open.pop();
                is_key = false;
            }
            b',' => {
                is_key = open.last().is_some_and(|it| it.is_object);
                place = open.last().map_or(root, |it| it.place);
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let length = json[at..end].iter().take_while(|byte| is_part(byte)).count();
                if place.has_secret_numbers() {
                    output.replace(at..at + length, filler::push_number);
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    output.replace(end..json.len(), |rest, redacted| {
        redacted.resize(redacted.len() + rest.len(), b'*');
    });
    output.end()
}

/// The places of the first keys: most keys in a body repeat.
#[derive(Default)]
pub(super) struct Keys<'j>(Vec<(Place, &'j [u8], Place)>);

impl<'j> Keys<'j> {
    /// Returns the place of a key's value. The key is as written.
    pub(super) fn place(&mut self, parent: Place, key: &'j [u8]) -> Place {
        let mut known = self.0.iter();
        if let Some(known) = known.find(|it| it.0 == parent && it.1 == key) {
            return known.2;
        }
        let text = Unescaped::new(key).text;
        let place = parent.member(&String::from_utf8_lossy(&text));
        if self.0.len() < MAX_KNOWN_KEYS {
            self.0.push((parent, key, place));
        }
        place
    }
}

/// Replaces the secrets in one string.
fn string(place: Place, inside: Range<usize>, nested: usize, output: &mut Output<'_>) {
    if place.is_opaque() || place.strings == Strings::Kept {
        return;
    }
    if place.strings == Strings::Replaced {
        output.replace(inside, filler::push);
        return;
    }
    let text = Unescaped::new(&output.json[inside.clone()]);
    let spans = match place.strings {
        Strings::Url(paths) => url::spans(&text.text, paths),
        _ if is_secret(&text.text, nested) => {
            output.replace(inside, filler::push);
            return;
        }
        _ => url::spans_in(&text.text),
    };
    for span in spans {
        let written = text.written(span);
        let secret = inside.start + written.start..inside.start + written.end;
        output.replace(secret, filler::push);
    }
}

/// Returns true for an `Authorization` header's value, and for JSON that has a
/// secret.
fn is_secret(text: &[u8], nested: usize) -> bool {
    let text = text.trim_ascii();
    let is_scheme = |scheme: &&str| {
        let begin = text.get(..scheme.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    if ["bearer ", "basic "].iter().any(is_scheme) {
        return true;
    }
    if !text.starts_with(b"{") && !text.starts_with(b"[") {
        return false;
    }
    let searched = |nested| search(text, text.len(), Place::REQUEST, nested);
    let has_secret = |nested| matches!(searched(nested), Cow::Owned(_));
    is_json(text) && nested.checked_sub(1).is_none_or(has_secret)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns how long the JSON at the beginning is; all if it is cut off.
fn readable(json: &[u8]) -> usize {
    let error = match serde_json::from_slice::<IgnoredAny>(json) {
        Err(error) if !error.is_eof() => error,
        _ => return json.len(),
    };
    let lines = json.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line() - 1).map(<[u8]>::len).sum();
    (before + error.column().saturating_sub(1)).min(json.len())
}

#[cfg(test)]
mod tests;
