//! From the conversation to the wire, in small named passes.
//!
//! A *run* is a stretch of entries of one role; it becomes one message. A run
//! is *closed* once another run follows it: nothing that is said later changes
//! a closed run, so it is lowered and encoded once.
//!
//! The passes, in order:
//!
//! 1. [`after_boundary`]: lowering starts at the last boundary;
//! 2. [`drop_display_only`] and [`drop_snipped`]: what is not sent;
//! 3. [`expand`]: the parts of an entry as wire blocks, text from outside made
//!    safe;
//! 4. [`drop_blank`]: text that is empty or only white space;
//! 5. [`merge_adjacent`]: entries into runs;
//! 6. [`repair_pairs`]: a result for every tool call, and a call for every
//!    result;
//! 7. [`hoist_tool_results`]: results first in their message;
//! 8. [`sanitize_errors`]: only text in the result of a tool that failed;
//! 9. [`smoosh_reminders`]: no reminder beside a tool result;
//! 10. [`strip_trailing_thinking`]: no answer ends with thinking;
//! 11. [`fill_empty`]: no message is empty, the user speaks first;
//! 12. [`limit_media`]: no more images and documents than a request may hold;
//! 13. [`tag_ids`]: the ids of entries, for a model that may snip them;
//! 14. the [`Tail`]: what is sent once and not stored.
//!
//! Each is idempotent, and none looks further than the next run. What one of
//! them mends is a [`Diagnostic`](crate::Diagnostic).

mod after_boundary;
mod block;
mod drop_blank;
mod drop_display_only;
mod drop_snipped;
mod expand;
mod fill_empty;
mod finish;
mod front;
mod hoist_tool_results;
mod limit_media;
mod lowered;
mod lowerer;
mod merge_adjacent;
mod options;
mod repair_pairs;
mod sanitize_errors;
mod smoosh_reminders;
mod strip_trailing_thinking;
mod tag_ids;
mod tail;

pub use after_boundary::after_boundary;
pub use block::{Block, Nature, Run};
pub use drop_blank::drop_blank;
pub use drop_display_only::drop_display_only;
pub use drop_snipped::drop_snipped;
pub use expand::expand;
pub use fill_empty::{Start, fill_empty};
pub use hoist_tool_results::hoist_tool_results;
pub use limit_media::{count_media, limit_media, media_to_replace};
pub use lowered::{LowerError, Lowered, Reset};
pub use lowerer::{Lowerer, lower};
pub use merge_adjacent::merge_adjacent;
pub use options::{LowerOptions, ModelName};
pub use repair_pairs::{Calls, repair_pairs};
pub use sanitize_errors::sanitize_errors;
pub use smoosh_reminders::smoosh_reminders;
pub use strip_trailing_thinking::strip_trailing_thinking;
pub use tag_ids::tag_ids;
pub use tail::{EphemeralReminder, Tail};
