//! Verifies a request's thinking blocks against its prefix.
//!
//! A block is valid after the prefix that produced it and after the same
//! preceding block. So you may remove thinking from the oldest forward, from
//! the newest back, or as a whole, but not from the middle, and you cannot
//! restore removed thinking.

use aside_json::{Kind, Value};

use super::body::{RequestBody, content_blocks, is_thinking, text_of};
use super::error::ApiError;
use super::prefix::{Part, Prefix};
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
            let thinking = content_blocks(*it).into_iter().enumerate();
            for (block, it) in thinking.filter(|(_, it)| is_thinking(*it)) {
                let at = format!("messages.{message}.content.{block}");
                let kind = it.tag();
                let key = if kind == "thinking" { "signature" } else { "data" };
                let signature = text_of(it, key);
                let Some(seal) = self.signer.open_thinking(&signature) else {
                    return Err(ApiError::invalid(format!(
                        "{at}: Invalid `{key}` in `{kind}` block"
                    )));
                };
                let reason = if seal.model != self.model {
                    "model_binding_mismatch"
                } else if self.is_bound && (is_broken || !self.is_valid(&seal, message, seen.last))
                {
                    if on_mismatch == OnMismatch::Refuse {
                        let is_cut = seal.position > 0 && self.is_behind(&seal, message);
                        return Err(if latest == Some(message) && is_cut {
                            modified(&at)
                        } else {
                            self.bound_elsewhere(&at, parts_of(seal.response))
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

    /// Returns true if a block is after the prefix that produced it, and after
    /// the block that was before it then. The first block that remains may have
    /// lost its predecessors.
    fn is_valid(&self, seal: &ThinkingSeal, message: usize, last: Option<(u64, u8)>) -> bool {
        self.is_behind(seal, message) && last.is_none_or(|last| seal.previous == Some(last))
    }

    /// Returns true if the block's prefix is the one that produced it.
    fn is_behind(&self, seal: &ThinkingSeal, message: usize) -> bool {
        self.prefix.before(message) == Some(seal.prefix)
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

/// Refuses a latest assistant message in which an earlier thinking block was
/// changed or removed.
fn modified(at: &str) -> ApiError {
    ApiError::invalid(format!(
        "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be \
         modified. These blocks must remain as they were in the original response."
    ))
}
