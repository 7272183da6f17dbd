use std::fmt;
use std::sync::Arc;

use aside_providers::{KeyKind, KeyVariable, ProviderSpec};

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
    /// it in a message; also of its beginning, where the message was cut.
    fn redact(&self, text: &mut String) {
        // A word this short stands in many a sentence, and is no key.
        if self.0.len() < SHORTEST {
            return;
        }
        if text.contains(&*self.0) {
            *text = text.replace(&*self.0, WORD);
        }
        let ends = self.0.char_indices().map(|(at, _)| at);
        for end in ends.filter(|end| *end >= SHORTEST).rev() {
            let beginning = &self.0[..end];
            if let Some(rest) = text.strip_suffix(beginning) {
                *text = format!("{rest}{WORD}");
            }
            let cut = format!("{beginning}…");
            if text.contains(&cut) {
                *text = text.replace(&cut, WORD);
            }
        }
    }
}

/// What stands in the place of a secret.
const WORD: &str = "[secret]";

/// A shorter one is not looked for, in bytes.
const SHORTEST: usize = 8;

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
    /// Reads the credentials for a provider from the first of its variables that
    /// is set. `variable` returns the value of a variable that is set to
    /// something. `None` if there are none.
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
            KeyKind::AwsKeyId {
                secret,
                session_token,
            } => Some(Self::Aws(AwsKeys {
                access_key_id: found,
                secret_access_key: Secret::new(&variable(secret)?),
                session_token: variable(session_token).map(|token| Secret::new(&token)),
            })),
            _ => Some(Self::ApiKey(found)),
        }
    }

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
        check(
            "the key sk-0123456789 is wrong",
            "the key [secret] is wrong",
        );
        check("sk-0123456789sk-0123456789", "[secret][secret]");
        check(
            "the key sk-012345678… is wrong",
            "the key [secret] is wrong",
        );
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
