//! A body's blocks as a cache sees them, for programs that show a body.

use std::collections::HashMap;
use std::ops::Range;

use aside_models::{TokenEstimate, Wire};

use crate::cache_rules::CacheRules;
use crate::chain::{chain, has_turn_scoped_system, is_of_system};
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::{BlockPath, Level};

/// One block in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutlineBlock {
    /// Where it is in the prompt.
    pub level: Level,
    /// The index of the tool, the system prompt part or the message.
    pub item: usize,
    /// The block's index in its item.
    pub number: usize,
    /// A hash of the prefix up to the block's end, without markers; `None` if
    /// the block is not in the prompt.
    pub prefix: Option<u64>,
    /// Where the item is in the body.
    pub item_range: Range<usize>,
    /// Where the block is in the body.
    pub range: Range<usize>,
    /// The estimated tokens.
    pub tokens: TokenEstimate,
    /// Its position in a marker's look-back, from 1; `None` if no prefix ends with it.
    pub position: Option<usize>,
    /// False if the block is not in the prompt by itself: a deferred tool, a turn-scoped message
    /// that is cleared, thinking that the provider removes, a message before the newest summary.
    pub is_shown: bool,
    /// The index of the block after which a deferred tool is in the prompt: the
    /// first that names it.
    pub loaded_by: Option<usize>,
    /// How long the block's cache marker lasts, counting the automatic one.
    pub marker: Option<CacheLifetime>,
}

impl OutlineBlock {
    /// Returns its path in the request that it is from.
    #[must_use]
    pub fn path(&self, request: &Body) -> BlockPath {
        let placed = &request.section(self.level)[self.item];
        request.block_path(self.level, self.item, &placed.item.blocks[self.number])
    }
}

/// Returns a request's blocks in cache order: tools, those that belong to the system prompt last,
/// system prompt, messages. Instructions that are billed anew in each request (GPT-6.2) come last.
///
/// ```
/// use aside_cache_model::{CacheRules, Body, outline};
///
/// let body = br#"{"model":"claude-opus-5-5","system":"Be brief.","messages":[
///     {"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#;
/// let body = Body::parse(body)?;
/// let blocks = outline(&body, &CacheRules::anthropic());
/// let paths = blocks.iter().map(|it| it.path(&body).to_string());
/// assert_eq!(paths.collect::<Vec<_>>(), ["system", "messages[0].content[0]"]);
/// assert_eq!(blocks[1].position, Some(2));
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn outline(request: &Body, rules: &CacheRules) -> Vec<OutlineBlock> {
    let facts = rules.facts(request);
    let chain = chain(request, rules, None);
    let is_uncached = |level| level == Level::System && has_turn_scoped_system(request, facts);
    let mut positions = chain.positions.iter().enumerate().peekable();
    let mut loaded = chain.loaded.iter().peekable();
    let (mut blocks, mut deferred) = (Vec::<OutlineBlock>::new(), HashMap::<u64, usize>::new());
    let mut item_blocks = (Level::Tools, 0, 0);
    let mut all: Vec<_> = request.blocks().collect();
    all.sort_by_key(|&(level, .., block)| {
        let is_late = level == Level::Tools && is_of_system(block);
        (is_uncached(level), level, is_late)
    });
    for (level, item, placed, block) in all {
        let number = match item_blocks {
            (of_level, of_item, next) if (of_level, of_item) == (level, item) => next,
            _ => 0,
        };
        item_blocks = (level, item, number + 1);
        let (mut position, mut prefix, mut marker) = (None, None, None);
        // Elements in a tool result may have positions of their own.
        while let Some((index, found)) =
            positions.next_if(|(_, it)| (it.level, it.item, it.block) == (level, item, number))
        {
            while let Some((tool, _)) = loaded.next_if(|(_, by)| *by == index) {
                if let Some(tool) = deferred.get(tool) {
                    blocks[*tool].loaded_by = Some(blocks.len());
                }
            }
            position = Some(found.unit);
            prefix = Some(found.hash);
            marker = marker.max(found.mark);
        }
        if level == Level::Tools && block.is_deferred {
            deferred.insert(block.hash, blocks.len());
        }
        blocks.push(OutlineBlock {
            level,
            item,
            number,
            prefix,
            item_range: placed.span(),
            range: placed.at(&block.span),
            tokens: block.tokens,
            position,
            is_shown: position.is_some() || is_uncached(level),
            loaded_by: None,
            marker,
        });
    }
    blocks
}

impl CacheRules {
    /// Returns the preset for a wire: how the vendor's own API caches.
    #[must_use]
    pub fn of_wire(wire: Wire) -> Self {
        match wire {
            Wire::Messages => Self::anthropic(),
            Wire::GenerateContent => Self::gemini(),
            _ => Self::openai(),
        }
    }
}
