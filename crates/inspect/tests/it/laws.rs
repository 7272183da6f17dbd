//! Parts add up to the whole, for any body.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Cost, Usage};
use aside_inspect::{CacheState, PartKind, Report, RequestPart, parts_at, report};
use proptest::prelude::*;

use crate::bodies::{foreign, goldens};

/// Returns the first law that a body's report breaks.
fn fault(report: &Report, body: &[u8]) -> Option<String> {
    if report.root.range != (0..body.len()) || report.root.bytes != body.len() {
        return Some("the root is not the body".to_owned());
    }
    let mut found = None;
    report.root.walk(&mut |part| {
        found = found.take().or_else(|| fault_of(part));
    });
    found.or_else(|| fault_of_layers(report)).or_else(|| fault_of_map(report, body))
}

fn fault_of(part: &RequestPart) -> Option<String> {
    if part.children.is_empty() {
        return None;
    }
    let say = |what: &str| Some(format!("{} ({:?}): {what}", part.path, part.kind));
    let bytes: usize = part.children.iter().map(|it| it.bytes).sum();
    if bytes != part.bytes {
        return say(&format!("bytes {} are not {bytes}", part.bytes));
    }
    let usage = part.children.iter().fold(Usage::default(), |sum, it| sum + it.usage);
    if usage != part.usage {
        return say(&format!("tokens {:?} are not {usage:?}", part.usage));
    }
    let costs: Option<Cost> = part.children.iter().map(|it| it.cost).sum::<Option<Cost>>();
    if costs != part.cost {
        return say("costs do not sum");
    }
    let solid = || part.children.iter().filter(|it| it.kind != PartKind::Json);
    for child in solid() {
        if child.range.start < part.range.start
            || child.range.end > part.range.end
            || child.range.len() != child.bytes
        {
            return say("a child is not within it");
        }
    }
    let overlap = solid().zip(solid().skip(1)).any(|(a, b)| a.range.end > b.range.start);
    overlap.then(|| format!("{}: children overlap", part.path))
}

fn fault_of_layers(report: &Report) -> Option<String> {
    let layers = report.layers();
    let bytes: usize = layers.iter().map(|it| it.bytes).sum();
    let usage = layers.iter().fold(Usage::default(), |sum, it| sum + it.usage);
    if bytes != report.root.bytes || usage != report.root.usage {
        return Some("layers do not sum to the whole".to_owned());
    }
    layers.iter().find_map(|layer| {
        let parts = report.parts_of(layer.layer);
        let bytes: usize = parts.iter().map(|it| it.bytes).sum();
        (bytes != layer.bytes)
            .then(|| format!("{:?}: parts have {bytes} bytes of {}", layer.layer, layer.bytes))
    })
}

fn fault_of_map(report: &Report, body: &[u8]) -> Option<String> {
    let mut at = 0;
    for segment in report.source_map() {
        if segment.start != at || segment.end <= segment.start {
            return Some(format!("segment {}..{} after {at}", segment.start, segment.end));
        }
        at = segment.end;
    }
    (at != body.len()).then(|| format!("the map ends at {at} of {}", body.len()))
}

/// Returns what is at a byte: the parts with what they are, and the line.
fn place(
    root: &RequestPart,
    byte: usize,
    request: &Body,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let found = root.at_byte(byte, request).expect("a byte of the body");
    // Results are named after their calls, which may be in another message.
    let name = |part: &RequestPart| {
        let is_call = matches!(part.kind, PartKind::ToolUse | PartKind::ToolResult);
        if is_call { String::new() } else { part.name.clone() }
    };
    let parts = found.parts.iter();
    let parts = parts.map(|it| (it.kind, name(it), it.path.clone(), it.range.clone()));
    (parts.collect::<Vec<_>>(), found.line)
}

/// Checks a request body. Returns false for any other text.
fn check(name: &str, body: &[u8]) -> bool {
    let Ok(request) = Body::parse(body) else {
        return false;
    };
    let report = report(&request, None, None);
    if let Some(fault) = fault(&report, body) {
        panic!("{name}: {fault}\n{}", String::from_utf8_lossy(body));
    }
    for byte in (0..body.len()).step_by(1 + body.len() / 8) {
        let around = place(&parts_at(&request, byte), byte, &request);
        assert_eq!(around, place(&report.root, byte, &request), "{name} at {byte}");
    }
    true
}

#[test]
fn parts_sum_to_the_whole_for_every_golden() {
    let bodies = goldens();
    let checked = bodies.iter().filter(|(name, body)| check(name, body)).count();
    assert!(checked > 100, "{checked}");
}

#[test]
fn parts_sum_to_the_whole_for_bodies_of_other_agents() {
    for (name, body) in foreign() {
        let is_body = check(name, body.as_bytes());
        assert!(is_body, "{name}");
    }
}

#[test]
fn the_law_sees_a_fault() {
    let body = foreign().swap_remove(0).1;
    let request = Body::parse(body.as_bytes()).unwrap();
    let good = report(&request, None, None);
    assert_eq!(fault(&good, body.as_bytes()), None);
    let is_seen = |change: &dyn Fn(&mut Report)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(fault(&bad, body.as_bytes()).is_some());
    };
    is_seen(&|bad| bad.root.bytes += 1);
    is_seen(&|bad| bad.root.children[1].children[0].bytes += 1);
    is_seen(&|bad| bad.root.children[1].usage.uncached += 1);
    is_seen(&|bad| bad.root.children[1].cost = None);
    is_seen(&|bad| bad.root.children[1].children[0].range.start -= 2);
    is_seen(&|bad| {
        bad.root.children[1].children.pop();
    });
}

proptest! {
    #[test]
    fn parts_sum_to_the_whole_for_mutated_bodies(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 1..6),
    ) {
        let bodies = small_bodies();
        let (name, body) = &bodies[which.index(bodies.len())];
        let mut body = body.clone();
        for (at, edit) in edits {
            edit.apply(&mut body, &at);
        }
        check(name, &body);
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Replace(u8),
    Insert(&'static str),
    Remove(usize),
    /// Repeats some bytes elsewhere.
    Copy(usize),
}

impl Edit {
    fn apply(&self, body: &mut Vec<u8>, at: &prop::sample::Index) {
        if body.is_empty() {
            return;
        }
        let at = at.index(body.len());
        match self {
            Self::Replace(byte) => body[at] = *byte,
            Self::Insert(text) => {
                body.splice(at..at, text.bytes());
            }
            Self::Remove(count) => {
                body.drain(at..body.len().min(at + count));
            }
            Self::Copy(count) => {
                let copy = body[at..body.len().min(at + count)].to_vec();
                body.splice(at..at, copy);
            }
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    const TEXTS: [&str; 14] = [
        " ",
        "\n",
        "null",
        "\"\"",
        "{}",
        "[]",
        ",\"cache_control\":{\"type\":\"ephemeral\"}",
        "<system-reminder>",
        "</system-reminder>",
        "\\nContents of /a (b):\\n",
        "\\u003csystem-reminder\\u003e",
        "\\",
        "\u{fffd}",
        ",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]",
    ];
    prop_oneof![
        any::<u8>().prop_map(Edit::Replace),
        prop::sample::select(&TEXTS[..]).prop_map(Edit::Insert),
        (1usize..20).prop_map(Edit::Remove),
        (1usize..200).prop_map(Edit::Copy),
    ]
}

/// Bodies that are quick to check, read once.
fn small_bodies() -> &'static [(String, Vec<u8>)] {
    static BODIES: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();
    BODIES.get_or_init(|| {
        let goldens = goldens().into_iter();
        let mut small: Vec<_> = goldens
            .filter(|(_, body)| body.len() < 20_000)
            .filter(|(_, body)| Body::parse(body).is_ok())
            .step_by(7)
            .collect();
        let foreign = foreign().into_iter();
        small.extend(foreign.map(|(name, body)| (name.to_owned(), body.into_bytes())));
        small
    })
}

/// A deferred tool is in the prompt from the message on that names it first.
#[test]
fn a_deferred_tool_has_tokens_once_a_message_names_it() {
    let body = |name: &str| {
        let about = "word ".repeat(1_000);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","tools":[{{"name":"a","input_schema":{{}}}},{{"name":"mcp__docs__b","description":"{about}","input_schema":{{}},"defer_loading":true}}],"messages":[{{"role":"user","content":"Go"}},{{"role":"system","content":[{{"type":"tool_addition","tool":{{"type":"tool_reference","name":"{name}"}},"cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    for (name, is_loaded) in [("mcp__docs__b", true), ("mcp__docs__c", false)] {
        let request = body(name);
        let mut cache = CacheModel::new(CacheRules::anthropic());
        let verdict = cache.send(&request, Duration::ZERO);
        let report = report(&request, None, Some(&verdict));
        assert_eq!(report.root.tokens(), verdict.usage.input(), "{name}");
        let found = report.at_path("tools[1]", &request).unwrap();
        let state = found.parts.last().unwrap().state;
        assert_eq!(state == CacheState::NotShown, !is_loaded, "{state:?}");
        let server = &report.servers[0];
        assert_eq!((server.tokens > 500, server.deferrable_tokens), (is_loaded, 0));
    }
}
