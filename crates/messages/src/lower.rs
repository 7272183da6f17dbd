//! From the conversation to the wire, in small named passes.
//!
//! A *run* is a stretch of entries of one role; it becomes one message. A run
//! is *closed* once another run follows it: nothing that is said later changes
//! a closed run, so it is lowered and encoded once.
//!
//! The passes, in order: [`expand`] an entry into wire blocks, leave out blank
//! text, [`merge_adjacent`] entries into runs, [`hoist_tool_results`],
//! [`smoosh_reminders`]. Each is idempotent.

mod block;
mod drop_blank;
mod expand;
mod hoist_tool_results;
mod lowerer;
mod merge_adjacent;
mod smoosh_reminders;
mod tail;

pub use block::{Block, Run};
pub use drop_blank::drop_blank;
pub use expand::expand;
pub use hoist_tool_results::hoist_tool_results;
pub use lowerer::{LowerError, Lowered, LoweredMessage, Lowerer, Reset, lower};
pub use merge_adjacent::merge_adjacent;
pub use smoosh_reminders::smoosh_reminders;
pub use tail::{EphemeralReminder, Tail};

/// What lowering may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Fold reminders that stand beside tool results into the last of them.
    /// Text behind a tool result reads to the model like a new turn of the
    /// user, a form that it learns to imitate. On by default.
    pub smoosh_reminders: bool,
    /// Write reminder tags in text from outside as text. On by default; for a
    /// harness whose users edit files that hold such tags. What stands inside
    /// a reminder is neutralized in any case.
    pub neutralize: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        Self {
            smoosh_reminders: true,
            neutralize: true,
        }
    }
}
