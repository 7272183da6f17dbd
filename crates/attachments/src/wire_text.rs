//! Which words in an attachment's text are fixed.

/// The text column in the table of kinds. Programs, and other agents, search
/// for the fixed texts: they never change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WireText {
    /// All words around the values are fixed.
    Exact,
    /// The first words are fixed.
    Begins,
    /// A stopped task has a fixed text, the others do not.
    ExactIfStopped,
    /// The tag around the text is fixed.
    Tagged,
    /// The text is the caller's, as is.
    Given,
    /// The words are ours and may change between versions.
    Own,
    /// Nothing is sent.
    Nothing,
}

impl WireText {
    /// Returns the words for the README's table.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Begins => "exact beginning",
            Self::ExactIfStopped => "exact if stopped, else own words",
            Self::Tagged => "exact tag",
            Self::Given => "the caller's",
            Self::Own => "own words",
            Self::Nothing => "nothing",
        }
    }
}
