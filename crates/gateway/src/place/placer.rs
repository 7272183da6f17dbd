//! How a proxy places markers: it learns from every request that it sees.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aside_body::Body;
use aside_body::body::Role;
use aside_body::hash::{extend, of_bytes};
use aside_body::path::Level;
use aside_cache_model::{CacheRules, OutlineBlock, outline};
use aside_messages::encode::BlockRef;
use aside_models::Wire;
use bytes::Bytes;
use memchr::memmem;

use super::learn::{Learner, Lesson, Prefixes};
use super::recent::{Earlier, Recent};
use super::scan::{Scan, block_ref};
use super::{Known, PlaceError, Placed, edited, unreadable};

/// To compare a longer body with an earlier one takes longer than another thread takes to begin.
#[cfg(feature = "servers")]
const MAX_QUICK_BYTES: usize = 2 << 20;

/// How much of a body decides whether it is quick.
#[cfg(feature = "servers")]
const MAX_MIDDLE_BYTES: usize = 16 << 10;

/// Places markers, and learns from earlier requests which blocks come back, which ones sessions
/// share, and which agents make single calls. It keeps hashes, and the
/// latest bodies.
///
/// ```
/// use std::time::Duration;
/// use aside_gateway::place::Placer;
///
/// let placer = Placer::default();
/// let body = |text: &str| format!(
///     r#"{{"model":"claude-opus-5-5","max_tokens":8,"tools":[{{"name":"a","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":[{{"type":"text","text":"shared"}},{{"type":"text","text":"{text}"}}]}}]}}"#
/// );
/// placer.place(&body("one").into(), Duration::ZERO);
/// let second = placer.place(&body("two").into(), Duration::from_secs(1));
/// let second = String::from_utf8(second.placed?.body())?;
/// assert!(second.contains(r#""text":"shared","cache_control""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Placer {
    learner: Mutex<Learner>,
    recent: Recent,
}

/// What to send for one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Placement {
    /// The body with planned markers, or why it stays as it is.
    pub placed: Result<Placed, PlaceError>,
    /// A hash of the model, the tools and the system prompt, for [`Placer::settle`]; `None` for a
    /// body that cannot be read, and on Responses.
    pub agent: Option<u64>,
}

impl Placer {
    /// Places the markers in a Messages API request, or the breakpoints and the cache key in a
    /// Responses request. `at` is when it is sent, counted from any fixed moment.
    pub fn place(&self, body: &Bytes, at: Duration) -> Placement {
        let earlier = self.recent.closest(body);
        let earlier = earlier.as_ref();
        let read = Body::parse_without_tokens(body.clone(), earlier.map(|it| &it.body));
        let Ok(read) = read else {
            return Placement { placed: Err(unreadable()), agent: None };
        };
        if read.wire() != Wire::Messages {
            let placed = Placed::with_additions(&read, body);
            let request = Earlier { body: read, scan: None };
            self.recent.add(request);
            return Placement { placed: Ok(placed), agent: None };
        }
        let mut blocks = outline(&read, &CacheRules::anthropic());
        // A turn-scoped message is known not to come back.
        let is_scoped = |it: &OutlineBlock| {
            let item = read.section(it.level).get(it.item);
            item.is_some_and(|it| it.item.is_turn_scoped)
        };
        blocks.retain(|it| it.prefix.is_some() && !is_scoped(it));
        let answers = read.section(Level::Messages).iter();
        let prefixes = Prefixes {
            agent: agent_of(&read),
            hashes: blocks.iter().filter_map(|it| it.prefix).collect(),
            context: blocks.partition_point(|it| it.level < Level::Messages),
            answers: answers.filter(|it| it.item.role == Role::Assistant).count(),
        };
        let mut learner = self.learner.lock().unwrap_or_else(PoisonError::into_inner);
        let (lesson, agent) = learner.add(prefixes, at);
        drop(learner);
        let known = known(lesson, &blocks);
        let known_items = earlier.and_then(|it| Some((&it.body, it.scan.as_ref()?)));
        let scan = Scan::of(&read, known_items);
        let placed = match &scan {
            Some(scan) => edited(body, &read, scan, &known),
            None => Err(unreadable()),
        };
        let request = Earlier { body: read, scan };
        self.recent.add(request);
        Placement { placed, agent: Some(agent) }
    }

    /// Returns true if a body probably adds so many bytes at most to an earlier one, so that placing
    /// markers takes less time than another thread takes to begin. Some bytes in the middle decide.
    #[cfg(feature = "servers")]
    pub(crate) fn is_quick(&self, body: &[u8], added: usize) -> bool {
        let half = body.len() / 2;
        let middle = half.saturating_sub(MAX_MIDDLE_BYTES)..half;
        body.len() <= MAX_QUICK_BYTES
            && self.recent.closest(body).is_some_and(|it| {
                let earlier = it.body.as_bytes();
                let lengths = earlier.len()..=earlier.len() + added;
                lengths.contains(&body.len()) && earlier.get(middle.clone()) == body.get(middle)
            })
    }

    /// Learns what an agent's request is predicted to cost, in US dollars: with its own markers,
    /// and with the forwarded ones. If an agent's requests became dearer, they stay as they are.
    pub fn settle(&self, agent: u64, as_sent: f64, as_forwarded: f64) {
        let mut learner = self.learner.lock().unwrap_or_else(PoisonError::into_inner);
        learner.settle(agent, as_sent, as_forwarded);
    }
}

/// How the text begins in which Claude Code names its version: it varies with the first prompt.
const BILLING: &[u8] = b"x-anthropic-billing-header:";

/// Returns what the sessions of an agent have in common.
fn agent_of(request: &Body) -> u64 {
    let [tools, system] = [Level::Tools, Level::System].map(|it| request.section(it));
    let first = system.first().map(|it| &request.as_bytes()[it.span()]).unwrap_or_default();
    let start = &first[..first.len().min(2 * BILLING.len())];
    let skipped = usize::from(memmem::find(start, BILLING).is_some());
    let model = of_bytes(request.model().unwrap_or_default().as_bytes());
    let items = tools.iter().chain(&system[skipped..]);
    items.fold(model, |agent, it| extend(agent, &(it.item.hash, it.item.frame)))
}

/// Returns a lesson with the blocks' places.
fn known(lesson: Lesson, blocks: &[OutlineBlock]) -> Known {
    let at = |index: usize| blocks.get(index).map(place);
    let stable = blocks.len() - lesson.volatile.min(blocks.len());
    Known {
        volatile_from: at(stable),
        shared: blocks[..lesson.shared.min(stable)].iter().map(place).collect(),
        lesson,
    }
}

fn place(block: &OutlineBlock) -> BlockRef {
    block_ref(block.level, block.item, block.number)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_version_in_the_billing_header_makes_no_other_agent() {
        let agent = |first: &str, second: &str| {
            let system = [first, second].map(|it| format!(r#"{{"type":"text","text":"{it}"}}"#));
            let system = system.join(",");
            let body = format!(
                r#"{{"model":"claude-opus-5-5","system":[{system}],"messages":[{{"role":"user","content":"Hi"}}]}}"#
            );
            agent_of(&Body::parse(body.as_bytes()).unwrap())
        };
        let header = |it: &str| format!("x-anthropic-billing-header: cc_version=2.1.332.{it};");
        assert_eq!(agent(&header("abc"), "Be brief."), agent(&header("def"), "Be brief."));
        assert_ne!(agent(&header("abc"), "Be brief."), agent(&header("abc"), "Be long."));
        assert_ne!(agent("Be brief.", "Go."), agent("Be long.", "Go."));
    }

    /// Returns a session's request after some turns, with markers in the last two messages, if any.
    fn body(marker: &str, session: &str, turns: usize) -> Bytes {
        let message = |index: usize| {
            let marker = if index + 2 > 2 * turns { marker } else { "" };
            let content = match index % 5 {
                0 => format!(r#""{session} \u00e9 {index}""#),
                1 => format!(
                    r#"[{{"type":"text","text":"a {index}"}}, {{"type":"text","text":"b"{marker}}}]"#
                ),
                2 => format!(r#"[{{"type":"cache_control","id":{index}{marker}}}]"#),
                3 => {
                    format!(r#"[{{"type":"text","text":"b","cache_control":null, "id":{index}}}]"#)
                }
                _ => format!(r#"[ {{"type":"text","text":"\"cache_control\" {index}"{marker}}} ]"#),
            };
            let role = ["user", "assistant"][index % 2];
            format!(r#"{{ "content" : {content} , "role":"{role}"}}"#)
        };
        let messages: Vec<_> = (0..=2 * turns).map(message).collect();
        let messages = messages.join(",");
        let tools = r#"[{"name":"a","input_schema":{"type":"object"}}]"#;
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":9,"messages":[{messages}],"tools":{tools}}}"#
        )
        .into()
    }

    /// What was read before changes the work and not the result.
    #[test]
    fn a_session_is_placed_like_requests_that_were_never_seen() {
        let five = r#","cache_control":{"type":"ephemeral"}"#;
        let hour = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;
        for (marker, pause) in [(five, 10), ("", 10), ("", 400), (hour, 10), (hour, 400)] {
            let (placer, fresh) = (Placer::default(), Placer::default());
            // Two sessions take turns.
            for (turns, session) in (0..40).flat_map(|it| [(it, "one"), (it, "two")]) {
                let body = body(marker, session, turns);
                let at = Duration::from_secs(pause * turns as u64);
                fresh.recent.clear();
                let [one, other] = [&placer, &fresh].map(|it| it.place(&body, at).placed.unwrap());
                assert_eq!(one.body(), other.body(), "{marker} {turns}");
                assert_ne!(one.body(), body[..], "{marker} {turns}");
                assert_eq!([one.inserted, one.removed], [other.inserted, other.removed]);
            }
            let body = body(marker, "one", 40);
            let scan = |body: &Bytes| {
                let earlier = placer.recent.closest(body).unwrap();
                let read = Body::parse_without_tokens(body.clone(), Some(&earlier.body)).unwrap();
                let known = (&earlier.body, earlier.scan.as_ref().unwrap());
                (earlier.clone(), Scan::of(&read, Some(known)).unwrap())
            };
            let (earlier, scan) = scan(&body);
            let known = &earlier.scan.as_ref().unwrap().messages;
            let same = scan.messages.iter().zip(known);
            let same = same.filter(|(one, other)| Arc::ptr_eq(&one.item, &other.item));
            // It may be read after the other session, which has four of five messages, too.
            assert!(same.count() > scan.messages.len() * 3 / 4, "{marker}");
        }
    }
    #[test]
    fn a_second_turn_soon_after_the_first_is_a_checkpoint() {
        let hour = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;
        let hours = |pause: u64| {
            let placer = Placer::default();
            for turns in 0..8 {
                placer.place(&body(hour, "one", turns), Duration::from_secs(10 * turns as u64));
            }
            placer.place(&body(hour, "two", 0), Duration::from_secs(100));
            let second = placer.place(&body(hour, "two", 1), Duration::from_secs(100 + pause));
            let second = String::from_utf8(second.placed.unwrap().body()).unwrap();
            second.matches(r#""ttl":"1h""#).count()
        };
        assert_eq!((hours(10), hours(400)), (2, 1));
    }
}
