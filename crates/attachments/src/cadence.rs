//! Decides when to send attachments that the user does not ask for.
//!
//! [`CadenceState`] is a fold over a conversation's entries: it records what
//! the model has been sent and what it did. [`CadenceInputs`] describe the
//! session when a request is made. These two alone decide what is due, so a
//! resumed session behaves like the one that was interrupted.
//!
//! For when each kind is due, see the table of kinds in the [crate
//! documentation](crate#kinds). Terms:
//!
//! - A *boundary* is a compaction or a clear. A compaction takes away what the
//!   model was sent before, so that is due again; a clear resets the whole
//!   state.
//! - A *response* is a run of assistant entries.
//! - A *user turn* begins with the user's first text after a response. Tool
//!   results, and messages queued while the model works, begin none.
//!
//! ```
//! use aside_attachments::cadence::{CadenceInputs, CadenceState, PlanState};
//! use aside_attachments::{Attachment, Detail, PlanMode};
//! use aside_messages::conversation::{Conversation, EntryDraft};
//!
//! let mut inputs = CadenceInputs::default();
//! inputs.plan = Some(PlanState { is_on: true, file: Some("/plan.md".into()), exists: false });
//!
//! let mut conversation = Conversation::new(uuid::Uuid::nil());
//! conversation.push(EntryDraft::human("Plan the release."));
//! let mut state = CadenceState::new();
//! state.extend(conversation.entries());
//! let due = state.due(&inputs);
//! let plan_mode = PlanMode {
//!     detail: Detail::Full,
//!     plan_file: Some("/plan.md".into()),
//!     exists: false,
//! };
//! assert_eq!(due, [Attachment::PlanMode(plan_mode)]);
//! ```

mod delivered;
mod due;
mod inputs;
mod message_ids;
mod mode;
mod state;
mod todo_list;
mod token_count;
mod tracker;

pub use inputs::{CadenceInputs, ContextSections, Dates, PlanState, Window};
pub use state::CadenceState;
pub use todo_list::written_todos;
pub use tracker::CadenceTracker;
