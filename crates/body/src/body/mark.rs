//! Cache markers, which are no content.

use aside_json::scan::{self as json, Kind, Member, Span};

use crate::lifetime::CacheLifetime;

/// A marker in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The member, with its key.
    pub span: Span,
    /// The lifetime, when known; 5 minutes when none is given.
    pub lifetime: Option<CacheLifetime>,
}

const MARKER_KEYS: [&[u8]; 2] = [b"cache_control", b"prompt_cache_breakpoint"];

/// Returns true if the member is a marker rather than content.
pub fn is_marker(bytes: &[u8], member: &Member) -> bool {
    is_marker_key(&bytes[member.key.clone()])
}

/// Returns true if a member with this key is a marker rather than content.
pub fn is_marker_key(key: &[u8]) -> bool {
    MARKER_KEYS.contains(&key)
}

/// Reads a marker's lifetime; `None` when it is `null` or unknown.
///
/// A marker without `ttl` lives for five minutes, as the API has it.
pub fn lifetime(bytes: &[u8], value: &Span) -> Option<CacheLifetime> {
    if json::kind(bytes, value.start) != Kind::Object {
        return None;
    }
    match json::get(bytes, value.start, "ttl") {
        Some(ttl) if json::kind(bytes, ttl.start) == Kind::String => {
            let stated = json::string(bytes, &ttl)?.parse().ok();
            stated.filter(|it| *it != CacheLifetime::TwentyFourHours)
        }
        _ => Some(CacheLifetime::FiveMinutes),
    }
}
