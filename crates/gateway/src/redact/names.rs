//! Names of keys that can hold a secret.

/// Words in names: `x-api-key`, `apiKey` and `API_KEY2` have the word `key`,
/// `monkey` and `keyword` do not.
const SECRET_WORDS: &[&str] = &[
    "auth", "authn", "authz", "creds", "dsn", "env", "environ", "header", "headers", "hmac", "jwt",
    "key", "keys", "login", "otp", "pass", "passcode", "pat", "pin", "pwd", "sas", "sig",
];

/// Parts of names in any spelling: `accesstoken`, `ACCESS_TOKEN`.
const SECRET_PARTS: &[&str] = &[
    "accesskey",
    "apikey",
    "authentication",
    "authorization",
    "bearer",
    "connectionstring",
    "cookie",
    "credential",
    "environmentvariables",
    "extraquery",
    "defaultquery",
    "oauth",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "queryparams",
    "secret",
    "token",
];

/// Names that would be secret by their words. They are no credentials, and a
/// record cannot explain its cache without them.
const NOT_SECRET: &[&str] = &["promptcachekey"];

#[derive(Debug)]
pub(super) struct Name {
    /// Letters and digits, in lower case.
    pub(super) plain: String,
    pub(super) is_secret: bool,
}

impl Name {
    pub(super) fn new(key: &str) -> Self {
        let (mut plain, mut starts) = (String::with_capacity(key.len()), Vec::new());
        let mut before = ' ';
        let mut chars = key.chars().peekable();
        while let Some(c) = chars.next() {
            let is_acronym_end = before.is_uppercase()
                && c.is_uppercase()
                && chars.peek().is_some_and(|next| next.is_lowercase());
            let is_start = !before.is_alphanumeric()
                || (before.is_lowercase() && c.is_uppercase())
                || (before.is_numeric() != c.is_numeric())
                || is_acronym_end;
            before = c;
            if !c.is_alphanumeric() {
                continue;
            }
            if is_start {
                starts.push(plain.len());
            }
            plain.extend(c.to_lowercase());
        }
        let ends = starts.iter().skip(1).copied().chain([plain.len()]);
        let mut words = starts.iter().zip(ends).map(|(start, end)| &plain[*start..end]);
        let has_word = words.any(|word| SECRET_WORDS.contains(&word));
        let has_part = || SECRET_PARTS.iter().any(|part| plain.contains(part));
        let is_secret = !NOT_SECRET.contains(&&*plain) && (has_word || has_part());
        Self { plain, is_secret }
    }

    /// Returns true if the value can be a token count, as in `max_tokens`.
    pub(super) fn is_count(&self) -> bool {
        self.plain.contains("token")
    }

    /// Returns true if the value is a text for the model, as in
    /// `server_description`.
    pub(super) fn is_text(&self) -> bool {
        let is_part = |part: &&str| self.plain.contains(*part);
        ["description", "instruction", "prompt"].iter().any(is_part)
    }

    /// Returns true if the value can be a URL, as in `image_url`.
    pub(super) fn is_url(&self) -> bool {
        let is_end = |end: &&str| self.plain.ends_with(*end);
        ["url", "uri", "href", "endpoint"].iter().any(is_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for secret in [
            "key",
            "apiKey",
            "API_KEY",
            "APIKey",
            "x-api-key",
            "apikey2",
            "key2",
            "token",
            "accesstoken",
            "refresh.token",
            "OAuth2",
            "AUTH",
            "authConfig",
            "extra_headers",
            "domain_secrets",
            "passwords",
        ] {
            assert!(Name::new(secret).is_secret, "{secret}");
        }
        for other in [
            "monkey",
            "keyword",
            "author",
            "prompt_cache_key",
            "signature",
            "design",
            "passage",
            "environment",
            "type",
            "model",
            "",
            "pattern",
        ] {
            assert!(!Name::new(other).is_secret, "{other}");
        }
    }
}
