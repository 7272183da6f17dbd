//! Values in a body by their keys, such as `thinking.type`.

use aside_body::body::Body;
use aside_json::scan::{self as json, Span};

/// Returns the value that keys with dots between them lead to, such as `thinking.type`.
pub(crate) fn value_at(request: &Body, path: &str) -> Option<Span> {
    let mut keys = path.split('.');
    let first = request.get(keys.next()?)?;
    keys.try_fold(first, |span, key| json::get(request.as_bytes(), span.start, key))
}

/// Returns this value in a form that makes equal values equal; empty if there is none.
pub(crate) fn canonical(request: &Body, path: &str) -> Vec<u8> {
    let mut value = Vec::new();
    if let Some(span) = value_at(request, path) {
        json::canonical(request.as_bytes(), &span, &[], |it| value.extend_from_slice(it));
    }
    value
}
