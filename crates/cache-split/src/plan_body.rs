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
/// none, in the order of the body. A body with breakpoints of its own gets only the key. Nothing is
/// added for a model without breakpoints, or if the provider would cache nothing.
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
    let key = prompt_hash(body);
    let mut additions = Vec::new();
    if !is_marked(body)
        && let Some((index, message)) = leading.enumerate().last()
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

/// Returns a hash of what each of a conversation's cache entries has, 0 if there is nothing: the
/// tools, the system prompt, and the first block of a leading developer message. As long as a
/// request reads an entry, the hash is the same.
///
/// ```
/// use aside_body::Body;
/// use aside_cache_split::prompt_hash;
///
/// let hash = |clock: &str| {
///     let body = format!(
///         r#"{{"model":"gpt-6.2-astra","instructions":"It is {clock}.","input":[{{"role":"developer","content":"Be kind."}}]}}"#
///     );
///     Body::parse(body.as_bytes()).map(|it| prompt_hash(&it))
/// };
/// // This model's instructions follow the input.
/// assert_eq!(hash("10:00")?, hash("10:01")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn prompt_hash(body: &Body) -> u64 {
    let facts = find(body.model().unwrap_or_default()).facts;
    let follows_input =
        body.wire() == Wire::Responses && facts.turn_scoped_instructions == Some(true);
    let system = if follows_input { &[] } else { body.section(Level::System) };
    let prompt = body.section(Level::Tools).iter().chain(system);
    let blocks = prompt.flat_map(|it| &it.item.blocks).filter(|it| !it.is_deferred);
    let first = body.section(Level::Messages).first().filter(|it| it.item.role == Role::System);
    let first = first.and_then(|it| it.item.blocks.first());
    blocks.chain(first).fold(0, |hash, it| extend(hash, &it.hash))
}

/// Returns where to add a member to an object that ends at `end`: a key is not written twice.
fn place(bytes: &[u8], members: &[Member], key: &[u8], end: usize) -> Span {
    let present = members.iter().rfind(|it| it.key(bytes) == key);
    present.map_or(end - 1..end - 1, Member::span)
}

/// Returns why [`plan_body`] adds nothing to this body.
#[must_use]
pub fn why_nothing(body: &Body) -> &'static str {
    let has_key = body.get("prompt_cache_key").is_some();
    if let Some(reason) = refusal(body) {
        reason
    } else if is_marked(body) && (has_key || !StoredResponses::keeps(body)) {
        "it has breakpoints"
    } else if is_marked(body) {
        "it has breakpoints, and a cache key needs \"store\": false"
    } else if has_key {
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
    } else if !is_marked(body) && !is_marked_by_provider(body) {
        Some("it is not cached: it has no breakpoint, and the provider sets none")
    } else {
        None
    }
}

fn is_marked(body: &Body) -> bool {
    let mut blocks = body.blocks();
    blocks.any(|(_, _, _, it)| it.mark.is_some() || it.nested.iter().any(|it| it.mark.is_some()))
}

/// Returns true if the provider sets a breakpoint itself: unless it is turned off, at the latest
/// user or tool message.
fn is_marked_by_provider(body: &Body) -> bool {
    let bytes = body.as_bytes();
    let options = body.get("prompt_cache_options");
    let options = options.and_then(|it| json::members(bytes, it.start).ok()).unwrap_or_default();
    let mode = json::find(bytes, &options, b"mode").and_then(|it| json::string(bytes, &it));
    let mut messages = body.section(Level::Messages).iter();
    mode.as_deref() != Some("explicit")
        && messages.any(|it| it.item.role == Role::User || it.item.has_tool_results)
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

    fn key(body: &str) -> Option<String> {
        let edited = planned(body).1;
        let (_, key) = edited.rsplit_once(r#""prompt_cache_key":""#)?;
        Some(key.split_once('"')?.0.to_owned())
    }

    #[test]
    fn the_key_changes_only_with_what_is_cached() {
        let body = |model: &str, instructions: &str, deferred: &str, parts: &str| {
            format!(
                r#"{{"model":"{model}","store":false,"instructions":"{instructions}","tools":[{{"type":"function","name":"a"}}{deferred}],"input":[{{"role":"developer","content":[{{"type":"input_text","text":"Be kind."}}{parts}]}},{{"role":"user","content":"Hi"}}]}}"#
            )
        };
        let deferred = r#",{"type":"function","name":"b","defer_loading":true}"#;
        let more = r#",{"type":"input_text","text":"Be brief."}"#;
        let marked = format!(r#"{},{MARK}}}"#, &more[..more.len() - 1]);
        for (model, is_cached) in [("gpt-6-sol", true), ("gpt-6.2-astra", false)] {
            let first = key(&body(model, "10:00", "", ""));
            assert!(first.is_some());
            let clock = key(&body(model, "10:01", "", ""));
            assert_eq!(first != clock, is_cached, "{model}");
            for same in [body(model, "10:00", deferred, ""), body(model, "10:00", "", &marked)] {
                assert_eq!(key(&same), first, "{same}");
            }
            let loaded = deferred.replace(r#","defer_loading":true"#, "");
            assert_ne!(key(&body(model, "10:00", &loaded, "")), first);
            assert_ne!(key(&body(model, "10:00", "", "").replace("kind", "rude")), first);
        }
    }

    #[test]
    fn a_body_with_breakpoints_gets_only_a_key() {
        let body = |more: &str| {
            format!(
                r#"{{"model":"gpt-6-sol","input":[{{"role":"developer","content":"Be kind."}},{{"role":"user","content":[{{"type":"input_text","text":"Hi",{MARK}}}]}}]{more}}}"#
            )
        };
        let nothing = |body: &str| why_nothing(&Body::parse(body.as_bytes()).unwrap());
        let (paths, edited) = planned(&body(r#","store":false"#));
        assert_eq!(paths, [""]);
        assert_eq!(nothing(&edited), "it has breakpoints");
        assert_eq!(planned(&body("")).0, [""; 0]);
        let reason = "it has breakpoints, and a cache key needs \"store\": false";
        assert_eq!(nothing(&body("")), reason);
        // In this mode, they are the only ones.
        let explicit = r#","prompt_cache_options":{"mode":"explicit"},"store":false"#;
        assert_eq!(planned(&body(explicit)).0, [""]);
    }

    #[test]
    fn a_body_that_is_not_cached_stays_as_it_is() {
        let user = r#",{"role":"user","content":"Hi"}"#;
        let body = |mode: &str, user: &str| {
            format!(
                r#"{{"model":"gpt-6-sol","prompt_cache_options":{{"mode":{mode},"ttl":"12h"}},"store":false,"input":[{{"role":"developer","content":"Be kind."}}{user}]}}"#
            )
        };
        for uncached in [body(r#""explicit""#, user), body(r#""implicit""#, "")] {
            assert_eq!(planned(&uncached), (Vec::new(), uncached.clone()));
            let reason = why_nothing(&Body::parse(uncached.as_bytes()).unwrap());
            assert_eq!(
                reason,
                "it is not cached: it has no breakpoint, and the provider sets none"
            );
        }
        for mode in [r#""implicit""#, "null"] {
            assert_eq!(planned(&body(mode, user)).0.len(), 2, "{mode}");
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
