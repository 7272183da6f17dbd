//! The headers in a record.

use axum::http::HeaderMap;
use reqwest::Url;

use super::url::is_kept;

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

/// How the names of headers begin by which OpenAI's and Anthropic's SDKs describe themselves.
const OF_SDK: &str = "x-stainless-";

/// Other request headers that hold no key, besides the recorded ones. Any other may: gateways have
/// names of their own.
const HARMLESS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-language",
    "anthropic-dangerous-direct-browser-access",
    "b3",
    "baggage",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "openai-organization",
    "openai-project",
    "origin",
    "pragma",
    "priority",
    "range",
    "referer",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sentry-trace",
    "te",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-amzn-trace-id",
    "x-app",
    "x-b3-flags",
    "x-b3-parentspanid",
    "x-b3-sampled",
    "x-b3-spanid",
    "x-b3-traceid",
    "x-claude-code-session-id",
    "x-client-request-id",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-datadog-origin",
    "x-datadog-parent-id",
    "x-datadog-sampling-priority",
    "x-datadog-tags",
    "x-datadog-trace-id",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-goog-api-client",
    "x-real-ip",
    "x-requested-with",
    "x-service-name",
];

/// A shorter value is not taken for a key: it could be a word.
const MIN_KEY_BYTES: usize = 8;

/// Returns true if a request has a header or parameter that may be a key.
pub(crate) fn has_credentials(headers: &HeaderMap, path_and_query: &str) -> bool {
    values(headers, path_and_query).any(|value| value.len() >= MIN_KEY_BYTES)
}

/// Returns what may be a key in a request's headers and query, to remove it from texts that quote
/// it. Longer ones are first: they may contain others.
pub(crate) fn credentials(headers: &HeaderMap, path_and_query: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for value in values(headers, path_and_query) {
        let words = value.split_whitespace();
        let parts = value.split(|it: char| it.is_whitespace() || ",;=\"".contains(it));
        let found = words.chain(parts).filter(|word| word.len() >= MIN_KEY_BYTES);
        keys.extend(found.map(str::to_owned));
    }
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    keys.dedup();
    keys
}

/// Returns the values of all headers and parameters that are not listed, parameters as written and
/// decoded.
fn values(headers: &HeaderMap, path_and_query: &str) -> impl Iterator<Item = String> {
    let is_listed = |name: &str| {
        RECORDED.contains(&name) || name.starts_with(OF_SDK) || HARMLESS.contains(&name)
    };
    let unlisted = headers.iter().filter(move |(name, _)| !is_listed(name.as_str()));
    let in_headers = unlisted.map(|(_, value)| String::from_utf8_lossy(value.as_bytes()).into());
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    let in_query = query.split('&').filter(|pair| !is_kept(pair)).flat_map(|pair| {
        let value = pair.split_once('=').map_or(pair, |(_, value)| value).to_owned();
        decoded(pair).into_iter().chain([value])
    });
    in_headers.chain(in_query)
}

/// Returns a parameter's value, or its name if there is none, without escapes.
fn decoded(pair: &str) -> Option<String> {
    let url = Url::parse(&format!("http://localhost/?{pair}")).ok()?;
    let (name, value) = url.query_pairs().next()?;
    Some(if value.is_empty() { name } else { value }.into_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

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

    #[test]
    fn every_value_that_is_not_listed_may_be_a_key() {
        let check = |headers: &[(&str, &str)], query: &str, expected: &[&str]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(
                    name.parse::<HeaderName>().expect("a name"),
                    value.parse().expect("a value"),
                );
            }
            let path = format!("/v1/messages{query}");
            assert_eq!(credentials(&map, &path), expected, "{headers:?} {query}");
            assert_eq!(has_credentials(&map, &path), !expected.is_empty(), "{headers:?} {query}");
        };
        for name in ["x-api-key", "api-key", "ocp-apim-subscription-key", "later-key"] {
            check(&[(name, "canary-12345")], "", &["canary-12345"]);
        }
        check(&[("helicone-auth", "Bearer canary-12345")], "", &["canary-12345"]);
        check(&[("cookie", "a=canary-12345; b=c")], "", &["a=canary-12345;", "canary-12345"]);
        for query in ["?key=", "?api_key=", "?alt=sse&subscription-key=", "?"] {
            check(&[], &format!("{query}canary-12345"), &["canary-12345"]);
        }
        check(&[], "?key=canary%2B12345", &["canary%2B12345", "canary+12345"]);
        let harmless = [
            ("content-type", "application/json"),
            ("user-agent", "claude-cli/2.0"),
            ("anthropic-version", "2023-06-01"),
            ("x-stainless-lang", "js-typescript"),
            ("x-stainless-stream-helper", "messages"),
            ("x-datadog-trace-id", "5208512171318403364"),
            ("x-flag", "1"),
        ];
        check(&harmless, "?api-version=2024-10-21&beta=true", &[]);
    }
}
