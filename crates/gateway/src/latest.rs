//! Bodies that are kept because the next one probably repeats most of one of them.

use std::sync::Arc;

use aside_body::Body;
use aside_body::path::Level;

/// How many bytes to keep, but for the latest body.
const MAX_BYTES: usize = 64 << 20;

/// Adds a body, and removes those that it repeats: what continues one of them continues it, too,
/// and their memory is used again for the session's next body. Then the first are removed while
/// there are too many, or too many bytes, but never the last one.
pub(crate) fn keep<T>(kept: &mut Vec<T>, new: T, max: usize, body: impl Fn(&T) -> &Body) {
    kept.retain(|it| !repeats(body(&new), body(it)));
    kept.push(new);
    let len = |it: &T| body(it).as_bytes().len();
    while kept.len() > max || kept.len() > 1 && kept.iter().map(len).sum::<usize>() > MAX_BYTES {
        kept.remove(0);
    }
}

/// Returns true if a body has more than half of the messages of another one.
fn repeats(new: &Body, other: &Body) -> bool {
    let [new, other] = [new, other].map(|it| it.section(Level::Messages));
    let pairs = new.iter().zip(other);
    let same = pairs.filter(|(new, other)| Arc::ptr_eq(&new.item, &other.item));
    same.count() * 2 > other.len()
}
