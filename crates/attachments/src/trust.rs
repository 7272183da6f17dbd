//! Who wrote an attachment's text.

pub use aside_messages::Trust;

/// The trust column in the table of kinds.
#[derive(Debug)]
pub(crate) enum TrustRule<T> {
    /// No field can hold text from outside.
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

    /// Returns the words for the README's table.
    #[cfg(test)]
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Harness => "harness",
            Self::Outside => "outside",
            Self::ByValue(_) => "by value",
        }
    }
}
