//! A request as the prompt cache sees it: prefixes, positions and markers.

use std::time::Duration;

use aside_messages::estimate_tokens;
use aside_models::{ModelFacts, ThinkingKept};

use super::body::{Block, Message, RequestBody};
use super::digest::{Digest, Sum, compact, of_block};
use crate::object::Object;

/// The tokens of an image or a document, whose bytes say little about them.
const MEDIA_TOKENS: u64 = 1_600;
/// The shortest prefix that is cached, for a model whose minimum is not known.
const DEFAULT_MINIMUM: u64 = 1_024;

/// How long an entry lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    FiveMinutes,
    Hour,
}

impl Lifetime {
    pub(crate) const fn duration(self) -> Duration {
        match self {
            Self::FiveMinutes => Duration::from_secs(300),
            Self::Hour => Duration::from_secs(3_600),
        }
    }

    fn of(marker: &Object<'_>) -> Self {
        match marker.text("ttl").as_deref() {
            Some("1h") => Self::Hour,
            _ => Self::FiveMinutes,
        }
    }
}

/// A request as the cache sees it.
#[derive(Debug)]
pub(crate) struct CacheView {
    pub(crate) blocks: Vec<CachedBlock>,
    /// The shortest prefix that is cached, in tokens.
    pub(crate) minimum: u64,
}

/// The end of a prefix.
#[derive(Debug)]
pub(crate) struct CachedBlock {
    /// The digest of everything up to this block.
    pub(crate) prefix: Digest,
    /// The tokens up to this block.
    pub(crate) tokens: u64,
    pub(crate) position: usize,
    pub(crate) marker: Option<Lifetime>,
    takes_marker: bool,
}

/// Collects blocks.
struct Builder {
    blocks: Vec<CachedBlock>,
    prefix: Digest,
    tokens: u64,
    /// The kind of the run that the last block belongs to.
    run: Option<&'static str>,
}

impl CacheView {
    /// Reads a request whose `dropped` blocks, message and block, the model
    /// does not see.
    pub(crate) fn of(
        body: &RequestBody<'_>,
        facts: &ModelFacts,
        dropped: &[(usize, usize)],
    ) -> Self {
        let model = if facts.id.is_empty() {
            &body.model
        } else {
            facts.id
        };
        let mut builder = Builder {
            blocks: Vec::new(),
            prefix: Sum::new("tools").with(model.as_bytes()).end(),
            tokens: 0,
            run: None,
        };
        for tool in body.tools.iter().filter(|tool| !tool.is_deferred()) {
            builder.push(tool, &[]);
        }
        builder.level(body, &["speed"]);
        for block in &body.system {
            builder.push(block, &[]);
        }
        builder.level(body, &["tool_choice", "thinking", "output_config"]);
        builder.prefix = Sum::new("images")
            .with(&builder.prefix)
            .with(&[u8::from(has_image(body))])
            .end();
        let turn = body.messages.iter().rposition(Message::begins_turn);
        let stripped = match facts.thinking_kept {
            Some(ThinkingKept::LastTurn) => turn.unwrap_or(0),
            _ => 0,
        };
        let last_user = body.messages.iter().rposition(|it| it.role == "user");
        for (index, message) in body.messages.iter().enumerate() {
            if message.is_turn_scoped() && last_user.is_some_and(|user| user > index) {
                continue;
            }
            for (block, it) in message.content.iter().enumerate() {
                let is_stripped = it.is_thinking() && index < stripped;
                if !is_stripped && !dropped.contains(&(index, block)) {
                    builder.push(it, message.role.as_bytes());
                    if message.is_turn_scoped() {
                        builder.unmarkable();
                    }
                }
            }
        }
        if let Some(marker) = body.parameters.object("cache_control") {
            builder.mark_last(Lifetime::of(&marker));
        }
        Self {
            blocks: builder.blocks,
            minimum: facts.cache_minimum.unwrap_or(DEFAULT_MINIMUM),
        }
    }

    /// Returns the tokens of the whole request.
    pub(crate) fn tokens(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.tokens)
    }
}

impl Builder {
    fn push(&mut self, block: &Block<'_>, role: &[u8]) {
        let run = match &*block.kind {
            "tool_use" => Some("tool_use"),
            "tool_result" => Some("tool_result"),
            _ => None,
        };
        let position = match self.blocks.last() {
            Some(last) if run.is_some() && run == self.run => last.position,
            Some(last) => last.position + 1,
            None => 0,
        };
        self.run = run;
        self.prefix = Sum::new("block")
            .with(&self.prefix)
            .with(role)
            .with(&of_block(block))
            .end();
        self.tokens += tokens(block);
        let mut marker = block.marker();
        if block.kind == "tool_result" {
            marker = marker.or_else(|| block.inner().iter().rev().find_map(Block::marker));
        }
        let is_empty = block
            .object
            .text("text")
            .is_some_and(|text| text.is_empty());
        self.blocks.push(CachedBlock {
            prefix: self.prefix,
            tokens: self.tokens,
            position,
            marker: marker.as_ref().map(Lifetime::of),
            takes_marker: !block.is_thinking() && !is_empty,
        });
    }

    /// Begins a level of the cache, whose prefixes depend on parameters.
    fn level(&mut self, body: &RequestBody<'_>, keys: &[&str]) {
        let mut sum = Sum::new("level").with(&self.prefix);
        for key in keys {
            let value = body.parameters.get(key).map(|raw| compact(raw.get()));
            sum = sum.with(&value.unwrap_or_default());
        }
        self.prefix = sum.end();
    }

    fn unmarkable(&mut self) {
        if let Some(last) = self.blocks.last_mut() {
            last.takes_marker = false;
        }
    }

    fn mark_last(&mut self, lifetime: Lifetime) {
        let mut blocks = self.blocks.iter_mut().rev();
        if let Some(block) = blocks.find(|block| block.takes_marker) {
            block.marker.get_or_insert(lifetime);
        }
    }
}

fn tokens(block: &Block<'_>) -> u64 {
    if matches!(&*block.kind, "image" | "document") {
        return MEDIA_TOKENS;
    }
    if block.kind == "tool_result" {
        let inner = block.inner();
        if !inner.is_empty() {
            return inner.iter().map(tokens).sum();
        }
    }
    let keys = block.object.members();
    let counted =
        keys.filter(|(key, _)| !matches!(*key, "cache_control" | "type" | "signature" | "data"));
    let texts = counted.map(|(_, value)| estimate_tokens(value.get()).tokens());
    texts.sum::<u64>().max(1)
}

fn has_image(body: &RequestBody<'_>) -> bool {
    let mut blocks = body.messages.iter().flat_map(|message| &message.content);
    blocks.any(|block| {
        block.kind == "image" || block.inner().iter().any(|inner| inner.kind == "image")
    })
}
