//! The errors of choosing a provider.

use super::Provider;

/// No provider could be chosen.
///
/// ```text
/// choose one provider: CLAUDE_CODE_USE_GEMINI, CLAUDE_CODE_USE_GROK are all set
/// unknown provider "Bedrock": expected one of first-party, bedrock, …
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ProviderError {
    /// The reason.
    kind: ProviderErrorKind,
}

/// The kinds of [`ProviderError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// More than one variable chooses a provider.
    #[error("choose one provider: {} are all set", .variables.join(", "))]
    Several {
        /// The variables that have a true value.
        /// They are in the order of [`Provider::ALL`].
        variables: Vec<&'static str>,
    },
    /// The variable that chooses the wire of a compatible server has another value.
    #[error("{variable} is {value:?}: expected chat or responses")]
    Wire {
        /// The variable, such as `OPENAI_WIRE_API`.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// No provider has this name.
    #[error("unknown provider {name:?}: expected one of {}", Provider::ALL.map(Provider::as_str).join(", "))]
    Unknown {
        /// The name.
        /// It is as it was given, in its letter case.
        name: String,
    },
}

impl ProviderError {
    pub(super) fn new(kind: ProviderErrorKind) -> Self {
        Self { kind }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ProviderErrorKind {
        &self.kind
    }
}
