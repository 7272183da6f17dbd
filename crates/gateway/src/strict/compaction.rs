//! Compaction on demand: the signed block that stands for summarized messages.

use super::body::RequestBody;
use super::digest::{Digest, Sum};
use super::error::ApiError;
use super::prefix::Prefix;
use super::request::StrictRequest;
use super::response::ResponseBlock;
use super::seal::{CompactionSeal, Signer};

const COMPACT: &str = "compact-2026-09-04";
const SUMMARY: &str = "The conversation so far, in one sentence: a summary was asked for.";

/// Verifies the compaction block of a request.
pub(crate) fn verify(
    body: &RequestBody<'_>,
    request: &StrictRequest<'_>,
    signer: &Signer,
) -> Result<Option<CompactionSeal>, ApiError> {
    let messages = body.messages.iter().enumerate();
    let mut found = messages.flat_map(|(message, it)| {
        let blocks = it.content.iter().enumerate();
        blocks.map(move |(block, it)| (message, block, it))
    });
    let mut found = found
        .by_ref()
        .filter(|(_, _, it)| it.kind == "compaction" && it.object.get("signature").is_some());
    let Some((message, index, block)) = found.next() else {
        return Ok(None);
    };
    let at = format!("messages.{message}.content.{index}");
    if !request.has_beta(COMPACT) {
        return Err(ApiError::invalid(format!(
            "{at}: `compaction` is not one of the expected content block types"
        )));
    }
    let refuse = |text: &str, code| Err(ApiError::invalid(format!("{at}: {text}")).with_code(code));
    if (message, index) != (0, 0) {
        return refuse(
            "the compaction block must come first",
            "compaction_block_misplaced",
        );
    }
    if found.next().is_some() {
        return refuse(
            "there is more than one compaction block",
            "compaction_block_ambiguous",
        );
    }
    let signature = block.object.text("signature").unwrap_or_default();
    let Some(seal) = signer.open_compaction(&signature) else {
        return refuse("the signature is not valid", "compaction_signature_invalid");
    };
    let text = block.object.text("content").unwrap_or_default();
    if content(&text) != seal.content {
        return refuse("the content was changed", "compaction_content_mismatch");
    }
    Ok(Some(seal))
}

/// Returns the summary, if the request asks for one.
pub(crate) fn summary(
    body: &RequestBody<'_>,
    request: &StrictRequest<'_>,
    prefix: &Prefix,
    signer: &Signer,
) -> Result<Option<ResponseBlock>, ApiError> {
    if body.parameters.get("compaction").is_none() {
        return Ok(None);
    }
    if !request.has_beta(COMPACT) {
        return Err(ApiError::invalid(
            "compaction: Extra inputs are not permitted",
        ));
    }
    let seal = CompactionSeal {
        head: prefix.head(),
        messages: prefix.all_messages(),
        content: content(SUMMARY),
    };
    let signature = signer.sign_compaction(&seal);
    Ok(Some(ResponseBlock::compaction(SUMMARY, signature)))
}

fn content(text: &str) -> Digest {
    Sum::new("summary").with(text.as_bytes()).end()
}
