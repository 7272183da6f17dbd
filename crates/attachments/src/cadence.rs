//! When attachments are made that nobody asks for.
//!
//! [`CadenceState`] learns from the conversation what the model was told and
//! what it did; [`Circumstances`] say how things stand now. What is due
//! follows from the two alone, so a session that is resumed goes on like the
//! one that was interrupted.
//!
//! | attachment | due |
//! |---|---|
//! | `date_change` | when the date is not the one that the model was told last |
//! | `sections_delta` | for a part of the session's context that is not as it was told |
//! | `plan_mode`, `auto_mode` | when the mode is entered, then every 5 turns of the human; the 1st, 6th, 11th … is full |
//! | `plan_mode_exit`, `auto_mode_exit` | once, when the mode has ended |
//! | `plan_mode_reentry` | before `plan_mode`, when it was on before and there is a plan |
//! | `nested_memory` | for a file that was not told, or that has changed since |
//! | `skill_listing` | for skills that were not told |
//! | `tools_delta`, `agents_delta`, `mcp_instructions_delta` | for what is not as it was told |
//! | `todo_reminder`, `task_reminder` | 10 answers after the list was last written and after the last such reminder |
//! | `context_efficiency` | when the context grew by 10,000 tokens since the last one, the last snip or the last boundary |
//! | `compaction_reminder` | once, when a quarter of a window of a million tokens is used |
//! | what `recalled` names | once after a compaction |
//! | what `current` names | when the model was not told the same; of a kind of which there is one at a time, such as a selection, when it is not what was told last |
//!
//! A compaction takes away what was told before it; a clear, everything. An
//! *answer* is a run of assistant entries, a *turn of the human* begins where
//! they speak for the first time after an answer; messages queued while the
//! model works begin none.

mod circumstances;
mod due;
mod follower;
mod mode;
mod state;
mod told;
mod weight;
mod written;

pub use circumstances::{Circumstances, ContextSections, Dates, PlanState, Window};
pub use follower::Follower;
pub use state::CadenceState;
pub use written::written_todos;
