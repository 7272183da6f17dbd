//! URLs and queries: an allow-list for parameters, and no userinfo.

use std::ops::Range;

use super::filler;
use super::output::Output;

/// Parameters to keep with their values.
const KEPT_PARAMETERS: &[&str] = &[
    "after",
    "after_id",
    "alt",
    "api-version",
    "before",
    "before_id",
    "beta",
    "limit",
    "order",
    "pageSize",
    "starting_after",
    "stream",
];

/// A kept parameter with a longer value is not an API's.
const MAX_VALUE_BYTES: usize = 64;

/// In an MCP server's path a longer segment can be a key, as in
/// `https://mcp.example/s/KEY/mcp`.
const MAX_SEGMENT_BYTES: usize = 19;

/// Which parts of a path to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paths {
    /// All.
    Kept,
    /// Short segments.
    Short,
}

/// Returns a request's path with the listed parameters from its query.
///
/// A segment ends at a character that can begin a parameter.
pub(crate) fn path(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let segments: Vec<&str> =
        path.split('/').map(|segment| &segment[..parameter(segment)]).collect();
    let kept: Vec<&str> = query.split('&').filter(|pair| is_kept(pair)).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    format!("{}{mark}{}", segments.join("/"), kept.join("&"))
}

/// Returns a URL, or a text that was meant to be one, without its secrets.
pub(crate) fn url(text: &str) -> String {
    replaced(text, spans(text.as_bytes(), Paths::Kept))
}

/// Returns a log or error line without the secrets in its URLs.
pub(crate) fn line(text: &str) -> String {
    replaced(text, spans_in(text.as_bytes()))
}

fn replaced(text: &str, spans: Vec<Range<usize>>) -> String {
    let mut output = Output::new(text.as_bytes());
    for span in spans {
        output.replace(span, filler::push);
    }
    String::from_utf8_lossy(&output.end()).into_owned()
}

/// Returns a URL's secrets, in order: userinfo, parameters that are not listed,
/// the fragment. Backslashes separate as slashes do.
pub(super) fn spans(url: &[u8], paths: Paths) -> Vec<Range<usize>> {
    if url.get(..5).is_some_and(|it| it.eq_ignore_ascii_case(b"data:")) {
        return Vec::new();
    }
    let find = |from: usize, set: &[u8]| {
        let found = url[from..].iter().position(|byte| set.contains(byte));
        found.map_or(url.len(), |at| from + at)
    };
    let is_slash = |at: usize| matches!(url.get(at), Some(b'/' | b'\\'));
    let (mark, hash) = (find(0, b"?#"), find(0, b"#"));
    // A list of URLs has several authorities; without a scheme, the first
    // begins with the text.
    let is_start = |at: &usize| is_slash(*at) && is_slash(at + 1);
    let mut authorities: Vec<usize> = (0..mark).filter(is_start).map(|at| at + 2).collect();
    let first = authorities.first().map_or(mark, |at| at - 2);
    if authorities.is_empty() || url[..first].contains(&b'@') {
        authorities.insert(0, 0);
    }
    let mut spans = Vec::new();
    for authority in &authorities {
        let end = find(*authority, b"/\\?#");
        if let Some(at) = url[*authority..end].iter().rposition(|byte| *byte == b'@') {
            spans.push(*authority..authority + at);
        }
    }
    let path = find(authorities[0], b"/\\?#");
    let mut pieces = |range: Range<usize>, separators: &[u8], is_secret: &dyn Fn(&[u8]) -> bool| {
        let mut from = range.start;
        while from < range.end {
            let to = find(from, separators).min(range.end);
            if to > from && is_secret(&url[from..to]) {
                spans.push(from..to);
            }
            from = to + 1;
        }
    };
    if paths == Paths::Short {
        pieces(path..mark, b"/\\", &|segment| segment.len() > MAX_SEGMENT_BYTES);
    }
    let is_secret = |pair: &[u8]| !str::from_utf8(pair).is_ok_and(is_kept);
    pieces(mark + 1..hash, b"&", &is_secret);
    pieces(hash + 1..url.len(), b"", &|_| true);
    // Path segments come between authorities.
    spans.sort_by_key(|span| span.start);
    spans.dedup_by(|later, earlier| later.start < earlier.end);
    spans
}

/// Returns the secrets in all URLs in a text.
pub(super) fn spans_in(text: &[u8]) -> Vec<Range<usize>> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>`".contains(byte);
    let mut found = Vec::new();
    let mut from = 0;
    for word in text.split(is_end) {
        if word.windows(3).any(|part| part == b"://") {
            let spans = spans(word, Paths::Kept).into_iter();
            found.extend(spans.map(|span| from + span.start..from + span.end));
        }
        from += word.len() + 1;
    }
    found
}

/// Returns true for a listed parameter with a plain value.
pub(super) fn is_kept(pair: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.,".contains(&byte);
    pair.split_once('=').is_some_and(|(name, value)| {
        let is_value = value.len() <= MAX_VALUE_BYTES && value.bytes().all(is_plain);
        KEPT_PARAMETERS.contains(&name) && is_value
    })
}

/// Returns where the first parameter separator in a segment is, or the
/// segment's end.
fn parameter(segment: &str) -> usize {
    let lower = segment.to_ascii_lowercase();
    let separators = [";", "=", "&", "#", "%3b", "%3d", "%26", "%3f", "%23"];
    let found = separators.iter().filter_map(|separator| lower.find(separator));
    found.min().unwrap_or(segment.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_listed_parameters_only() {
        for (given, expected) in [
            ("/a", "/a"),
            ("/a?key=canary", "/a"),
            ("/a?alt=sse&key=canary&b", "/a?alt=sse"),
            ("/a?%6bey=canary&beta=true", "/a?beta=true"),
            ("/a;key=canary/b", "/a/b"),
            ("/a%3Fkey=canary", "/a"),
            ("/v1beta/models/g:generateContent", "/v1beta/models/g:generateContent"),
        ] {
            assert_eq!(path(given), expected);
        }
    }

    #[test]
    fn lines_have_no_userinfo_query_or_fragment() {
        let line = line(
            "failed at https://user:pw@a.example/p?alt=sse&key=12345#xy (wss://b@c) end a@b?c",
        );
        let expected =
            "failed at https://*******@a.example/p?alt=sse&*********#** (wss://*@c) end a@b?c";
        assert_eq!(line, expected);
        assert_eq!(url("messages=user:pw@host/x"), "****************@host/x");
        assert_eq!(super::line(&line), line);
    }
}
