//! Files and settings that a session announces or lists: skills, agents, output style, hooks.

use serde::Serialize;

/// A file or a setting in the request's session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiskSource {
    /// What it is, such as `skill` or `hook`.
    pub kind: &'static str,
    /// Its name; for a hook, its event and the tools that it is limited to.
    pub name: String,
    /// The file.
    pub file: String,
    /// The estimated tokens of its text in the request; `None` if it is not sent.
    pub tokens: Option<u64>,
    /// A hook's command, which is never run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
