//! A request's prefixes: one hash for every position where an entry can end.
//!
//! A provider looks up entries by a hash of everything up to a block. The chain
//! computes the same kind of hash in one pass: each position extends the
//! previous hash by its block's canonical bytes. Blocks that the model does not
//! see (deferred tools, cleared messages, removed thinking) have no position.

mod applied_edits;
mod cleared;
mod shown;

use std::collections::HashMap;

use aside_models::TokenEstimate;
use aside_models::{ModelFacts, Wire};

use crate::cache_rules::{CacheRules, Isolation, LookBackUnit, NestedPositions};
use crate::parameters::{Parameter, parameters};
use crate::timed::{Timed, UnreadThinking};
use aside_body::body::{Block, BlockKind, Body, Item, Role};
use aside_body::hash::extend;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::{BlockPath, Level};

pub use applied_edits::{AppliedEdit, applied_edits};
pub(crate) use shown::summary;

use cleared::Cleared;
use shown::Shown;

/// A position: where a block ends, and the prefix up to there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    /// The whole prefix's hash, including model, workspace and parameters.
    pub(crate) hash: u64,
    /// The same without the block.
    pub(crate) before: u64,
    /// The prefix's estimated tokens.
    pub(crate) tokens: u64,
    pub(crate) level: Level,
    /// The indices of the item and of the block in it.
    pub(crate) item: usize,
    pub(crate) block: usize,
    /// The index of the tool result element that ends here.
    pub(crate) nested: Option<usize>,
    /// Which unit in the look-back this is.
    pub(crate) unit: usize,
    /// The lifetime of this position's marker, if it has a valid one.
    pub(crate) mark: Option<CacheLifetime>,
}

#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// In cache order: tools, system prompt, messages.
    pub(crate) positions: Vec<Position>,
    /// Parameters that are part of the hashes.
    pub(crate) parameters: Vec<Parameter>,
    /// The request's estimated tokens.
    pub(crate) tokens: u64,
    /// Those of them that the body does not have.
    pub(crate) unseen: Unseen,
    /// The hashes of deferred tools that messages name, and the position that each extends.
    pub(crate) loaded: Vec<(u64, usize)>,
    /// How many tool results the API clears.
    pub(crate) cleared: usize,
    /// True if the body names items of unknown size by their ids, so that `tokens` lacks theirs.
    pub(crate) has_references: bool,
}

/// Tokens that were billed and are not in the body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unseen {
    pub(crate) tokens: u64,
    /// The position that they come before.
    pub(crate) before: usize,
    /// True if the provider keeps them, and false if the log leaves them out.
    pub(crate) is_kept: bool,
    /// How many tokens from the start are read because of them, as the provider counted.
    pub(crate) read: u64,
    /// How many of them are read at best.
    pub(crate) readable: u64,
}

impl Chain {
    /// Puts the input that the body does not have before the first position of a level. If the
    /// provider keeps it, `left` says how many tokens the request before left in the cache, and if
    /// they are still there.
    pub(crate) fn add_unseen(&mut self, input: u64, request: &Body, left: Option<(u64, bool)>) {
        let tokens = input.saturating_sub(self.tokens);
        let kept = request.kept_before();
        let level = kept.unwrap_or(Level::Tools);
        let before = self.positions.partition_point(|it| it.level < level);
        let from = self.positions[..before].last().map_or(0, |it| it.tokens);
        let of_left = |left: u64| left.saturating_sub(from).min(tokens);
        let (read, readable) = match (kept, left) {
            (None, _) => (0, 0),
            // A request that names a cache reads it.
            (Some(Level::Tools), _) => (tokens, tokens),
            (Some(_), Some((left, true))) => (left.min(input), of_left(left)),
            (Some(_), Some((left, false))) => (0, of_left(left)),
            (Some(_), None) => (0, tokens),
        };
        self.unseen = Unseen { tokens, before, is_kept: kept.is_some(), read, readable };
        self.tokens += tokens;
        for position in &mut self.positions[before..] {
            position.tokens += tokens;
        }
    }

    /// Returns the last positions in user and tool messages, in order.
    pub(crate) fn inputs(&self, request: &Body) -> Vec<usize> {
        let messages = request.section(Level::Messages);
        let is_last = |index: usize| {
            let next = self.positions.get(index + 1);
            next.is_none_or(|it| it.item != self.positions[index].item)
        };
        let is_input = |it: &Position| {
            let placed = messages.get(it.item).filter(|_| it.level == Level::Messages);
            placed.is_some_and(|it| it.item.role == Role::User || it.item.has_tool_results)
        };
        let all = self.positions.iter().enumerate();
        let found = all.filter(|(index, it)| is_input(it) && is_last(*index));
        found.map(|(index, _)| index).collect()
    }
}

/// Computes a request's positions.
///
/// The cost is linear in how many blocks there are, not in how long the body
/// is: blocks have their hashes already. Markers change no hash.
///
/// `workspace` counts only if the rules isolate workspaces. An alias and the dated id of a model
/// share entries.
pub(crate) fn chain(request: &Body, rules: &CacheRules, workspace: Option<&str>) -> Chain {
    positions(&UnreadThinking::default(), &HashMap::new(), request, rules, workspace)
}

/// Computes a request's positions without the thinking that the model does not read. `sizes` has the
/// tokens of items that a body may only name, by the hashes of their ids.
pub(crate) fn chain_of(entry: &Timed, sizes: &HashMap<u64, u64>, rules: &CacheRules) -> Chain {
    positions(&entry.unread, sizes, &entry.request, rules, entry.workspace.as_deref())
}

fn positions(
    unread: &UnreadThinking,
    sizes: &HashMap<u64, u64>,
    request: &Body,
    rules: &CacheRules,
    workspace: Option<&str>,
) -> Chain {
    let facts = rules.facts(request);
    let parameters = parameters(request, facts, rules);
    let workspace = match rules.isolation {
        Isolation::Workspace => workspace.unwrap_or_default(),
        Isolation::Organization => "",
    };
    let model = match facts.id {
        "" => request.model().unwrap_or_default(),
        id => id,
    };
    let mut builder = Builder {
        request,
        unread,
        sizes,
        rules,
        prefix: extend(0, &(model, workspace)),
        sum: TokenEstimate::ZERO,
        has_turn_scoped_system: has_turn_scoped_system(request, facts),
        unlisted: TokenEstimate::ZERO,
        positions: Vec::new(),
        unit: 0,
        last_kind: None,
        deferred: HashMap::new(),
        definitions: Vec::new(),
        loaded: Vec::new(),
        cleared: Cleared::of(request),
        has_references: false,
    };
    let shown = Shown::of(request, facts, rules);
    for level in Level::ALL {
        builder.level(level, &parameters, &shown);
    }
    builder.finish(parameters)
}

/// Stands for the hash of the placeholder of a cleared block, which is a few tokens long.
const CLEARED: u64 = 0;

/// Extends the prefix block by block.
struct Builder<'a> {
    request: &'a Body,
    /// The thinking that the model does not see.
    unread: &'a UnreadThinking,
    /// The tokens of items that the body may only name.
    sizes: &'a HashMap<u64, u64>,
    rules: &'a CacheRules,
    /// The hash of everything so far.
    prefix: u64,
    /// The estimated tokens so far.
    sum: TokenEstimate,
    /// True if the system level follows the messages and is never cached.
    has_turn_scoped_system: bool,
    /// Estimated tokens that belong to no position.
    unlisted: TokenEstimate,
    positions: Vec<Position>,
    /// How many units there were so far, for the look-back.
    unit: usize,
    /// The last block's kind, to decide whether a run continues.
    last_kind: Option<BlockKind>,
    /// The indexes of deferred tools, by the hashes of their names.
    deferred: HashMap<u64, usize>,
    /// Hash and tokens of deferred tools; `None` once a message has named one.
    definitions: Vec<Option<(u64, TokenEstimate)>>,
    /// Those that a message has named.
    loaded: Vec<(u64, usize)>,
    /// The tool uses of which the model sees a placeholder.
    cleared: Cleared,
    /// True once there is an item of unknown size, of which the body has only the id.
    has_references: bool,
}

impl Builder<'_> {
    /// Adds one level's parameters and blocks.
    ///
    /// Parameters come before the level's blocks, so a changed one loses this
    /// level and all later ones. A message's frame (role and other keys) is
    /// added with its first visible block.
    fn level(&mut self, level: Level, parameters: &[Parameter], shown: &Shown) {
        for parameter in parameters.iter().filter(|it| it.level == level) {
            self.prefix = extend(self.prefix, &(parameter.name, &parameter.value));
        }
        if level == Level::System {
            self.system_tools();
            if self.has_turn_scoped_system {
                let blocks = self.request.section(level).iter();
                self.unlisted += blocks.flat_map(|it| &it.item.blocks).map(|it| it.tokens).sum();
                return;
            }
        }
        self.prefix = extend(self.prefix, level.as_str());
        let request = self.request;
        if level == Level::Messages
            && let Some(id) = request.previous_response()
        {
            // It stands for messages that the body does not have.
            self.prefix = extend(self.prefix, &id);
        }
        for (index, placed) in request.section(level).iter().enumerate() {
            let item = &placed.item;
            let is_gone = item.is_turn_scoped && shown.last_user.is_some_and(|it| index < it);
            if level == Level::Messages && (is_gone || index < shown.from.0) {
                continue;
            }
            let mut is_framed = false;
            for (number, block) in item.blocks.iter().enumerate() {
                if is_of_system(block) {
                    continue;
                }
                let is_message = level == Level::Messages;
                let before_summary = (index, number) < shown.from;
                let is_old = block.kind == BlockKind::Thinking && index < shown.thinking_from;
                let has_path = |paths: &[String]| {
                    block.kind == BlockKind::Thinking
                        && !paths.is_empty()
                        && paths.contains(&request.block_path(level, index, block).to_string())
                };
                let is_dropped = has_path(&self.unread.blocks);
                if is_message && (before_summary || is_old || is_dropped) {
                    continue;
                }
                if level == Level::Tools && block.is_deferred {
                    // Its definition follows the first block that names it.
                    let index = self.definitions.len();
                    self.definitions.push(Some((block.hash, block.tokens)));
                    self.deferred.extend(block.names.iter().map(|name| (*name, index)));
                    continue;
                }
                if !is_framed {
                    self.prefix = extend(self.prefix, &item.frame);
                    is_framed = true;
                }
                let omitted = has_path(&self.unread.texts).then(|| block.with_omitted_text());
                let block = omitted.as_ref().unwrap_or(block);
                self.block(level, index, number, block, item.is_turn_scoped);
            }
        }
    }

    /// Adds tools that change the system prompt but not the tools level, such
    /// as web search. They end after all other tools. The API does not say if their place among
    /// those counts; here it does.
    fn system_tools(&mut self) {
        let mut others = 0;
        for (index, placed) in self.request.section(Level::Tools).iter().enumerate() {
            for (number, block) in placed.item.blocks.iter().enumerate() {
                if is_of_system(block) {
                    self.prefix = extend(self.prefix, &others);
                    self.block(Level::Tools, index, number, block, false);
                } else if !block.is_deferred {
                    others += 1;
                }
            }
        }
    }

    /// Extends the prefix by a block, and adds a position at its end.
    ///
    /// A deferred tool has no position among the tools: its definition extends
    /// the prefix after the first block in the conversation that names it.
    fn block(&mut self, level: Level, item: usize, number: usize, block: &Block, scoped: bool) {
        self.count(block.kind);
        let mut position = Position {
            hash: 0,
            before: self.prefix,
            tokens: 0,
            level,
            item,
            block: number,
            nested: None,
            unit: self.unit,
            mark: None,
        };
        if self.rules.nested == NestedPositions::Own {
            self.nested(&mut position, block);
            position.nested = None;
            position.unit = self.unit;
        }
        let is_cleared = self.cleared.has(block);
        self.prefix = extend(self.prefix, &if is_cleared { CLEARED } else { block.hash });
        for name in &block.names {
            if level == Level::Messages
                && let Some(index) = self.deferred.get(name)
                && let Some((definition, tokens)) = self.definitions[*index].take()
                // The output of a search on Responses has the definitions.
                && !block.functions.iter().any(|it| it.name == *name)
            {
                self.prefix = extend(self.prefix, &definition);
                self.sum += tokens;
                self.loaded.push((definition, self.positions.len()));
            }
        }
        if !is_cleared {
            let size = block.call_id.filter(|_| block.is_reference);
            let size = size.and_then(|id| self.sizes.get(&id));
            self.sum += size.map_or(block.tokens, |it| TokenEstimate::of_tokens(*it));
            self.has_references |= block.is_reference && size.is_none();
        }
        position.hash = self.prefix;
        position.tokens = self.sum.tokens();
        position.mark = if is_markable(block) && !scoped { self.mark(block) } else { None };
        self.positions.push(position);
    }

    /// Begins a new unit, unless the block continues a run.
    fn count(&mut self, kind: BlockKind) {
        let runs = [BlockKind::ToolUse, BlockKind::ToolResult];
        let continues = self.rules.look_back_unit == LookBackUnit::ToolRun
            && runs.contains(&kind)
            && self.last_kind == Some(kind);
        if !continues {
            self.unit += 1;
        }
        self.last_kind = Some(kind);
    }

    /// Adds a tool result's elements as positions, if the rules accept markers
    /// there.
    ///
    /// Their hashes are apart from those of blocks, so only a request with the
    /// same elements reads a nested position. Their tokens never exceed the
    /// whole block's.
    fn nested(&mut self, position: &mut Position, block: &Block) {
        let mut prefix = self.prefix;
        let mut sum = self.sum;
        let most = self.sum + block.tokens;
        for (index, nested) in block.nested.iter().enumerate() {
            prefix = extend(prefix, &("nested", nested.hash));
            sum = (sum + nested.tokens).min(most);
            position.nested = Some(index);
            position.hash = prefix;
            position.tokens = sum.tokens();
            position.mark = nested.mark.as_ref().and_then(|it| it.lifetime);
            position.unit = self.unit;
            self.positions.push(*position);
            if self.rules.look_back_unit == LookBackUnit::Block {
                self.unit += 1;
            }
        }
    }

    /// Returns how long a block's marker lasts; `None` if the block has no
    /// marker or cannot have one.
    ///
    /// With [`NestedPositions::OfTheResult`], markers inside a tool result
    /// count as one on the result, with the longest lifetime, unless the result
    /// has its own.
    fn mark(&self, block: &Block) -> Option<CacheLifetime> {
        let own = block.mark.as_ref().and_then(|it| it.lifetime);
        let nested = match self.rules.nested {
            NestedPositions::OfTheResult => {
                let marks = block.nested.iter().filter_map(|it| it.mark.as_ref());
                marks.filter_map(|it| it.lifetime).max()
            }
            NestedPositions::Own => None,
        };
        own.or(nested)
    }

    /// Adds the request's own marker and the one for server tools.
    fn finish(mut self, parameters: Vec<Parameter>) -> Chain {
        if self.request.wire() == Wire::Messages {
            self.automatic();
            if self.rules.server_tool_marker {
                self.server_tools();
            }
        }
        Chain {
            positions: self.positions,
            parameters,
            tokens: (self.sum + self.unlisted).tokens(),
            unseen: Unseen::default(),
            loaded: self.loaded,
            cleared: self.cleared.count(),
            has_references: self.has_references,
        }
    }

    /// Sets the request's own marker (a top-level `cache_control`) at the last
    /// block that takes one. If that block is marked, its marker stays.
    fn automatic(&mut self) {
        let Some(control) = self.request.automatic_marker() else {
            return;
        };
        self.mark_last(control, |item, block| !item.is_turn_scoped && is_markable(block));
    }

    /// Sets a five-minute marker at the last server tool result, as the API
    /// does in requests that have any marker.
    fn server_tools(&mut self) {
        if self.positions.iter().any(|it| it.mark.is_some()) {
            let is_result = |_: &Item, block: &Block| block.kind == BlockKind::ServerToolResult;
            self.mark_last(CacheLifetime::FiveMinutes, is_result);
        }
    }

    /// Sets a marker at the last block that takes it, unless that block is marked.
    fn mark_last(&mut self, control: CacheLifetime, takes: impl Fn(&Item, &Block) -> bool) {
        let request = self.request;
        let takes = |it: &&mut Position| {
            let item = &request.section(it.level)[it.item].item;
            it.nested.is_none() && takes(item, &item.blocks[it.block])
        };
        if let Some(last) = self.positions.iter_mut().rev().find(takes) {
            last.mark.get_or_insert(control);
        }
    }
}

/// Returns true if the system level follows the messages and is never cached.
pub(crate) fn has_turn_scoped_system(request: &Body, facts: &ModelFacts) -> bool {
    request.wire() == Wire::Responses && facts.turn_scoped_instructions == Some(true)
}

/// Returns true for a tool that belongs to the system prompt; a deferred one ends where it is named.
pub(crate) fn is_of_system(block: &Block) -> bool {
    block.kind == BlockKind::SystemTool && !block.is_deferred
}

/// Returns true if this block may have a marker.
///
/// Thinking, empty text and deferred tools take none.
pub(crate) fn is_markable(block: &Block) -> bool {
    let is_empty_text = block.kind == BlockKind::Text && block.is_empty;
    block.kind != BlockKind::Thinking && !is_empty_text && !block.is_deferred
}

impl Position {
    /// Returns the position's path in a request.
    pub(crate) fn path(&self, request: &Body) -> BlockPath {
        let item = &request.section(self.level)[self.item].item;
        let block = &item.blocks[self.block];
        match self.nested {
            Some(nested) => request.element_path(self.level, self.item, block, nested),
            None => request.block_path(self.level, self.item, block),
        }
    }
}
