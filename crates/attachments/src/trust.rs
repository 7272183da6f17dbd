//! The author of the text of an attachment.

pub use aside_messages::Trust;

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
