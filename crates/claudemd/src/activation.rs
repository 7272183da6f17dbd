/// When a rule is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    Always,
    /// When a path that its patterns match is touched.
    Paths,
    /// When the agent asks for it, by its description.
    OnRequest,
    /// When the user names it.
    Manual,
}
