//! The prompt cache according to the API's documentation.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use aside_messages::wire::{CacheControl, Request};
use aside_messages::{TokenEstimate, estimate_tokens};
use serde::Serialize;

/// The number of positions that a read examines, the marked one included.
const LOOK_BACK: usize = 20;

/// The cached prefixes.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: HashSet<u64>,
    /// The shortest prefix that is cached, in tokens.
    minimum: u64,
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// The number of blocks that were read from the cache.
    pub(crate) read: usize,
    /// Their estimated number of tokens.
    pub(crate) read_tokens: TokenEstimate,
    /// The number of blocks.
    pub(crate) blocks: usize,
    /// The first block of the last message.
    pub(crate) last_message: usize,
}

/// A block, and the prefix that ends with it.
struct Position {
    hash: u64,
    tokens: TokenEstimate,
    is_marked: bool,
}

impl Cache {
    pub(crate) fn new(minimum: u64) -> Self {
        Self {
            entries: HashSet::new(),
            minimum,
        }
    }

    /// Reads from the cache, and then writes at the markers.
    pub(crate) fn send(&mut self, request: &Request) -> Found {
        let positions = positions(request);
        let marked = || (0..positions.len()).filter(|&at| positions[at].is_marked);
        let hit = |from: usize| {
            let mut looked_at = (0..=from).rev().take(LOOK_BACK);
            looked_at.find(|&at| self.entries.contains(&positions[at].hash))
        };
        let hit = marked().filter_map(hit).max();
        for at in marked().filter(|&at| positions[at].tokens.tokens() >= self.minimum) {
            self.entries.insert(positions[at].hash);
        }
        let last = request.messages.last().map_or(0, |it| it.content.len());
        Found {
            read: hit.map_or(0, |at| at + 1),
            read_tokens: hit.map_or(TokenEstimate::ZERO, |at| positions[at].tokens),
            blocks: positions.len(),
            last_message: positions.len() - last,
        }
    }
}

/// Returns every block in the order of the cache: tools, system, messages. Each
/// hash covers all blocks before it, without markers.
fn positions(request: &Request) -> Vec<Position> {
    let mut positions: Vec<Position> = Vec::new();
    let mut push = |place: &str, json: String, control: Option<CacheControl>| {
        let is_marked = control.is_some();
        let json = match control {
            Some(control) => without(&json, &control),
            None => json,
        };
        let mut hasher = DefaultHasher::new();
        let before = positions.last();
        (before.map(|it| it.hash), place, &json).hash(&mut hasher);
        positions.push(Position {
            hash: hasher.finish(),
            tokens: before.map_or(TokenEstimate::ZERO, |it| it.tokens) + estimate_tokens(&json),
            is_marked,
        });
    };
    for tool in &request.tools {
        push("tool", json(tool), tool.cache_control.clone());
    }
    for block in &request.system {
        push("system", json(block), block.cache_control());
    }
    for message in &request.messages {
        for (index, block) in message.content.iter().enumerate() {
            // The start of a message is part of the cached text.
            let place = format!("{}{}", message.role.as_str(), usize::from(index > 0));
            push(&place, json(block), block.cache_control());
        }
    }
    positions
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// Removes a marker, which is the last key of its block.
fn without(block: &str, control: &CacheControl) -> String {
    let marker = format!(",\"cache_control\":{}}}", json(control));
    format!("{}}}", block.strip_suffix(&marker).unwrap())
}

mod tests {
    use super::*;

    /// Returns a request with this many blocks in one message, and markers on
    /// some.
    fn request(blocks: usize, marked: &[usize]) -> Request {
        let block = |index: usize| {
            let mut text = format!(r#"{{"type":"text","text":"block number {index}""#);
            if marked.contains(&index) {
                text.push_str(r#","cache_control":{"type":"ephemeral"}"#);
            }
            text + "}"
        };
        let content: Vec<_> = (0..blocks).map(block).collect();
        let json = format!(
            r#"{{"model":"m","max_tokens":1,"messages":[{{"role":"user","content":[{}]}}]}}"#,
            content.join(",")
        );
        Request::parse(json.as_bytes()).unwrap().value
    }

    fn check(first: (usize, &[usize]), second: (usize, &[usize]), minimum: u64, read: usize) {
        let mut cache = Cache::new(minimum);
        assert_eq!(cache.send(&request(first.0, first.1)).read, 0);
        assert_eq!(cache.send(&request(second.0, second.1)).read, read);
    }

    #[test]
    fn markers_write_and_reads_look_back_twenty_positions() {
        check((10, &[9]), (30, &[28]), 0, 10);
        check((10, &[9]), (30, &[29]), 0, 0);
        check((10, &[]), (10, &[9]), 0, 0);
        check((10, &[4]), (10, &[9]), 0, 5);
        check((10, &[9]), (9, &[8]), 0, 0);
        // A second marker is a second lookup.
        check((10, &[9]), (50, &[9, 49]), 0, 10);
    }

    #[test]
    fn a_short_prefix_is_not_cached() {
        check((10, &[9]), (10, &[9]), 10_000, 0);
        check((10, &[9]), (10, &[9]), 50, 10);
    }
}
