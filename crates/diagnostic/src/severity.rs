//! The three severities, and their names.

aside_text::names! {
    /// How serious a [`Diagnostic`](crate::Diagnostic) is, in ascending order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// The result is as configured.
        Note = "note",
        /// An input is used, but perhaps not as intended or not completely.
        Warning = "warning",
        /// An input is left out.
        Error = "error",
    }
}
