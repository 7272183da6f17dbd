//! Bodies that are kept because the next one probably repeats most of one of them.

/// How many bytes to keep, but for the latest body.
const MAX_BYTES: usize = 64 << 20;

/// Removes the first bodies while there are too many, or too many bytes, but never the last one.
pub(crate) fn forget_oldest<T>(kept: &mut Vec<T>, max: usize, len: impl Fn(&T) -> usize) {
    while kept.len() > max || kept.len() > 1 && kept.iter().map(&len).sum::<usize>() > MAX_BYTES {
        kept.remove(0);
    }
}
