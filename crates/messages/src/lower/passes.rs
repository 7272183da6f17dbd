//! The passes, one per file. [`super::pipeline`] calls them in order.
//!
//! In their examples a message is its role and its blocks, one line each:
//! `user: text, result 1`. A reminder is `reminder`, a tool use with the id `1`
//! is `call 1`.

mod after_boundary;
mod append_ephemeral;
mod drop_blank;
mod drop_display_only;
mod drop_snipped;
mod expand;
mod fill_empty;
mod hoist_tool_results;
#[cfg(test)]
mod laws;
mod limit_media;
mod merge_adjacent;
mod place_system;
mod repair_pairs;
mod sanitize_errors;
mod smoosh_reminders;
mod strip_thinking;
mod tag_ids;

pub(super) use after_boundary::after_boundary;
pub(super) use append_ephemeral::append_ephemeral;
pub(super) use drop_blank::drop_blank;
pub(super) use drop_display_only::drop_display_only;
pub(super) use drop_snipped::drop_snipped;
pub(super) use expand::expand;
pub use fill_empty::NO_CONTENT;
pub(super) use fill_empty::{Start, fill_empty};
pub(super) use hoist_tool_results::hoist_tool_results;
pub(super) use limit_media::{Medium, ReplacedMedia, add_media, limit_media, media_of_runs};
pub(super) use merge_adjacent::merge_adjacent;
pub(super) use place_system::{drop_waiting_group, place_system};
pub(crate) use repair_pairs::missing_result;
pub(super) use repair_pairs::{Calls, repair_pairs};
pub(super) use sanitize_errors::sanitize_errors;
pub(super) use smoosh_reminders::smoosh_reminders;
pub(super) use strip_thinking::strip_thinking;
pub(super) use tag_ids::tag_ids;
