//! Cache markers, which are no content.

use aside_json::{Kind, Span, Value};

use crate::lifetime::CacheLifetime;

/// A marker in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The member, with its key.
    pub span: Span,
    /// The lifetime, when known; 5 minutes when none is given.
    pub lifetime: Option<CacheLifetime>,
}

/// Returns true if a member with this key is a marker rather than content.
pub fn is_marker(key: &str) -> bool {
    matches!(key, "cache_control" | "prompt_cache_breakpoint")
}

/// Reads a marker's lifetime; `None` when it is `null` or unknown.
///
/// A marker without `ttl` lives for five minutes, as the API has it.
pub(super) fn lifetime(marker: Value<'_>) -> Option<CacheLifetime> {
    if marker.kind() != Kind::Object {
        return None;
    }
    match marker.text_of("ttl") {
        Some(ttl) => ttl.parse().ok().filter(|it| *it != CacheLifetime::TwentyFourHours),
        None => Some(CacheLifetime::FiveMinutes),
    }
}
