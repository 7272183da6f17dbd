use crate::conversation::EntryId;
use crate::lower::run::{Block, Nature, Run};
use crate::source::{Extent, Source};
use crate::wire::ContentBlock;

/// Appends the id of every entry that the user sees to its last top-level text,
/// so that the model can name the entry. A reminder never has one.
///
/// Decided for each entry by itself, so that merging moves no id.
///
/// ```text
/// user: "Fix it.", image  →  user: "Fix it.\n[id:4kq0zz]", image
/// ```
pub(crate) fn tag_ids(run: &mut Run) {
    let mut tagged: Option<EntryId> = None;
    // From the end. An entry's results may be apart from its texts by now, but
    // its texts are still neighbours.
    for block in run.blocks.iter_mut().rev() {
        if let Some(id) = taggable(block)
            && tagged != Some(id)
        {
            tagged = Some(id);
            tag(block, id);
        }
    }
}

/// Returns the entry of a text that may have an id.
fn taggable(block: &Block) -> Option<EntryId> {
    match (&block.content, &block.source.owner) {
        (ContentBlock::Text(_), Source::Entry { id, .. }) if block.nature == Nature::Shown => {
            Some(*id)
        }
        _ => None,
    }
}

/// Appends the tag as envelope bytes. A text that ends with it already is left
/// as it is, so the pass is idempotent.
fn tag(block: &mut Block, id: EntryId) {
    let ContentBlock::Text(text) = &mut block.content else {
        return;
    };
    let tag = format!("\n[id:{}]", id.tag());
    if text.text.ends_with(&tag) {
        return;
    }
    let start = text.text.len();
    text.text = format!("{}{tag}", text.text).into();
    let range = start..text.text.len();
    let piece = (Source::Envelope, Extent::Text(range));
    block.source.pieces.push(piece);
}
