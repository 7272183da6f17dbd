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

/// Returns the headers to pass on to the client, without the upstream's permission for web pages to
/// read the response (CORS): it is not for this address.
pub(crate) fn of_response(headers: &HeaderMap) -> HeaderMap {
    let mut passed = end_to_end(headers);
    for name in headers.keys().filter(|name| name.as_str().starts_with("access-control-")) {
        passed.remove(name);
    }
    passed
}

/// Returns the headers that are not for one connection only.
///
/// Removes the headers in `HOP_BY_HOP` and those that a `connection` header
/// names. Order and repeated values stay.
fn end_to_end(headers: &HeaderMap) -> HeaderMap {
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

    #[test]
    fn no_web_page_is_permitted_to_read_a_response() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("Access-Control-Expose-Headers", "request-id"),
            ("access-control-allow-origin", "https://a.example"),
            ("request-id", "req_1"),
            ("vary", "Origin"),
        ] {
            headers.append(
                HeaderName::try_from(name).expect("a name"),
                value.parse().expect("a value"),
            );
        }
        let passed = of_response(&headers);
        let mut names: Vec<_> = passed.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["request-id", "vary"]);
    }
}
