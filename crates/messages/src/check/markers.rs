//! Cache markers: their number, order and place.
//!
//! Source: the documentation of prompt caching.
//!
//! - `marker-limit`: five markers. Refusal: `A maximum of 4 blocks with
//!   cache_control may be provided. Found 5.` The automatic marker counts as
//!   one.
//! - `marker-ttl`: a marker of 1h after one of 5m, in the order tools, system,
//!   messages. Refusal: `a ttl='1h' cache_control block must not come after a
//!   ttl='5m' cache_control block`. Valid: the marker of 1h first.
//! - `marker-automatic`: the automatic marker has 5m and the last block is
//!   marked with 1h. Valid: equal lifetimes; the automatic marker has no effect
//!   then.
//! - `marker-place`: a marker on empty text. Refusal: `cache_control cannot be
//!   set for empty text blocks`.
//! - `marker-minimum`: accepted, but the prompt is shorter than the model's
//!   minimum, such as 512 tokens: both cache counters are 0.
//! - `marker-volatile`: accepted, but the marked block is not in the next
//!   request, which cannot read the entry.

use super::context::Context;
use super::prompt_tokens::estimate_prompt;
use super::rule::RuleScope;
use super::table::{
    MARKER_AUTOMATIC, MARKER_LIMIT, MARKER_MINIMUM, MARKER_PLACE, MARKER_TTL, MARKER_VOLATILE,
};
use super::view::{Block, View};
use super::{ApiEndpoint, Rules, Violation, walk};
use crate::encode::{BlockRef, Body};
use aside_json::{Tape, Value};

/// The maximum number of markers of a request, the automatic one included.
const LIMIT: usize = 4;

/// An upper bound of the tokens that the API adds to every prompt.
const FRAME_TOKENS: u64 = 32;
/// An upper bound of the tokens that the API adds to each message.
const MESSAGE_TOKENS: u64 = 8;
/// An upper bound of the tokens of the system prompt for tools, which the API
/// adds if a request has tools.
const TOOL_PROMPT_TOKENS: u64 = 800;

/// An explicit marker.
struct Marker {
    /// The path of the key.
    path: String,
    /// True for `"ttl":"1h"`. A marker without `ttl` has 5m.
    is_hour: bool,
}

/// Checks the explicit markers and the automatic one. If the last block has a
/// marker of its own, the automatic marker is left out of the order.
pub(super) fn check(context: &mut Context, view: &View<'_>) {
    let markers = explicit(view);
    let automatic = view
        .root
        .given("cache_control")
        .map(|control| marker("cache_control".to_owned(), control));
    let last = view
        .messages
        .last()
        .and_then(|it| it.blocks.last())
        .and_then(|block| control_of(block.value));
    empty_texts(context, view);
    let mut is_settled = false;
    if let (Some(automatic), Some(last)) = (&automatic, last) {
        let on_last = marker(String::new(), last);
        // If both agree, the automatic one has no effect.
        is_settled = true;
        if on_last.is_hour != automatic.is_hour {
            let found = format!(
                "{}, and the last block has {}",
                ttl(automatic),
                ttl(&on_last)
            );
            context.add(&MARKER_AUTOMATIC, "cache_control", found);
        }
    }
    if markers.is_empty() && automatic.is_none() {
        return;
    }
    let in_order = automatic.as_ref().filter(|_| !is_settled);
    order(context, markers.iter().chain(in_order));
    limit(context, markers.iter().chain(&automatic));
    minimum(context, view);
}

impl Body {
    /// Checks the markers that were inserted into this body, as
    /// [`check`](crate::wire::Request::check) does for a request. Only blocks
    /// with a marker are examined.
    ///
    /// The form, the place, the order and the number of the markers are
    /// examined. They may have been added in any order.
    #[must_use]
    pub fn check_markers(&self, rules: &Rules) -> Vec<Violation> {
        let parts = self.parts();
        let Ok(empty) = Tape::parse(b"{}") else {
            return Vec::new();
        };
        let mut context = Context::new(empty.root(), rules, RuleScope::Whole);
        let mut placed: Vec<_> = parts.markers.iter().collect();
        placed.sort_by_key(|marker| marker.at);
        let mut controls: Vec<_> = placed
            .iter()
            .map(|it| (format!("{}.cache_control", it.at), &it.control))
            .collect();
        if let Some(automatic) = &parts.parameters.cache_control {
            controls.push(("cache_control".to_owned(), automatic));
        }
        let mut markers = Vec::new();
        for (path, control) in controls {
            let Ok(json) = serde_json::to_string(control) else {
                continue;
            };
            if let Ok(tape) = Tape::parse(json.as_bytes()) {
                walk::marker(&mut context, tape.root(), &path);
                markers.push(marker(path, tape.root()));
            }
        }
        for it in &placed {
            let path = format!("{}.cache_control", it.at);
            match self.markable(it.at) {
                Some(false) => context.add(&MARKER_PLACE, path, "a block that takes no marker"),
                None => context.add(&MARKER_VOLATILE, path, "a volatile block"),
                Some(true) => {}
            }
        }
        order(&mut context, markers.iter());
        limit(&mut context, markers.iter());
        context.into_violations()
    }

    /// Returns true if a block accepts a marker, and `None` if it does and the
    /// next request lacks it.
    fn markable(&self, at: BlockRef) -> Option<bool> {
        let parts = self.parts();
        let block = match at {
            BlockRef::Tool(index) => parts.tools.blocks().get(index),
            BlockRef::System(index) => parts.system.blocks().get(index),
            BlockRef::Message { message, block } => {
                let mut from = parts.history.messages_from(message);
                let behind = || parts.tail.get(message - parts.history.len());
                let message = from.next().or_else(behind);
                message.and_then(|message| message.blocks().get(block))
            }
        };
        match block {
            Some(block) if block.is_markable && block.volatile => None,
            Some(block) => Some(block.is_markable),
            None => Some(false),
        }
    }
}

fn marker(path: String, control: Value<'_>) -> Marker {
    Marker {
        path,
        is_hour: control.text_of("ttl").as_deref() == Some("1h"),
    }
}

fn ttl(marker: &Marker) -> &'static str {
    if marker.is_hour { "1h" } else { "5m" }
}

fn control_of(block: Value<'_>) -> Option<Value<'_>> {
    block.given("cache_control")
}

/// Returns every explicit marker in the order of the cache.
///
/// Markers in tool results and in definitions of added tools are included.
fn explicit(view: &View<'_>) -> Vec<Marker> {
    let mut markers = Vec::new();
    let mut add = |path: String, value: Value<'_>| {
        if let Some(control) = control_of(value) {
            markers.push(marker(format!("{path}.cache_control"), control));
        }
    };
    for (index, tool) in view.tools.iter().enumerate() {
        add(format!("tools[{index}]"), *tool);
    }
    for (path, block) in view.system() {
        add(path, block);
    }
    for block in view.all_blocks().filter(takes_marker) {
        add(block.path(), block.value);
        let definition = block.value.get("tool").and_then(|it| it.get("definition"));
        if let Some(definition) = definition {
            add(block.at("tool.definition"), definition);
        }
    }
    markers
}

/// A marker on thinking is an unknown key.
///
/// Thinking blocks have no such key, so the walk reports it.
fn takes_marker(block: &Block<'_>) -> bool {
    !matches!(&*block.kind, "thinking" | "redacted_thinking")
}

/// Reports markers on `"text":""`. Other blank texts are refused with and
/// without a marker.
fn empty_texts(context: &mut Context, view: &View<'_>) {
    let is_empty = |value: Value<'_>| {
        control_of(value).is_some() && value.text_of("text").is_some_and(|it| it.is_empty())
    };
    let system = view.system().filter(|(_, it)| is_empty(*it));
    let paths: Vec<_> = system
        .map(|(path, _)| format!("{path}.cache_control"))
        .chain(
            view.all_blocks()
                .filter(|it| it.kind == "text" && is_empty(it.value))
                .map(|it| it.at("cache_control")),
        )
        .collect();
    for path in paths {
        context.add(&MARKER_PLACE, path, "a marker on empty text");
    }
}

/// Reports one violation that lists the paths of all markers.
fn limit<'m>(context: &mut Context, markers: impl Iterator<Item = &'m Marker>) {
    let places: Vec<_> = markers.map(|it| it.path.as_str()).collect();
    if places.len() > LIMIT {
        let found = format!("{}, at {}", places.len(), places.join(", "));
        context.add(&MARKER_LIMIT, "cache_control", found);
    }
}

/// Reports each marker of 1h that follows one of 5m, and names the first of 5m.
fn order<'m>(context: &mut Context, markers: impl Iterator<Item = &'m Marker>) {
    let mut short: Option<&Marker> = None;
    for marker in markers {
        match short {
            Some(short) if marker.is_hour => {
                let found = format!("1h, after 5m at {}", short.path);
                context.add(&MARKER_TTL, marker.path.clone(), found);
            }
            None if !marker.is_hour => short = Some(marker),
            _ => {}
        }
    }
}

/// Reports a prompt that is certainly too short to be cached. Counting its
/// tokens caches nothing.
///
/// The estimate is doubled, and bounds of the added tokens are added: a report
/// is certain, and a short prompt near the minimum is not reported. Prompts
/// with images, documents or tools of the API are not judged, because their
/// tokens are not in the body.
fn minimum(context: &mut Context, view: &View<'_>) {
    let Some(facts) = context.facts else { return };
    let Some(minimum) = facts.cache_minimum else {
        return;
    };
    if context.endpoint == ApiEndpoint::CountTokens {
        return;
    }
    let has_media = view
        .all_blocks()
        .any(|it| matches!(&*it.kind, "image" | "document"));
    // Server tools add definitions that are not in the body.
    let has_server_tools = view
        .tools
        .iter()
        .any(|it| !matches!(&*it.tag(), "" | "custom"));
    if has_media || has_server_tools {
        return;
    }
    // Twice as many are not too few.
    let tokens = estimate_prompt(view, facts.estimated_tokenizer(), minimum).tokens();
    // The estimate is up to a half too low for repetitive texts.
    let mut most = 2 * tokens + FRAME_TOKENS + MESSAGE_TOKENS * view.messages.len() as u64;
    if !view.tools.is_empty() {
        most += TOOL_PROMPT_TOKENS;
    }
    if most < minimum {
        let found = format!(
            "a prompt of ~{tokens} tokens, {} caches from {minimum}",
            facts.id
        );
        context.add(&MARKER_MINIMUM, "cache_control", found);
    }
}
