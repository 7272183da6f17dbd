//! The prefixes of a request: a hash for every position at which an entry can
//! end.
//!
//! A provider looks entries up by the hash of everything up to a block. The
//! chain computes the same kind of hash in one pass: each position extends the
//! hash of the one before it by the canonical bytes of its block. Blocks that
//! the model does not see (deferred tools, cleared messages, removed thinking)
//! have no position.

mod shown;

use std::collections::HashMap;

use aside_models::TokenEstimate;
use aside_models::{ModelFacts, Wire};

use crate::cache_rules::{CacheRules, Isolation, LookBackUnit, NestedPositions};
use crate::parameters::{Parameter, parameters};
use aside_body::body::{Block, BlockKind, Body, Role, lifetime};
use aside_body::hash::extend;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::{BlockPath, Level};

use shown::Shown;

/// A position: the end of a block, and the prefix up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    /// The hash of the whole prefix, the model, workspace and parameters
    /// included.
    pub(crate) hash: u64,
    /// The estimated number of tokens of the prefix.
    pub(crate) tokens: u64,
    /// The level of the block.
    pub(crate) level: Level,
    /// The indices of the item and of the block in it.
    pub(crate) item: usize,
    pub(crate) block: usize,
    /// The index of the element of a tool result that ends here.
    pub(crate) nested: Option<usize>,
    /// The number of its unit in the look-back.
    pub(crate) unit: usize,
    /// The lifetime of the marker at this position, if there is a valid one.
    pub(crate) mark: Option<CacheLifetime>,
}

/// The positions of a request, and its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// In the order of the cache: tools, system prompt, messages.
    pub(crate) positions: Vec<Position>,
    /// The parameters that the hashes contain.
    pub(crate) parameters: Vec<Parameter>,
    /// The estimated number of tokens of the request.
    pub(crate) tokens: u64,
}

impl Chain {
    /// Returns the last positions of the messages of the user and of tools, in
    /// order.
    pub(crate) fn inputs(&self, request: &Body) -> Vec<usize> {
        let messages = request.section(Level::Messages);
        let is_last = |index: usize| {
            let next = self.positions.get(index + 1);
            next.is_none_or(|it| it.item != self.positions[index].item)
        };
        let is_input = |it: &Position| {
            let placed = messages
                .get(it.item)
                .filter(|_| it.level == Level::Messages);
            placed.is_some_and(|it| it.item.role == Role::User || it.item.has_tool_results)
        };
        let all = self.positions.iter().enumerate();
        let found = all.filter(|(index, it)| is_input(it) && is_last(*index));
        found.map(|(index, _)| index).collect()
    }
}

/// Computes the positions of a request.
///
/// The cost is linear in the number of blocks, not in the length of the body:
/// blocks have their hashes already. Markers change no hash.
///
/// `workspace` counts only if the rules isolate workspaces. `facts` gives the
/// id of the model, so an alias and the dated id share their entries.
pub(crate) fn chain(
    request: &Body,
    facts: &ModelFacts,
    rules: &CacheRules,
    workspace: Option<&str>,
) -> Chain {
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
        rules,
        prefix: extend(0, &(model, workspace)),
        sum: TokenEstimate::ZERO,
        has_turn_scoped_system: request.wire() == Wire::Responses
            && facts.turn_scoped_instructions == Some(true),
        unlisted: TokenEstimate::ZERO,
        positions: Vec::new(),
        unit: 0,
        last_kind: None,
        deferred: HashMap::new(),
    };
    let shown = Shown::of(request, facts, rules);
    for level in [Level::Tools, Level::System, Level::Messages] {
        builder.level(level, &parameters, &shown);
    }
    builder.finish(parameters)
}

/// Extends the prefix block by block.
struct Builder<'a> {
    request: &'a Body,
    rules: &'a CacheRules,
    /// The hash of everything so far.
    prefix: u64,
    /// The estimated tokens so far.
    sum: TokenEstimate,
    /// True if the system level follows the messages and is never cached.
    has_turn_scoped_system: bool,
    /// The estimated tokens that belong to no position.
    unlisted: TokenEstimate,
    positions: Vec<Position>,
    /// The number of units so far, for the look-back.
    unit: usize,
    /// The kind of the last block, which decides whether a run continues.
    last_kind: Option<BlockKind>,
    /// The hashes of deferred tools, by the hash of the name.
    deferred: HashMap<u64, u64>,
}

impl Builder<'_> {
    /// Adds the parameters and the blocks of one level.
    ///
    /// The parameters of a level precede its blocks, so a change of one loses
    /// this level and the later ones. The frame of a message (its role and
    /// other keys) is added with its first visible block.
    fn level(&mut self, level: Level, parameters: &[Parameter], shown: &Shown) {
        for parameter in parameters.iter().filter(|it| it.level == level) {
            self.prefix = extend(self.prefix, &(parameter.name, &parameter.value));
        }
        if level == Level::System {
            self.system_tools();
            if self.has_turn_scoped_system {
                let blocks = self.request.section(level).iter();
                self.unlisted += blocks
                    .flat_map(|it| &it.item.blocks)
                    .map(|it| it.tokens)
                    .sum();
                return;
            }
        }
        self.prefix = extend(self.prefix, level.as_str());
        let request = self.request;
        for (index, placed) in request.section(level).iter().enumerate() {
            let item = &placed.item;
            let is_gone = item.is_turn_scoped && shown.last_user.is_some_and(|it| index < it);
            if level == Level::Messages && (is_gone || index < shown.from.0) {
                continue;
            }
            let mut is_framed = false;
            for (number, block) in item.blocks.iter().enumerate() {
                let is_message = level == Level::Messages;
                let before_summary = (index, number) < shown.from;
                let is_old = block.kind == BlockKind::Thinking && index < shown.thinking_from;
                if is_message && (before_summary || is_old) {
                    continue;
                }
                if level == Level::Tools && block.is_deferred {
                    // Its definition follows the first block that names it.
                    let names = block.names.iter().map(|name| (*name, block.hash));
                    self.deferred.extend(names);
                    continue;
                }
                if !is_framed {
                    self.prefix = extend(self.prefix, &item.frame);
                    is_framed = true;
                }
                self.block(level, index, number, block, item.is_turn_scoped);
            }
        }
    }

    /// Adds the tools that change the system prompt and not the level of the
    /// tools, such as web search.
    fn system_tools(&mut self) {
        for placed in self.request.section(Level::Tools) {
            for block in &placed.item.blocks {
                if block.kind == BlockKind::SystemTool {
                    self.prefix = extend(self.prefix, &block.hash);
                }
            }
        }
    }

    /// Extends the prefix by a block, and adds a position at its end.
    ///
    /// A deferred tool has no position among the tools: its definition extends
    /// the prefix after each block of the conversation that names it.
    fn block(&mut self, level: Level, item: usize, number: usize, block: &Block, scoped: bool) {
        self.count(block.kind);
        let mut position = Position {
            hash: 0,
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
        if block.kind != BlockKind::SystemTool {
            self.prefix = extend(self.prefix, &block.hash);
        }
        for name in &block.names {
            if level == Level::Messages
                && let Some(definition) = self.deferred.get(name)
            {
                self.prefix = extend(self.prefix, definition);
            }
        }
        self.sum += block.tokens;
        position.hash = self.prefix;
        position.tokens = self.sum.tokens();
        position.mark = match is_markable(block) && !scoped {
            true => self.mark(block),
            false => None,
        };
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

    /// Adds the elements of a tool result as positions, if the rules accept
    /// markers there.
    ///
    /// Their hashes are apart from those of blocks, so a nested position is
    /// read only by a request with the same elements. The tokens never exceed
    /// those of the whole block.
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

    /// Returns the lifetime of a marker on a block; `None` if the block has no
    /// marker or cannot have one.
    ///
    /// With [`NestedPositions::OfTheResult`], the markers inside a tool result
    /// count as one on the result with the longest lifetime, unless it has a
    /// marker itself.
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

    /// Adds the marker of the request itself and that of server tools, and
    /// returns the chain.
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
        }
    }

    /// Sets the marker of the request itself (`cache_control` at the top level)
    /// at the last block that takes one. A marker of that block stays.
    fn automatic(&mut self) {
        let bytes = self.request.as_bytes();
        let value = self.request.get("cache_control");
        let Some(control) = value.and_then(|it| lifetime(bytes, &it)) else {
            return;
        };
        let request = self.request;
        let takes = |it: &&mut Position| {
            let item = &request.section(it.level)[it.item].item;
            it.nested.is_none() && !item.is_turn_scoped && is_markable(&item.blocks[it.block])
        };
        if let Some(last) = self.positions.iter_mut().rev().find(takes) {
            last.mark.get_or_insert(control);
        }
    }

    /// Sets a marker of five minutes at the last result of a server tool, as
    /// the API does in requests that have any marker.
    fn server_tools(&mut self) {
        if self.positions.iter().all(|it| it.mark.is_none()) {
            return;
        }
        let request = self.request;
        let is_result = |it: &&mut Position| {
            let item = &request.section(it.level)[it.item].item;
            item.blocks[it.block].kind == BlockKind::ServerToolResult
        };
        if let Some(last) = self.positions.iter_mut().rev().find(is_result) {
            last.mark.get_or_insert(CacheLifetime::FiveMinutes);
        }
    }
}

/// Returns true if a marker on the block is accepted.
///
/// Thinking, empty text and deferred tools take no marker.
pub(crate) fn is_markable(block: &Block) -> bool {
    let is_empty_text = block.kind == BlockKind::Text && block.is_empty;
    block.kind != BlockKind::Thinking && !is_empty_text && !block.is_deferred
}

impl Position {
    /// Returns its path in a request.
    pub(crate) fn path(&self, request: &Body) -> BlockPath {
        let item = &request.section(self.level)[self.item].item;
        let path = request.block_path(self.level, self.item, &item.blocks[self.block]);
        match self.nested {
            Some(nested) => path.element(nested),
            None => path,
        }
    }
}
