//! Cache markers, which are no content.

use aside_json::scan::{self as json, Kind, Member, Span};

use crate::lifetime::CacheLifetime;

/// A marker that a body has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The member with its key.
    pub span: Span,
    /// The lifetime, if it is one that is known; 5 minutes if none is stated.
    pub lifetime: Option<CacheLifetime>,
}

/// The keys of markers.
const MARKER_KEYS: [&[u8]; 2] = [b"cache_control", b"prompt_cache_breakpoint"];

/// Returns true if the member is a marker, and no content.
pub fn is_marker(bytes: &[u8], member: &Member) -> bool {
    MARKER_KEYS.contains(&&bytes[member.key.clone()])
}

/// Reads the lifetime of a marker; `None` if it is `null` or unknown.
///
/// A marker without `ttl` has five minutes, the default of the API.
pub fn lifetime(bytes: &[u8], value: &Span) -> Option<CacheLifetime> {
    if json::kind(bytes, value.start) != Kind::Object {
        return None;
    }
    match json::get(bytes, value.start, "ttl") {
        Some(ttl) if json::kind(bytes, ttl.start) == Kind::String => {
            CacheLifetime::from_name(&json::string(bytes, &ttl)?)
        }
        _ => Some(CacheLifetime::FiveMinutes),
    }
}
