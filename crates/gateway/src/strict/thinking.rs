//! Verifies a request's thinking blocks against its prefix.
//!
//! A block is valid after the prefix that produced it and after the same
//! preceding block. So you may remove thinking from the oldest forward, from
//! the newest back, or as a whole, but not from the middle, and you cannot
//! restore removed thinking. In the latest assistant message, a response's
//! thinking is whole or removed as a whole.

use aside_json::{Kind, Value};

use super::body::{RequestBody, content_blocks, is_kept, is_thinking, text_of};
use super::error::ApiError;
use super::prefix::{OtherBlocks, Part, Prefix};
use super::request::StrictRequest;
use super::response::Transformation;
use super::seal::{Signer, ThinkingSeal};

/// The beta to set `block_binding` with and to get `input_transformations`.
pub(crate) const CONTROLS: &str = "thinking-binding-controls-2026-08-01";

/// A request's thinking as the model sees it.
#[derive(Debug, Default)]
pub(crate) struct SeenThinking {
    /// The blocks that were dropped, in message order.
    pub(crate) transformations: Vec<Transformation>,
    /// The paths of the blocks that remain, each with the number of its response.
    pub(crate) kept: Vec<(String, u64)>,
    /// The response and the position of the last block that remains.
    pub(crate) last: Option<(u64, u8)>,
    /// The last block that remains of the latest assistant message.
    pub(crate) latest: Option<ThinkingSeal>,
}

/// What it takes to verify.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verifier<'a> {
    /// The account's key; another account's blocks are refused.
    pub(crate) signer: &'a Signer,
    /// A digest of the model. Another model's blocks are dropped, never
    /// refused.
    pub(crate) model: u64,
    /// Whether the model's thinking is bound to the prefix.
    pub(crate) is_bound: bool,
    /// The digests of the request.
    pub(crate) prefix: &'a Prefix,
    /// The headers of the request.
    pub(crate) request: &'a StrictRequest<'a>,
}

/// What to do with a block that is bound to another prefix, as `block_binding`
/// asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnMismatch {
    /// Refuse the request with status 400, which is the default.
    Refuse,
    /// Leave the block, and all bound blocks after it, out of the model's view.
    Drop,
}

impl Verifier<'_> {
    /// Verifies every block. `parts_of` returns a request's parts by its
    /// response's number.
    ///
    /// A signature that cannot be read always refuses the request. After the
    /// first block that is bound to another prefix, all later ones are too,
    /// since each block is bound to the one before it.
    pub(crate) fn verify<'p>(
        &self,
        body: &RequestBody<'_>,
        parts_of: impl Fn(u64) -> Option<&'p [Part]>,
    ) -> Result<SeenThinking, ApiError> {
        let on_mismatch = self.on_mismatch(body)?;
        let mut seen = SeenThinking::default();
        let mut is_broken = false;
        let latest = body.messages.iter().rposition(|it| text_of(*it, "role") == "assistant");
        for (message, it) in body.messages.iter().enumerate() {
            let blocks = content_blocks(*it);
            let modified = (latest == Some(message)).then(|| self.modified(&blocks)).flatten();
            // No signature depends on the blocks after the last thinking.
            let end = blocks.iter().rposition(|it| is_thinking(*it)).map_or(0, |last| last + 1);
            let mut others = OtherBlocks::new();
            for (block, it) in blocks.into_iter().take(end).enumerate() {
                if !is_thinking(it) {
                    others.push(it);
                    continue;
                }
                let at = format!("messages.{message}.content.{block}");
                let Some(seal) = self.open(it) else {
                    let (kind, key) = (it.tag(), signature_key(it));
                    return Err(ApiError::invalid(format!(
                        "{at}: Invalid `{key}` in `{kind}` block"
                    )));
                };
                let is_behind = self.prefix.before(message) == Some(seal.prefix);
                let is_modified = is_behind && modified == Some(block);
                let is_valid = is_behind
                    && !is_modified
                    && seal.message.is_none_or(|it| it.before == others.digest())
                    && is_after(&seal, seen.last);
                let reason = if seal.model != self.model {
                    "model_binding_mismatch"
                } else if self.is_bound && (is_broken || !is_valid) {
                    if on_mismatch == OnMismatch::Refuse {
                        // Else the difference is in the message itself.
                        let parts = parts_of(seal.response).filter(|_| !is_behind);
                        return Err(if is_modified {
                            cannot_be_modified(&at)
                        } else {
                            self.bound_elsewhere(&at, parts)
                        });
                    }
                    is_broken = true;
                    "prefix_binding_mismatch"
                } else {
                    seen.last = Some((seal.response, seal.position));
                    seen.kept.push((at, seal.response));
                    if latest == Some(message) {
                        seen.latest = Some(seal);
                    }
                    continue;
                };
                seen.transformations.push(Transformation { path: at, reason });
            }
        }
        Ok(seen)
    }

    fn open(&self, block: Value<'_>) -> Option<ThinkingSeal> {
        self.signer.open_thinking(&text_of(block, signature_key(block)))
    }

    /// Returns the first thinking block of a message that is not where its response had it among
    /// its thinking, or else the last one if some are missing behind it. A response that was broken
    /// off has fewer blocks of every kind.
    fn modified(&self, blocks: &[Value<'_>]) -> Option<usize> {
        let others = blocks.iter().filter(|it| is_kept(**it)).count();
        let seals = blocks.iter().enumerate().filter(|(_, it)| is_thinking(**it));
        let seals = seals.filter_map(|(index, it)| Some((index, self.open(*it)?)));
        let seals = seals.filter(|(_, seal)| seal.model == self.model);
        let mut last: Option<(usize, ThinkingSeal)> = None;
        let is_cut = |(_, seal): &(usize, ThinkingSeal)| {
            let message = seal.message.filter(|it| others >= usize::from(it.others));
            message.is_some_and(|it| seal.position.saturating_add(1) < it.thinking)
        };
        for (index, seal) in seals {
            let before = last.take().filter(|(_, it)| it.response == seal.response);
            let expected = before.map_or(0, |(_, it)| it.position.saturating_add(1));
            if seal.message.is_some() && seal.position != expected {
                return Some(index);
            }
            last = Some((index, seal));
        }
        last.filter(is_cut).map(|(index, _)| index)
    }

    /// Reads `block_binding`. Without it, a block that is bound to another
    /// prefix is refused; with it, the request needs the beta and a thinking
    /// mode.
    fn on_mismatch(&self, body: &RequestBody<'_>) -> Result<OnMismatch, ApiError> {
        let thinking = body.parameters.get("thinking");
        let binding = thinking.and_then(|it| it.get("block_binding"));
        let Some(binding) = binding.filter(|it| it.kind() == Kind::Object) else {
            return Ok(OnMismatch::Refuse);
        };
        let kind = thinking.map(Value::tag).unwrap_or_default();
        if !self.request.has_beta(CONTROLS) || !matches!(&*kind, "adaptive" | "enabled") {
            return Err(ApiError::invalid(format!(
                "thinking.{kind}.block_binding: Extra inputs are not permitted"
            )));
        }
        match binding.text_of("prefix_mismatch_behavior").as_deref() {
            Some("drop_block") => Ok(OnMismatch::Drop),
            Some("error") => Ok(OnMismatch::Refuse),
            _ => Err(ApiError::invalid(format!(
                "thinking.{kind}.block_binding.prefix_mismatch_behavior: Input should be 'error' \
                 or 'drop_block'"
            ))),
        }
    }

    /// Refuses, naming the first difference from the request that produced the
    /// block if that is still known.
    fn bound_elsewhere(&self, at: &str, earlier: Option<&[Part]>) -> ApiError {
        let mut text = format!(
            "{at}: Invalid `signature` in `thinking` block. The block is bound to a different \
             conversation. Remove the block, or set \
             `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
        );
        if !self.request.has_beta(CONTROLS) {
            text += &format!(
                " That setting requires the `{CONTROLS}` value in the `anthropic-beta` header."
            );
        }
        if let Some(path) = earlier.and_then(|it| self.prefix.first_difference(it)) {
            text += &format!(
                " Content before this block differs from when it was created, first at `{path}`."
            );
        }
        ApiError::invalid(text)
    }
}

/// Returns true if a block follows the one that was before it then. The first block that remains may
/// have lost its predecessors.
fn is_after(seal: &ThinkingSeal, last: Option<(u64, u8)>) -> bool {
    last.is_none_or(|last| seal.previous == Some(last))
}

/// Returns the key that a thinking block has its signature under.
fn signature_key(block: Value<'_>) -> &'static str {
    if block.tag() == "thinking" { "signature" } else { "data" }
}

/// Refuses a latest assistant message in which an earlier thinking block was
/// changed or removed.
fn cannot_be_modified(at: &str) -> ApiError {
    ApiError::invalid(format!(
        "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be \
         modified. These blocks must remain as they were in the original response."
    ))
}
