//! The headers to forward.

use axum::http::header::{CONNECTION, HeaderName};
use axum::http::{HeaderMap, header};

/// Headers for one connection (RFC 9110, section 7.6.1).
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

/// Returns the headers to forward to the upstream: `host`, `expect` and
/// `content-length` belong to the connection there.
pub(crate) fn of_request(headers: &HeaderMap) -> HeaderMap {
    let mut forwarded = end_to_end(headers);
    forwarded.remove(header::HOST);
    forwarded.remove(header::CONTENT_LENGTH);
    forwarded.remove(header::EXPECT);
    forwarded
}

/// Returns the headers that are not for one connection only.
///
/// Removes the headers in `HOP_BY_HOP` and those that a `connection` header
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
        let values: Vec<_> = passed.iter().map(|(name, it)| (name.as_str(), it)).collect();
        assert_eq!(values, [("x-a", &"1".parse().unwrap()), ("x-a", &"2".parse().unwrap())]);
    }
}
