use super::block::{Block, Nature, Run};
use crate::conversation::EntryId;
use crate::source::{Extent, Source};
use crate::wire::ContentBlock;

/// Writes the id of every entry that the user sees at the end of its last
/// top-level text, so that the model can name it. A reminder never bears one.
///
/// Decided for each entry by itself, so that merging moves no id.
pub fn tag_ids(run: &mut Run) {
    let mut tagged: Option<EntryId> = None;
    // From the end: blocks of one entry may stand apart by now, its results in
    // front and its texts behind them, but its texts are still neighbours.
    for block in run.blocks.iter_mut().rev() {
        if let Some(id) = taggable(block)
            && tagged != Some(id)
        {
            tagged = Some(id);
            tag(block, id);
        }
    }
}

/// The entry of a text that may bear its id.
fn taggable(block: &Block) -> Option<EntryId> {
    match (&block.content, &block.source.owner) {
        (ContentBlock::Text(_), Source::Entry { id, .. }) if block.nature == Nature::Shown => {
            Some(*id)
        }
        _ => None,
    }
}

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
