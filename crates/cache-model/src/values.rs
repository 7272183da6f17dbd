//! Values in a body by their keys, such as `thinking.type`.

use aside_body::body::Body;
use aside_json::scan::{self as json, Kind, Member, Span};

/// Returns the value that keys with dots between them lead to, such as `thinking.type`.
pub(crate) fn value_at(request: &Body, path: &str) -> Option<Span> {
    let mut keys = path.split('.');
    let first = request.get(keys.next()?)?;
    keys.try_fold(first, |span, key| json::get(request.as_bytes(), span.start, key))
}

/// Returns this value in a form that makes equal values equal; empty if there is none.
pub(crate) fn canonical(request: &Body, path: &str) -> Vec<u8> {
    canonical_without(request, path, &[])
}

/// Returns the same without some members.
pub(crate) fn canonical_without(request: &Body, path: &str, keys: &[&str]) -> Vec<u8> {
    let mut value = Vec::new();
    if let Some(span) = value_at(request, path) {
        let bytes = request.as_bytes();
        let members = match json::kind(bytes, span.start) {
            Kind::Object if !keys.is_empty() => json::members(bytes, span.start),
            _ => Ok(Vec::new()),
        };
        let members = members.unwrap_or_default().into_iter();
        let is_out = |it: &Member| keys.iter().any(|key| key.as_bytes() == it.key(bytes));
        let out = members.filter(is_out).map(|it| json::removal(bytes, it.span()));
        let out: Vec<Span> = out.collect();
        json::canonical(bytes, &span, &out, |it| value.extend_from_slice(it));
    }
    value
}
