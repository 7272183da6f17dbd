use std::fmt;
use std::sync::Arc;

/// A key or a token. It is never printed: `Debug` shows that there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes a secret; white space around it is dropped, as a line of a file
    /// has it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Puts a word into the place of the secret, should somebody have repeated
    /// it in a message.
    fn redact(&self, text: &mut String) {
        // A word this short stands in many a sentence, and is no key.
        if self.0.len() >= 8 && text.contains(&*self.0) {
            *text = text.replace(&*self.0, "[secret]");
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How a request says who pays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credentials {
    /// It does not: a server of one's own.
    None,
    /// An API key, in the header in which the provider wants it.
    ApiKey(Secret),
    /// `authorization: Bearer …`: an access token, or a key of Bedrock's.
    Bearer(Secret),
    /// Keys of AWS, with which every request is signed.
    Aws(AwsKeys),
}

/// Keys of AWS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsKeys {
    /// Which key; not secret, but nobody's business.
    pub access_key_id: Secret,
    /// The key.
    pub secret_access_key: Secret,
    /// Of keys for a limited time.
    pub session_token: Option<Secret>,
}

impl Credentials {
    /// Takes every secret out of a text.
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
