//! The headers in a record.

use axum::http::HeaderMap;

/// Exact names: a prefix such as `anthropic-` would also record a header that a vendor or a gateway
/// adds later.
const RECORDED: &[&str] = &[
    "anthropic-beta",
    "anthropic-ratelimit-input-tokens-limit",
    "anthropic-ratelimit-input-tokens-remaining",
    "anthropic-ratelimit-input-tokens-reset",
    "anthropic-ratelimit-output-tokens-limit",
    "anthropic-ratelimit-output-tokens-remaining",
    "anthropic-ratelimit-output-tokens-reset",
    "anthropic-ratelimit-requests-limit",
    "anthropic-ratelimit-requests-remaining",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-limit",
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "x-goog-request-id",
    "x-request-id",
];

/// Adds the headers to record, in order. They are the keys of an object: one that occurs several
/// times has its values joined, and a response's header replaces the request's.
pub(crate) fn record(headers: &HeaderMap, recorded: &mut Vec<(String, String)>) {
    for name in headers.keys().filter(|it| RECORDED.contains(&it.as_str())) {
        let values = headers.get_all(name).iter();
        let values: Vec<_> = values.map(|it| String::from_utf8_lossy(it.as_bytes())).collect();
        recorded.retain(|(it, _)| it != name.as_str());
        recorded.push((name.to_string(), values.join(", ")));
    }
}

/// The clients' headers that hold a key.
const CREDENTIALS: &[&str] = &["api-key", "authorization", "x-api-key", "x-goog-api-key"];

/// A shorter value is not taken for a key: it could be a word.
const MIN_KEY_BYTES: usize = 8;

/// Returns the keys in a request's headers and query, to remove them from texts that quote them.
pub(crate) fn credentials(headers: &HeaderMap, path_and_query: &str) -> Vec<String> {
    let values = CREDENTIALS.iter().flat_map(|name| headers.get_all(*name));
    let values = values.filter_map(|value| value.to_str().ok());
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    let in_query = query.split('&').filter_map(|it| it.strip_prefix("key="));
    let words = values.flat_map(str::split_whitespace).chain(in_query);
    let keys = words.filter(|word| word.len() >= MIN_KEY_BYTES);
    keys.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_headers_are_recorded() {
        let mut headers = HeaderMap::new();
        for name in ["x-api-key", "anthropic-later", "set-cookie", "anthropic-beta"] {
            headers.append(name, "canary".parse().expect("a value"));
        }
        headers.append("anthropic-beta", "b".parse().expect("a value"));
        let mut recorded = vec![("anthropic-beta".to_owned(), "a".to_owned())];
        record(&headers, &mut recorded);
        let expected = [("anthropic-beta".to_owned(), "canary, b".to_owned())];
        assert_eq!(recorded, expected);
    }
}
