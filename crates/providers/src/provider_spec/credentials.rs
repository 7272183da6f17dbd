//! Which variables hold credentials, and how to send keys.

/// A variable to read credentials from.
///
/// This describes only the variable: you read its value yourself, and this crate holds no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVariable {
    /// Its name, such as `ANTHROPIC_API_KEY`.
    pub name: &'static str,
    /// What its value is.
    pub holds: KeyKind,
}

/// What a credentials variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// An API key, to send in the header [`ProviderSpec::api_key`](super::ProviderSpec::api_key).
    ApiKey,
    /// A token, to send as `authorization: Bearer …`.
    Bearer,
    /// An AWS key id, to sign requests with AWS Signature Version 4.
    AwsKeyId {
        /// Which variable holds the secret.
        secret: &'static str,
        /// Which variable holds the session token. You may leave it unset.
        session_token: &'static str,
        /// Which AWS service to sign for: `bedrock` for `InvokeModel` and `bedrock-mantle` for the
        /// Messages endpoint.
        service: &'static str,
    },
}

/// Which header to send an API key in.
///
/// For tokens ([`KeyKind::Bearer`]) this does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiKeyHeader {
    /// As this header's value: `x-api-key` at Anthropic and Foundry, `x-goog-api-key` at Google.
    Named(&'static str),
    /// As `authorization: Bearer …`.
    Bearer,
}

impl KeyVariable {
    /// Creates a variable for an API key.
    #[must_use]
    pub const fn api_key(name: &'static str) -> Self {
        Self { name, holds: KeyKind::ApiKey }
    }

    /// Creates a variable for a token.
    #[must_use]
    pub const fn bearer(name: &'static str) -> Self {
        Self { name, holds: KeyKind::Bearer }
    }
}
