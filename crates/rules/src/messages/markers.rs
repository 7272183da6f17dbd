//! Cache markers: how many, in which order, and where.
//!
//! Source: the documentation on prompt caching.
//!
//! - `marker-limit`: five markers. Refusal: `A maximum of 4 blocks with
//!   cache_control may be provided. Found 5.` The automatic marker counts as
//!   one.
//! - `marker-ttl`: a 1h marker after a 5m one, in the order tools, system,
//!   messages. Refusal: `a ttl='1h' cache_control block must not come after a
//!   ttl='5m' cache_control block`. Valid: the 1h marker first.
//! - `marker-automatic`: the automatic marker has 5m and the last block is
//!   marked with 1h. Valid: equal lifetimes; the automatic marker has no effect
//!   then.
//! - `marker-place`: a marker on empty text. Refusal: `cache_control cannot be
//!   set for empty text blocks`.
//! - `marker-minimum`: accepted, but the prompt is shorter than the model's
//!   minimum, such as 512 tokens: both cache counters are 0.
//! - `marker-volatile`: accepted, but the marked block is not in the next
//!   request, which cannot read the entry.

use super::prompt_tokens::estimate_prompt;
use super::view::{Block, View};
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::of::markers::{Marker, late_hours, other_lifetime, over_limit};
use crate::table::{MARKER_AUTOMATIC, MARKER_LIMIT, MARKER_MINIMUM, MARKER_PLACE, MARKER_TTL};
use aside_json::{Tape, Value};

/// How many tokens the API adds to every prompt, at most.
const FRAME_TOKENS: u64 = 32;
/// How many tokens the API adds to each message, at most.
const MESSAGE_TOKENS: u64 = 8;
/// How many tokens the API's system prompt for tools has, at most. It is added
/// when a request has tools.
const TOOL_PROMPT_TOKENS: u64 = 800;

/// Checks explicit markers and the automatic one. If the last block has a
/// marker of its own, the automatic marker is left out of the order.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let marked = marked(view);
    let markers = explicit(view, &marked);
    let control = view.root.given("cache_control");
    let automatic = control.map(|control| marker("cache_control".to_owned(), control));
    let last = view.messages.last().and_then(|it| it.blocks.last());
    let last = last.filter(|block| takes_marker(block)).and_then(|it| control_of(it.value));
    let on_last = last.map(|control| marker(String::new(), control));
    empty_texts(checker, view, &marked);
    if let (Some(automatic), Some(on_last)) = (&automatic, &on_last)
        && let Some(found) = other_lifetime(automatic, on_last)
    {
        checker.add(&MARKER_AUTOMATIC, "cache_control", found);
    }
    let in_order = automatic.as_ref().filter(|_| on_last.is_none());
    for (path, found) in late_hours(markers.iter().chain(in_order)) {
        checker.add(&MARKER_TTL, path, found);
    }
    let all = markers.iter().chain(&automatic);
    if let Some((path, found)) = over_limit(all.clone()) {
        checker.add(&MARKER_LIMIT, path, found);
    }
    if let Some(last) = all.last() {
        minimum(checker, view, &last.path);
    }
}

/// Returns the markers on tools and blocks in a Messages API body, in cache
/// order. A body that is no JSON has none.
///
/// ```
/// use aside_rules::markers_in;
///
/// let body = br#"{"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#;
/// assert_eq!(markers_in(body)[0].path, "system[0].cache_control");
/// ```
#[must_use]
pub fn markers_in(body: &[u8]) -> Vec<Marker> {
    let tape = Tape::parse(body);
    tape.map_or_else(
        |_| Vec::new(),
        |tape| {
            let view = View::new(tape.root());
            explicit(&view, &marked(&view))
        },
    )
}

fn marker(path: String, control: Value<'_>) -> Marker {
    Marker { path, is_hour: control.text_of("ttl").as_deref() == Some("1h") }
}

fn control_of(block: Value<'_>) -> Option<Value<'_>> {
    block.given("cache_control")
}

/// Returns the blocks with a marker, and those that may have one inside.
fn marked<'v, 't>(view: &'v View<'t>) -> Vec<&'v Block<'t>> {
    let may_have = |it: &&Block<'t>| it.kind == "tool_addition" || control_of(it.value).is_some();
    view.all_blocks().filter(may_have).collect()
}

/// Returns every explicit marker in cache order, of blocks from [`marked`].
///
/// Includes markers in other blocks and in the definitions of added tools.
fn explicit(view: &View<'_>, marked: &[&Block<'_>]) -> Vec<Marker> {
    let mut markers = Vec::new();
    let mut add = |value: Value<'_>, path: &dyn Fn() -> String| {
        if let Some(control) = control_of(value) {
            markers.push(marker(format!("{}.cache_control", path()), control));
        }
    };
    for (index, tool) in view.tools.iter().enumerate() {
        add(*tool, &|| format!("tools[{index}]"));
    }
    for block in view.system() {
        add(block.value, &|| block.path());
    }
    for block in marked.iter().filter(|block| takes_marker(block)) {
        add(block.value, &|| block.path());
        if block.kind == "tool_addition"
            && let Some(definition) = block.value.get("tool").and_then(|it| it.get("definition"))
        {
            add(definition, &|| block.at("tool.definition"));
        }
    }
    markers
}

/// On thinking, a marker is an unknown key.
///
/// Thinking blocks have no such key, so the walk reports it.
fn takes_marker(block: &Block<'_>) -> bool {
    !matches!(&*block.kind, "thinking" | "redacted_thinking")
}

/// Reports markers on `"text":""`. Other blank texts are refused with and
/// without a marker.
fn empty_texts(checker: &mut Checker, view: &View<'_>, marked: &[&Block<'_>]) {
    let is_empty = |value: Value<'_>| {
        control_of(value).is_some() && value.text_of("text").is_some_and(|it| it.is_empty())
    };
    let system = view.system().filter(|it| is_empty(it.value)).map(|it| it.at("cache_control"));
    let marked = marked.iter().filter(|it| it.kind == "text" && is_empty(it.value));
    for path in system.chain(marked.map(|it| it.at("cache_control"))) {
        checker.add(&MARKER_PLACE, path, "a marker on empty text");
    }
}

/// Reports a prompt that is certainly too short to cache. Counting its tokens
/// caches nothing. `marker` is the path of the marker with the longest prefix.
///
/// The estimate is doubled, and the most that the API may add is added: a
/// report is certain, and a short prompt near the minimum is not reported.
/// Prompts with images, documents or API tools are not judged, because their
/// tokens are not in the body.
fn minimum(checker: &mut Checker, view: &View<'_>, marker: &str) {
    let Some(facts) = checker.facts else { return };
    let Some(minimum) = facts.cache_minimum else {
        return;
    };
    if checker.endpoint == ApiEndpoint::CountTokens || view.continues_thread() {
        return;
    }
    let has_media = view.all_blocks_of(&["image", "document"]).next().is_some();
    // Server tools add definitions that are not in the body.
    let has_server_tools = view.tools.iter().any(|it| !matches!(&*it.tag(), "" | "custom"));
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
        let found = format!("a prompt of ~{tokens} tokens, {} caches from {minimum}", facts.id);
        checker.add(&MARKER_MINIMUM, marker, found);
    }
}
