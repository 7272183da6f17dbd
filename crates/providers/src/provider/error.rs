//! Errors when you choose a provider.

use super::Provider;

/// Why no provider could be chosen.
///
/// ```text
/// choose one provider: CLAUDE_CODE_USE_GEMINI, CLAUDE_CODE_USE_GROK are all set
/// unknown provider "Bedrock": expected one of first-party, bedrock, …
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ProviderError {
    kind: ProviderErrorKind,
}

/// The kinds of [`ProviderError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// More than one variable chooses a provider.
    #[error("choose one provider: {} are all set", .variables.join(", "))]
    Several {
        /// Which variables have a true value, in the order of [`Provider::ALL`].
        variables: Vec<&'static str>,
    },
    /// The variable to choose a compatible server's wire has another value.
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
        /// The name as you wrote it, in its letter case.
        name: String,
    },
}

impl ProviderError {
    pub(super) fn new(kind: ProviderErrorKind) -> Self {
        Self { kind }
    }

    /// Returns the error's kind.
    #[must_use]
    pub fn kind(&self) -> &ProviderErrorKind {
        &self.kind
    }
}
