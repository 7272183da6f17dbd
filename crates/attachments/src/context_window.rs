//! What the model can rely on as the conversation grows.

use aside_messages::conversation::EntryDraft;

use crate::draft::reminder;

/// Old messages can be snipped; where a snip tool is offered.
pub(crate) fn efficiency(kind: &str) -> EntryDraft {
    reminder(
        kind,
        "The conversation has grown. If there are earlier messages that the rest of the work does \
         not need, such as long results of tools that you have drawn your conclusions from, take \
         them out with the snip tool, by the [id:…] at their end. Keep what the user asked for, \
         what was decided, and what you would have to find out again.",
    )
}

/// The context will not run out; where compaction is automatic.
pub(crate) fn compaction(kind: &str) -> EntryDraft {
    reminder(
        kind,
        "Automatic compaction is on: before the context is full, the earlier part of the \
         conversation is replaced by a summary, and the work goes on. The context will not run \
         out, so there is no need to hurry, to stop early or to leave out steps for its sake.",
    )
}
