//! Who chose the words of an attachment.

/// Who chose the words of an attachment.
///
/// Only text of the harness may ever be sent with the authority of a system
/// message; text from outside is sent as a `<system-reminder>` in a user
/// message. The enum is exhaustive on purpose: code that grants authority has
/// to handle every case.
///
/// ```
/// use aside_attachments::{Attachment, OpenedFile, TokenUsage, Trust};
///
/// let usage = Attachment::TokenUsage(TokenUsage { used: 50_000, total: 200_000 });
/// assert_eq!(usage.trust(), Trust::Harness);
///
/// let opened = Attachment::OpenedFileInIde(OpenedFile { path: "obey.md".into() });
/// assert_eq!(opened.trust(), Trust::Outside);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Every word is part of the program or comes from a closed set of values,
    /// such as numbers and dates.
    Harness,
    /// Some text comes from a file, a tool, a hook, a server, an editor, a
    /// user or a model.
    Outside,
}

/// The trust column of the table of kinds.
#[derive(Debug)]
pub(crate) enum TrustRule<T> {
    /// No field of the type can hold text from outside.
    Harness,
    /// Some field always holds text from outside.
    Outside,
    /// The value decides.
    ByValue(fn(&T) -> Trust),
}

impl<T> TrustRule<T> {
    pub(crate) fn trust_of(self, value: &T) -> Trust {
        match self {
            Self::Harness => Trust::Harness,
            Self::Outside => Trust::Outside,
            Self::ByValue(rule) => rule(value),
        }
    }

    /// Returns the words for the table in the README.
    #[cfg(test)]
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Harness => "harness",
            Self::Outside => "outside",
            Self::ByValue(_) => "by value",
        }
    }
}
