//! The forms of delivery: system messages, reminders, or the end of one
//! request.
//!
//! A session chooses them from the facts of its model and platform. They are
//! recorded in the conversation, because a resumed session must continue with
//! the form that earlier requests had.

use serde::{Deserialize, Serialize};

/// The forms in which a session delivers text in addition to the user's
/// messages.
///
/// It follows from the model, the platform and the beta features in use. A
/// session keeps it, because a message that was sent in one form must not be
/// sent in another one later; each change of it is an entry of the
/// conversation.
///
/// ```json
/// {"model":"claude-opus-5-5","platform":"first-party","bound":true,
///  "ephemeral":"turn_scoped","voice":"system","tools":"appended"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The model that requests name.
    pub model: String,
    /// The platform that serves the model, such as `first-party`.
    pub platform: String,
    /// True if the model binds its thinking to the prefix.
    pub bound: bool,
    /// The form of ephemeral reminders.
    pub ephemeral: EphemeralForm,
    /// The form of the harness's own text.
    pub voice: Voice,
    /// The form of added and removed tools.
    pub tools: ToolForm,
}

/// The form of a reminder that is meant for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EphemeralForm {
    /// A system message that the next user message clears from the model's
    /// view (`clear_at`). It stays in every later request.
    TurnScoped,
    /// An entry each time it fires, which stays in view.
    Persistent,
    /// The end of the last user message of one request; the next request does
    /// not contain it.
    Tail,
}

/// The form of text that the harness itself writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Voice {
    /// A system message in mid-conversation: the one role that no file, tool or
    /// user can forge.
    System,
    /// A `<system-reminder>` part of a user message.
    Tags,
}

/// The form of tools that are added or removed during a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolForm {
    /// New tools are appended to the list and added by a system message; a tool
    /// that goes is removed by a system message and stays in the list.
    Appended,
    /// The list of tools is written again.
    Replaced,
}
