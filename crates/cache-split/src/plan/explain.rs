//! What a plan comes to, for people.

use std::fmt;

use aside_messages::encode::BlockRef;
use aside_messages::wire::{ContentBlock, Request, ResultContent, Ttl};
use aside_messages::{TokenEstimate, estimate_tokens};
use serde::Serialize;

use super::order::lifetime;
use super::{BreakpointPlan, PlannedMarker, Rejected};
use crate::minimum::minimum_length;

/// A plan with what its markers cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// In the order of the request.
    pub markers: Vec<Covered>,
    /// What could have been marked and is not.
    pub rejected: Vec<Rejected>,
    /// About how many tokens the whole request is, its parameters not counted.
    pub total: TokenEstimate,
    /// The shortest prefix that the model caches, in tokens, where it is known.
    pub minimum: Option<u64>,
}

/// A marker and what it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The marker.
    pub planned: PlannedMarker,
    /// About how many tokens the prefix is that ends with the marked block.
    pub tokens: TokenEstimate,
}

impl Explanation {
    /// Whether the prefix is shorter than what the model caches, as far as an
    /// estimate can tell; `None` where the model is not known.
    #[must_use]
    pub fn is_too_short(&self, covered: &Covered) -> Option<bool> {
        Some(covered.tokens.tokens() < self.minimum?)
    }
}

/// An image, or a page of a document, is at most about so many tokens.
const MEDIUM: TokenEstimate = TokenEstimate::of_tokens(1_600);

impl BreakpointPlan {
    /// Says what each marker covers in this request, for which the plan was
    /// made. The work is in proportion to the request: ask when somebody wants
    /// to know, not every turn.
    #[must_use]
    pub fn explain(&self, request: &Request) -> Explanation {
        let mut markers = Vec::new();
        let mut total = TokenEstimate::ZERO;
        let mut block = |at: BlockRef, tokens: TokenEstimate| {
            total += tokens;
            let here = self.markers.iter().filter(|it| it.marker.at == at);
            markers.extend(here.map(|planned| Covered {
                planned: planned.clone(),
                tokens: total,
            }));
        };
        for (index, tool) in request.tools.iter().enumerate() {
            // What is loaded on demand is not in the prefix.
            let tokens = match tool.defer_loading {
                Some(true) => TokenEstimate::ZERO,
                _ => of_json(tool),
            };
            block(BlockRef::Tool(index), tokens);
        }
        for (index, it) in request.system.iter().enumerate() {
            block(BlockRef::System(index), of_block(it));
        }
        for (message, it) in request.messages.iter().enumerate() {
            for (index, it) in it.content.iter().enumerate() {
                let at = BlockRef::Message {
                    message,
                    block: index,
                };
                block(at, of_block(it));
            }
        }
        Explanation {
            markers,
            rejected: self.rejected.clone(),
            total,
            minimum: minimum_length(&request.model),
        }
    }
}

fn of_block(block: &ContentBlock) -> TokenEstimate {
    match block {
        ContentBlock::Text(block) => estimate_tokens(&block.text),
        ContentBlock::Image(_) | ContentBlock::Document(_) => MEDIUM,
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Text(text) => estimate_tokens(text),
            ResultContent::Blocks(blocks) => blocks.iter().map(of_block).sum(),
        },
        other => of_json(other),
    }
}

fn of_json<T: Serialize>(value: &T) -> TokenEstimate {
    let json = serde_json::to_string(value).expect("wire types serialize");
    estimate_tokens(&json)
}

/// A line for each marker, and one for each place that has none.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for covered in &self.markers {
            let PlannedMarker { marker, reason } = &covered.planned;
            let ttl = match lifetime(&marker.control) {
                Some(Ttl::FiveMinutes) => "5m",
                Some(Ttl::OneHour) => "1h",
                None => "?",
            };
            let at = marker.at;
            let tokens = covered.tokens;
            write!(f, "{at}: {ttl}, {tokens} tokens: {reason}")?;
            if self.is_too_short(covered) == Some(true) {
                write!(f, "; perhaps too short to be cached")?;
            }
            writeln!(f)?;
        }
        for Rejected { at, reason, why } in &self.rejected {
            writeln!(f, "{at}: no marker ({reason}): {why}")?;
        }
        Ok(())
    }
}
