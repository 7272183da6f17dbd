//! How text is delivered: by system messages, by reminders, or at the end of
//! one request.
//!
//! A session chooses by its model and platform. The conversation records the
//! choice, because a resumed session must continue with the form that earlier
//! requests had.

use serde::{Deserialize, Serialize};

/// How a session delivers text in addition to the user's messages.
///
/// It follows from the model, the platform and the beta features in use. A
/// session keeps it, because a message sent in one form must not be sent in
/// another one later; when it changes, the conversation gets an entry.
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
    /// How ephemeral reminders are sent.
    pub ephemeral: EphemeralForm,
    /// How the harness's own text is sent.
    pub voice: Voice,
    /// How added and removed tools are sent.
    pub tools: ToolForm,
}

/// How to send a reminder meant for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EphemeralForm {
    /// A system message that the next user message clears from the model's
    /// view (`clear_at`). It stays in every later request.
    TurnScoped,
    /// An entry each time it fires, which stays in view.
    Persistent,
    /// At the end of one request's last user message; the next request does not
    /// contain it.
    Tail,
}

/// How to send text that the harness itself writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Voice {
    /// As a system message in mid-conversation: the one role that no file, tool
    /// or user can forge.
    System,
    /// As a `<system-reminder>` part in a user message.
    Tags,
}

/// How to send tools that are added or removed during a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolForm {
    /// New tools are appended to the list and added by a system message; a
    /// removed tool is removed by a system message and stays in the list.
    Appended,
    /// The list of tools is written again.
    Replaced,
}
