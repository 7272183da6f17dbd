//! What to add to a body for OpenAI's cache, from GPT-5.6 on.
//!
//! The provider sets one breakpoint itself, at the latest message, and reads nowhere else. So
//! sessions that share their developer message read none of it, unless it ends in a breakpoint.
//! That one costs nothing: the provider's own writes what precedes it anyway.

use aside_body::Body;
use aside_body::body::{BlockKind, Role};
use aside_body::hash::extend;
use aside_body::path::Level;
use aside_models::{Wire, find};
use serde::Serialize;

/// A member to add to an object of a request's body.
///
/// As JSON: `{"path": "input[0].content[0]", "prompt_cache_breakpoint": {"mode": "explicit"},
/// "reason": "…"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Addition {
    /// The object; empty for the request itself.
    pub path: String,
    /// The member.
    #[serde(flatten)]
    pub member: AddedMember,
    /// Why, as a short phrase.
    pub reason: &'static str,
    /// The position of the object's closing brace, in bytes; of a string's end if there is one.
    #[serde(skip)]
    pub brace: usize,
    /// The content that is a string in the body, and stands for the object: where it begins, and the
    /// type that the object gets.
    #[serde(skip)]
    pub string: Option<(usize, &'static str)>,
}

/// What an [`Addition`] adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum AddedMember {
    /// The end of a prefix that other requests read.
    #[serde(rename = "prompt_cache_breakpoint")]
    Breakpoint {
        /// Always `explicit`.
        mode: &'static str,
    },
    /// What requests with a common prefix have in common.
    #[serde(rename = "prompt_cache_key")]
    Key(String),
}

impl Addition {
    /// Returns the member as JSON, without braces.
    #[must_use]
    pub fn json(&self) -> String {
        let object = serde_json::to_string(&self.member).unwrap_or_default();
        object[1..object.len() - 1].to_owned()
    }

    /// Adds the members to the body that they were planned for. No other byte changes, but a string
    /// becomes a list of one text part.
    #[must_use]
    pub fn add_all(additions: &[Self], body: &[u8]) -> Vec<u8> {
        let mut edited = Vec::with_capacity(body.len() + 128);
        let mut from = 0;
        for addition in additions {
            if let Some((start, kind)) = addition.string {
                edited.extend_from_slice(&body[from..start]);
                edited.extend_from_slice(format!(r#"[{{"type":"{kind}","text":"#).as_bytes());
                from = start;
            }
            edited.extend_from_slice(&body[from..addition.brace]);
            let end = if addition.string.is_some() { "}]" } else { "" };
            edited.extend_from_slice(format!(",{}{end}", addition.json()).as_bytes());
            from = addition.brace;
        }
        edited.extend_from_slice(&body[from..]);
        edited
    }
}

/// Plans a breakpoint after the leading developer messages, and a `prompt_cache_key` if there is
/// none, in the order of the body. Nothing is added to a body with breakpoints of its own, or for a
/// model without them.
///
/// A response that the provider stores may be continued by its id, without the prompt that the key
/// is made from, and another key is a miss. So a request on Responses gets one only with
/// `"store": false`, and one that continues by an id gets nothing.
#[must_use]
pub fn plan_body(body: &Body) -> Vec<Addition> {
    if refusal(body).is_some() {
        return Vec::new();
    }
    let bytes = body.as_bytes();
    let messages = body.section(Level::Messages).iter();
    let leading = messages.take_while(|it| it.item.role == Role::System);
    let prompt = [Level::Tools, Level::System].map(|level| body.section(level));
    let prompt = prompt.into_iter().flatten().chain(leading.clone());
    let key = prompt.fold(0, |key, it| extend(key, &it.item.hash));
    let mut additions = Vec::new();
    if let Some((index, message)) = leading.enumerate().last()
        && let Some(part) = message.item.blocks.last()
        && part.kind == BlockKind::Text
        && !part.is_empty
        && let span = message.at(&part.span)
        && let is_string = part.index.is_none()
        && bytes[span.clone()].ends_with(if is_string { b"\"" } else { b"}" })
    {
        let kind = if body.wire() == Wire::Responses { "input_text" } else { "text" };
        let end = if is_string { "[0]" } else { "" };
        additions.push(Addition {
            path: body.block_path(Level::Messages, index, part).to_string() + end,
            member: AddedMember::Breakpoint { mode: "explicit" },
            reason: "end of the developer messages, which sessions share",
            brace: span.end - usize::from(!is_string),
            string: is_string.then_some((span.start, kind)),
        });
    }
    if body.get("prompt_cache_key").is_none() && key != 0 && !is_stored(body) {
        additions.push(Addition {
            path: String::new(),
            member: AddedMember::Key(format!("{key:016x}")),
            reason: "requests with this prompt are sent to the same cache",
            brace: bytes.trim_ascii_end().len() - 1,
            string: None,
        });
    }
    additions
}

/// Returns why [`plan_body`] adds nothing to this body.
#[must_use]
pub fn why_nothing(body: &Body) -> &'static str {
    if let Some(reason) = refusal(body) {
        reason
    } else if body.get("prompt_cache_key").is_some() {
        "it has a cache key, and no developer message with a text at its end"
    } else if is_stored(body) {
        "no developer message has a text at its end, and a cache key needs \"store\": false"
    } else {
        "it has no prompt that sessions share"
    }
}

fn refusal(body: &Body) -> Option<&'static str> {
    let facts = find(body.model().unwrap_or_default()).facts;
    if facts.cache_breakpoints != Some(true) {
        Some("its model has no breakpoints")
    } else if body.get("previous_response_id").is_some() {
        Some("it continues a response by its id")
    } else if body.blocks().any(|(_, _, _, block)| block.mark.is_some()) {
        Some("it has breakpoints")
    } else {
        None
    }
}

/// Returns true if the provider keeps the response.
fn is_stored(body: &Body) -> bool {
    let store = body.get("store").map(|it| &body.as_bytes()[it]);
    body.wire() == Wire::Responses && store != Some(b"false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_becomes_a_list_with_one_part() {
        let planned = |body: &str| {
            let additions = plan_body(&Body::parse(body.as_bytes()).unwrap());
            let paths: Vec<_> = additions.iter().map(|it| it.path.clone()).collect();
            let body = Addition::add_all(&additions, body.as_bytes());
            (paths, String::from_utf8(body).unwrap())
        };
        let mark = r#""prompt_cache_breakpoint":{"mode":"explicit"}"#;
        let user = r#"{"role":"user","content":"Hi"}"#;
        for (key, kind) in [("messages", "text"), ("input", "input_text")] {
            let body = |content: &str| {
                format!(
                    r#"{{"model":"gpt-6-sol","prompt_cache_key":"k","{key}":[{{"role":"developer","content":{content}}},{user}]}}"#
                )
            };
            let (paths, edited) = planned(&body(r#""Be kind.""#));
            assert_eq!(paths, [format!("{key}[0].content[0]")]);
            assert_eq!(edited, body(&format!(r#"[{{"type":"{kind}","text":"Be kind.",{mark}}}]"#)));
            let list = body(&format!(r#"[{{"type":"{kind}","text":"Be kind."}}]"#));
            assert_eq!(planned(&list).1, edited);
            for empty in [r#""""#, "null", "[]"] {
                assert_eq!(planned(&body(empty)), (Vec::new(), body(empty)));
            }
        }
    }
}
