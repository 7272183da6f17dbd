//! The report: the tree of parts with its sums, markers and hints.
//!
//! A block has the cache model's tokens, shared among its parts in proportion
//! to their estimates, so that every sum is exact.

use std::collections::HashMap;
use std::time::Duration;

use aside_cache_model::{
    Body, CacheLifetime, CacheModel, CacheRules, Cost, Effect, Usage, Verdict,
};
use aside_json::{Tape, unescape};
use aside_models::{Known, ModelFacts, Tokenizer, Wire, find};
use serde::Serialize;

use crate::hints::{Hint, Subject, hints};
use crate::named::named;
use crate::on_disk::DiskSource;
use crate::part::{CacheState, PartKind, PartLayer, RequestPart};
use crate::servers::{ServerShare, servers};
use crate::sources::BodySources;
use crate::states::Slots;
use crate::tree;

/// A request as parts that add up to the whole.
///
/// Tokens are estimates by [`aside_models::estimate`], prices come from the
/// catalogue. An unknown price is `None`, never zero.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The wire that the body is for.
    pub wire: Wire,
    /// The model, if the body names one.
    pub model: Option<String>,
    /// The model's context window in tokens, if known.
    pub window: Option<u64>,
    /// The whole body. Its tokens are an estimate: see
    /// [`Report::estimate_error_percent`].
    pub root: RequestPart,
    /// How many tokens the provider counted, if it was asked.
    pub exact_tokens: Option<u64>,
    /// The usage that the provider billed, if a log has it; the parts' states stay
    /// predicted.
    pub recorded: Option<Usage>,
    /// True if the cache states are for a first request, that is, predicted
    /// without earlier requests.
    pub is_first: bool,
    /// The cache markers, in cache order.
    pub markers: Vec<ReportMarker>,
    /// What could be left out or deserves attention.
    pub hints: Vec<Hint>,
    /// What the request's session has on disk; empty for a recorded request.
    pub on_disk: Vec<DiskSource>,
    /// What each MCP server adds, by name.
    pub servers: Vec<ServerShare>,
    pub(crate) facts: &'static ModelFacts,
    /// The model at whose prices the request is billed.
    pub(crate) billed: &'static ModelFacts,
}

/// A cache marker, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReportMarker {
    /// The marked block's path.
    pub path: String,
    /// How long it lasts.
    pub ttl: CacheLifetime,
    /// The estimated tokens in the prefix that it ends.
    pub tokens: u64,
    /// The estimated tokens before its look-back window: a marker finds an
    /// entry only if that ends within the window.
    pub window_start: u64,
    /// What it did, if the verdict says so.
    pub effect: Option<Effect>,
}

/// One layer's sums.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LayerSum {
    /// The layer.
    pub layer: PartLayer,
    /// Its length in bytes.
    pub bytes: usize,
    /// Its estimated tokens, the sum of `usage`.
    pub tokens: u64,
    /// The same by price class.
    pub usage: Usage,
    /// What they cost.
    pub cost: Option<Cost>,
}

/// Reports a request's parts.
///
/// Pass `sources` for a request that Aside built, and `verdict` to use the
/// cache model's prediction; without it, the states are for a first request.
///
/// ```
/// use aside_cache_model::{CacheModel, CacheRules, Body};
/// use aside_inspect::{CacheState, report};
///
/// let system = "Be brief. ".repeat(2_000);
/// let body = format!(
///     r#"{{"model":"claude-opus-5-5","system":[{{"type":"text","text":"{system}","cache_control":{{"type":"ephemeral"}}}}],"messages":[{{"role":"user","content":"Hi"}}]}}"#
/// );
/// // The second of two equal requests reads the prefix that the first one wrote.
/// let mut cache = CacheModel::new(CacheRules::anthropic());
/// cache.send(&Body::parse(body.as_bytes())?, std::time::Duration::ZERO);
/// let request = Body::parse(body.as_bytes())?;
/// let verdict = cache.send(&request, std::time::Duration::from_secs(20));
/// let report = report(&request, None, Some(&verdict));
/// let found = report.at_path("system[0]", &request).expect("a value");
/// assert_eq!(found.parts.last().map(|part| part.state), Some(CacheState::Read));
/// assert!(report.cached_share() > 0.9);
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn report(request: &Body, sources: Option<&BodySources>, verdict: Option<&Verdict>) -> Report {
    let rules = CacheRules::of_wire(request.wire());
    let first;
    let verdict = match verdict {
        Some(verdict) => verdict,
        None => {
            first = CacheModel::new(rules.clone()).send(request, Duration::ZERO);
            &first
        }
    };
    let slots = Slots::of(request, &rules, sources, verdict);
    let mut root = tree::build(request, &slots, sources, None);
    let found = find(request.model().unwrap_or_default());
    price(&mut root, found.facts, verdict.usage);
    name_calls(&mut root, request);
    let markers = markers(&slots, &rules, verdict);
    let window = found.facts.context_window.filter(|_| found.known != Known::Unknown);
    let hints = hints(&Subject {
        root: &root,
        request,
        window,
        cache_minimum: found.facts.cache_minimum,
        has_markers: !markers.is_empty(),
    });
    Report {
        wire: request.wire(),
        model: request.model().map(str::to_owned),
        window,
        exact_tokens: None,
        recorded: None,
        is_first: verdict.parent.is_none() && verdict.hit.is_none(),
        markers,
        hints,
        on_disk: Vec::new(),
        servers: servers(&root, &slots),
        facts: found.facts,
        billed: found.facts,
        root,
    }
}

/// Returns a request's parts, but only around a byte: messages elsewhere have neither parts nor
/// tokens. Use it instead of [`report`] to call [`RequestPart::at_byte`] and nothing else.
#[must_use]
pub fn parts_at(request: &Body, offset: usize) -> RequestPart {
    let rules = CacheRules::of_wire(request.wire());
    let verdict = CacheModel::new(rules.clone()).send(request, Duration::ZERO);
    let slots = Slots::of(request, &rules, None, &verdict);
    tree::build(request, &slots, None, Some(offset))
}

impl Report {
    /// Returns how far the estimates for this model may be off, in percent: 95
    /// of 100 texts of every kind in `docs/tokens.md` are closer to the count,
    /// except for languages that the fit has not seen. `None` if this was not
    /// measured.
    #[must_use]
    pub fn estimate_error_percent(&self) -> Option<u8> {
        match self.facts.tokenizer? {
            Tokenizer::ClaudeNew => Some(11),
            Tokenizer::ClaudeOld => Some(13),
            Tokenizer::O200k => Some(15),
            _ => None,
        }
    }

    /// Returns how far this request's estimate is off, in percent, if the
    /// provider counted its tokens: above 0 if the estimate is too high.
    #[must_use]
    pub fn measured_error_percent(&self) -> Option<f64> {
        let exact = self.exact_tokens.filter(|it| *it > 0)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a number of tokens, which is far below 2^52"
        )]
        let [exact, estimate] = [exact, self.root.tokens()].map(|it| it as f64);
        Some(100.0 * (estimate - exact) / exact)
    }

    /// Adds the tokens in a server's instructions, which a program knows that
    /// has connected to it.
    #[must_use]
    pub fn with_server_instructions(mut self, name: &str, tokens: u64) -> Self {
        match self.servers.iter_mut().find(|share| share.name == name) {
            Some(share) => share.instructions = tokens,
            None => self.servers.push(ServerShare {
                name: name.to_owned(),
                instructions: tokens,
                ..ServerShare::default()
            }),
        }
        self
    }

    /// Adds how many tokens the provider counted.
    #[must_use]
    pub fn with_exact_tokens(mut self, tokens: u64) -> Self {
        self.exact_tokens = Some(tokens);
        self
    }

    /// Adds the usage that the provider billed, and prices the parts as this usage and the model
    /// that answered are billed.
    #[must_use]
    pub fn with_recorded(mut self, usage: Option<Usage>, model: &str) -> Self {
        let billed = usage.unwrap_or(self.root.usage);
        self.recorded = usage;
        self.billed = find(model).facts;
        price(&mut self.root, self.billed, billed);
        self
    }

    /// Returns the request's tokens: as the provider counted them, or the
    /// estimate.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.exact_tokens.unwrap_or_else(|| self.root.tokens())
    }

    /// Returns the sums for the layers that this request has. They add up to
    /// the whole.
    #[must_use]
    pub fn layers(&self) -> Vec<LayerSum> {
        let mut sums: HashMap<PartLayer, (usize, Usage)> = HashMap::new();
        self.root.walk(&mut |part| {
            if part.children.is_empty() {
                let layer = part.layer.unwrap_or(PartLayer::Json);
                let (bytes, usage) = sums.entry(layer).or_default();
                *bytes += part.bytes;
                *usage += part.usage;
            }
        });
        let sum = |layer: PartLayer| {
            let (bytes, usage) = *sums.get(&layer)?;
            Some(LayerSum {
                layer,
                bytes,
                tokens: usage.input(),
                usage,
                cost: usage.cost_within(self.billed, self.root.tokens()),
            })
        };
        PartLayer::ALL.into_iter().filter_map(sum).collect()
    }

    /// Returns the largest parts that belong to one layer as a whole: they add
    /// up to the layer.
    #[must_use]
    pub fn parts_of(&self, layer: PartLayer) -> Vec<&RequestPart> {
        fn add<'a>(part: &'a RequestPart, layer: PartLayer, to: &mut Vec<&'a RequestPart>) {
            match part.layer {
                Some(of) if of == layer => to.push(part),
                Some(_) => {}
                None => part.children.iter().for_each(|it| add(it, layer, to)),
            }
        }
        let mut parts = Vec::new();
        add(&self.root, layer, &mut parts);
        // Users do not search for a list.
        let is_list = |part: &RequestPart| {
            matches!(part.kind, PartKind::Tools | PartKind::System | PartKind::Messages)
        };
        let open = |part: &'_ RequestPart| is_list(part) && !part.children.is_empty();
        let parts = parts
            .into_iter()
            .flat_map(|part| if open(part) { part.children.iter().collect() } else { vec![part] });
        parts.collect()
    }

    /// Returns the parts with the most tokens: tools, sections, files,
    /// reminders, and message blocks.
    #[must_use]
    pub fn largest(&self, count: usize) -> Vec<&RequestPart> {
        let mut parts = named(&self.root);
        parts.truncate(count);
        parts
    }

    /// Returns how many bytes are JSON around content: keys, brackets, quotes.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        let mut bytes = 0;
        self.root.walk(&mut |part| {
            if part.kind == PartKind::Json {
                bytes += part.bytes;
            }
        });
        bytes
    }

    /// Returns which share of the tokens is read from the cache or written to
    /// it, from 0 to 1.
    #[must_use]
    pub fn cached_share(&self) -> f64 {
        let usage = self.root.usage;
        match usage.input() {
            0 => 0.0,
            all => usage.cached() as f64 / all as f64,
        }
    }

    /// Returns which share of the context window this request takes, from 0.
    #[must_use]
    pub fn window_share(&self) -> Option<f64> {
        let window = self.window.filter(|it| *it > 0)?;
        Some(self.tokens() as f64 / window as f64)
    }
}

/// Sets the costs of all parts, from the prices for the whole request at the speed of `usage`.
fn price(root: &mut RequestPart, facts: &ModelFacts, usage: Usage) {
    let total = root.tokens();
    visit(root, &mut |part| {
        part.usage.is_fast = usage.is_fast;
        part.cost = part.usage.cost_within(facts, total);
    });
}

/// Arguments that identify a call, in order of preference.
const DETAILS: [&str; 9] =
    ["file_path", "filePath", "path", "filename", "command", "cmd", "pattern", "query", "url"];

/// How many characters a detail may have.
const MAX_DETAIL_CHARS: usize = 120;

/// Names results after their calls, and adds the subject to both.
///
/// A result has only its call's id. Calls without an id, as Gemini allows,
/// leave their results unchanged.
fn name_calls(root: &mut RequestPart, request: &Body) {
    let mut calls: HashMap<String, (String, Option<String>)> = HashMap::new();
    visit(root, &mut |part| {
        if part.kind == PartKind::ToolUse {
            let input = part.children.iter().find(|it| it.kind == PartKind::Input);
            part.detail = input.and_then(|it| detail(it, request));
            if let Some(id) = &part.call_id {
                calls.insert(id.clone(), (part.name.clone(), part.detail.clone()));
            }
        }
    });
    visit(root, &mut |part| {
        if part.kind == PartKind::ToolResult
            && let Some((name, detail)) = part.call_id.as_ref().and_then(|id| calls.get(id))
        {
            part.name.clone_from(name);
            part.detail.clone_from(detail);
        }
    });
}

/// Calls `each` with a part and those below it, to change them.
fn visit(part: &mut RequestPart, each: &mut dyn FnMut(&mut RequestPart)) {
    each(part);
    for child in &mut part.children {
        visit(child, each);
    }
}

/// Returns the argument with a call's subject. The input is an object, or JSON
/// in a string.
fn detail(input: &RequestPart, request: &Body) -> Option<String> {
    let subject = |json: &[u8]| {
        let tape = Tape::parse(json).ok()?;
        let text = DETAILS.iter().find_map(|key| tape.root().text_of(key))?;
        Some(text.chars().take(MAX_DETAIL_CHARS).collect())
    };
    let json = &request.as_bytes()[input.range.clone()];
    subject(json).or_else(|| subject(unescape(json).as_bytes()))
}

/// Returns the markers with the tokens up to each, and where its look-back
/// window starts.
///
/// A marker's window starts as many positions before it as the rules look back;
/// blocks that the model does not see have no position.
fn markers(slots: &Slots, rules: &CacheRules, verdict: &Verdict) -> Vec<ReportMarker> {
    let mut markers = Vec::new();
    // The first effect at a block or in its content, and its lifetime, by the block's path.
    let mut effects: HashMap<&str, (Effect, CacheLifetime)> = HashMap::new();
    for marker in &verdict.markers {
        let path = marker.path.as_str();
        let blocks = path.match_indices(".content[").map(|(at, _)| &path[..at]);
        for path in blocks.chain([path]) {
            effects.entry(path).or_insert((marker.effect, marker.ttl));
        }
    }
    // The tokens before each position in the look-back.
    let mut starts: Vec<u64> = vec![0];
    let mut tokens = 0;
    for slot in &slots.slots {
        let before = tokens;
        tokens = slot.until;
        let Some(position) = slot.block.position else {
            continue;
        };
        if starts.len() <= position {
            starts.resize(position + 1, before);
        }
        let Some(ttl) = slot.block.marker else {
            continue;
        };
        let path = slot.path.as_str();
        let first = (position + 1).saturating_sub(rules.look_back);
        let effect = effects.get(path);
        markers.push(ReportMarker {
            path: path.to_owned(),
            ttl: effect.map_or(ttl, |it| it.1),
            tokens,
            window_start: starts.get(first).copied().unwrap_or_default(),
            effect: effect.map(|it| it.0),
        });
    }
    markers
}

impl CacheState {
    /// Returns the state when all tokens are billed in one price class.
    ///
    /// `None` if there are no tokens, or tokens in several classes.
    #[must_use]
    pub fn of_usage(usage: Usage) -> Option<Self> {
        let states = [
            (Self::Read, usage.read),
            (Self::Write5m, usage.write_5m),
            (Self::Write1h, usage.write_1h),
            (Self::Write12h, usage.write_12h),
            (Self::WriteOther, usage.write_30m()),
            (Self::Plain, usage.uncached),
        ];
        let mut some = states.into_iter().filter(|(_, tokens)| *tokens > 0);
        match (some.next(), some.next()) {
            (Some((state, _)), None) => Some(state),
            _ => None,
        }
    }
}
