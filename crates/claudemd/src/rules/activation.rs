//! When rules load, over all agents.

/// When to load a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activation {
    #[default]
    Always,
    /// When a path that its patterns match is touched.
    Paths,
    /// When the agent requests it by its description.
    OnRequest,
    /// When the user names it.
    Manual,
}
