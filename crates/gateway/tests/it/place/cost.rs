//! Sessions of agents cost no more with placed markers.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules};
use proptest::prelude::*;

use super::*;

/// The way in which an agent marks its requests.
#[derive(Clone, Copy, Debug)]
enum Style {
    Nothing,
    Automatic,
    Last,
    LastTwoUsers,
    SystemAndLast,
}

/// The system message after each message of the user, which stays.
#[derive(Clone, Copy, Debug)]
enum Note {
    None,
    String,
    List,
    /// A list that the agent marks in the last message.
    Marked,
}

/// One request: the tokens that it adds, parallel calls, seconds since the
/// preceding one.
type Step = (usize, usize, u64);

/// Returns the bodies of a session, as the agent sends them.
fn session(style: Style, note: Note, steps: &[Step]) -> Vec<String> {
    let marker = |is_marked: bool| if is_marked { MARKER } else { "" };
    let mut history: Vec<Vec<String>> = Vec::new();
    let mut bodies = Vec::new();
    for (number, (size, calls, _)) in steps.iter().enumerate() {
        let words = "word ".repeat(*size);
        match calls {
            0 => history.push(vec![format!(r#"{{"type":"text","text":"{number} {words}"#)]),
            calls => {
                let part = "word ".repeat(size / calls);
                history.push(
                    (0..*calls)
                        .map(|call| format!(r#"{{"type":"tool_result","tool_use_id":"t{number}x{call}","content":"{part}"#))
                        .collect(),
                );
            }
        }
        let users = history.len();
        let mut messages = Vec::new();
        for (index, blocks) in history.iter().enumerate() {
            let is_marked = match style {
                Style::Nothing | Style::Automatic => false,
                Style::Last | Style::SystemAndLast => index + 1 == users,
                Style::LastTwoUsers => index + 2 >= users,
            };
            if index > 0 {
                let calls: Vec<_> = blocks
                    .iter()
                    .filter(|it| it.contains("tool_result"))
                    .enumerate()
                    .map(|(call, _)| format!(r#"{{"type":"tool_use","id":"t{index}x{call}","name":"a","input":{{}}}}"#))
                    .collect();
                let response = if calls.is_empty() {
                    format!(r#"{{"type":"text","text":"said {index}"}}"#)
                } else {
                    calls.join(",")
                };
                messages.push(format!(r#"{{"role":"assistant","content":[{response}]}}"#));
            }
            let last = blocks.len() - 1;
            let blocks: Vec<_> = blocks
                .iter()
                .enumerate()
                .map(|(block, it)| format!("{it}\"{}}}", marker(is_marked && block == last)))
                .collect();
            messages.push(format!(r#"{{"role":"user","content":[{}]}}"#, blocks.join(",")));
            let note_marker = marker(matches!(note, Note::Marked) && index + 1 == users);
            match note {
                Note::None => {}
                Note::String => messages.push(r#"{"role":"system","content":"note"}"#.to_owned()),
                Note::List | Note::Marked => messages.push(format!(
                    r#"{{"role":"system","content":[{{"type":"text","text":"note"{note_marker}}}]}}"#
                )),
            }
        }
        let automatic = match style {
            Style::Automatic => r#""cache_control":{"type":"ephemeral"},"#,
            _ => "",
        };
        let system = marker(matches!(style, Style::SystemAndLast));
        let rules = "rule ".repeat(300);
        bodies.push(format!(
            r#"{{"model":"claude-opus-5","max_tokens":9,{automatic}"tools":[{{"name":"a","input_schema":{{"type":"object"}}}}],"system":[{{"type":"text","text":"{rules}"{system}}}],"messages":[{}]}}"#,
            messages.join(",")
        ));
    }
    bodies
}

fn cost<'a>(bodies: impl Iterator<Item = &'a [u8]>, steps: &[Step]) -> u64 {
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let mut at = Duration::ZERO;
    let mut sum = 0;
    for (body, (_, _, pause)) in bodies.zip(steps) {
        at += Duration::from_secs(*pause);
        let request = Body::parse(body).unwrap();
        sum += cache.send(&request, at).cost.unwrap().nanodollars();
    }
    sum
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        Just(Style::Nothing),
        Just(Style::Automatic),
        Just(Style::Last),
        Just(Style::LastTwoUsers),
        Just(Style::SystemAndLast),
    ]
}

fn note() -> impl Strategy<Value = Note> {
    prop_oneof![Just(Note::None), Just(Note::String), Just(Note::List), Just(Note::Marked),]
}

/// Generates requests at most four minutes apart, each of which adds no more
/// than the system prompt and everything before it, so that every written
/// prefix is read again.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let first = (50..800_usize, Just(0), 1..240_u64);
    let later = (1..300_usize, 0..25_usize, 1..240_u64);
    (first, proptest::collection::vec(later, 2..10)).prop_map(|(first, later)| {
        let mut steps = vec![first];
        steps.extend(later);
        steps
    })
}

proptest! {
    #[test]
    fn a_session_costs_no_more_with_placed_markers(style in style(), note in note(), steps in steps()) {
        let bodies = session(style, note, &steps);
        let placed: Vec<_> = bodies.iter().map(|body| place(body.as_bytes()).unwrap().body()).collect();
        for (body, placed) in bodies.iter().zip(&placed) {
            let placed = String::from_utf8(placed.clone()).unwrap();
            let plain = |text: &str| {
                let automatic = format!("{},", &MARKER[1..]);
                text.replace(MARKER, "").replace(&automatic, "")
            };
            prop_assert_eq!(plain(&placed), plain(body));
            prop_assert!(placed.matches("cache_control").count() <= 4);
        }
        let as_sent = cost(bodies.iter().map(String::as_bytes), &steps);
        let as_placed = cost(placed.iter().map(|body| &**body), &steps);
        prop_assert!(as_placed <= as_sent, "{as_placed} > {as_sent}");
    }
}
