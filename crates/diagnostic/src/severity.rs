//! The three severities, and their names.

aside_text::names! {
    /// The severity of a [`Diagnostic`](crate::Diagnostic), in ascending order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// The result is as configured.
        Note = "note",
        /// An input is used, but possibly not as intended or not completely.
        Warning = "warning",
        /// An input is left out completely.
        Error = "error",
    }
}
