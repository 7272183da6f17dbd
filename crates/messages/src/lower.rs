//! Converting a conversation to messages, in small named passes.
//!
//! A *run* is a sequence of entries in one role; it becomes one message. A run
//! is *closed* once another run follows it. Later entries never change a closed
//! run, so it is lowered and encoded once.
//!
//! The passes in order:
//!
//! 1. `after_boundary`: selects the entries from the last boundary on;
//! 2. `drop_display_only` and `drop_snipped`: leave out entries that are not
//!    sent;
//! 3. `expand`: turns an entry's parts into wire blocks, text from outside
//!    neutralized;
//! 4. `drop_blank`: leaves out text that is empty or only white space;
//! 5. `merge_adjacent`: merges entries into runs;
//! 6. `place_system`: moves the system messages between two responses after the
//!    user messages there;
//! 7. `repair_pairs`: gives every tool call one result, and keeps no other
//!    result;
//! 8. `hoist_tool_results`: moves results to the start of their message;
//! 9. `sanitize_errors`: keeps only text in the result of a failed tool;
//! 10. `smoosh_reminders`: moves reminders into the last tool result;
//! 11. `strip_thinking`: leaves out thinking that the API would refuse: unsigned,
//!     or from before a change of the prefix;
//! 12. `fill_empty`: fills messages without blocks, and adds a user message
//!     before a response at the start;
//! 13. `limit_media`: replaces images and documents over the limit;
//! 14. `tag_ids`: appends the ids of entries, if the model may snip them;
//! 15. `append_ephemeral`: appends the ephemeral reminders of the [`Tail`].
//!
//! Each pass is idempotent, and none looks further than the next run. Every
//! repair is reported as a [`Repair`](crate::Repair).

mod closed_history;
mod lowered;
mod lowerer;
mod open_run;
mod options;
mod passes;
mod pipeline;
mod prefix_changes;
mod run;
mod settings;
mod state;
mod tail;

pub use crate::conversation::PrefixReset;
pub use passes::NO_CONTENT;
pub(crate) use passes::missing_result;

pub use lowered::{LowerError, Lowered};
pub use lowerer::{Lowerer, lower};
pub use options::{LowerOptions, ModelName, SystemForms};
pub use tail::{EphemeralReminder, Tail};
