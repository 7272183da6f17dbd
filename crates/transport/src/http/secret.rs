//! Keys and tokens that no log, error or panic can show. Provider errors that
//! repeat a key are redacted with it.

use std::fmt;
use std::sync::Arc;

use aside_providers::{KeyKind, KeyVariable, ProviderSpec};

/// A key or a token. It cannot be printed: `Debug` shows a placeholder.
///
/// ```
/// use aside_transport::Secret;
///
/// let key = Secret::new("sk-a1b2c3\n");
/// assert!(!format!("{key:?}").contains("a1b2c3"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Creates a secret. Surrounding white space is removed, so you may pass a
    /// line from a file.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in a text by a placeholder, and its beginning at the
    /// end of a text that was cut.
    fn redact(&self, text: &mut String) {
        // A word this short occurs in ordinary text, and is not a key.
        if self.0.len() < MIN_REDACTED_BYTES {
            return;
        }
        if text.contains(&*self.0) {
            *text = text.replace(&*self.0, REDACTED);
        }
        let ends = self.0.char_indices().map(|(at, _)| at);
        for end in ends.filter(|end| *end >= MIN_REDACTED_BYTES).rev() {
            let beginning = &self.0[..end];
            if let Some(rest) = text.strip_suffix(beginning) {
                *text = format!("{rest}{REDACTED}");
            }
            let cut = format!("{beginning}…");
            if text.contains(&cut) {
                *text = text.replace(&cut, REDACTED);
            }
        }
    }
}

const REDACTED: &str = "[secret]";

/// How long a secret must be to be redacted.
const MIN_REDACTED_BYTES: usize = 8;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What a request authenticates with.
///
/// ```
/// use aside_providers::Provider;
/// use aside_transport::Credentials;
///
/// let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-a1b2c3".to_owned());
/// let found = Credentials::from_variables(Provider::OpenAi, variable);
/// assert!(matches!(found, Some(Credentials::ApiKey(_))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credentials {
    /// No credentials, for example for a local server.
    None,
    /// An API key, in the provider's header.
    ApiKey(Secret),
    /// `authorization: Bearer …`: an access token, or a Bedrock API key.
    Bearer(Secret),
    /// AWS keys that sign every request.
    Aws(AwsKeys),
}

/// AWS keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsKeys {
    /// The key's id; not a secret, but not printed either.
    pub access_key_id: Secret,
    /// The key.
    pub secret_access_key: Secret,
    /// The session token for temporary keys.
    pub session_token: Option<Secret>,
}

impl Credentials {
    /// Reads a provider's credentials from the first of its variables that is
    /// set, or returns `None`. `variable` returns a variable's value if it is
    /// set and not empty.
    #[must_use]
    pub fn from_variables(
        provider: impl Into<&'static ProviderSpec>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let mut keys = provider.into().keys.iter();
        let set = |key: &KeyVariable| Some((key.holds, Secret::new(&variable(key.name)?)));
        let (holds, found) = keys.find_map(set)?;
        match holds {
            KeyKind::Bearer => Some(Self::Bearer(found)),
            KeyKind::AwsKeyId { secret, session_token, .. } => Some(Self::Aws(AwsKeys {
                access_key_id: found,
                secret_access_key: Secret::new(&variable(secret)?),
                session_token: variable(session_token).map(|token| Secret::new(&token)),
            })),
            _ => Some(Self::ApiKey(found)),
        }
    }

    /// Redacts every secret in a text.
    pub(crate) fn redact(&self, text: &mut String) {
        match self {
            Self::None => {}
            Self::ApiKey(secret) | Self::Bearer(secret) => secret.redact(text),
            Self::Aws(keys) => {
                keys.access_key_id.redact(text);
                keys.secret_access_key.redact(text);
                if let Some(token) = &keys.session_token {
                    token.redact(text);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut text = text.to_owned();
        Credentials::Bearer(Secret::new(" sk-0123456789\n")).redact(&mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_repeated_key_is_taken_out() {
        check("the key sk-0123456789 is wrong", "the key [secret] is wrong");
        check("sk-0123456789sk-0123456789", "[secret][secret]");
        check("the key sk-012345678… is wrong", "the key [secret] is wrong");
        check("the key sk-01234", "the key [secret]");
        check("the key sk-", "the key sk-");
    }

    #[test]
    fn nothing_prints_it() {
        let keys = AwsKeys {
            access_key_id: Secret::new("canary-1"),
            secret_access_key: Secret::new("canary-2"),
            session_token: Some(Secret::new("canary-3")),
        };
        let shown = format!("{:?} {:#?}", Credentials::Aws(keys.clone()), keys);
        assert!(!shown.contains("canary"), "{shown}");
    }
}
