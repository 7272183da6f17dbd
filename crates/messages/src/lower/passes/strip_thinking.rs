use std::collections::HashSet;

use crate::conversation::EntryId;
use crate::lower::run::{Block, Run};
use crate::lower::settings::Settings;
use crate::repair::Repair;
use crate::source::Source;
use crate::wire::ContentBlock;

/// Leaves out thinking that the API would refuse: thinking without a signature,
/// from a response that broke off, and thinking in entries that a prefix change
/// concerns. Other thinking keeps its place.
///
/// ```text
/// assistant: thinking (signature ""), "Hi"  →  assistant: "Hi"      (Repair::Thinking)
/// assistant: thinking (excluded), call 1    →  assistant: call 1
/// ```
///
/// Thinking in `Settings::excluded` is left out without a repair: it is
/// reported with the prefix change. A change concerns all thinking from its
/// first entry on, because the API refuses thinking after a block removed from
/// the middle (documented).
pub(crate) fn strip_thinking(run: &mut Run, settings: Settings<'_>, diagnostics: &mut Vec<Repair>) {
    let Settings { options, excluded } = settings;
    run.blocks.retain(|block| {
        let Some(is_signed) = is_signed(&block.content) else {
            return true;
        };
        let is_signed = is_signed || options.unsigned_thinking;
        if !is_signed {
            diagnostics.push(Repair::Thinking { source: block.source.owner.clone() });
        }
        is_signed && !is_excluded(block, excluded)
    });
}

fn is_excluded(block: &Block, excluded: &HashSet<EntryId>) -> bool {
    matches!(&block.source.owner, Source::Entry { id, .. } if excluded.contains(id))
}

/// Returns `None` for a block that is not thinking.
fn is_signed(content: &ContentBlock) -> Option<bool> {
    match content {
        ContentBlock::Thinking(thinking) => Some(!thinking.signature.is_empty()),
        ContentBlock::RedactedThinking(thinking) => Some(!thinking.data.is_empty()),
        _ => None,
    }
}
