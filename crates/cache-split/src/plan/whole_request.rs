//! Plans for whole requests.

use aside_messages::encode::{BlockRef, Encoded};
use aside_messages::wire::{CacheControl, ContentBlock, Message, Request, ResultContent};
use aside_models::find;

use super::caller_markers::CallerMarkers;
use super::candidates::{Candidate, conversation_ends, last_tool, tools_end};
use super::checkpoints::{Lifetimes, Position};
use super::lifetimes::Place;
use super::messages::Messages;
use super::{BreakpointPlan, PlanError, PlanOptions, Reason, RejectReason, choose};
use crate::decision::Caching;

/// Plans markers for a whole request. Its layers are unknown and no block
/// counts as volatile: the plan marks the system prompt's end (the tools'
/// without a system prompt), the last block and the anchor, and keeps your own
/// markers. On a session's first request it marks the last tool, too. The
/// request's `cache_control` is the automatic marker.
///
/// The work grows with the request.
///
/// ```
/// use aside_cache_split::{PlanOptions, plan_request};
/// use aside_messages::wire::Request;
///
/// let json = r#"{"model":"m","max_tokens":1,"system":"Be kind.","messages":[{"role":"user","content":"Hi"}]}"#;
/// let mut request = Request::parse(json.as_bytes())?.value;
/// let plan = plan_request(&request, PlanOptions::default())?;
/// plan.apply(&mut request);
/// let places: Vec<_> = plan.markers().iter().map(|marker| marker.at.to_string()).collect();
/// assert_eq!(places, ["system[0]", "messages[0].content[0]"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The same as for [`plan`](super::plan()).
pub fn plan_request(
    request: &Request,
    options: PlanOptions<'_>,
) -> Result<BreakpointPlan, PlanError> {
    let tools = Encoded::tools(request.tools.clone());
    let system = Encoded::system(request.system.clone(), Vec::new());
    let encoded = |message: &Message| Encoded::message(message.clone(), Vec::new());
    let messages: Vec<Encoded> = request.messages.iter().map(encoded).collect();
    let messages = Messages::Whole(&messages);
    let options = PlanOptions {
        automatic: request.cache_control.as_ref().or(options.automatic),
        thinking: find(&request.model).facts.thinking_kept.unwrap_or_default(),
        ..options
    };
    let callers = callers(request, messages.last_block());
    let position = Position::new(messages, &options);
    let rule = position.rule(&options, &callers);
    let lifetimes = Lifetimes::of(rule, &options);
    let mut candidates = prefix_end(&tools, &system, lifetimes);
    candidates.extend(last_tool(&tools, &position, &options, lifetimes));
    candidates.extend(conversation_ends(messages, &options, &position, lifetimes));
    choose(candidates, callers, options, rule)
}

/// Returns the system prompt's last block that can have a marker, or the tools'
/// end.
fn prefix_end(tools: &Encoded, system: &Encoded, lifetimes: Lifetimes) -> Vec<Candidate> {
    let control = CacheControl::lasting(lifetimes.prefix);
    let end = system.blocks().iter().rposition(|block| block.is_markable);
    match end {
        Some(end) => {
            let at = BlockRef::System(end);
            vec![Candidate::new(at, Reason::PrefixEnd, control)]
        }
        None => tools_end(tools, Reason::PrefixEnd, &control),
    }
}

/// Collects all markers in the request, even inside tool results.
fn callers(request: &Request, last_block: Option<BlockRef>) -> CallerMarkers {
    let mut callers = CallerMarkers::empty(last_block);
    for (index, tool) in request.tools.iter().enumerate() {
        if let Some(control) = &tool.cache_control {
            let is_deferred = tool.defer_loading == Some(true);
            let why = is_deferred.then_some(RejectReason::Unmarkable);
            let place = Place::on(BlockRef::Tool(index));
            callers.add(place, control.clone(), why);
        }
    }
    for (index, block) in request.system.iter().enumerate() {
        add(&mut callers, BlockRef::System(index), block);
    }
    for (message, it) in request.messages.iter().enumerate() {
        for (block, it) in it.content.iter().enumerate() {
            let at = BlockRef::Message { message, block };
            for (index, inner) in content(it).iter().enumerate() {
                if let Some(control) = inner.cache_control() {
                    let inner = Some(index);
                    callers.add(Place { at, inner }, control, None);
                }
            }
            add(&mut callers, at, it);
        }
    }
    callers
}

/// A marker on an empty text is rejected.
fn add(callers: &mut CallerMarkers, at: BlockRef, block: &ContentBlock) {
    if let Some(control) = block.cache_control() {
        let is_empty = matches!(block, ContentBlock::Text(text) if text.text.is_empty());
        callers.add(
            Place::on(at),
            control,
            is_empty.then_some(RejectReason::Unmarkable),
        );
    }
}

fn content(block: &ContentBlock) -> &[ContentBlock] {
    match block {
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Blocks(blocks) => blocks,
            ResultContent::Text(_) => &[],
        },
        _ => &[],
    }
}

impl BreakpointPlan {
    /// Sets the markers in the plan's request. If prompt caching is off,
    /// removes all markers, with the automatic one and those inside tool
    /// results.
    pub fn apply(&self, request: &mut Request) {
        if self.caching == Caching::Off {
            return unmark(request);
        }
        // The caller's markers on blocks that cannot have one.
        for dropped in self.dropped() {
            set(request, dropped.at, None);
        }
        for marker in self.markers() {
            set(request, marker.at, Some(marker.control));
        }
    }
}

/// Sets or removes a block's marker. A reference to no block changes nothing.
fn set(request: &mut Request, at: BlockRef, control: Option<CacheControl>) {
    let block = match at {
        BlockRef::Tool(index) => {
            if let Some(tool) = request.tools.get_mut(index) {
                tool.cache_control = control;
            }
            return;
        }
        BlockRef::System(index) => request.system.get_mut(index),
        BlockRef::Message { message, block } => {
            let message = request.messages.get_mut(message);
            message.and_then(|it| it.content.get_mut(block))
        }
    };
    match (block, control) {
        (Some(block), Some(control)) => block.mark(control),
        (Some(block), None) => {
            block.unmark();
        }
        (None, _) => {}
    }
}

fn unmark(request: &mut Request) {
    request.cache_control = None;
    for tool in &mut request.tools {
        tool.cache_control = None;
    }
    let messages = request.messages.iter_mut().flat_map(|it| &mut it.content);
    for block in request.system.iter_mut().chain(messages) {
        block.unmark();
        block.unmark_content();
    }
}
