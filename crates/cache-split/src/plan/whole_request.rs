//! Plans for whole requests.

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Request};

use super::caller_markers::CallerMarkers;
use super::candidates::{Candidate, conversation_ends, last_tool, tools_end};
use super::checkpoints::{Lifetimes, Position};
use super::messages::Messages;
use super::shape::{Shape, ShapeMarker};
use super::{BreakpointPlan, PlanError, PlanOptions, Reason, choose};
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
    plan_shape(&Shape::of(request), options)
}

/// Plans markers for a request of which only this is known, as [`plan_request`] does.
///
/// The work grows with the number of messages, not with their length.
///
/// # Errors
/// The same as for [`plan`](super::plan()).
pub fn plan_shape(
    shape: &Shape<'_>,
    options: PlanOptions<'_>,
) -> Result<BreakpointPlan, PlanError> {
    let messages = Messages::Whole(&shape.messages);
    let options = PlanOptions {
        automatic: shape.automatic.as_ref().or(options.automatic),
        thinking: options.thinking.or(shape.thinking),
        ..options
    };
    let mut callers = CallerMarkers::empty(messages.last_block());
    for ShapeMarker { place, control, why } in &shape.markers {
        callers.add(*place, control.clone(), *why);
    }
    let position = Position::new(messages, &options);
    let rule = position.rule(&options, &callers);
    let lifetimes = Lifetimes::of(rule, &options);
    let mut candidates = prefix_end(shape, lifetimes);
    candidates.extend(last_tool(&shape.tools, &position, &options, lifetimes));
    candidates.extend(conversation_ends(messages, &options, &position, lifetimes));
    choose(candidates, callers, options, rule)
}

/// Returns the system prompt's last block that can have a marker, or the tools'
/// end.
fn prefix_end(shape: &Shape<'_>, lifetimes: Lifetimes) -> Vec<Candidate> {
    let control = CacheControl::lasting(lifetimes.prefix);
    match shape.system.iter().rposition(|is_markable| *is_markable) {
        Some(end) => {
            let at = BlockRef::System(end);
            vec![Candidate::new(at, Reason::PrefixEnd, control)]
        }
        None => tools_end(&shape.tools, Reason::PrefixEnd, &control),
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
