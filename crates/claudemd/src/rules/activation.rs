//! The conditions under which rules load, over all agents.

/// The condition for loading a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    Always,
    /// A path that its patterns match is touched.
    Paths,
    /// The agent requests it by its description.
    OnRequest,
    /// The user names it.
    Manual,
}
