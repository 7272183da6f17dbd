//! Which upstream a request goes to.
//!
//! The path's tail decides the wire. A path that belongs to no wire is forwarded to the upstream
//! that the request's credentials are for, and not recorded. Neither is another method than POST.
//!
//! ```text
//! /v1/messages, /messages                messages    https://api.anthropic.com/v1/messages
//! /v1/responses                          responses   https://api.openai.com/v1/responses
//! /v1/chat/completions                   chat        https://api.openai.com/v1/chat/completions
//! /v1beta/models/…:generateContent       gemini      https://generativelanguage.googleapis.com/v1beta/…
//! /api/hello, /v1/skills                 none        https://api.anthropic.com/…
//! /v1/embeddings                         none        https://api.openai.com/v1/embeddings
//! ```

use aside_body::wire::of_url;
use axum::http::{HeaderMap, Method};
use reqwest::Url;

use super::upstream::{Upstreams, Wire, WireRow};
use crate::redact::{credentials, has_credentials};

/// Where a request goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The wire of a conversation; `None` for a path that belongs to none, or another method.
    pub(crate) wire: Option<Wire>,
    pub(crate) url: Url,
}

/// Headers that only one vendor's clients send.
const VENDOR_HEADERS: [(&str, Wire); 7] = [
    ("anthropic-version", Wire::Messages),
    ("anthropic-beta", Wire::Messages),
    ("x-api-key", Wire::Messages),
    ("x-goog-api-key", Wire::GenerateContent),
    ("openai-organization", Wire::Responses),
    ("openai-project", Wire::Responses),
    ("openai-beta", Wire::Responses),
];

/// How the keys begin that show their vendor.
const VENDOR_KEYS: [(&str, Wire); 3] = [
    ("sk-ant-", Wire::Messages),
    ("ya29.", Wire::GenerateContent),
    ("AIza", Wire::GenerateContent),
];

impl Upstreams {
    /// # Errors
    /// Why to refuse the request: the path could leave an upstream's base path, its wire has no
    /// upstream, or its credentials could be for several.
    pub(crate) fn route(
        &self,
        method: &Method,
        path_and_query: &str,
        headers: &HeaderMap,
    ) -> Result<Route, &'static str> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        if method == Method::CONNECT || !is_plain(path) {
            return Err("this path cannot be forwarded");
        }
        let is_own = |wire: &Wire| *wire != Wire::Messages || self.is_messages(path);
        let wire = of_url(path).filter(is_own);
        let found = match wire {
            Some(wire) => self.rows().find(|(row, _)| row.wire == wire),
            None => Some(self.unlisted(path_and_query, headers)?),
        };
        let Some((row, base)) = found else {
            return Err("no upstream serves this path");
        };
        let rest = self.below_base(row, base, path_and_query);
        let base_path = base.path().trim_end_matches('/');
        let segments = rest.split('?').next().unwrap_or_default().split('/');
        let is_versioned = { segments }.any(is_version);
        let version = row
            .version
            .filter(|_| wire.is_some() && base_path.is_empty() && !is_versioned)
            .unwrap_or_default();
        let mut origin = base.clone();
        origin.set_path("");
        origin.set_query(None);
        origin.set_fragment(None);
        let origin = origin.as_str().trim_end_matches('/');
        let url = Url::parse(&format!("{origin}{base_path}{version}{rest}"));
        let url = url.map_err(|_| "this path cannot be forwarded")?;
        Ok(Route { wire: wire.filter(|_| *method == Method::POST), url })
    }

    /// Returns true for a path of the Messages API: other APIs have messages, too
    /// (`/v1/threads/ID/messages`), so its own follow a version or the base path.
    fn is_messages(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix("/count_tokens").unwrap_or(path);
        let Some(before) = path.strip_suffix("/messages") else {
            return false;
        };
        let base = self.of(Wire::Messages);
        before.is_empty()
            || base.is_some_and(|base| base.path().trim_end_matches('/') == before)
            || before.rsplit('/').next().is_some_and(is_version)
    }

    /// Returns the upstream for a path that belongs to no wire.
    ///
    /// Credentials are only sent to the vendor that they belong to: if nothing in a request names
    /// one of several, it is refused.
    fn unlisted(
        &self,
        path_and_query: &str,
        headers: &HeaderMap,
    ) -> Result<(&'static WireRow, &Url), &'static str> {
        let all: Vec<_> = self.rows().collect();
        let of_wire = |wire: Wire| all.iter().find(|(row, _)| row.wire == wire).copied();
        if let Some((first, _)) = all.split_first()
            && all.iter().all(|(_, base)| base == &first.1)
        {
            return Ok(*first);
        }
        let keys = credentials(headers, path_and_query);
        let is_key = |start: &str| keys.iter().any(|key| key.starts_with(start));
        let by_header = VENDOR_HEADERS.iter().find(|(name, _)| headers.contains_key(*name));
        let by_key = || VENDOR_KEYS.iter().find(|(start, _)| is_key(start));
        if let Some((_, wire)) = by_header.or_else(by_key) {
            let chat = of_wire(Wire::ChatCompletions).filter(|_| *wire == Wire::Responses);
            let found = of_wire(*wire).or(chat);
            return found.ok_or("no upstream serves this path");
        }
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let is_gemini =
            path.starts_with("/v1beta/") || query.split('&').any(|it| it.starts_with("key="));
        if let Some(gemini) = of_wire(Wire::GenerateContent).filter(|_| is_gemini) {
            return Ok(gemini);
        }
        // A version such as `/v1` is in many vendors' paths, so it shows no owner of a key.
        let has_key = has_credentials(headers, path_and_query);
        let matched = |(row, base): &(&WireRow, &Url)| {
            let base = base.path().trim_end_matches('/');
            let own = match row.version.filter(|_| base.is_empty() && !has_key) {
                Some(version) => version,
                None => base,
            };
            strip_base(path, own).map_or(0, |_| own.len())
        };
        let longest = all.iter().map(matched).max();
        let mut found = all.iter().filter(|it| Some(matched(it)) == longest);
        match found.next() {
            Some(first) if !has_key || found.all(|(_, base)| *base == first.1) => Ok(*first),
            Some(_) => Err("no upstream is known for this path and its credentials"),
            None => Err("no upstream serves this path"),
        }
    }

    /// Returns a path without the path that the wire's variable has.
    fn below_base<'a>(&self, row: &WireRow, base: &Url, path: &'a str) -> &'a str {
        let mut sharing = self.rows();
        let variable = sharing.find(|(other, _)| other.variables == row.variables);
        let bases = [Some(base), variable.map(|(_, base)| base)];
        let mut bases = bases.into_iter().flatten();
        let rest = bases.find_map(|base| strip_base(path, base.path().trim_end_matches('/')));
        rest.unwrap_or(path)
    }
}

/// Returns the rest of a path below a base path; `None` if it is not below it.
fn strip_base<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base)?;
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some(rest)
}

/// Returns true for a segment such as `v1` or `v1beta`.
fn is_version(segment: &str) -> bool {
    let rest = segment.strip_prefix('v').unwrap_or_default();
    rest.starts_with(|it: char| it.is_ascii_digit())
}

/// Returns true for a path that stays below a base path wherever it is read: no empty and no dot
/// segments, no segment parameters (`..;`), and no escapes but those for visible ASCII characters
/// that separate nothing. So a second decoding (`%252f`), an overlong form (`%c0%af`) or a NUL
/// hides nothing.
pub(crate) fn is_plain(path: &str) -> bool {
    let Some(decoded) = decoded(path.as_bytes()) else {
        return false;
    };
    // `*` stands for the whole server (`OPTIONS *`).
    let Some(below) = decoded.strip_prefix(b"/") else {
        return false;
    };
    // The last segment may be empty.
    let segments = below.strip_suffix(b"/").unwrap_or(below).split(|byte| *byte == b'/');
    below.is_empty() || { segments }.all(|it| !matches!(it, b"" | b"." | b".."))
}

/// Decodes a path; `None` if it has a character or an escape that is refused.
fn decoded(mut path: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(path.len());
    while let Some((&byte, rest)) = path.split_first() {
        path = rest;
        let byte = match byte {
            b'\\' | b';' => return None,
            b'%' => {
                let digits = std::str::from_utf8(path.get(..2)?).ok()?;
                path = &path[2..];
                let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
                let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
                let is_hidden = !(b' '..=b'~').contains(&byte) || b"/\\;%?#".contains(&byte);
                (!is_hidden).then_some(byte)?
            }
            byte => byte,
        };
        decoded.push(byte);
    }
    Some(decoded)
}
