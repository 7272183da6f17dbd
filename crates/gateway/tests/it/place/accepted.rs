//! Placed markers never make the API refuse a request.

use std::mem;
use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules};
use aside_gateway::place::{PlaceErrorKind, Placer, place};
use aside_gateway::strict::{Strict, StrictOptions, StrictRequest};
use aside_models::{Usage, find};
use proptest::prelude::*;
use proptest::sample::Index;

const FIVE_MINUTES: &str = r#","cache_control":{"type":"ephemeral"}"#;
const ONE_HOUR: &str = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;
/// The key as some clients send it if there is no marker.
const NULL: &str = r#","cache_control":null"#;

/// A place where an agent may have a marker.
const SLOT: &str = "<slot>";

/// The form of a content or of the system prompt.
#[derive(Clone, Copy, Debug)]
enum Shape {
    String,
    List(usize),
}

/// The system message after a user message.
#[derive(Clone, Copy, Debug)]
enum Note {
    None,
    Persistent(Shape),
    Scoped(Shape),
}

#[derive(Clone, Copy, Debug)]
enum User {
    Text(Shape),
    /// Results of the calls before it, each with a list of so many texts.
    Results(usize, usize),
}

#[derive(Clone, Debug)]
struct Sent {
    tools: usize,
    system: Option<Shape>,
    turns: Vec<(User, Note, Shape)>,
    markers: Vec<Index>,
    /// So many markers, from the first one, last for an hour.
    hours: usize,
    automatic: Option<bool>,
    has_nulls: bool,
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::String), (1..3_usize).prop_map(Shape::List)]
}

fn sent() -> impl Strategy<Value = Sent> {
    let note = prop_oneof![
        2 => Just(Note::None),
        1 => shape().prop_map(Note::Persistent),
        1 => shape().prop_map(Note::Scoped),
    ];
    let user = prop_oneof![
        shape().prop_map(User::Text),
        (1..3_usize, 0..3_usize).prop_map(|(calls, texts)| User::Results(calls, texts)),
    ];
    let turns = proptest::collection::vec((user, note, shape()), 1..5);
    let markers = proptest::collection::vec(any::<Index>(), 0..=4);
    (
        0..3_usize,
        proptest::option::of(shape()),
        turns,
        markers,
        0..5_usize,
        proptest::option::of(any::<bool>()),
        any::<bool>(),
    )
        .prop_map(|(tools, system, turns, markers, hours, automatic, has_nulls)| Sent {
            tools,
            system,
            turns,
            markers,
            hours,
            automatic,
            has_nulls,
        })
}

fn text(text: &str, slot: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"{slot}}}"#)
}

fn content(shape: Shape, words: &str, slot: &str) -> String {
    match shape {
        Shape::String => format!("\"{words}\""),
        Shape::List(blocks) => {
            let blocks: Vec<_> =
                (0..blocks).map(|block| text(&format!("{words} {block}"), slot)).collect();
            format!("[{}]", blocks.join(","))
        }
    }
}

impl Sent {
    /// Returns the body with slots.
    fn with_slots(&self) -> String {
        let tools: Vec<_> = (0..self.tools.max(1))
            .map(|it| format!(r#"{{"name":"t{it}","input_schema":{{"type":"object"}}{SLOT}}}"#))
            .collect();
        let system = match self.system {
            Some(shape) => format!(r#""system":{},"#, content(shape, "rules", SLOT)),
            None => String::new(),
        };
        let mut messages = Vec::new();
        for (turn, (user, note, answer)) in self.turns.iter().enumerate() {
            if turn > 0 {
                let blocks = match user {
                    User::Text(_) => content(*answer, &format!("answer {turn}"), SLOT),
                    User::Results(calls, _) => {
                        let calls: Vec<_> = (0..*calls)
                            .map(|call| {
                                format!(r#"{{"type":"tool_use","id":"c{turn}x{call}","name":"t0","input":{{}}{SLOT}}}"#)
                            })
                            .collect();
                        format!("[{}]", calls.join(","))
                    }
                };
                messages.push(format!(r#"{{"role":"assistant","content":{blocks}}}"#));
            }
            let blocks = match user {
                User::Results(calls, texts) if turn > 0 => {
                    let inner = match texts {
                        0 => "\"done\"".to_owned(),
                        texts => content(Shape::List(*texts), "line", SLOT),
                    };
                    let results: Vec<_> = (0..*calls)
                        .map(|call| {
                            format!(r#"{{"type":"tool_result","tool_use_id":"c{turn}x{call}","content":{inner}{SLOT}}}"#)
                        })
                        .collect();
                    format!("[{}]", results.join(","))
                }
                User::Text(shape) => content(*shape, &format!("question {turn}"), SLOT),
                User::Results(..) => content(Shape::String, "question", SLOT),
            };
            messages.push(format!(r#"{{"role":"user","content":{blocks}}}"#));
            match note {
                Note::None => {}
                Note::Persistent(shape) => messages.push(format!(
                    r#"{{"role":"system","content":{}}}"#,
                    content(*shape, "note", SLOT)
                )),
                Note::Scoped(shape) => messages.push(format!(
                    r#"{{"role":"system","clear_at":"next_user_message","content":{}}}"#,
                    content(*shape, "note", "")
                )),
            }
        }
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":9,"tools":[{}],{system}"messages":[{}]{}}}"#,
            tools.join(","),
            messages.join(","),
            self.automatic.map_or("", |is_hour| if is_hour { ONE_HOUR } else { FIVE_MINUTES }),
        )
    }

    /// Returns the body, with markers in some of the slots.
    fn body(&self) -> String {
        let slots = self.with_slots().matches(SLOT).count();
        let mut marked: Vec<_> = self.markers.iter().map(|it| it.index(slots)).collect();
        marked.sort_unstable();
        marked.dedup();
        self.marked(|slot| {
            let place = marked.iter().position(|it| *it == slot)?;
            Some(place < self.hours)
        })
    }

    /// Returns the body with the markers that `is_hour` returns for a slot.
    fn marked(&self, is_hour: impl Fn(usize) -> Option<bool>) -> String {
        let body = self.with_slots();
        let mut parts = body.split(SLOT).enumerate();
        let mut body = parts.next().map(|(_, part)| part.to_owned()).unwrap();
        for (slot, part) in parts {
            match is_hour(slot - 1) {
                Some(true) => body += ONE_HOUR,
                Some(false) => body += FIVE_MINUTES,
                None if self.has_nulls && slot % 3 == 0 => body += NULL,
                None => {}
            }
            body += part;
        }
        body
    }
}

/// How an agent sets its markers, the same way in each request.
#[derive(Clone, Copy, Debug)]
struct Habit {
    /// Which of the first slots it marks.
    first: [bool; 3],
    /// How many of the last slots it marks.
    last: usize,
    first_is_hour: bool,
    last_is_hour: bool,
}

impl Habit {
    fn is_hour(self, slot: usize, slots: usize) -> Option<bool> {
        let is_last = slot + self.last >= slots;
        let is_first = self.first.get(slot) == Some(&true);
        let is_hour = self.last_is_hour || is_first && self.first_is_hour;
        (is_first || is_last).then_some(is_hour)
    }
}

fn habit() -> impl Strategy<Value = Habit> {
    let is_hour = any::<bool>;
    (any::<[bool; 3]>(), 0..3_usize, is_hour(), is_hour()).prop_map(
        |(first, last, first_is_hour, last_is_hour)| Habit {
            first,
            last,
            first_is_hour,
            last_is_hour,
        },
    )
}

fn without_markers(body: &str) -> String {
    [FIVE_MINUTES, ONE_HOUR, NULL]
        .iter()
        .fold(body.to_owned(), |body, marker| body.replace(marker, ""))
}

fn refusal(body: &str) -> Option<String> {
    let request =
        StrictRequest::new(body.as_bytes()).betas("mid-conversation-system-clear-at-2026-08-21");
    let answer = Strict::new(StrictOptions::default()).answer(&request);
    answer.err().map(|it| it.message().to_owned())
}

fn marker_count(body: &str) -> usize {
    body.matches(FIVE_MINUTES).count() + body.matches(ONE_HOUR).count()
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 8_192, ..ProptestConfig::default() })]

    #[test]
    fn a_placed_request_is_accepted_like_the_one_of_the_agent(sent in sent()) {
        let body = sent.body();
        prop_assume!(refusal(&body).is_none());
        let placed = match place(body.as_bytes()) {
            Ok(placed) => String::from_utf8(placed.body()).unwrap(),
            Err(error) => {
                prop_assert_eq!(error.kind(), PlaceErrorKind::SingleCall, "{} {}", error, body);
                return Ok(());
            }
        };
        prop_assert_eq!(refusal(&placed), None, "{}", placed);
        prop_assert!(marker_count(&placed) <= 4, "{placed}");
        let last_hour = placed.rfind(ONE_HOUR).unwrap_or(0);
        let first_short = placed.find(FIVE_MINUTES).unwrap_or(usize::MAX);
        prop_assert!(last_hour < first_short, "{placed}");
        prop_assert_eq!(without_markers(&placed), without_markers(&body));
        // Placing again changes no more than a marker.
        let again = String::from_utf8(place(placed.as_bytes()).unwrap().body()).unwrap();
        prop_assert_eq!(refusal(&again), None, "{}", again);
    }

    /// A session of an agent with any markers, a minute apart. It costs no more than with the
    /// markers of the agent, by the model.
    ///
    /// If it does, then by what later requests would have read: a write pays with the first read,
    /// one for an hour with the second, and nothing says that there will be none. So it costs no
    /// more either where such writes count as plain input.
    #[test]
    fn a_session_with_any_markers_costs_no_more(sent in sent(), habit in habit()) {
        prop_assume!(sent.turns.len() >= 3);
        let placer = Placer::default();
        let (mut own, mut placed) = (CacheModel::new(CacheRules::anthropic()), CacheModel::new(CacheRules::anthropic()));
        // In full, and without the writes that too few later requests can read.
        let (mut as_sent, mut as_placed) = ([0.0; 2], [0.0; 2]);
        for turns in 1..=sent.turns.len() {
            let request = Sent { turns: sent.turns[..turns].to_vec(), ..sent.clone() };
            let slots = request.with_slots().matches(SLOT).count();
            let body = long(&request.marked(|slot| habit.is_hour(slot, slots)));
            prop_assume!(refusal(&body).is_none());
            let at = Duration::from_secs(60 * turns as u64);
            let placement = placer.place(&body.clone().into(), at);
            let edited = placement.placed.map_or_else(|_| body.clone().into(), |it| it.body());
            let edited = String::from_utf8(edited).unwrap();
            prop_assert_eq!(refusal(&edited), None, "{}", edited);
            let usage = |model: &mut CacheModel, body: &str| {
                model.send(&Body::parse(body.as_bytes()).unwrap(), at).usage
            };
            let usages = (usage(&mut own, &body), usage(&mut placed, &edited));
            placer.settle(placement.agent.unwrap(), dollars(&usages.0), dollars(&usages.1));
            let later = sent.turns.len() - turns;
            for (sums, usage) in [(&mut as_sent, usages.0), (&mut as_placed, usages.1)] {
                sums[0] += dollars(&usage);
                sums[1] += dollars(&with_reads_to_come(usage, later));
            }
        }
        // Markers on two blocks in a row may be 20 tokens apart.
        let is_dearer = |it: usize| as_placed[it] > as_sent[it] + 0.000_1;
        prop_assert!(!is_dearer(0) || !is_dearer(1), "{as_placed:?} > {as_sent:?}");
    }
}

fn dollars(usage: &Usage) -> f64 {
    let facts = find("claude-opus-5").facts;
    usage.cost(facts).unwrap().dollars()
}

/// What too few later requests can read counts as plain input.
fn with_reads_to_come(mut usage: Usage, later: usize) -> Usage {
    if later < 1 {
        usage.uncached += mem::take(&mut usage.write_5m);
    }
    if later < 2 {
        usage.uncached += mem::take(&mut usage.write_1h);
    }
    usage
}

/// Returns the body with longer texts, which are worth a cache.
fn long(body: &str) -> String {
    let words = "word ".repeat(1_500);
    ["rules", "question ", "answer ", "line ", "note"].iter().fold(body.to_owned(), |body, text| {
        body.replace(&format!("\"{text}"), &format!("\"{words}{text}"))
    })
}
