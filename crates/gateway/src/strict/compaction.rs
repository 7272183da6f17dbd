//! Compaction on demand: the signed block that replaces summarized messages.
//!
//! The signature binds the block to its summary's text: an edited block is
//! refused. It also holds a digest of the summarized messages, which replaces
//! them in the prefix as long as tools and system prompt are the same.

use super::body::{RequestBody, content_blocks, text_of};
use super::digest::{Digest, Sum};
use super::error::ApiError;
use super::prefix::Prefix;
use super::response::ResponseBlock;
use super::seal::{CompactionSeal, Signer};

/// Every summary's text: no model is asked for one.
const SUMMARY: &str = "The conversation so far, in one sentence: a summary was asked for.";

/// Verifies a request's compaction block. A block without a signature, which a
/// client wrote itself, is not verified; `None` if there is no signed block.
pub(crate) fn verify(
    body: &RequestBody<'_>,
    signer: &Signer,
) -> Result<Option<CompactionSeal>, ApiError> {
    let messages = body.messages.iter().enumerate();
    let blocks = messages.flat_map(|(message, it)| {
        let blocks = content_blocks(*it).into_iter().enumerate();
        blocks.map(move |(block, it)| (message, block, it))
    });
    let mut signed =
        blocks.filter(|(_, _, it)| it.tag() == "compaction" && it.given("signature").is_some());
    // Its place was checked before.
    let Some((message, index, block)) = signed.next() else {
        return Ok(None);
    };
    let at = format!("messages.{message}.content.{index}");
    let refuse = |text: &str, code| Err(ApiError::invalid(format!("{at}: {text}")).with_code(code));
    let signature = text_of(block, "signature");
    let Some(seal) = signer.open_compaction(&signature) else {
        return refuse("the signature is not valid", "compaction_signature_invalid");
    };
    let text = text_of(block, "content");
    if content(&text) != seal.content {
        return refuse("the content was changed", "compaction_content_mismatch");
    }
    Ok(Some(seal))
}

/// Returns the summary, if the request has the parameter for it.
pub(crate) fn summary(
    body: &RequestBody<'_>,
    prefix: &Prefix,
    signer: &Signer,
) -> Option<ResponseBlock> {
    body.parameters.given("compaction")?;
    let seal = CompactionSeal {
        head: prefix.head,
        messages: prefix.all_messages(),
        content: content(SUMMARY),
    };
    Some(ResponseBlock::Compaction {
        content: SUMMARY.to_owned(),
        signature: signer.sign_compaction(&seal),
    })
}

fn content(text: &str) -> Digest {
    Sum::new("summary").with(text.as_bytes()).end()
}
