//! The prompt cache from `cache-model`, with hits counted in blocks.

use std::time::Duration;

use aside_cache_model::{BlockPath, Body, CacheModel, CacheRules, Usage};
use aside_messages::wire::Request;

/// The time between two requests.
const STEP: Duration = Duration::from_secs(10);

/// A cache, and how many requests were sent to it.
pub(crate) struct Cache {
    model: CacheModel,
    last: Option<Body>,
    requests: u32,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// How many blocks were read from the cache.
    pub(crate) read: usize,
    /// How many tokens these are.
    pub(crate) read_tokens: u64,
    /// What the input costs, as a share of its price without a cache.
    pub(crate) price: f64,
    /// How many blocks there are.
    pub(crate) blocks: usize,
    /// The last message's first block.
    pub(crate) last_message: usize,
}

impl Cache {
    pub(crate) fn new(rules: CacheRules) -> Self {
        Self { model: CacheModel::new(rules), last: None, requests: 0 }
    }

    /// Sends a request, ten seconds after the previous one.
    pub(crate) fn send(&mut self, request: &Request) -> Found {
        let body = serde_json::to_vec(request).unwrap();
        let bytes = Body::parse_after(body.into(), self.last.as_ref()).unwrap();
        let verdict = self.model.send(&bytes, STEP * self.requests);
        self.last = Some(bytes);
        self.requests += 1;
        let messages = request.messages.iter().map(|it| it.content.len());
        let blocks = request.tools.len() + request.system.len() + messages.sum::<usize>();
        let last = request.messages.last().map_or(0, |it| it.content.len());
        let price = price(verdict.usage);
        let hit = verdict.hit;
        Found {
            read: hit.as_ref().map_or(0, |it| number(request, &it.path)),
            read_tokens: hit.map_or(0, |it| it.tokens),
            price,
            blocks,
            last_message: blocks - last,
        }
    }
}

/// Counts blocks up to a path, with the one at the path.
fn number(request: &Request, path: &BlockPath) -> usize {
    let indexes: Vec<usize> =
        path.as_str().split(['[', ']']).filter_map(|part| part.parse().ok()).collect();
    let (tools, system) = (request.tools.len(), request.system.len());
    match (path.as_str().split('[').next().unwrap(), &indexes[..]) {
        ("tools", [tool]) => tool + 1,
        ("system", [block]) => tools + block + 1,
        ("messages", [message, block, ..]) => {
            let before: usize =
                request.messages[..*message].iter().map(|it| it.content.len()).sum();
            tools + system + before + block + 1
        }
        other => unreachable!("{other:?} is no block of a session"),
    }
}

/// Returns what the input costs, as a share of its price without a cache.
fn price(usage: Usage) -> f64 {
    let all = usage.read + usage.write_5m + usage.write_1h + usage.uncached;
    let of = |tokens: u64, factor: f64| tokens as f64 * factor;
    let sum = of(usage.read, 0.1)
        + of(usage.write_5m, 1.25)
        + of(usage.write_1h, 2.0)
        + of(usage.uncached, 1.0);
    sum / all as f64
}
