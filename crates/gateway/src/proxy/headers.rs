//! Which headers pass, and which are recorded.
//!
//! Recorded headers are chosen by an allow-list of names and checked again for
//! words such as `key` and `token`, so that a header that is new is not
//! recorded.

use axum::http::header::{CONNECTION, HeaderName};
use axum::http::{HeaderMap, header};

/// Headers of one connection (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Words in the names of headers and parameters that hold a secret.
const SECRET_WORDS: [&str; 10] = [
    "apikey",
    "auth",
    "authorization",
    "credential",
    "key",
    "secret",
    "sig",
    "signature",
    "subscription",
    "token",
];

/// Returns the headers that are forwarded to the upstream: `host`, `expect` and
/// `content-length` belong to the connection there.
pub(crate) fn of_request(headers: &HeaderMap) -> HeaderMap {
    let mut forwarded = end_to_end(headers);
    forwarded.remove(header::HOST);
    forwarded.remove(header::CONTENT_LENGTH);
    forwarded.remove(header::EXPECT);
    forwarded
}

/// Returns the headers without those of one connection.
///
/// Removed are the headers of `HOP_BY_HOP` and those that a `connection` header
/// names. Order and repeated values stay.
pub(crate) fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let passes = |name: &HeaderName| {
        let name = name.as_str();
        !HOP_BY_HOP.contains(&name) && !named.iter().any(|it| it == name)
    };
    let mut forwarded = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        if passes(name) {
            forwarded.append(name.clone(), value.clone());
        }
    }
    forwarded
}

/// Returns the headers that a record holds. No header with a key is among
/// them.
pub(crate) fn recorded(headers: &HeaderMap) -> Vec<(String, String)> {
    let is_recorded = |name: &str| {
        matches!(
            name,
            "content-type" | "request-id" | "x-request-id" | "x-goog-request-id"
        ) || name.starts_with("anthropic-")
            || name.starts_with("openai-")
    };
    let headers = headers
        .iter()
        .filter(|(name, _)| is_recorded(name.as_str()) && !names_secret(name.as_str()));
    headers
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect()
}

/// Returns true if the name of a header or of a parameter is that of a secret.
///
/// The name is split at characters that are not letters or digits, and each
/// word is compared: `x-api-key` has the word `key`, `monkey` and `tokens` have
/// none.
pub(crate) fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| SECRET_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_headers_are_not_forwarded() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-a", "1"),
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("x-a", "2"),
            ("host", "a"),
        ] {
            headers.append(name, value.parse().expect("a value"));
        }
        let passed = of_request(&headers);
        let values: Vec<_> = passed
            .iter()
            .map(|(name, it)| (name.as_str(), it))
            .collect();
        assert_eq!(
            values,
            [
                ("x-a", &"1".parse().unwrap()),
                ("x-a", &"2".parse().unwrap())
            ]
        );
    }

    #[test]
    fn secrets_are_not_recorded() {
        let mut headers = HeaderMap::new();
        for name in [
            "x-api-key",
            "authorization",
            "cookie",
            "x-goog-api-key",
            "api-key",
            "proxy-authorization",
            "anthropic-api-key",
            "openai-auth-token",
            "anthropic-ratelimit-tokens-remaining",
        ] {
            headers.append(name, "canary".parse().expect("a value"));
        }
        assert_eq!(
            recorded(&headers),
            [(
                "anthropic-ratelimit-tokens-remaining".to_owned(),
                "canary".to_owned()
            )]
        );
    }
}
