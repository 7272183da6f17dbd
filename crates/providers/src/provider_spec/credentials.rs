//! The variables of credentials, and how keys are sent.

/// A variable that can hold credentials.
///
/// It describes the variable only: its value is read by the caller, and this crate holds no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVariable {
    /// Its name.
    /// An example is `ANTHROPIC_API_KEY`.
    pub name: &'static str,
    /// The kind of its value.
    pub holds: KeyKind,
}

/// The kind of value in a credentials variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// An API key, sent in the header [`ProviderSpec::api_key`](super::ProviderSpec::api_key).
    ApiKey,
    /// A token, sent as `authorization: Bearer …`.
    Bearer,
    /// The id of an AWS key, with which requests are signed.
    /// The scheme is AWS Signature Version 4.
    AwsKeyId {
        /// The variable of the secret.
        secret: &'static str,
        /// The variable of the session token, which may be unset.
        session_token: &'static str,
        /// The name of the AWS service that signatures are made for.
        /// It is `bedrock` for `InvokeModel` and `bedrock-mantle` for the Messages endpoint.
        service: &'static str,
    },
}

/// The header of an API key.
///
/// Tokens ([`KeyKind::Bearer`]) do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiKeyHeader {
    /// As the value of this header.
    /// It is `x-api-key` at Anthropic and Foundry, `x-goog-api-key` at Google.
    Named(&'static str),
    /// As `authorization: Bearer …`.
    Bearer,
}

impl KeyVariable {
    /// Creates a variable that holds an API key.
    #[must_use]
    pub const fn api_key(name: &'static str) -> Self {
        Self {
            name,
            holds: KeyKind::ApiKey,
        }
    }

    /// Creates a variable that holds a token.
    #[must_use]
    pub const fn bearer(name: &'static str) -> Self {
        Self {
            name,
            holds: KeyKind::Bearer,
        }
    }
}
