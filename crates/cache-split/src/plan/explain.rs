//! Explaining a plan, with token counts.
//!
//! ```text
//! system[0]: 1h, ~2100 tokens: end of the prefix before the messages
//! messages[4].content[1]: 5m, ~9000 tokens: last block that the next request contains unchanged
//! tools[3]: no marker (last tool, for tools that arrive later): the block cannot have a marker
//! ```

use std::fmt;

use aside_body::Body;
use aside_body::path::Level;
use aside_messages::encode::BlockRef;
use aside_messages::wire::{Request, Ttl};
use aside_models::{TokenEstimate, find};

use super::{BreakpointPlan, LifetimeRule, PlannedMarker, Rejected};
use crate::decision::TtlDecision;
use crate::ttl::TtlPolicy;

/// A plan, with how many tokens each marker covers. Prints one line for each
/// marker and each place without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Markers in request order.
    pub markers: Vec<CoveredMarker>,
    /// Places without a marker, with reasons.
    pub rejected: Vec<Rejected>,
    /// The request's estimated tokens, without its parameters.
    pub total: TokenEstimate,
    /// How many tokens a prefix must have for the model to cache it, if known.
    pub minimum: Option<u64>,
    /// The rule that decided how long this request's entries live.
    pub lifetime: LifetimeRule,
    /// The session's decision on lifetimes, if there is a session.
    pub decision: Option<TtlDecision>,
}

/// A marker, with how many tokens it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredMarker {
    /// The marker.
    pub planned: PlannedMarker,
    /// The estimated tokens in the prefix up to the end of the marked block.
    pub tokens: TokenEstimate,
}

impl Explanation {
    /// Adds a session's decision on lifetimes.
    #[must_use]
    pub fn decided_by(self, decision: TtlDecision) -> Self {
        Self { decision: Some(decision), ..self }
    }

    /// Returns true if the prefix is probably too short for the model to cache;
    /// `None` if the model is unknown.
    pub(crate) fn is_too_short(&self, covered: &CoveredMarker) -> Option<bool> {
        Some(covered.tokens.tokens() < self.minimum?)
    }
}

impl BreakpointPlan {
    /// Estimates how many tokens each marker covers in the plan's request. The
    /// work grows with the request, so do not call this every turn.
    ///
    /// Deferred tools count as no tokens, and parameters are not counted.
    #[must_use]
    pub fn explain(&self, request: &Request) -> Explanation {
        let facts = find(&request.model).facts;
        let json = serde_json::to_vec(request).unwrap_or_default();
        let body = Body::parse(&json).ok();
        let mut markers = Vec::new();
        let mut total = TokenEstimate::ZERO;
        for (level, item, _, block) in body.iter().flat_map(Body::blocks) {
            let at = match level {
                Level::Tools => BlockRef::Tool(item),
                Level::System => BlockRef::System(item),
                Level::Messages => {
                    BlockRef::Message { message: item, block: block.index.unwrap_or_default() }
                }
            };
            // A deferred tool is not in the prefix.
            if !block.is_deferred {
                total += block.tokens;
            }
            let of_block = self.markers.iter().filter(|it| it.marker.at == at);
            markers.extend(
                of_block.map(|planned| CoveredMarker { planned: planned.clone(), tokens: total }),
            );
        }
        Explanation {
            markers,
            rejected: self.rejected.clone(),
            total,
            minimum: facts.cache_minimum,
            lifetime: self.lifetime,
            decision: None,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for covered in &self.markers {
            let PlannedMarker { marker, reason } = &covered.planned;
            let ttl = marker.control.ttl().map_or("?", Ttl::as_str);
            let at = marker.at;
            let tokens = covered.tokens;
            write!(f, "{at}: {ttl}, {tokens} tokens: {reason}")?;
            if self.is_too_short(covered) == Some(true) {
                write!(f, "; probably too short to be cached")?;
            }
            writeln!(f)?;
        }
        for Rejected { at, reason, why } in &self.rejected {
            writeln!(f, "{at}: no marker ({reason}): {why}")?;
        }
        match (self.decision, self.lifetime) {
            (None, LifetimeRule::Policy) => Ok(()),
            (None, rule) => writeln!(f, "lifetimes: {rule}"),
            (Some(decision), rule) => {
                let TtlDecision { policy, reason, .. } = decision;
                writeln!(f, "lifetimes: {policy} ({reason}): {rule}")?;
                if rule.is_checkpoint() || policy != TtlPolicy::Checkpoints {
                    Ok(())
                } else {
                    let ttl = decision.prefix;
                    writeln!(f, "layers shared by sessions: {ttl}, decided when the session began")
                }
            }
        }
    }
}
