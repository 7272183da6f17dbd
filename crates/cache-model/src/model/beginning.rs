//! Caches without markers keep prefixes of any length: of a block that changed near its end, such
//! as a system prompt with a clock, they read the beginning.

use aside_body::body::{Block, Body};

use super::{CacheModel, Plan};
use crate::cache_rules::Mechanism;
use crate::chain::{Chain, Position, chain};
use crate::parent::Found;
use crate::tokens::scaled;

impl CacheModel {
    /// Returns the estimated tokens that a request reads of the block after the hit. It is compared
    /// with the request that it continues or, if there is none, with the one that begins most like
    /// it.
    pub(super) fn beginning(
        &self,
        request: &Body,
        own: &Chain,
        plan: &Plan,
        found: Option<&Found>,
    ) -> u64 {
        let index = plan.next();
        let Some(position) = own.positions.get(index) else {
            return 0;
        };
        let before = plan.hit.map(|it| &own.positions[it]);
        let is_whole = |left: u64| before.is_some_and(|it| it.hash == left);
        let continues = found.and_then(|it| it.left).is_some_and(|it| is_whole(it.hash));
        if continues || !matches!(plan.mechanism, Mechanism::Implicit { .. }) {
            return 0;
        }
        let continued = found.and_then(|it| it.request.as_ref());
        let earlier = continued.or_else(|| self.threads.likely(request.as_bytes(), None));
        let shared = earlier.map_or(0, |earlier| {
            let other = chain(earlier, &self.rules, None);
            let other = other.positions.get(index).filter(|it| {
                it.before == position.before && self.entries.is_readable(it.hash, self.now)
            });
            other.map_or(0, |it| common_tokens((earlier, it), (request, position)))
        });
        let read = before.map_or(0, |it| it.tokens) + shared;
        if scaled(read, plan.scale) >= plan.minimum { shared } else { 0 }
    }
}

/// Returns the estimated tokens of the later block's beginning, as far as both have it.
fn common_tokens(earlier: (&Body, &Position), later: (&Body, &Position)) -> u64 {
    let ((one, a), (other, b)) = (text(earlier), text(later));
    if one.has_image || other.has_image {
        return 0;
    }
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tokens = u128::from(other.tokens.tokens()) * common as u128;
    (tokens / b.len().max(1) as u128) as u64
}

/// Returns a block and its text or, if it is no text, its bytes.
fn text<'a>((request, position): (&'a Body, &Position)) -> (&'a Block, &'a [u8]) {
    let placed = &request.section(position.level)[position.item];
    let block = &placed.item.blocks[position.block];
    let span = block.text.as_ref().unwrap_or(&block.span);
    (block, &request.as_bytes()[placed.at(span)])
}
