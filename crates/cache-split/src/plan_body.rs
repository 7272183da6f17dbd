//! What to add to a body for OpenAI's cache, from GPT-5.6 on.
//!
//! The provider sets one breakpoint itself, at the latest message, and reads nowhere else. So
//! sessions that share their developer message read none of it, unless it ends in a breakpoint.
//! That one costs nothing: the provider's own writes what precedes it anyway.

use aside_body::Body;
use aside_body::body::{BlockKind, Role};
use aside_body::hash::extend;
use aside_body::json::scan::{self as json, Member, Span};
use aside_body::path::Level;
use aside_body::stored::StoredResponses;
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
    /// The bytes to replace: a member with this key and no value, such as null. Empty if there is
    /// none: before the object's closing brace, or at the string's end if there is one.
    #[serde(skip)]
    pub at: Span,
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
    /// Returns the text that stands in place of [`at`](Self::at).
    #[must_use]
    pub fn replacement(&self) -> String {
        let comma = if self.at.is_empty() { "," } else { "" };
        comma.to_owned() + &self.json()
    }

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
            edited.extend_from_slice(&body[from..addition.at.start]);
            edited.extend_from_slice(addition.replacement().as_bytes());
            edited.extend_from_slice(if addition.string.is_some() { b"}]" } else { b"" });
            from = addition.at.end;
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
            at: if is_string {
                span.end..span.end
            } else {
                let members = json::members(bytes, span.start).unwrap_or_default();
                place(bytes, &members, b"prompt_cache_breakpoint", span.end)
            },
            string: is_string.then_some((span.start, kind)),
        });
    }
    if body.get("prompt_cache_key").is_none() && key != 0 && !StoredResponses::keeps(body) {
        additions.push(Addition {
            path: String::new(),
            member: AddedMember::Key(format!("{key:016x}")),
            reason: "requests with this prompt are sent to the same cache",
            at: place(bytes, body.members(), b"prompt_cache_key", bytes.trim_ascii_end().len()),
            string: None,
        });
    }
    additions.sort_by_key(|it| it.at.start);
    additions
}

/// Returns where to add a member to an object that ends at `end`: a key is not written twice.
fn place(bytes: &[u8], members: &[Member], key: &[u8], end: usize) -> Span {
    let present = members.iter().rfind(|it| it.key(bytes) == key);
    present.map_or(end - 1..end - 1, Member::span)
}

/// Returns why [`plan_body`] adds nothing to this body.
#[must_use]
pub fn why_nothing(body: &Body) -> &'static str {
    if let Some(reason) = refusal(body) {
        reason
    } else if body.get("prompt_cache_key").is_some() {
        "it has a cache key, and no developer message with a text at its end"
    } else if StoredResponses::keeps(body) {
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

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = r#""prompt_cache_breakpoint":{"mode":"explicit"}"#;

    fn planned(body: &str) -> (Vec<String>, String) {
        let additions = plan_body(&Body::parse(body.as_bytes()).unwrap());
        let paths: Vec<_> = additions.iter().map(|it| it.path.clone()).collect();
        let body = Addition::add_all(&additions, body.as_bytes());
        (paths, String::from_utf8(body).unwrap())
    }

    #[test]
    fn a_null_is_replaced_and_counts_as_no_value() {
        let body = |more: &str, part: &str| {
            format!(
                r#"{{"model":"gpt-6-sol",{more}"input":[{{"role":"developer","content":[{part}]}},{{"role":"user","content":"Hi"}}],"store":false}} "#
            )
        };
        let part = r#"{"type":"input_text","text":"Be kind."}"#;
        let (paths, edited) = planned(&body("", part));
        assert_eq!(paths, ["input[0].content[0]", ""]);
        let key =
            edited.split_once(r#""prompt_cache_key":""#).unwrap().1.split_once('"').unwrap().0;
        let key = format!(r#""prompt_cache_key":"{key}","#);
        let marked = format!(r#"{{"type":"input_text","text":"Be kind.",{MARK}}}"#);

        let nulls = r#""previous_response_id":null,"prompt_cache_key":null,"#;
        let (paths, edited) = planned(&body(nulls, part));
        assert_eq!(paths, ["", "input[0].content[0]"]);
        let more = format!(r#""previous_response_id":null,{key}"#);
        assert_eq!(edited, body(&more, &marked));

        let part = r#"{"type":"input_text","prompt_cache_breakpoint":null,"text":"Be kind."}"#;
        let marked = format!(r#"{{"type":"input_text",{MARK},"text":"Be kind."}}"#);
        assert_eq!(planned(&body(&key, part)).1, body(&key, &marked));

        for given in [r#""previous_response_id":"resp_1","#, r#""prompt_cache_key":"","#] {
            assert!(!planned(&body(given, part)).0.contains(&String::new()));
        }
    }

    #[test]
    fn the_last_of_doubled_contents_is_edited() {
        let body = |content: &str| {
            format!(
                r#"{{"model":"gpt-6-sol","prompt_cache_key":"k","messages":[{{"role":"developer","content":"dead","content":{content}}},{{"role":"user","content":"Hi"}}]}}"#
            )
        };
        let part = format!(r#"[{{"type":"text","text":"live",{MARK}}}]"#);
        assert_eq!(planned(&body(r#""live""#)).1, body(&part));
    }

    #[test]
    fn a_string_becomes_a_list_with_one_part() {
        let user = r#"{"role":"user","content":"Hi"}"#;
        for (key, kind) in [("messages", "text"), ("input", "input_text")] {
            let body = |content: &str| {
                format!(
                    r#"{{"model":"gpt-6-sol","prompt_cache_key":"k","{key}":[{{"role":"developer","content":{content}}},{user}]}}"#
                )
            };
            let (paths, edited) = planned(&body(r#""Be kind.""#));
            assert_eq!(paths, [format!("{key}[0].content[0]")]);
            assert_eq!(edited, body(&format!(r#"[{{"type":"{kind}","text":"Be kind.",{MARK}}}]"#)));
            let list = body(&format!(r#"[{{"type":"{kind}","text":"Be kind."}}]"#));
            assert_eq!(planned(&list).1, edited);
            for empty in [r#""""#, "null", "[]"] {
                assert_eq!(planned(&body(empty)), (Vec::new(), body(empty)));
            }
        }
    }
}
